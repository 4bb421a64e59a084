"""Summarizing models that follow a script: one that does well, and one for each way of doing badly."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from trimtab.llm import ChatMessage, Completion, Finish

_BLOCK = r"<trimtab:{name} key=\w+>\n(.*)\n</trimtab:{name}>"
_TRANSCRIPT = re.compile(_BLOCK.format(name="transcript"), re.DOTALL)
_CANDIDATES = re.compile(_BLOCK.format(name="candidates"), re.DOTALL)
_KNOWN = re.compile(_BLOCK.format(name="known"), re.DOTALL)
_HEAD = re.compile(r"^#(\d+) (system|user|assistant|tool)(?: \(part \d+ of \d+\))?: ", re.MULTILINE)
_TELLING = re.compile(r"[^.!?。！？\n]*\d[^.!?。！？\n]*[.!?。！？]?")
_NUMBER = re.compile(r"\d+")
_MOST_FACTS = 12

Item = dict[str, Any]


class Heard(Struct, frozen=True):
    """One message (or a part of one) as the model was shown it."""

    seq: int
    role: str
    text: str


def read_transcript(messages: Sequence[ChatMessage]) -> list[Heard]:
    """The messages that a request shows; [] for a request that merges."""
    found = _TRANSCRIPT.search(messages[-1].text)
    if found is None:
        return []
    heads = list(_HEAD.finditer(found[1]))
    ends = [*(head.start() for head in heads[1:]), len(found[1])]
    texts = (found[1][head.end() : end].rstrip("\n").replace("\n  ", "\n") for head, end in zip(heads, ends, strict=bool(heads)))
    return [Heard(int(head[1]), head[2], text) for head, text in zip(heads, texts, strict=True)]


def item(field: str, text: str, *sources: int, quote: str = "", reason: str = "") -> Item:
    """One statement as an answer holds it; `sources` are numbers of messages."""
    return {"field": field, "text": text, "sources": list(sources), "quote": quote, "reason": reason}


class ScriptedModel:
    """Answers with `items_for`; merges by giving back what it was shown. `asked` holds every request.

    Subclass it and override `items_for`, or `answer` for what is not even JSON.
    """

    finish: Finish = "stop"

    def __init__(self, name: str = "scripted-1", window_tokens: int = 32_000) -> None:
        self.name, self.window_tokens = name, window_tokens
        self.asked: list[tuple[ChatMessage, ...]] = []

    async def complete(self, messages: Sequence[ChatMessage], *, max_output_tokens: int, schema: dict[str, Any] | None) -> Completion:
        self.asked.append(tuple(messages))
        return Completion(text=self.answer(messages), finish=self.finish)

    @property
    def heard(self) -> list[Heard]:
        """All that it was shown so far."""
        return [heard for messages in self.asked for heard in read_transcript(messages)]

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        candidates = _CANDIDATES.search(messages[-1].text)
        if candidates:
            return json.dumps({"items": json.loads(candidates[1]), "closes": []}, ensure_ascii=False)
        known = _KNOWN.search(messages[-1].text)
        closes = self.closes_for(re.findall(r"^\[([\w.-]+)\]", known[1], re.MULTILINE) if known else [])
        return json.dumps({"items": self.items_for(read_transcript(messages)), "closes": closes}, ensure_ascii=False)

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        """The statements for the messages of one request, see `item`."""
        return []

    def closes_for(self, known: Sequence[str]) -> list[str]:
        """Ids to close, of those that it was shown."""
        return []


def facts_in(heard: Sequence[Heard]) -> list[Item]:
    """The first sentence with a number of each message, word for word; the newest few where there are many."""
    found = [(row, _TELLING.search(row.text)) for row in heard]
    items = [item("fact", telling[0].strip()[:300], row.seq) for row, telling in found if telling and row.role != "system"]
    return items[-_MOST_FACTS:]


class Perfect(ScriptedModel):
    """Quotes the rules that it was told to look for, and the first sentence with a number of each message."""

    def __init__(self, rules: Mapping[str, str] | None = None, **changes: Any) -> None:
        """`rules` maps a sentence to its field."""
        super().__init__(**changes)
        self.rules = dict(rules or {})

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        rules = [
            item(field, sentence, row.seq, quote=sentence)
            for row in heard
            for sentence, field in self.rules.items()
            if row.role in ("user", "system") and sentence in row.text
        ]
        return rules + facts_in(heard)


class Dropping(ScriptedModel):
    """Gives facts only: every rule and open point is left out."""

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        return facts_in(heard)


class Empty(ScriptedModel):
    """Finds nothing, in valid JSON."""


class Silent(ScriptedModel):
    """Answers with no text at all."""

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        return ""


class Unrelated(ScriptedModel):
    """Says the same few things, whatever it reads."""

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        texts = ("Penguins breed in large colonies", "The recipe wants butter and flour", "Sailing needs steady wind")
        return [item("fact", text, row.seq) for text, row in zip(texts, heard, strict=False)]


class Truncated(ScriptedModel):
    """Is cut off in the middle of its answer."""

    finish: Finish = "length"

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        return facts_in(heard)

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        whole = super().answer(messages)
        return whole[: len(whole) * 2 // 3]


class Inventing(ScriptedModel):
    """Claims rules that nobody gave, with made-up quotes."""

    rules = ("Never touch the billing table.", "All answers must be in French.", "不要联系客户。")

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        fields = ("negative", "constraint", "decision")
        return [item(field, rule, heard[0].seq, quote=rule) for field, rule in zip(fields, self.rules, strict=True)]


class Lying(ScriptedModel):
    """Changes every number."""

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        def changed(found: Item) -> Item:
            return found | {"text": _NUMBER.sub(lambda number: str(int(number[0]) + 7_919), found["text"])}

        return [changed(found) for found in facts_in(heard)]


class Looping(ScriptedModel):
    """Says one thing over and over."""

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        return (facts_in(heard)[:1] or [item("fact", heard[0].text[:100], heard[0].seq)]) * 30


class TooLong(ScriptedModel):
    """Writes far more than it was asked for."""

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        words = " ".join(f"word{number}" for number in range(20_000))
        return json.dumps({"items": [item("fact", words, 1)], "closes": []})


class Copying(ScriptedModel):
    """Gives back every message as a fact: true, and no gain."""

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        return [item("fact", piece, row.seq) for row in heard for piece in re.findall(r".{1,600}(?:\s|$)", row.text)]


class Closing(ScriptedModel):
    """Says of everything that it is over."""

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        return facts_in(heard)

    def closes_for(self, known: Sequence[str]) -> list[str]:
        return list(known)


class BrokenJson(ScriptedModel):
    """Talks instead of answering; after `times` answers it does well."""

    def __init__(self, times: int = 1_000_000, **changes: Any) -> None:
        super().__init__(**changes)
        self.times = times

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        return facts_in(heard)

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        whole = super().answer(messages)
        return whole if len(self.asked) > self.times else f"Sure! Here is your summary: {whole} Anything else?"


class Raising(ScriptedModel):
    """Raises; after `times` requests it does well."""

    def __init__(self, times: int = 1_000_000, error: Exception | None = None, **changes: Any) -> None:
        super().__init__(**changes)
        self.times, self.error = times, error or ConnectionError("the endpoint is down")

    def items_for(self, heard: Sequence[Heard]) -> list[Item]:
        return facts_in(heard)

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        if len(self.asked) <= self.times:
            raise self.error
        return super().answer(messages)


class Hanging(ScriptedModel):
    """Never answers; `started` is set once it was asked, `canceled` once it was told to stop."""

    def __init__(self, **changes: Any) -> None:
        super().__init__(**changes)
        self.started, self.canceled = asyncio.Event(), False

    async def complete(self, messages: Sequence[ChatMessage], *, max_output_tokens: int, schema: dict[str, Any] | None) -> Completion:
        self.asked.append(tuple(messages))
        self.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.canceled = True
            raise
        raise AssertionError("it was woken")
