"""What tests of Trimtab and of what is built on it need: a strict mock upstream, and the prompt validators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trimtab.core.messages import WireName
from trimtab.core.target import Target
from trimtab.testing.refusals import UpstreamRefusal
from trimtab.testing.replies import ScriptedReply
from trimtab.testing.upstream import StrictUpstream
from trimtab.wire import wire_for

__all__ = ["ScriptedReply", "StrictUpstream", "UpstreamRefusal", "check_prompt"]


def check_prompt(body: Mapping[str, Any], wire: WireName, target: Target | None = None) -> None:
    """Raise InvalidPrompt where the provider would refuse the body. No window, no signatures: see StrictUpstream."""
    wire_for(wire).validate(body, target)
