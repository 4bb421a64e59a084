"""Shortening: one message to a number of tokens, one result to one line. Nothing is lost: the whole stays in
the ledger under its number, which the short form names."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from trimtab.core.messages import Media, Message, Text
from trimtab.distill.shapes import structures_of
from trimtab.distill.structure import describe, preview
from trimtab.tokens import Counter
from trimtab.wire import Wire
from trimtab.wire.media import media_stub

HEAD_SHARE = 0.6
PREVIEW_CHARS = 600
# a clamped text is aimed a little low, because cutting a text changes how its borders are tokenized
AIM = 0.94
LEAST_TEXT_TOKENS = 12


def cleared_line(name: str, text: str, seq: int, saved: str = "") -> str:
    """What stands for a tool result that left: what it was, where its conclusion is written down, and where the
    whole is."""
    conclusion = f"; what it says is in {saved}" if saved else ""
    keys = dict.fromkeys(row.key for row in structures_of(text, documents=False) if row.key)
    keyed = f"; key {', '.join(keys)}" if keys else ""
    return f"[result of {name or 'a tool'} left out: {describe(text)}{keyed}{conclusion}; kept whole as #{seq}]"


def previewed(name: str, text: str, seq: int) -> str:
    """What stands for a result too large to be taken whole: what it is, its head and its tail."""
    return f"[result of {name or 'a tool'} shortened: {describe(text)}; kept whole as #{seq}]\n{preview(text, PREVIEW_CHARS, PREVIEW_CHARS // 2)}"


def clamp_text(text: str, max_tokens: int, count: Callable[[str], int], seq: int | str) -> str:
    """Head and tail of a text within `max_tokens`, with a mark between that says what is missing and where the whole
    is: a message's number, or a variable's name."""
    total = count(text)
    if total <= max_tokens:
        return text
    ref = f"#{seq}" if isinstance(seq, int) else f"variable {seq}"
    mark = f"\n[... {total:,} tokens shortened; whole text kept as {ref} ...]\n"
    room = max_tokens - count(mark)
    if room < LEAST_TEXT_TOKENS:
        mark, room = f"[... {ref} ...]", max_tokens - 8
    chars = max(0, int(len(text) * room / total * AIM))
    while chars > 0:
        head = int(chars * HEAD_SHARE)
        short = text[:head] + mark + text[len(text) - (chars - head) :]
        if count(short) <= max_tokens:
            return short
        chars = int(chars * 0.8) if chars > 8 else 0
    return mark.strip()


def clamp_message(message: Message, max_tokens: int, wire: Wire, counter: Counter, seq: int) -> Message:
    """The message within about `max_tokens`: its results, then its text, then its arguments are shortened."""
    for step in (_clamp_results, _clamp_own_text, _clamp_arguments):
        over = counter.count_message(message) - max_tokens
        if over <= 0:
            return message
        message = step(message, over, wire, counter, seq)
    return message


def _clamp_results(message: Message, over: int, wire: Wire, counter: Counter, seq: int) -> Message:
    results = message.results
    if not results:
        return message
    bare = wire.with_results(message, {result.call_id: "" for result in results})
    room = counter.count_message(message) - over - counter.count_message(bare)
    share = max(LEAST_TEXT_TOKENS, room // len(results) - 2)
    texts = {result.call_id: clamp_text(result.text, share, counter.count_text, seq) or f"[#{seq}]" for result in results}
    return wire.with_results(message, texts)


def _clamp_own_text(message: Message, over: int, wire: Wire, counter: Counter, seq: int) -> Message:
    if not any(isinstance(part, Text) and part.text for part in message.parts) and not media_in(message):
        return message
    # media that no longer fits is named, never silently gone
    text = "\n".join(part for part in (message.text, *map(media_stub, media_in(message))) if part)
    bare = counter.count_message(wire.with_text(message, "."))
    room = counter.count_message(message) - over - bare
    return wire.with_text(message, clamp_text(text, max(LEAST_TEXT_TOKENS, room - 2), counter.count_text, seq) or f"[#{seq}]")


def media_in(message: Message) -> list[Media]:
    """The message's own media, not those inside tool results."""
    return [part for part in message.parts if isinstance(part, Media)]


def _clamp_arguments(message: Message, over: int, wire: Wire, counter: Counter, seq: int) -> Message:
    calls = message.calls
    if not calls:
        return message
    short = {call.call_id: _short_arguments(call.arguments, seq) for call in calls}
    return wire.with_arguments(message, short)


def _short_arguments(arguments: str, seq: int) -> str:
    if len(arguments) <= 160:
        return arguments
    return msgspec.json.encode({"shortened": f"{arguments[:80]} ... kept whole as #{seq}"}).decode()
