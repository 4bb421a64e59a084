"""Messages events folded into the reply they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from trimtab.core.messages import Message
from trimtab.wire.anthropic.parse import parse_message, parse_usage
from trimtab.wire.common import decode, is_whole_json, to_mapping
from trimtab.wire.protocol import Reply

# delta type -> the block's field it adds to
_TEXT_DELTAS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature", "compaction_delta": "content"}


class _Block:
    """A content block while it comes in."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.value = {key: item for key, item in start.items() if key != "parsed_output"}
        self.json = ""
        self.closed = False

    def delta(self, delta: Mapping[str, Any]) -> None:
        kind = delta.get("type")
        if kind == "input_json_delta":
            self.json += delta.get("partial_json") or ""
        elif kind == "citations_delta":
            self.value["citations"] = [*(self.value.get("citations") or ()), delta["citation"]]
        else:
            field = _TEXT_DELTAS.get(str(kind))
            for key, item in delta.items():
                if key == field and isinstance(item, str):
                    self.value[key] = (self.value.get(key) or "") + item
                elif key != "type" and item is not None:
                    self.value[key] = item

    def whole(self) -> dict[str, Any] | None:
        """The block, or None where what came of it may not be sent back."""
        kind = self.value.get("type")
        if kind == "text":
            return self.value if self.value.get("text") else None
        if kind == "thinking" and not self.value.get("signature"):
            return None if not self.closed else self.value
        if "input" in self.value and self.json:
            if not is_whole_json(self.json):
                return None
            self.value["input"] = decode(self.json)
        return self.value if self.closed else None


class _Fold:
    """What has come so far."""

    def __init__(self) -> None:
        self.blocks: dict[int, _Block] = {}
        self.usage: dict[str, Any] = {}
        self.stop_reason = ""
        self.reply_id = ""
        self.stopped = False

    def event(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start":
            message = event.get("message") or {}
            self.reply_id = message.get("id") or ""
            self._count(message.get("usage"))
        elif kind == "content_block_start":
            self.blocks[event["index"]] = _Block(event["content_block"])
        elif kind == "content_block_delta" and event.get("index") in self.blocks:
            self.blocks[event["index"]].delta(event.get("delta") or {})
        elif kind == "content_block_stop" and event.get("index") in self.blocks:
            self.blocks[event["index"]].closed = True
        elif kind == "message_delta":
            self.stop_reason = (event.get("delta") or {}).get("stop_reason") or self.stop_reason
            self._count(event.get("usage"))
        elif kind == "message_stop":
            self.stopped = True

    def _count(self, usage: Any) -> None:
        # the counts of message_delta are cumulative: a later value replaces an earlier one
        self.usage.update({key: item for key, item in (usage or {}).items() if item is not None})

    def reply(self) -> Reply:
        aborted = not (self.stopped or self.stop_reason)
        blocks = [block for _, held in sorted(self.blocks.items()) if (block := held.whole()) is not None]
        messages: tuple[Message, ...] = ()
        if blocks:
            message = parse_message({"role": "assistant", "content": blocks})
            messages = (msgspec.structs.replace(message, status="aborted" if aborted else "complete"),)
        return Reply(
            messages=messages,
            usage=parse_usage(self.usage) if self.usage else None,
            status="aborted" if aborted else "complete",
            stop_reason=self.stop_reason,
            reply_id=self.reply_id,
        )


def fold_stream(events: Iterable[Any]) -> Reply:
    fold = _Fold()
    for item in events:
        event = to_mapping(item)
        if event.get("type") == "error":
            fold.stop_reason, fold.stopped = "", False
            break
        fold.event(event)
    return fold.reply()
