"""The tools of one run by name: the caller's, those of a `Toolset`, and the two by which the model moves its task on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from trimtab.core.messages import ToolCall, WireName
from trimtab.errors import BadSetting
from trimtab.run.calling import Answered, run_call
from trimtab.run.tools import RunTool, read_tool
from trimtab.session import Session
from trimtab.steer.argument import names_for, with_argument, without_argument
from trimtab.steer.wording import is_chinese
from trimtab.tools import Toolset

TASK_TOOLS = ("update_task", "propose_plan")


class RunDesk:
    """Schemas for a request, and answers to its calls."""

    def __init__(self, session: Session, tools: Sequence[Any]) -> None:
        """Raises BadSetting for what cannot be offered, and for two tools of one name."""
        own = [read_tool(tool) for tool in tools if not isinstance(tool, Toolset)]
        self._toolsets = [tool for tool in tools if isinstance(tool, Toolset)]
        offered = {name for toolset in self._toolsets for name in toolset.names}
        self.usage_rules = "\n\n".join(toolset.usage_rules() for toolset in self._toolsets)
        task = session.state.task
        lacking = [name for name in TASK_TOOLS if name not in offered]
        if lacking and task is not None:
            self._toolsets.append(Toolset(session, only=lacking, language="zh" if is_chinese(task.goal) else "en"))
        self.tools: dict[str, RunTool] = {tool.name: tool for tool in own}
        self._managed = {name: toolset for toolset in self._toolsets for name in toolset.names}
        # what the model calls it; "" where no task is there to be moved
        self.update_task = "update_task" if "update_task" in self._managed else ""
        names = [tool.name for tool in own] + [name for toolset in self._toolsets for name in toolset.names]
        twice = next((name for name in names if names.count(name) > 1), "")
        if twice:
            raise BadSetting("tools", twice, "a name that no other tool has; give a Toolset a prefix")

    def schemas(self, wire: WireName, *, in_argument: bool = False) -> list[dict[str, Any]]:
        """All tools as the interface takes them; those of the caller with the argument that names the step, where wanted."""
        own = self._own(wire)
        managed = [schema for toolset in self._toolsets for schema in toolset.schemas(wire)]
        return [*(with_argument(own, wire) if in_argument else own), *managed]

    def arguments(self, wire: WireName) -> dict[str, str]:
        """By tool of the caller: the argument in which a call names its step."""
        return names_for(self._own(wire), wire)

    def _own(self, wire: WireName) -> list[dict[str, Any]]:
        return [tool.schema(wire) for tool in self.tools.values()]

    def may_run_again(self, name: str) -> bool:
        """Whether a call of it that was cut off does no harm when it is run again."""
        return name in self._managed or (name in self.tools and self.tools[name].idempotent)

    async def call(self, call: ToolCall, wire: WireName, *, names_step: bool = False) -> Answered:
        """What comes of a call. Never raises, but for cancellation."""
        managed = self._managed.get(call.name)
        if managed is not None:
            text = await asyncio.to_thread(managed.run, call.name, call.arguments)
            return Answered(call=call, text=text, is_error=text.startswith(("not done", "not saved", "nothing was saved")))
        argument = self.arguments(wire).get(call.name, "") if names_step else ""
        bare = msgspec.structs.replace(call, arguments=without_argument(call.arguments, argument)) if argument else call
        answered = await run_call(self.tools, bare)
        return Answered(call=call, text=answered.text, is_error=answered.is_error)
