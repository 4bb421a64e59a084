"""What of a model's answer may stand (REQUIREMENTS S3, M10). Everything else is dropped with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from trimtab.core.summary import FIELDS, PINNED_FIELDS, Field, SummaryItem
from trimtab.distill.digest.answer import Answer, Proposal
from trimtab.distill.digest.grounds import LEAST_SHARED_RATIO, is_from, is_meant, normal, quoted, shared_ratio, unfounded
from trimtab.distill.digest.transcript import Line

# what a model may say is over; it can never close what is pinned, nor what the user wants
CLOSABLE: frozenset[Field] = frozenset({"todo", "question", "fact", "action", "failed", "state", "structure"})
# only the user's own words can give these, and they stand outside quotes and pasted pages
_FROM_USER: frozenset[Field] = frozenset({"goal", "preference"})
# a page that was read can ask for things; only what was said in the conversation is to be done
_FROM_TALK: frozenset[Field] = frozenset({"todo", "question"})
_KNOWN_FIELDS: Mapping[str, Field] = {field: field for field in FIELDS}
MOST_ITEMS, MOST_RULES = 200, 20
_MOST_ITEM_CHARS, _MOST_REASON_CHARS = 800, 200
# closing more than so many points, and more than half of those shown, is not believed
_FEW_CLOSINGS = 8
_LEAST_LOOP_ITEMS, _LEAST_LOOP_WORDS = 4, 24
# statements longer than this share of what they stand for are a copy
_MOST_OF_STRETCH = 0.7

Refusal = str


class Known(Struct, frozen=True, array_like=True):
    """The active items, and the texts of rules that were taken back."""

    items: tuple[SummaryItem, ...] = ()
    ended: tuple[str, ...] = ()


class Checked(Struct, frozen=True, kw_only=True):
    """What is left of an answer.

    Attributes:
        found: statements that stand; of pinned fields `text` is the quoted sentence.
        closes: ids of points that are over.
        repeats: how many statements say what an active item says.
        rejected: what was dropped, and why.
        refused: why the answer as a whole is not taken; "" where it is.
    """

    found: tuple[Proposal, ...] = ()
    closes: tuple[str, ...] = ()
    repeats: int = 0
    rejected: tuple[str, ...] = ()
    refused: Refusal = ""


def check_answer(
    answer: Answer,
    lines: Sequence[Line],
    known: Known,
    shown: frozenset[str],
    count: Callable[[str], int],
) -> Checked:
    """Check an answer about a part of the transcript.

    Args:
        lines: the messages of that part.
        known: what stands, and what stood.
        shown: ids of the points that the model was shown and may close.
    """
    seqs = {line.seq for line in lines}
    code_found = any(is_from(item, seqs) for item in known.items if item.author == "code")
    if not answer.items and not answer.closes and code_found:
        return Checked(refused="it is empty, and there is something in that stretch")
    loop = _loops(answer.items)
    if loop:
        return Checked(refused=loop)
    gate = _Gate(lines, known)
    for proposal in answer.items:
        gate.take(proposal)
    closes = gate.closes(answer.closes, shown)
    checked = Checked(found=tuple(gate.found), closes=closes, repeats=gate.repeats, rejected=tuple(gate.rejected))
    if answer.items and not gate.found and not gate.repeats:
        return _refuse(checked, "none of its statements stands on its sources")
    if sum(count(item.text) for item in gate.found) > _MOST_OF_STRETCH * sum(count(line.shown) for line in lines):
        return _refuse(checked, "it is hardly shorter than what it stands for")
    return checked


def check_merged(answer: Answer, found: Sequence[Proposal], lines: Sequence[Line], known: Known) -> Checked:
    """Check the merging of what was found in several parts. What it left out of pinned fields is put back."""
    loop = _loops(answer.items)
    if loop or not answer.items:
        return Checked(refused=loop or "it merged everything into nothing")
    gate = _Gate(lines, known)
    for proposal in answer.items:
        gate.take(proposal)
    if not gate.found:
        return Checked(refused="none of its statements stands on its sources", rejected=tuple(gate.rejected))
    rules = [item for item in found if item.field in PINNED_FIELDS and normal(item.text) not in gate.texts]
    return Checked(found=(*rules, *gate.found), repeats=gate.repeats, rejected=tuple(gate.rejected))


def _refuse(checked: Checked, why: str) -> Checked:
    return Checked(repeats=checked.repeats, rejected=checked.rejected, refused=why)


class _Gate:
    """Takes statements one by one."""

    def __init__(self, lines: Sequence[Line], known: Known) -> None:
        self.lines = {line.seq: line for line in lines}
        self.active = {_same(item.text) for item in known.items}
        self.rules = [item.text for item in known.items if item.field in PINNED_FIELDS]
        self.ended = known.ended
        self.texts: set[str] = set()
        self.found: list[Proposal] = []
        self.rejected: list[str] = []
        self.repeats = self.pinned = 0

    def take(self, proposal: Proposal) -> None:
        fit = self._fit(proposal)
        if isinstance(fit, str):
            self.rejected.append(f"{proposal.field[:20]} {_short(proposal.quote or proposal.text)!r}: {fit}")
            return
        pinned = fit.field in PINNED_FIELDS
        # what code took for a mere fact may well be a rule
        if any(fit.text in rule for rule in self.rules) if pinned else _same(fit.text) in self.active:
            self.repeats += 1
        elif normal(fit.text) not in self.texts:
            self.texts.add(normal(fit.text))
            self.found.append(fit)

    def _fit(self, proposal: Proposal) -> Proposal | Refusal:
        field = _KNOWN_FIELDS.get(proposal.field)
        if field is None:
            return "no such field"
        text = " ".join(proposal.text.split())
        if not text and not proposal.quote.strip():
            return "it is empty"
        sources = tuple(dict.fromkeys(proposal.sources))
        if not sources or not self.lines.keys() >= set(sources):
            return f"its sources {list(sources)[:5]} are not in that stretch"
        lines = [self.lines[seq] for seq in sources]
        if field in PINNED_FIELDS:
            return self._rule(proposal, lines)
        if len(text) > _MOST_ITEM_CHARS:
            return f"it is longer than {_MOST_ITEM_CHARS} characters"
        texts = _texts_for(field, lines)
        if not texts:
            return "it is not from the user" if field in _FROM_USER else "it is not from the conversation"
        wrong = unfounded(text, texts)
        if wrong:
            return f"names {wrong}, which is not in its sources"
        if shared_ratio(text, texts) < LEAST_SHARED_RATIO or _repeats_itself(text):
            return "says what its sources do not say"
        reason = " ".join(proposal.reason.split())[:_MOST_REASON_CHARS]
        reason = "" if unfounded(reason, texts) or shared_ratio(reason, texts) < LEAST_SHARED_RATIO else reason
        return Proposal(field, text, sources, "", reason)

    def _rule(self, proposal: Proposal, lines: Sequence[Line]) -> Proposal | Refusal:
        quote = proposal.quote if proposal.quote.strip() else proposal.text
        for line in lines:
            sentence = quoted(quote, line)
            if not sentence:
                continue
            if any(text in sentence or sentence in text for text in self.ended):
                return "it was taken back"
            if not is_meant(sentence):
                return "it is asked, supposed, or what somebody else says"
            if self.pinned >= MOST_RULES:
                return f"more than {MOST_RULES} rules in one answer"
            self.pinned += 1
            reason = quoted(proposal.reason, line)[:_MOST_REASON_CHARS]
            return Proposal(proposal.field, sentence, (line.seq,), sentence, reason)
        return "not quoted from the user"

    def closes(self, ids: Sequence[str], shown: frozenset[str]) -> tuple[str, ...]:
        wanted = dict.fromkeys(ids)
        known = tuple(item_id for item_id in wanted if item_id in shown)
        self.rejected += [f"closes {_short(item_id)!r}: not a point that can be closed" for item_id in wanted if item_id not in shown]
        if len(known) > _FEW_CLOSINGS and 2 * len(known) > len(shown):
            self.rejected.append(f"closes {len(known)} of {len(shown)} points at once: not believed")
            return ()
        return known


def _texts_for(field: Field, lines: Sequence[Line]) -> list[str]:
    """What a statement of that field may stand on."""
    if field in _FROM_USER:
        return [text for line in lines if (text := _own(line))]
    if field in _FROM_TALK:
        return [text for line in lines if (text := line.said if line.role == "assistant" else _own(line))]
    return [line.everything for line in lines if line.everything]


def _own(line: Line) -> str:
    return "\n".join(line.said[start:end] for start, end in line.own)


def _loops(items: Sequence[Proposal]) -> Refusal:
    if len(items) > MOST_ITEMS:
        return f"it has {len(items):,} statements; {MOST_ITEMS} are the most"
    different = {(item.field, _same(item.text or item.quote)) for item in items}
    if len(items) >= _LEAST_LOOP_ITEMS and 2 * len(different) <= len(items):
        return f"it repeats itself: {len(items)} statements, {len(different)} different ones"
    return ""


def _repeats_itself(text: str) -> bool:
    spoken = text.split() if " " in text else list(text)
    return len(spoken) >= _LEAST_LOOP_WORDS and 4 * len(set(spoken)) <= len(spoken)


def _same(text: str) -> str:
    return " ".join(normal(text).split()).rstrip(".。!！;；")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
