"""One run of a summarizing model: the requests, their limits, and what is made of the answers. Holds no lock."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from trimtab.core.summary import SummaryItem
from trimtab.distill.digest import (
    SCHEMA,
    Answer,
    BadAnswer,
    Chunk,
    Known,
    Line,
    Proposal,
    candidates_json,
    check_answer,
    check_merged,
    chunks_of,
    known_lines,
    merge_texts,
    parse_answer,
    read_texts,
    repair_text,
)
from trimtab.llm import ChatMessage, ChatModel, Completion
from trimtab.session.asking import NoAnswer, answered
from trimtab.settings import Summarizer
from trimtab.tokens import counter_for

# share of the window for the points that may be closed, and for what counting misses
_KNOWN_RATIO, _SLACK_RATIO = 0.1, 0.05
_REPAIR_TOKENS = 200
_LEAST_ROOM_TOKENS = 400
# an answer this much over its limit was not cut by the endpoint: it is not read at all
_MOST_OVER = 2
_MOST_CHARS_PER_TOKEN = 16
_MOST_DETAIL_CHARS = 300


class Job(Struct, frozen=True):
    """What there is to read.

    Attributes:
        lines: the messages, oldest first; at least one.
        items: the active items when the run began.
        failures: runs in a row that began with the same message and failed.
        ended: texts of rules that were taken back.
    """

    lines: tuple[Line, ...]
    items: tuple[SummaryItem, ...]
    failures: int = 0
    ended: tuple[str, ...] = ()

    @property
    def known(self) -> Known:
        return Known(self.items, self.ended)

    @property
    def first_seq(self) -> int:
        return self.lines[0].seq


class Spent(Struct):
    """What a run has cost so far."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of the requests.

    Attributes:
        kind: `done`, `refused` or `failed`.
        last_seq: the newest message that was read whole; where the run failed, the newest that giving up skips.
        returned: texts of all that the model gave and that stands, repeats included.
    """

    kind: str
    last_seq: int
    detail: str = ""
    found: tuple[Proposal, ...] = ()
    closes: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()


class Unusable(Exception):
    """A request without an answer that can be used: `refused` for its words, `failed` for none."""

    def __init__(self, kind: str, why: str, rejected: tuple[str, ...] = ()) -> None:
        self.kind, self.why, self.rejected = kind, why[:_MOST_DETAIL_CHARS], rejected
        super().__init__(why)


class Distiller:
    """Asks one model about one stretch of history."""

    def __init__(self, model: ChatModel, limits: Summarizer, fence_key: str) -> None:
        self.model, self.limits, self.key = model, limits, fence_key
        self.name = model.name
        self.count = counter_for(model.name).count_text
        self.window = model.window_tokens
        self.output = min(limits.max_output_tokens, self.window // 3)
        self.spent = Spent()

    async def run(self, job: Job) -> Outcome:
        """Read the stretch part by part, then merge. Where a later part fails, what was read before it stands."""
        known, shown = known_lines(job.items, int(self.window * _KNOWN_RATIO), self.count)
        room = self._room(*read_texts("", known, self.key))
        if room < _LEAST_ROOM_TOKENS:
            detail = (
                f"the window of {self.window} tokens leaves {room} for the transcript; take a larger one or a smaller max_output_tokens"
            )
            return Outcome(kind="failed", last_seq=job.lines[-1].seq, detail=detail)
        chunks = chunks_of(job.lines, room, self.count)
        results, read, trouble = [], 0, None
        for chunk in chunks:
            try:
                results.append(await self._read(chunk, known, shown, job.known))
            except Unusable as error:
                trouble = error
                break
            read = chunk.last_seq
        if trouble is not None and not read:
            skipped = next((chunk.last_seq for chunk in chunks[len(results) :] if chunk.last_seq), job.lines[-1].seq)
            return Outcome(kind=trouble.kind, last_seq=skipped, detail=trouble.why, rejected=trouble.rejected)
        found = [item for result in results for item in result.found if max(item.sources) <= read]
        rejected = [why for result in results for why in result.rejected]
        lines = [line for line in job.lines if line.seq <= read]
        if len(results) > 1 and found:
            found = await self._merge(found, lines, job.known, rejected)
        return Outcome(
            kind="done",
            last_seq=read,
            detail=f"read up to #{read}; the rest: {trouble.why}" if trouble is not None else "",
            found=tuple(found),
            closes=tuple(dict.fromkeys(item_id for result in results for item_id in result.closes)),
            returned=tuple(text for result in results for text in result.returned),
            rejected=tuple(rejected),
        )

    # ------------------------------------------------------------ requests

    async def _read(self, chunk: Chunk, points: str, shown: frozenset[str], known: Known) -> _Read:
        answer = await self._ask(*read_texts(chunk.text, points, self.key))
        checked = check_answer(answer, chunk.lines, known, shown, self.count)
        if checked.refused:
            raise Unusable("refused", checked.refused, checked.rejected)
        returned = [text for item in answer.items for text in (item.text, item.quote) if text]
        return _Read(checked.found, checked.closes, checked.rejected, tuple(returned))

    async def _merge(self, found: list[Proposal], lines: Sequence[Line], known: Known, rejected: list[str]) -> list[Proposal]:
        """What is left after merging; what a failed merging would have merged stays as it was found."""
        batches = self._batches(found)
        merged: list[Proposal] = []
        for batch in batches:
            try:
                checked = check_merged(await self._ask(*merge_texts(batch, self.key)), batch, lines, known)
            except Unusable as error:
                rejected.append(f"merging: {error.why}")
                merged += batch
                continue
            rejected += checked.rejected if not checked.refused else (f"merging: {checked.refused}",)
            merged += checked.found or batch
        if len(batches) > 1 and len(merged) <= len(found) * 3 // 4:
            return await self._merge(merged, lines, known, rejected)
        return list({item.text: item for item in merged}.values())

    def _batches(self, found: Sequence[Proposal]) -> list[list[Proposal]]:
        most = min(self._room(*merge_texts((), self.key)), self.output)
        batches: list[list[Proposal]] = [[]]
        size = 0
        for item in found:
            tokens = self.count(candidates_json([item])) + 1
            if batches[-1] and size + tokens > most:
                batches.append([])
                size = 0
            batches[-1].append(item)
            size += tokens
        return batches

    def _room(self, system: str, user: str) -> int:
        fixed = self.count(system) + self.count(user) + self.count(_SCHEMA_TEXT) + _REPAIR_TOKENS + self.output
        return int(self.window * (1 - _SLACK_RATIO)) - fixed

    async def _ask(self, system: str, user: str) -> Answer:
        """One request, and one more where the answer cannot be read. Raises Unusable."""
        problem = ""
        for _ in range(2):
            messages = [ChatMessage("system", system), ChatMessage("user", f"{user}\n{repair_text(problem)}" if problem else user)]
            completion = await self._complete(messages)
            if completion.finish == "refused":
                raise Unusable("refused", "the model would not answer")
            try:
                return parse_answer(completion.text)
            except BadAnswer as error:
                cut = f"it was cut off after {self.output} tokens; " if completion.finish == "length" else ""
                problem = f"{cut}{error}"
        raise Unusable("refused", problem)

    async def _complete(self, messages: Sequence[ChatMessage]) -> Completion:
        self.spent.calls += 1
        try:
            completion = await answered(self.model, messages, self.output, SCHEMA, self.limits.timeout_s)
        except NoAnswer as error:
            raise Unusable("failed", str(error)) from error
        text = completion.text.encode("utf-8", "replace").decode()  # a half of a surrogate pair can be neither counted nor stored
        over = len(text) > self.output * _MOST_OVER * _MOST_CHARS_PER_TOKEN
        tokens = completion.output_tokens or (len(text) // 4 if over else self.count(text))
        self.spent.output_tokens += tokens
        self.spent.input_tokens += completion.input_tokens or sum(self.count(message.text) for message in messages)
        if over or self.count(text) > self.output * _MOST_OVER:
            raise Unusable("refused", f"it is longer than the {self.output} tokens that were asked for")
        return msgspec.structs.replace(completion, text=text)


class _Read(Struct, frozen=True):
    found: tuple[Proposal, ...]
    closes: tuple[str, ...]
    rejected: tuple[str, ...]
    returned: tuple[str, ...]


_SCHEMA_TEXT = msgspec.json.encode(SCHEMA).decode()
