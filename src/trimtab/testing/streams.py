"""A whole reply as the events in which each provider streams it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from trimtab.core.messages import WireName

_PIECE_CHARS = 24


def events_of(wire: WireName, reply: Mapping[str, Any], body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The events (chat: chunks) of a stream that amounts to `reply`; `body` is the request."""
    if wire == "anthropic":
        return list(_message_events(reply))
    if wire == "openai_responses":
        return list(_response_events(reply))
    return list(_chunks(reply, bool((body.get("stream_options") or {}).get("include_usage"))))


def framed(wire: WireName, events: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    """The events as server-sent events. Chat has no event lines and ends with `[DONE]`."""
    for event in events:
        data = b"data: " + msgspec.json.encode(event) + b"\n\n"
        yield data if wire == "openai_chat" else b"event: " + event["type"].encode() + b"\n" + data
    if wire == "openai_chat":
        yield b"data: [DONE]\n\n"


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE_CHARS] for at in range(0, len(text), _PIECE_CHARS)]


def _chunks(reply: Mapping[str, Any], include_usage: bool) -> Iterator[dict[str, Any]]:
    head = {"id": reply["id"], "object": "chat.completion.chunk", "created": reply["created"], "model": reply["model"]}
    tail: dict[str, Any] = {"usage": None} if include_usage else {}
    choice = reply["choices"][0]

    def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}], **tail}

    message = choice["message"]
    yield chunk({"role": "assistant", "content": None if message["content"] is None else ""})
    for field in ("reasoning_content", "content"):
        for piece in _pieces(message.get(field) or ""):
            yield chunk({field: piece})
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]})
        for piece in _pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    if include_usage:
        yield {**head, "choices": [], "usage": reply["usage"]}


def _message_events(reply: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    start = {**reply, "content": [], "stop_reason": None, "usage": {**reply["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    for index, block in enumerate(reply["content"]):
        empty, deltas = _block_deltas(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": reply["stop_reason"], "stop_sequence": reply["stop_sequence"]}
    yield {"type": "message_delta", "delta": delta, "usage": reply["usage"]}
    yield {"type": "message_stop"}


def _block_deltas(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "thinking":
        deltas: list[dict[str, Any]] = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
        return {**block, "thinking": "", "signature": ""}, [*deltas, {"type": "signature_delta", "signature": block["signature"]}]
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
    dumped = msgspec.json.encode(block["input"]).decode()
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *_pieces(dumped))]


def _response_events(reply: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    started = {**reply, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    for number, event in enumerate(_unnumbered(reply, started)):
        yield {**event, "sequence_number": number}


def _unnumbered(reply: Mapping[str, Any], started: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": started}
    yield {"type": "response.in_progress", "response": started}
    for index, item in enumerate(reply["output"]):
        yield {"type": "response.output_item.added", "output_index": index, "item": _begun(item)}
        for event in _item_events(item):
            yield {**event, "item_id": item["id"], "output_index": index}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{reply['status']}", "response": reply}


def _begun(item: Mapping[str, Any]) -> dict[str, Any]:
    """The item as it is announced: without content, and with encrypted content that is not the final one."""
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "reasoning": {"summary": [], "encrypted_content": ""},
    }
    status = {"status": "in_progress"} if "status" in item else {}
    return {**item, **empty[item["type"]], **status}


def _item_events(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if item["type"] == "function_call":
        kind = "response.function_call_arguments"
        for piece in _pieces(item["arguments"]):
            yield {"type": f"{kind}.delta", "delta": piece}
        yield {"type": f"{kind}.done", "name": item["name"], "arguments": item["arguments"]}
    elif item["type"] == "reasoning":
        yield from _part_events(item["summary"], "response.reasoning_summary_part", "response.reasoning_summary_text", "summary_index")
    else:
        yield from _part_events(item["content"], "response.content_part", "response.output_text", "content_index")


def _part_events(parts: Sequence[Mapping[str, Any]], part_kind: str, text_kind: str, index_name: str) -> Iterator[dict[str, Any]]:
    logprobs: dict[str, Any] = {"logprobs": []} if text_kind == "response.output_text" else {}
    for index, part in enumerate(parts):
        at = {index_name: index}
        yield {"type": f"{part_kind}.added", **at, "part": {**part, "text": ""}}
        for piece in _pieces(part["text"]):
            yield {"type": f"{text_kind}.delta", **at, "delta": piece, **logprobs}
        yield {"type": f"{text_kind}.done", **at, "text": part["text"], **logprobs}
        yield {"type": f"{part_kind}.done", **at, "part": part}
