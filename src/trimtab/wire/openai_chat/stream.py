"""Chat Completions chunks folded into the reply they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from trimtab.core.messages import Status
from trimtab.wire.common import is_whole_json, to_mapping
from trimtab.wire.openai_chat.parse import parse_message, parse_usage, resendable
from trimtab.wire.protocol import Reply, Usage

# fields of a delta whose pieces are put end to end
_TEXT_FIELDS = ("reasoning_content", "reasoning", "content", "refusal")


class _Fold:
    """What has come so far."""

    def __init__(self) -> None:
        self.message: dict[str, Any] = {"role": "assistant"}
        self.calls: list[dict[str, Any]] = []
        self.usage: Usage | None = None
        self.stop_reason = ""
        self.reply_id = ""

    def chunk(self, chunk: Mapping[str, Any]) -> None:
        self.reply_id = self.reply_id or chunk.get("id") or ""
        self.usage = parse_usage(chunk.get("usage")) or self.usage
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0):
                continue
            self.stop_reason = choice.get("finish_reason") or self.stop_reason
            self.delta(choice.get("delta") or {})

    def delta(self, delta: Mapping[str, Any]) -> None:
        for key, value in delta.items():
            if value is None or key == "role":
                continue
            if key in _TEXT_FIELDS:
                self.message[key] = self.message.get(key, "") + value
            elif key == "tool_calls":
                for piece in value:
                    self.call(piece)
            elif key == "reasoning_details":
                _add_details(self.message.setdefault(key, []), value)
            elif key in ("function_call", "audio"):
                _add_pieces(self.message.setdefault(key, {}), value)
            elif isinstance(value, list):
                self.message.setdefault(key, []).extend(value)
            else:
                self.message[key] = value

    def call(self, piece: Mapping[str, Any]) -> None:
        slot = self._slot(piece)
        for key, value in piece.items():
            if value is None or key == "index":
                continue
            if key in ("function", "custom"):
                _add_pieces(slot.setdefault(key, {}), value)
            else:
                slot[key] = value

    def _slot(self, piece: Mapping[str, Any]) -> dict[str, Any]:
        index, call_id = piece.get("index"), piece.get("id")
        if index is None:
            known = next((call for call in self.calls if call_id and call.get("id") == call_id), None)
            if known is None and not call_id and self.calls:
                known = self.calls[-1]
        else:
            # the last one: a server that numbers every parallel call 0 still gives each its own id
            known = next((call for call in reversed(self.calls) if call["index"] == index), None)
            if known is not None and call_id and known.get("id", call_id) != call_id:
                known = None
        if known is None:
            known = {"index": len(self.calls) if index is None else index, "id": "", "type": "function"}
            if call_id:
                known["id"] = call_id
            else:
                del known["id"]
            self.calls.append(known)
        return known

    def reply(self) -> Reply:
        status: Status = "complete" if self.stop_reason else "aborted"
        calls = self.calls if self.stop_reason else _whole_calls(self.calls)
        if calls:
            self.message["tool_calls"] = [
                {"id": "", **{key: value for key, value in call.items() if key != "index"}}
                for call in sorted(calls, key=lambda call: call["index"])
            ]
        if status == "aborted" and not is_whole_json(self.message.get("function_call", {}).get("arguments", "")):
            self.message.pop("function_call", None)
        self.message = {"role": "assistant", "content": None, **self.message}
        value = resendable(self.message, self.stop_reason)
        messages = () if value is None else (msgspec.structs.replace(parse_message(value), status=status),)
        return Reply(messages=messages, usage=self.usage, status=status, stop_reason=self.stop_reason, reply_id=self.reply_id)


def _add_pieces(known: dict[str, Any], piece: Mapping[str, Any]) -> None:
    for key, value in piece.items():
        if isinstance(value, str) and key in ("name", "arguments", "input", "data", "transcript"):
            known[key] = known.get(key, "") + value
        elif value is not None:
            known[key] = value


def _add_details(known: list[dict[str, Any]], pieces: Iterable[Mapping[str, Any]]) -> None:
    for piece in pieces:
        last = known[-1] if known else None
        if last is None or piece.get("index") is None or (last.get("index"), last.get("type")) != (piece.get("index"), piece.get("type")):
            known.append(dict(piece))
            continue
        for key, value in piece.items():
            if isinstance(value, str) and key in ("text", "summary", "data", "signature"):
                last[key] = (last.get(key) or "") + value
            elif value is not None:
                last[key] = value


def _whole_calls(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls of a stream that was cut that had come whole: free text has no end of its own, so the last is never."""
    return [
        call
        for place, call in enumerate(calls)
        if call.get("id")
        and (is_whole_json(call.get("function", {}).get("arguments", "")) or ("custom" in call and place + 1 < len(calls)))
    ]


def fold_stream(events: Iterable[Any]) -> Reply:
    fold = _Fold()
    for event in events:
        chunk = to_mapping(event)
        if chunk.get("error"):
            fold.stop_reason = ""
            break
        fold.chunk(chunk)
    return fold.reply()
