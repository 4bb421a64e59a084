"""Replies of the Responses form: a whole body, or the typed events of a stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from trimtab.core.messages import Message, Status
from trimtab.wire.common import is_whole_json, to_mapping
from trimtab.wire.openai_responses.items import is_from_model, type_of
from trimtab.wire.openai_responses.parse import parse_message
from trimtab.wire.protocol import Reply, Usage

_ENDS = ("response.completed", "response.incomplete", "response.failed")


def parse_reply(body: Mapping[str, Any]) -> Reply:
    """See `Wire.parse_reply`. A response that ended early because of its length is complete, with that stop reason."""
    body = to_mapping(body)
    output = [to_mapping(item) for item in body.get("output") or ()]
    status = body.get("status") or "completed"
    aborted = status in ("failed", "cancelled", "in_progress", "queued")
    if status != "completed":
        output = _whole(output)
    return Reply(
        messages=tuple(parse_message(item, f"$.output[{index}]") for index, item in enumerate(output)),
        usage=parse_usage(body.get("usage")),
        status="aborted" if aborted else "complete",
        stop_reason=_stop_reason(body, str(status)),
        reply_id=str(body.get("id") or ""),
    )


def parse_usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    usage = to_mapping(usage)
    given, made = usage.get("input_tokens_details") or {}, usage.get("output_tokens_details") or {}
    return Usage(
        input_tokens=usage.get("input_tokens") or 0,
        output_tokens=usage.get("output_tokens") or 0,
        cached_tokens=given.get("cached_tokens") or 0,
        cache_write_tokens=given.get("cache_write_tokens") or 0,
        reasoning_tokens=made.get("reasoning_tokens") or 0,
    )


def _stop_reason(body: Mapping[str, Any], status: str) -> str:
    for key, field in (("incomplete_details", "reason"), ("error", "code")):
        detail = body.get(key)
        if isinstance(detail, Mapping) and detail.get(field):
            return str(detail[field])
    return status


def _whole(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The items that can be sent again: no call whose arguments were cut, no reasoning without what it led to."""
    kept: list[Mapping[str, Any]] = []
    for item in reversed(items):
        if type_of(item) == "function_call" and not is_whole_json(item.get("arguments") or ""):
            continue
        if type_of(item) == "reasoning" and not (kept and (type_of(kept[-1]) == "reasoning" or is_from_model(kept[-1]))):
            continue
        kept.append(item)
    return kept[::-1]


class _Fold:
    """What has come so far. `output_item.done` is the truth for an item; deltas count only where it never came (R4)."""

    def __init__(self) -> None:
        self.done: dict[int, Mapping[str, Any]] = {}
        self.texts: dict[int, list[str]] = {}
        self.final: Mapping[str, Any] = {}
        self.response_id = ""
        self.stop_reason = ""
        self.ended = False

    def take(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "response.output_item.done":
            self.done[event["output_index"]] = to_mapping(event["item"])
        elif kind == "response.output_text.delta":
            self.texts.setdefault(event["output_index"], []).append(event["delta"])
        elif kind == "response.created":
            self.response_id = str(to_mapping(event["response"]).get("id") or "")
        elif kind in _ENDS:
            self.final, self.ended = to_mapping(event["response"]), True
        elif kind == "error":
            self.stop_reason = str(event.get("code") or event.get("message") or "error")

    def reply(self) -> Reply:
        items = [self.done[index] for index in sorted(self.done)]
        if self.ended:
            return parse_reply({**self.final, "output": items or self.final.get("output") or []})
        messages = [parse_message(item, f"$.output[{index}]") for index, item in enumerate(_whole(items))]
        messages += self._unfinished()
        return Reply(messages=tuple(messages), status="aborted", stop_reason=self.stop_reason, reply_id=self.response_id)

    def _unfinished(self) -> list[Message]:
        """Text that was seen but whose item never ended; without an id, because the provider may not know it."""
        status: Status = "aborted"
        cut = []
        for index in sorted(self.texts.keys() - self.done.keys()):
            block = {"type": "output_text", "text": "".join(self.texts[index]), "annotations": []}
            message = parse_message({"type": "message", "role": "assistant", "status": "incomplete", "content": [block]})
            cut.append(msgspec.structs.replace(message, status=status))
        return cut


def fold_stream(events: Iterable[Mapping[str, Any]]) -> Reply:
    """See `Wire.fold_stream`. Text of an item that never ended is kept as an aborted message."""
    fold = _Fold()
    for event in events:
        fold.take(to_mapping(event))
    return fold.reply()
