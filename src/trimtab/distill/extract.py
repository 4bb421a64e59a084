"""What one message adds to the items of the summary, and what it supersedes or closes. Called once, on arrival."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from trimtab.core.messages import Message
from trimtab.core.summary import PINNED_FIELDS, Field, ItemChanges, SummaryItem
from trimtab.distill import rules_en, rules_zh
from trimtab.distill.facts import HINT, facts
from trimtab.distill.sentences import MAX_SENTENCE_CHARS, mask_quotes, sentences
from trimtab.distill.spans import Span, data_spans, user_spans
from trimtab.distill.status import tool_facts

# bounds of the work on one message: of a text of this author at most so much is read, from both ends
_MAX_HEAD_CHARS, _MAX_TAIL_CHARS = 48_000, 16_000
_MAX_FACTS, _MAX_TOOL_FACTS, _MAX_QUESTIONS = 5, 2, 3
# live items of a field beyond which the oldest are closed, and how many then stay (twofold, so that closing is rare);
# they remain in the ledger and in its exact index
_LIVE_LIMITS: dict[Field, int] = {"fact": 200, "action": 200, "todo": 60, "question": 20, "state": 60, "structure": 60}
_WORD = re.compile(r"[a-z']+")
_KEY_WORD = re.compile(r"[a-z][a-z0-9_-]{2,}|\d[\d,.]*|[\u4e00-\u9fff]+")
_DONE_BOX = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\[[xX✓✔]\][ \t]*(\S[^\n]{2,200})$", re.M)
_OPEN_BOX = "[ ]"
_STOP_WORDS = frozenset(
    _WORD.findall(
        "the and for with that this you your are not from instead rather than make let use going please actually its it's our now then have has "
        "will all any but can should must never always only okay yes want would like into was were been they them there here what when which out "
        "get one per each"
    )
)


class _Found(Struct):
    """What is being gathered of one message."""

    seq: int
    active: Sequence[SummaryItem]
    added: list[SummaryItem] = []
    superseded: list[str] = []
    closed: list[str] = []
    texts: set[str] | None = None

    def add(self, field: Field, text: str, supersedes: str = "") -> None:
        """Add an item unless one that says the same in the same words is active."""
        text = text.strip()
        if self.texts is None:
            self.texts = {item.text for item in self.active if item.status == "active"}
        if text in self.texts:
            return
        self.texts.add(text)
        if supersedes:
            self.superseded.append(supersedes)
        self.added.append(SummaryItem(f"i{self.seq}.{len(self.added)}", field, text, (self.seq,), "active", supersedes))

    def changes(self) -> ItemChanges:
        return ItemChanges(tuple(self.added), tuple(self.superseded), tuple(dict.fromkeys(self.closed)))


def extract(message: Message, seq: int, active: Sequence[SummaryItem], call_names: Mapping[str, str]) -> ItemChanges:
    """The items that a message gives.

    Rules, roles, formats, preferences and decisions come only from the user's own words and from system text; the
    assistant and tools give facts and to-dos. Texts of rules are whole sentences, word for word.

    Args:
        message: as it arrived.
        seq: its number; ids of the new items are `i{seq}.0`, `i{seq}.1` ...
        active: the active items before it, oldest first.
        call_names: call id -> tool name, for tool results.
    """
    found = _Found(seq, active)
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


def _from_author(found: _Found, text: str, is_user: bool) -> None:
    own = user_spans(text)
    if not own:
        return
    plain: list[Span] = []
    chinese = rules_zh.HAS_CHINESE.search(text) is not None
    english = not rules_en.TRIGGERS.isdisjoint(rules_en.words_of(text))
    questions = 0
    for start, end in _all_sentences(text, own, english or chinese):
        sentence = text[start:end]
        field = _rule_field(sentence, english, chinese) if english or chinese else None
        if field is not None:
            found.add(field, sentence, _superseded_by(found, field, sentence))
            continue
        plain.append((start, end))
        if is_user and sentence.endswith(("?", "？")) and end - start >= 12 and questions < _MAX_QUESTIONS:
            questions += 1
            found.add("question", sentence)
        elif _is_todo(sentence, english, chinese):
            found.add("todo", sentence)
    if HINT.search(text) is None:
        return
    for fact in facts(text, plain, _MAX_FACTS):
        found.add("fact", fact)
    if own != [(0, len(text))] and is_user:
        for start, end in data_spans(text, own)[:4]:
            for fact in tool_facts("", text[start:end], 1):
                found.add("fact", fact)


def _from_assistant(found: _Found, message: Message) -> None:
    text = message.text
    if not text:
        return
    own = user_spans(text)
    lower = text.lower()
    plain: list[Span] = []
    todo_likely = any(
        word in lower for word in ("todo", "to-do", _OPEN_BOX, "next step", "still ", "remaining", "left to do", "later", "next")
    ) or bool(rules_zh.HAS_CHINESE.search(text))
    for start, end in _all_sentences(text, own, True):
        sentence = text[start:end]
        if todo_likely and end - start <= 300 and (rules_en.is_todo(sentence) or rules_zh.is_todo(sentence)):
            found.add("todo", sentence.removeprefix(_OPEN_BOX).strip())
        else:
            plain.append((start, end))
    if HINT.search(text) is not None:
        for fact in facts(text, plain, _MAX_FACTS):
            found.add("fact", fact)
    _close_done(found, text)
    # a final answer settles what was asked, unless it asks back
    if not message.calls and message.status == "complete" and not text.rstrip().endswith(("?", "？")):
        found.closed += [item.item_id for item in found.active if item.field == "question" and item.status == "active"]


def _all_sentences(text: str, own: Sequence[Span], rules_likely: bool) -> Iterator[Span]:
    for start, end in _bounded(own):
        for first, last in sentences(text, start, end):
            heading_end = text.find("\n", first, last)
            is_list = heading_end >= 0 and text[first:heading_end].rstrip().endswith((":", "："))
            if is_list and not (rules_likely and _rule_field(text[first:heading_end], True, True)):
                yield first, heading_end
                yield from sentences(text, heading_end + 1, last)
            else:
                yield first, last


def _bounded(own: Sequence[Span]) -> list[Span]:
    """The spans, or their first and last part where they are too long to read whole."""
    if sum(end - start for start, end in own) <= _MAX_HEAD_CHARS + _MAX_TAIL_CHARS:
        return list(own)
    head, room = [], _MAX_HEAD_CHARS
    for start, end in own:
        if room <= 0:
            break
        head.append((start, min(end, start + room)))
        room -= end - start
    tail, room, reached = [], _MAX_TAIL_CHARS, head[-1][1]
    for start, end in reversed(own):
        first = max(start, end - room, reached)
        if room <= 0 or first >= end:
            break
        tail.append((first, end))
        room -= end - first
    return head + tail[::-1]


def _rule_field(sentence: str, english: bool, chinese: bool) -> Field | None:
    if len(sentence) > MAX_SENTENCE_CHARS:
        return None
    masked = mask_quotes(sentence)
    field = None
    if chinese and rules_zh.HAS_CHINESE.search(masked):
        field = rules_zh.classify(masked)
    if (
        field is None
        and english
        and not rules_en.TRIGGERS.isdisjoint(_WORD.findall(masked.lower().replace("’", "'").replace("n't", " not")))
    ):
        field = rules_en.classify(masked)
    return field


def _is_todo(sentence: str, english: bool, chinese: bool) -> bool:
    return len(sentence) <= 300 and ((english and rules_en.is_todo(sentence)) or (chinese and rules_zh.is_todo(sentence)))


def _key_words(text: str) -> set[str]:
    """What a sentence is about: words without their endings, numbers, pairs of Chinese characters."""
    keys: set[str] = set()
    for word in _KEY_WORD.findall(text.lower()):
        if "\u4e00" <= word[0] <= "\u9fff":
            keys.update(word[at : at + 2] for at in range(len(word) - 1))
        elif word not in _STOP_WORDS:
            keys.add(word.rstrip(".,") if word[0].isdigit() else re.sub(r"(?:ing|ed|es|s)$", "", word))
    return keys


def _superseded_by(found: _Found, field: Field, sentence: str) -> str:
    """The id of the one active item that a reversal plainly refers to, or "".

    Two key words in common, or the old value by name ("5 instead of 3") and one more; within the same field one of
    them will do for the old value. What was forbidden is never superseded by guessing.
    """
    if field not in PINNED_FIELDS | {"preference"} or field == "negative":
        return ""
    if not (rules_en.is_reversal(sentence) or rules_zh.is_reversal(sentence)):
        return ""
    keys = _key_words(sentence)
    values = [*rules_en.old_values(sentence), *rules_zh.old_values(sentence)]
    old = [re.compile(rf"(?<![a-z0-9.]){re.escape(value)}(?![a-z0-9])") for value in values if value]
    matches: list[tuple[int, str]] = []
    for item in found.active:
        if item.status != "active" or item.field not in (field, "constraint", "format", "decision", "preference"):
            continue
        named = any(value.search(item.text.lower()) for value in old)
        shared = len(keys & _key_words(item.text))
        if (shared >= 2 and (named or item.field == field)) or (named and shared >= 1 and item.field == field):
            matches.append((shared + named, item.item_id))
    matches.sort(reverse=True)
    if not matches or (len(matches) > 1 and matches[0][0] == matches[1][0]):
        return ""
    return matches[0][1]


def _close_done(found: _Found, text: str) -> None:
    """Close the to-dos that the text ticks off."""
    if "[x]" not in text.lower() and "[✓]" not in text:
        return
    done = [_key_words(box[1]) for box in _DONE_BOX.finditer(text)]
    for item in found.active:
        if item.field == "todo" and item.status == "active":
            keys = _key_words(item.text)
            if keys and any(len(keys & ticked) >= 0.7 * len(keys | ticked) for ticked in done if ticked):
                found.closed.append(item.item_id)


def _close_oldest(found: _Found) -> None:
    live: dict[Field, list[str]] = {}
    for item in [*found.active, *found.added]:
        if item.field in _LIVE_LIMITS and item.status == "active":
            live.setdefault(item.field, []).append(item.item_id)
    for field, ids in live.items():
        if len(ids) > _LIVE_LIMITS[field]:
            found.closed += ids[: len(ids) - _LIVE_LIMITS[field] // 2]
