"""What a plan is made from, besides the state: all of it values that the shell fixed beforehand."""

from __future__ import annotations

from msgspec import Struct

from trimtab.core.plan import Segment
from trimtab.core.sections import Fragment
from trimtab.core.target import Target
from trimtab.settings import Settings


class PlanInputs(Struct, frozen=True, kw_only=True):
    """Everything a plan depends on outside the ledger's state.

    Attributes:
        exact: whether the counter is the model's own tokenizer.
        window_tokens: the model's window where the settings do not name one.
        system: the client's instructions as segments, in order.
        filler_tokens: of the message that the wire form puts before a history that does not begin with the user.
        tools_tokens: of the tool schemas; `tools_id` and `params_id` are where their bytes are.
        notes: the text of the notes that are injected, "" for none.
        variables: the text of the variables that the current step reads, "" for none.
        fragments: recalled turns, best first, each already shortened to its share.
        asserting: what the model must say of its step, "" for nothing.
        fence_key: the session's key for fences.
        bare: nothing of ours is added; only messages are chosen.
    """

    settings: Settings
    target: Target
    counter_id: str
    exact: bool
    window_tokens: int | None = None
    max_output_tokens: int | None = None
    system: tuple[Segment, ...] = ()
    filler_tokens: int = 0
    tools_tokens: int = 0
    tools_id: str = ""
    params_id: str = ""
    notes: str = ""
    variables: str = ""
    fragments: tuple[Fragment, ...] = ()
    asserting: str = ""
    fence_key: str = ""
    bare: bool = False
    settings_hash: str = ""
    fingerprint: str = ""
    renderer_version: int = 1

    @property
    def system_tokens(self) -> int:
        """Of the client's own system text."""
        return sum(segment.tokens for segment in self.system)

    @property
    def tail_frozen(self) -> bool:
        """Whether a tail block stays where it was sent: wherever reasoning is bound to what stands before it."""
        mode = self.settings.tail_mode
        return self.settings.layout == "cache_first" and (mode == "append" or self.target.reasoning_bound)
