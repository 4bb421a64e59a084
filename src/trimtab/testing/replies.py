"""What the mock upstream answers: a script's reply as the body of each provider."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from trimtab.core.messages import WireName

# a fixed time, so that the same script gives the same bytes (2026-01-01T00:00:00Z)
CREATED = 1_767_225_600


class ScriptedReply(Struct, frozen=True, kw_only=True):
    """One reply of the model.

    Attributes:
        text: visible text; "" for none.
        calls: (tool name, arguments) in order.
        thinking: reasoning before the text, signed by the upstream where the form has signatures.
        usage: fields that replace those the upstream counted, by the provider's own names.
        stop_reason: by the provider's own name; "" for what follows from the rest.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    thinking: str | None = None
    usage: Mapping[str, Any] = {}
    stop_reason: str = ""


Script: TypeAlias = Callable[[WireName, Mapping[str, Any], int], ScriptedReply] | Sequence[ScriptedReply]


class Ids:
    """Ids that look like a provider's and depend only on the key and the request's number."""

    def __init__(self, key: bytes, number: int) -> None:
        self._key, self._number, self._made = key, number, 0

    def new(self, prefix: str) -> str:
        self._made += 1
        label = f"{self._number}/{self._made}".encode()
        return prefix + hmac.new(self._key, label, sha256).hexdigest()[:24]


def echo(wire: WireName, body: Mapping[str, Any], number: int) -> ScriptedReply:
    """The default script: names the request and the start of the last text in it."""
    history = body.get("input") if wire == "openai_responses" else body.get("messages")
    last = history if isinstance(history, str) else _last_text((history or [{}])[-1])
    return ScriptedReply(text=f"reply {number}: {last[:200]}")


def _last_text(message: Mapping[str, Any]) -> str:
    content = message.get("content", message.get("output"))
    if isinstance(content, str):
        return content
    texts = [block.get("text") for block in content or () if isinstance(block, Mapping)]
    return next((text for text in reversed(texts) if isinstance(text, str)), "")


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)


def _dumped(arguments: Mapping[str, Any]) -> str:
    return msgspec.json.encode(arguments).decode()


def _written(reply: ScriptedReply) -> tuple[int, int]:
    """(all output tokens, those of reasoning), about four characters each."""
    thought = _tokens(reply.thinking) if reply.thinking else 0
    calls = "".join(name + _dumped(arguments) for name, arguments in reply.calls)
    return thought + _tokens(reply.text + calls), thought


def chat_body(reply: ScriptedReply, model: str, prompt_tokens: int, ids: Ids) -> dict[str, Any]:
    """A `chat.completion`. Thinking is `reasoning_content`, as DeepSeek and most local servers send it."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.thinking is not None:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {"id": ids.new("call_"), "type": "function", "function": {"name": name, "arguments": _dumped(arguments)}}
            for name, arguments in reply.calls
        ]
    elif not reply.text:
        message["content"] = ""
    written, thought = _written(reply)
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": written,
        "total_tokens": prompt_tokens + written,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
    reason = reply.stop_reason or ("tool_calls" if reply.calls else "stop")
    return {
        "id": ids.new("chatcmpl-"),
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
        "usage": usage | dict(reply.usage),
    }


def message_body(reply: ScriptedReply, model: str, prompt_tokens: int, ids: Ids, signature: str) -> dict[str, Any]:
    """An Anthropic `message`."""
    content: list[dict[str, Any]] = []
    if reply.thinking is not None:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": signature})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    content += [{"type": "tool_use", "id": ids.new("toolu_"), "name": name, "input": dict(arguments)} for name, arguments in reply.calls]
    usage = {
        "input_tokens": prompt_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": _written(reply)[0],
    }
    return {
        "id": ids.new("msg_"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": reply.stop_reason or ("tool_use" if reply.calls else "end_turn"),
        "stop_sequence": None,
        "usage": usage | dict(reply.usage),
    }


def response_body(reply: ScriptedReply, body: Mapping[str, Any], prompt_tokens: int, ids: Ids, signature: str) -> dict[str, Any]:
    """A Responses `response`. A reply without text, calls or thinking is an empty message."""
    written, thought = _written(reply)
    usage = {
        "input_tokens": prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": prompt_tokens + written,
    }
    cut = reply.stop_reason not in ("", "completed")
    return {
        "id": ids.new("resp_"),
        "object": "response",
        "created_at": CREATED,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": reply.stop_reason} if cut else None,
        "instructions": body.get("instructions"),
        "metadata": body.get("metadata") or {},
        "model": body.get("model") or "",
        "output": _output(reply, ids, signature),
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "temperature": body.get("temperature"),
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": body.get("tools") or [],
        "top_p": body.get("top_p"),
        "usage": usage | dict(reply.usage),
    }


def _output(reply: ScriptedReply, ids: Ids, signature: str) -> list[dict[str, Any]]:
    output: list[dict[str, Any]] = []
    if reply.thinking is not None:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        output.append({"id": ids.new("rs_"), "type": "reasoning", "summary": summary, "encrypted_content": signature})
    if reply.text or not reply.calls:
        block = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        output.append({"id": ids.new("msg_"), "type": "message", "status": "completed", "role": "assistant", "content": [block]})
    for name, arguments in reply.calls:
        call_id, dumped = ids.new("call_"), _dumped(arguments)
        call = {"id": ids.new("fc_"), "type": "function_call", "status": "completed"}
        output.append({**call, "call_id": call_id, "name": name, "arguments": dumped})
    return output
