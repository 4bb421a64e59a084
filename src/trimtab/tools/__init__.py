"""The agent's own tools: an agent saves, drops, searches and reads what its context holds."""

from trimtab.tools.schema import TOOL_WIRES, ToolWire
from trimtab.tools.toolset import Toolset

__all__ = ["TOOL_WIRES", "ToolWire", "Toolset"]
