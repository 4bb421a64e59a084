"""The layouts: which of our sections stands in front and which in the tail, and where the tail stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from trimtab.core.editor import Editor
from trimtab.core.guard import missing
from trimtab.core.inputs import PlanInputs
from trimtab.core.meta import left_meta_notes, render_meta_notes, standing_meta_notes
from trimtab.core.notes import MetaNote
from trimtab.core.plan import Action, Place, Reason, Section, Segment
from trimtab.core.sections import (
    GONE_HEAD,
    NEWS_HEAD,
    SETTLED_HEAD,
    UPDATE_HEAD,
    Left,
    SectionText,
    fence,
    fragments_text,
    meta_text,
    pin_lines,
    pinned_items,
    reminder_text,
    rules_text,
    shown_sources,
    summary_text,
)
from trimtab.core.state import SessionState
from trimtab.core.summary import PINNED_FIELDS, SummaryItem, folded_decisions
from trimtab.core.task_text import anchor_text, plan_text, state_text
from trimtab.errors import ConstraintLost
from trimtab.settings import LEAST_TASK_TOKENS, Settings

# of these sections the front of an epoch can go out of date; what changed is then said in the tail
_UPDATABLE: tuple[Section, ...] = ("meta_context", "brief", "constraints", "notes")
# made with an epoch and not changed before the next, so that what a cache holds stays
_OF_THE_EPOCH: tuple[Section, ...] = ("meta_notes", "summary")
NOTHING_LEFT = Left(0)
# of the room beside the client's own instructions, the most that the state block takes, and the plan
TASK_SHARE = 5
_INSTRUCTIONS = frozenset({"client_system", "meta_context", "brief", "constraints", "task_state", "plan", "reminder"})


def check_rules(rules: Iterable[SummaryItem], texts: Iterable[SectionText]) -> None:
    """The check that ends every assembly: each live rule and decision stands word for word outside the summary; of
    decisions that were folded, the id.

    Raises:
        ConstraintLost: before anything is committed.
    """
    text = "\n".join(row.text for row in texts if row.section == "constraints")
    lost = [item for item in missing(list(rules), text) if item.field != "decision" or item.item_id not in text]
    if lost:
        raise ConstraintLost([item.text for item in lost])


def _within(settings: Settings, room_tokens: int) -> Settings:
    """With the state block and the plan no larger than their share: a small window holds little of everything."""
    most, steering = room_tokens // TASK_SHARE, settings.steering
    if most >= max(steering.state_max_tokens, steering.plan_max_tokens):
        return settings
    caps = {name: min(getattr(steering, name), max(most, LEAST_TASK_TOKENS)) for name in ("state_max_tokens", "plan_max_tokens")}
    return msgspec.structs.replace(settings, steering=msgspec.structs.replace(steering, **caps))


def is_instruction(section: Section) -> bool:
    """Whether its tokens are subtracted before the history budget (REQUIREMENTS B1)."""
    return section in _INSTRUCTIONS


class Layout:
    """Makes the sections of one layout. Equal texts give equal segments: nothing is made twice."""

    def __init__(self, state: SessionState, inputs: PlanInputs, editor: Editor, room_tokens: int) -> None:
        """`room_tokens`: of the prompt budget, what the client's system text and tools leave."""
        self.state, self.inputs, self.editor = state, inputs, editor
        self._task_settings = _within(inputs.settings, room_tokens)
        self.state_first = inputs.settings.layout == "state_first"
        self._folded: dict[tuple[str, ...], frozenset[str]] = {}
        self._task: tuple[SectionText, ...] | None = None

    def shorten_task(self) -> None:
        """State block and plan in the shortest form that says something, from now on."""
        caps = {"state_max_tokens": LEAST_TASK_TOKENS, "plan_max_tokens": LEAST_TASK_TOKENS}
        steering = msgspec.structs.replace(self._task_settings.steering, **caps)
        self._task_settings, self._task = msgspec.structs.replace(self._task_settings, steering=steering), None

    def front(
        self, left: Left, summary: bool, summary_max_tokens: int | None = None, altered: frozenset[int] = frozenset()
    ) -> tuple[Segment, ...]:
        """Our sections before the history, assembled anew.

        Args:
            left: messages that are gone, the summary stands for them.
            altered: seqs of messages that do not stand whole.
        """
        cap = self.inputs.settings.summary_max_tokens if summary_max_tokens is None else summary_max_tokens
        if self.inputs.bare:
            return ()
        rules = pinned_items(self.state)
        texts = [*self._base(rules)]
        if self.state_first:
            texts += self._working()
        texts.append(self._notes())
        texts.append(self._meta_notes(max(left.cut_seq, self.state.cut_seq), altered | left.single))
        if cap > 0 and ((summary and left) or self.state.inherited or self.state.shared):
            text = summary_text(self.state, left, cap, self._count)
            texts.append(SectionText("summary", text, shown_sources(self.state, text)))
        check_rules(rules, texts)
        return self._segments(texts, "front")

    def refreshed(self, altered: frozenset[int] = frozenset()) -> tuple[Segment, ...]:
        """The front of `state_first` between two compactions: all is current but the summary, which is made anew only
        where something that it may list as open no longer is, or where other agents have something new to tell."""
        if self._news():
            return self.front(Left(self.state.cut_seq, frozenset(self.state.holes)), summary=False, altered=altered)
        if self._lists_settled():
            standing = sum(segment.tokens for segment in self.state.front if segment.section == "summary")
            left = Left(self.state.cut_seq, frozenset(self.state.holes))
            return self.front(left, summary=True, summary_max_tokens=standing, altered=altered)
        head = (segment for segment in self.front(NOTHING_LEFT, summary=False) if segment.section not in _OF_THE_EPOCH)
        return (*head, *(segment for segment in self.state.front if segment.section in _OF_THE_EPOCH))

    def _lists_settled(self) -> bool:
        """Whether the standing summary repeats the words of an item that is settled by now."""
        if not self.state.settled:
            return False
        shown = {seq for segment in self.state.front if segment.section == "summary" for seq in segment.origin_ids}
        return any(item.origin or shown.intersection(item.source_ids) for item in self.state.settled)

    def tail(self, front: Sequence[Segment] | None, altered: frozenset[int]) -> tuple[Segment, ...]:
        """What changes, near the input: only in `cache_first`, but for what a flag wants said again right there.

        Args:
            front: the epoch's front; None where it is as of now, so that nothing in it is out of date.
            altered: seqs of messages that do not stand whole; rules from them are said again.
        """
        if self.inputs.bare:
            return ()
        anchor = anchor_text(self.state, self._task_settings, self._count)
        reminder = SectionText("reminder", "\n".join(part for part in (anchor, reminder_text(self.state)) if part))
        if self.state_first:
            return self._segments([reminder], "tail") if anchor else ()
        texts = self._working()
        if front is not None:
            texts += self._updates(front, altered)
            texts.append(self._settled(front))
        texts.append(reminder)
        return self._segments(texts, "tail")

    # ------------------------------------------------------------ parts

    def _base(self, rules: Iterable[SummaryItem]) -> list[SectionText]:
        state, rules = self.state, list(rules)
        sources = tuple(sorted({seq for item in rules if not item.origin for seq in item.source_ids}))
        return [
            SectionText("meta_context", meta_text(state.meta)),
            SectionText("brief", state.brief.strip()),
            SectionText("constraints", self._rules(rules), sources),
        ]

    def _rules(self, rules: Sequence[SummaryItem]) -> str:
        """The rule block. The cap is of the whole block; what a pin or a rule takes, the decisions no longer have."""
        cap = self.inputs.settings.rules_max_tokens
        ids = tuple(item.item_id for item in rules)
        if ids not in self._folded:
            self._folded[ids] = folded_decisions(rules, cap - self._count(pin_lines(self.state.pins.values())), self._count)
        return rules_text(self.state.pins.values(), rules, self._folded[ids])

    def _working(self) -> list[SectionText]:
        """Where the task stands, and what is for this step only: recalled turns, and the values of variables that it reads."""
        if self._task is None:
            settings = self._task_settings
            self._task = (
                SectionText(
                    "task_state", "\n".join(part for part in (state_text(self.state, settings, self._count), self.inputs.asserting) if part)
                ),
                SectionText("plan", plan_text(self.state, settings, self._count)),
            )
        sources = tuple(sorted({seq for fragment in self.inputs.fragments for seq in fragment.source_ids}))
        return [
            *self._task,
            SectionText("fragments", fragments_text(self.inputs.fragments), sources),
            SectionText("variables", self.inputs.variables),
        ]

    def _notes(self) -> SectionText:
        """Notes, and what the caller wrote down of data that is not in the history."""
        shape = self._shapes(standing_meta_notes(self.state), self.inputs.settings.meta_notes_max_tokens)
        return SectionText("notes", "\n".join(part for part in (self.inputs.notes, shape) if part))

    def _meta_notes(self, cut_seq: int, altered: frozenset[int]) -> SectionText:
        """What the data looks like that has left, as of the epoch. The cap is of all meta notes together."""
        notes = left_meta_notes(self.state, cut_seq, altered) if self.state.meta_notes else []
        if not notes:
            return SectionText("meta_notes", "")
        cap = self.inputs.settings.meta_notes_max_tokens
        shape = self._shapes(notes, cap - self._count(self._shapes(standing_meta_notes(self.state), cap)))
        return SectionText("meta_notes", shape, tuple(sorted({note.source_seq for note in notes})))

    def _shapes(self, notes: Sequence[MetaNote], max_tokens: int) -> str:
        if not notes:
            return ""
        key = ("meta notes", max_tokens, *(note.seq for note in notes))
        return self.editor.once(key, lambda: render_meta_notes(notes, max_tokens, self._count))

    def _updates(self, front: Sequence[Segment], altered: frozenset[int]) -> list[SectionText]:
        """Sections of the epoch's front that no longer say what holds.

        A rule from a message after the front was made stands in that message, word for word; it is repeated
        only where the message does not stand whole, or where the block is said anew: then it says all that holds.
        """
        rules = [item for item in pinned_items(self.state) if self._told_in_front(item, altered)]
        notes = self._notes()
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

    def _settled(self, front: Sequence[Segment]) -> SectionText:
        """What the epoch's summary may list as open and no longer is, and what came in from other agents since."""
        news = [f"- {' '.join(item.text.split())} [{item.item_id}]" for item in self._news()]
        told = "\n".join([NEWS_HEAD, *news]) if news else ""
        shown = {seq for segment in front if segment.section == "summary" for seq in segment.origin_ids}
        lines = [f"- {item.text} [{item.item_id}]" for item in self.state.settled if item.origin or shown.intersection(item.source_ids)]
        if not lines or not any(segment.section == "summary" for segment in front):
            return SectionText("summary", told)
        return SectionText("summary", "\n".join([SETTLED_HEAD, *lines, *([told] if told else [])]))

    def _news(self) -> list[SummaryItem]:
        """What the summary would say of other agents' work if it were made now."""
        items = (self.state.items.get(item_id) for item_id in self.state.news)
        return [item for item in items if item is not None and item.field not in PINNED_FIELDS]

    def _told_in_front(self, item: SummaryItem, altered: frozenset[int]) -> bool:
        if item.origin:
            return True  # said in another session: it stands nowhere in this one
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
            working: dict[Section, Reason] = {"fragments": "matched", "variables": "needed"}
            reason: Reason = "pinned" if pinned else working.get(row.section, "state")
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
