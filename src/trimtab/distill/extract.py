"""What one message adds to the items of the summary, and what it supersedes or closes. Called once, on arrival."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trimtab.core.messages import Message
from trimtab.core.summary import Field, ItemChanges, SummaryItem
from trimtab.distill.classify import judge
from trimtab.distill.facts import fact_texts
from trimtab.distill.found import Found, Part
from trimtab.distill.headings import Passage, heading_kind, passages, points
from trimtab.distill.resolve import settled
from trimtab.distill.sentences import Span
from trimtab.distill.spans import bounded, data_spans, user_spans
from trimtab.distill.stated import STATED, add_stated, picks, takes_back
from trimtab.distill.status import tool_facts
from trimtab.distill.todos import OPEN_BOX, is_todo
from trimtab.distill.voices import mask

_MAX_FACTS, _MAX_TOOL_FACTS, _MAX_QUESTIONS = 12, 4, 3
# live items of a field beyond which the oldest are closed, and how many then stay (twofold, so that closing is rare);
# they remain in the ledger and in its exact index
_LIVE_LIMITS: dict[Field, int] = {"fact": 200, "action": 200, "todo": 60, "question": 20, "state": 60, "structure": 60}
_LEAST_QUESTION_CHARS = 12
# letters; in Chinese two are enough for an order
_LEAST_SENTENCE_CHARS = 5
# what is shorter is no sentence, but may be the letter of an option
_LEAST_SENTENCE = 3
# a point of a list of rules need look less like one; what ends as a question must look more like one
_LENIENT_POINT, _STRICT_QUESTION = 0.2, 0.25
_QUESTION_MARKS = ("?", "？")
# asked without a mark, or a request for help: what it is about is not laid down by it
_ASKING = re.compile(
    r"\W*(?:(?:so|and|but|also|ok|okay|hi|hello|hey|well)[,. ]+)*(?:how (?:can|do|does|should|would|to|much|many)|what(?:'s| is| are| should| would| do| if)|which|why|"
    r"can you (?:help|explain|tell|show|walk|give|suggest|recommend)|could you (?:help|explain|tell|show|walk|give|suggest|recommend)|should i|do you|does (?:it|this|that)|is (?:it|this|there)|are there|"
    r"i(?:'m| am) (?:trying|wondering|not sure|struggling|curious|worried|having)|i (?:was(?! wrong)|need help|want to know|wonder))\b"
    r"|(?:怎么|如何|为什么|是不是|能不能|可不可以|要不要|有没有)",
    re.I,
)


def extract(
    message: Message, seq: int, active: Sequence[SummaryItem], call_names: Mapping[str, str], recent: Sequence[Message] = ()
) -> ItemChanges:
    """The items that a message gives.

    Rules, roles, formats, preferences and decisions come only from the user's own words and from system text; the
    assistant and tools give facts and to-dos. Texts of rules are exact slices of the message: a sentence, or the
    clauses of a long one that say it, or a point of a list.

    Args:
        message: as it arrived.
        seq: its number; ids of the new items are `i{seq}.0`, `i{seq}.1` ...
        active: the active items before it, oldest first.
        call_names: call id -> tool name, for tool results.
        recent: messages before it, oldest first, for what "the second one" is.
    """
    found = Found(seq, active, recent)
    if message.role in ("user", "system"):
        _from_author(found, message.text, message.role == "user")
    elif message.role == "assistant":
        _from_assistant(found, message)
    for result in message.results:
        name = result.name or call_names.get(result.call_id, "")
        for fact in tool_facts(name, result.text, _MAX_TOOL_FACTS):
            found.add("fact", fact)
    if found.added and len(active) + len(found.added) > min(_LIVE_LIMITS.values()):
        _close_oldest(found)
    return found.changes()


def _from_author(found: Found, text: str, is_user: bool) -> None:
    own = user_spans(text)
    if not own:
        return
    found.closed += settled("\n".join(text[start:end] for start, end in own), found.active, "user" if is_user else "system")
    if is_user and len(text.strip()) < _LEAST_SENTENCE:
        picks(found, text.strip(), text, is_user)
    for start, end in bounded(own):
        part = Part(text[start:end], mask(text[start:end]), text, is_user)
        for passage in passages(part.masked, 0, end - start):
            if passage.heading_end:
                _take_list(found, part, passage)
            else:
                _take(found, part, passage.start, passage.end)
    for fact in fact_texts(text, own, [item.text for item in found.added], _MAX_FACTS):
        found.add("fact", fact)
    if is_user and own != [(0, len(text))]:
        room = _MAX_TOOL_FACTS
        for start, end in data_spans(text, own)[:_MAX_TOOL_FACTS]:
            for fact in tool_facts("", text[start:end], 1)[:room]:
                found.add("fact", fact)
                room -= 1


def _take(found: Found, part: Part, start: int, end: int, lenient: float = 0.0) -> None:
    """Add what a sentence of an author says."""
    sentence = part.text[start:end]
    if len(sentence) < _LEAST_SENTENCE_CHARS and sentence.isascii():
        picks(found, sentence, part.message, part.is_user)
        return
    asks = sentence.endswith(_QUESTION_MARKS) or _ASKING.match(sentence) is not None
    verdicts = judge(part.masked[start:end], not part.is_user, lenient=lenient - (_STRICT_QUESTION if asks else 0.0))
    stated = [verdict for verdict in verdicts if verdict.group in STATED]
    for verdict in stated:
        add_stated(found, sentence[verdict.start : verdict.end], verdict, part, asks)
    if stated or takes_back(found, sentence, part.masked[start:end], part, asks):
        return
    if not asks and picks(found, sentence, part.message, part.is_user):
        return
    group = verdicts[0].group if verdicts else None
    if part.is_user and (asks or group == "question") and len(sentence) >= _LEAST_QUESTION_CHARS and found.questions < _MAX_QUESTIONS:
        found.questions += 1
        found.add("question", sentence)
    elif group == "todo" or is_todo(sentence):
        found.add("todo", sentence.removeprefix(OPEN_BOX))


def _take_list(found: Found, part: Part, passage: Passage) -> None:
    """Add what a heading with its list says.

    Under "Never:" each point is ruled out, and under "House rules:" each point that can be a rule is one: one item a
    point, for each may be taken back alone, and the prompt shows it under "Never" or "Must". A heading that is a rule
    itself ("Each report has these parts:"), or a condition ("When a customer complains:"), takes its list along as one
    item. Else all are sentences.
    """
    heading = part.masked[passage.start : passage.heading_end]
    kind = heading_kind(heading)
    if kind in ("other", "condition"):
        leading = heading if kind == "other" else part.masked[passage.start : passage.end]
        if any(verdict.group == "rule" for verdict in judge(leading, not part.is_user)):
            _take(found, part, passage.start, passage.end, lenient=_LENIENT_POINT)
            return
        _take(found, part, passage.start, passage.heading_end)
    for start, end in points(part.masked, passage):
        if kind == "never":
            found.add("negative", part.text[start:end])
        else:
            _take(found, part, start, end, lenient=_LENIENT_POINT if kind == "rules" else 0.0)


def _from_assistant(found: Found, message: Message) -> None:
    text = message.text
    if not text:
        return
    own = user_spans(text)
    for start, end in bounded(own):
        for first, last in _lines(text, start, end):
            if is_todo(text[first:last]):
                found.add("todo", text[first:last].removeprefix(OPEN_BOX))
    for fact in fact_texts(text, own, [item.text for item in found.added], _MAX_FACTS):
        found.add("fact", fact)
    if message.status == "complete":
        asked = {item.item_id for item in found.active if item.field == "question"} if message.calls else set()
        found.closed += [item_id for item_id in settled(text, found.active, "assistant") if item_id not in asked]


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Sentences, and the points of lists one by one."""
    for passage in passages(text, start, end):
        if passage.heading_end:
            yield passage.start, passage.heading_end
            yield from points(text, passage)
        else:
            yield passage.start, passage.end


def _close_oldest(found: Found) -> None:
    live: dict[Field, list[str]] = {}
    for item in [*found.active, *found.added]:
        if item.field in _LIVE_LIMITS and item.status == "active":
            live.setdefault(item.field, []).append(item.item_id)
    for field, ids in live.items():
        if len(ids) > _LIVE_LIMITS[field]:
            found.closed += ids[: len(ids) - _LIVE_LIMITS[field] // 2]
