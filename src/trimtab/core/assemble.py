"""The layouts: which of our sections stands in front and which in the tail, and where the tail stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trimtab.core.editor import Editor
from trimtab.core.guard import missing
from trimtab.core.inputs import PlanInputs
from trimtab.core.plan import Action, Place, Reason, Section, Segment
from trimtab.core.sections import (
    GONE_HEAD,
    UPDATE_HEAD,
    SectionText,
    fence,
    fragments_text,
    meta_text,
    pinned_items,
    reminder_text,
    rules_text,
    shown_sources,
    summary_text,
)
from trimtab.core.state import SessionState
from trimtab.core.summary import SummaryItem
from trimtab.errors import ConstraintLost

# of these sections the front of an epoch can go out of date; what changed is then said in the tail
_UPDATABLE: tuple[Section, ...] = ("meta_context", "brief", "constraints", "notes")
_INSTRUCTIONS = frozenset({"client_system", "meta_context", "brief", "constraints", "task_state", "plan", "reminder"})


def check_rules(rules: Iterable[SummaryItem], texts: Iterable[SectionText]) -> None:
    """The check that ends every assembly: each live rule and decision stands word for word outside the summary.

    Raises:
        ConstraintLost: before anything is committed.
    """
    text = "\n".join(row.text for row in texts if row.section == "constraints")
    lost = missing(list(rules), text)
    if lost:
        raise ConstraintLost([item.text for item in lost])


def is_instruction(section: Section) -> bool:
    """Whether its tokens are subtracted before the history budget (REQUIREMENTS B1)."""
    return section in _INSTRUCTIONS


class Layout:
    """Makes the sections of one layout. Equal texts give equal segments: nothing is made twice."""

    def __init__(self, state: SessionState, inputs: PlanInputs, editor: Editor) -> None:
        self.state, self.inputs, self.editor = state, inputs, editor
        self.state_first = inputs.settings.layout == "state_first"

    def front(self, cut_seq: int, summary: bool, fragments: bool = True, summary_max_tokens: int | None = None) -> tuple[Segment, ...]:
        """Our sections before the history, assembled anew.

        Args:
            cut_seq: messages up to here are gone, the summary stands for them.
        """
        cap = self.inputs.settings.summary_max_tokens if summary_max_tokens is None else summary_max_tokens
        if self.inputs.bare:
            return ()
        rules = pinned_items(self.state)
        texts = [*self._base(rules)]
        if self.state_first and fragments:
            texts.append(self._fragments())
        texts.append(SectionText("notes", self.inputs.notes))
        if summary and cut_seq and cap > 0:
            text = summary_text(self.state, cut_seq, cap, self._count)
            texts.append(SectionText("summary", text, shown_sources(self.state, text)))
        check_rules(rules, texts)
        return self._segments(texts, "front")

    def refreshed(self, fragments: bool = True) -> tuple[Segment, ...]:
        """The front of `state_first` between two compactions: all is current but the summary."""
        head = self.front(0, summary=False, fragments=fragments)
        return (*head, *(segment for segment in self.state.front if segment.section == "summary"))

    def tail(self, front: Sequence[Segment] | None, altered: frozenset[int], fragments: bool = True) -> tuple[Segment, ...]:
        """What changes, near the input: only in `cache_first`.

        Args:
            front: the epoch's front; None where it is as of now, so that nothing in it is out of date.
            altered: seqs of messages that do not stand whole; rules from them are said again.
        """
        if self.state_first or self.inputs.bare:
            return ()
        texts = [self._fragments()] if fragments else []
        if front is not None:
            texts += self._updates(front, altered)
        texts.append(SectionText("reminder", reminder_text(self.state)))
        return self._segments(texts, "tail")

    # ------------------------------------------------------------ parts

    def _base(self, rules: Iterable[SummaryItem]) -> list[SectionText]:
        state, rules = self.state, list(rules)
        sources = tuple(sorted({seq for item in rules for seq in item.source_ids}))
        return [
            SectionText("meta_context", meta_text(state.meta)),
            SectionText("brief", state.brief.strip()),
            SectionText("constraints", rules_text(state.pins.values(), rules), sources),
        ]

    def _fragments(self) -> SectionText:
        sources = tuple(sorted({seq for fragment in self.inputs.fragments for seq in fragment.source_ids}))
        return SectionText("fragments", fragments_text(self.inputs.fragments), sources)

    def _updates(self, front: Sequence[Segment], altered: frozenset[int]) -> list[SectionText]:
        """Sections of the epoch's front that no longer say what holds.

        A rule from a message after the front was made stands in that message, word for word; it is repeated
        only where the message does not stand whole, or where the block is said anew: then it says all that holds.
        """
        rules = [item for item in pinned_items(self.state) if self._told_in_front(item, altered)]
        notes = SectionText("notes", self.inputs.notes)
        whole = {row.section: row for row in (*self._base(pinned_items(self.state)), notes)}
        shown = {segment.section: segment.segment_id for segment in front}
        updates = []
        for row in (*self._base(rules), notes):
            said = whole[row.section]
            if not row.text and row.section in shown and not said.text:
                updates.append(SectionText(row.section, GONE_HEAD))
            elif (
                row.section in _UPDATABLE
                and self._made(row.section, row.text) != shown.get(row.section)
                and (row.text or row.section in shown)
            ):
                head = f"{UPDATE_HEAD}\n" if row.section in shown else ""
                updates.append(SectionText(row.section, head + said.text, said.origin_ids))
        return updates

    def _told_in_front(self, item: SummaryItem, altered: frozenset[int]) -> bool:
        newest = max(item.source_ids, default=0)
        return not self.state.front_seq or newest <= self.state.front_seq or newest in altered

    def _made(self, section: Section, text: str) -> str:
        return self.editor.text(fence(section, text, self.inputs.fence_key)).segment_id

    def _segments(self, texts: Iterable[SectionText], place: Place) -> tuple[Segment, ...]:
        segments = []
        for row in texts:
            if not row.text:
                continue
            made = self.editor.text(fence(row.section, row.text, self.inputs.fence_key))
            pinned = row.section in ("meta_context", "brief", "constraints")
            reason: Reason = "matched" if row.section == "fragments" else "pinned" if pinned else "state"
            action: Action = "recall" if row.section == "fragments" else "inject"
            segments.append(
                Segment(
                    made.segment_id, row.section, place, made.tokens, reason=reason, pinned=pinned, action=action, origin_ids=row.origin_ids
                )
            )
        return tuple(segments)

    def _count(self, text: str) -> int:
        return self.editor.count(text)


def tail_index(state: SessionState, inputs: PlanInputs, frozen: int, new: Sequence[Segment]) -> int:
    """How many segments of the history stand before the tail.

    The tail stands before the user's current input; after it in the Messages form, and after tool results,
    which nothing may part from their calls, and after all that was sent before.
    """
    total = frozen + len(new)
    if inputs.target.wire == "anthropic":
        return total
    index = total
    while index > frozen:
        segment = new[index - 1 - frozen]
        node = state.nodes.get(segment.origin[0])
        if segment.place != "message" or segment.source != "user" or node is None or node.results or segment.action == "inject":
            break
        index -= 1
    return index
