"""Items of the Responses form as messages. One item is one message; what is not known travels as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.core.messages import Media, Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult, encode_wire
from trimtab.errors import ParseError
from trimtab.wire.common import media_of_base64, media_of_uri, opaque, seal
from trimtab.wire.openai_responses.items import ANSWERS, CALLS, SELF_ANSWERED, SYSTEM_ROLES, answer_key, call_key, type_of
from trimtab.wire.protocol import ParsedRequest

Inner = Text | Media | Opaque
_TEXT_TYPES = ("input_text", "output_text", "text", "summary_text", "reasoning_text")


def parse_request(body: Mapping[str, Any]) -> ParsedRequest:
    """See `Wire.parse_request`. `input` given as a string stays apart from one given as a list (`wire` of its message)."""
    params = {key: value for key, value in body.items() if key not in ("input", "instructions", "tools")}
    system: list[Message] = []
    instructions = body.get("instructions")
    if isinstance(instructions, str) and instructions:
        system.append(_instructions(instructions))
    elif "instructions" in body:
        params["instructions"] = instructions
    tools = body.get("tools")
    if tools is not None and not isinstance(tools, list):
        raise ParseError("tools must be a list", "$.tools")
    if "tools" in body and not tools:
        params["tools"] = tools  # sent as it came, so that it is not told apart from a request without
    messages = _parse_input(body.get("input"))
    leading = next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))
    return ParsedRequest(system=(*system, *messages[:leading]), messages=messages[leading:], tools=tools or None, params=params)


def _parse_input(value: Any) -> tuple[Message, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (Message(role="user", parts=(Text(value),), wire_format="openai_responses", wire=seal({"input": value}, "$.input")[1]),)
    if not isinstance(value, Sequence):
        raise ParseError("input must be a string or a list of items", "$.input")
    return tuple(parse_message(item, f"$.input[{index}]") for index, item in enumerate(value))


def parse_system(value: Any) -> tuple[Message, ...]:
    """Instructions (a string), or a list of developer or system items. None and "" give nothing."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (_instructions(value),)
    if not isinstance(value, Sequence):
        raise ParseError("system must be a string or a list of items", "$.system")
    return tuple(parse_message(item, f"$.system[{index}]") for index, item in enumerate(value))


def _instructions(text: str) -> Message:
    _, wire = seal({"instructions": text}, "$.instructions")
    return Message(role="system", parts=(Text(text),), wire_format="openai_responses", wire=wire)


def parse_message(value: Mapping[str, Any], path: str = "$") -> Message:
    """One input or output item. Raises ParseError with the path of what could not be read."""
    if isinstance(value, str | list | int | float) or value is None:
        raise ParseError(f"an input item must be an object, not {type(value).__name__}", path)
    value, wire = seal(value, path)
    if not type_of(value):
        if isinstance(value.get("instructions"), str) and len(value) == 1:
            return _instructions(value["instructions"])
        if isinstance(value.get("input"), str) and len(value) == 1:
            return _parse_input(value["input"])[0]
        raise ParseError("an input item needs a type or a role", path)
    role, parts = _read(value, path)
    return Message(role=role, parts=parts, wire_format="openai_responses", wire=wire)


def _read(item: Mapping[str, Any], path: str) -> tuple[Role, tuple[Part, ...]]:
    kind = type_of(item)
    if kind == "message":
        return _role(item, path), content_parts(item.get("content"), f"{path}.content")
    if kind == "reasoning":
        return "assistant", (_reasoning(item),)
    if kind in CALLS and (call_key(item) or kind == "function_call"):
        return "assistant", (_call(item, path),)
    if kind in ANSWERS and (answer_key(item) or kind == "function_call_output"):
        return "tool", (_result(item, path),)
    if kind == SELF_ANSWERED and call_key(item):
        return "assistant", _self_answered(item)
    return _opaque_role(item), (opaque(kind, item),)


def _role(item: Mapping[str, Any], path: str) -> Role:
    role = item.get("role")
    if role in ("user", "assistant"):
        return "user" if role == "user" else "assistant"
    if role in SYSTEM_ROLES:
        return "system"
    raise ParseError(f"role {role!r} is not one of user, assistant, system, developer", f"{path}.role")


def _opaque_role(item: Mapping[str, Any]) -> Role:
    role = item.get("role")
    if role in SYSTEM_ROLES:
        return "system"
    return "user" if role == "user" else "assistant"


def content_parts(content: Any, path: str) -> tuple[Inner, ...]:
    """A string, a list of content blocks, or nothing, as parts in order."""
    if content is None:
        return ()
    if isinstance(content, str):
        return (Text(content),)
    if not isinstance(content, Sequence):
        raise ParseError("content must be a string or a list", path)
    return tuple(_block(block, f"{path}[{index}]") for index, block in enumerate(content))


def _block(block: Any, path: str) -> Inner:
    if not isinstance(block, Mapping):
        raise ParseError("a content block must be an object", path)
    kind = block.get("type")
    if kind in _TEXT_TYPES and isinstance(block.get("text"), str):
        return Text(block["text"])
    if kind == "refusal" and isinstance(block.get("refusal"), str):
        return Text(block["refusal"])
    return _media_block(block) or opaque(str(kind), block)


def _media_block(block: Mapping[str, Any]) -> Media | None:
    kind = block.get("type")
    if kind in ("input_image", "computer_screenshot"):
        url = block.get("image_url") or _file_reference(block)
        return media_of_uri("image", url, detail=block.get("detail") or "") if isinstance(url, str) and url else None
    if kind == "input_file":
        source = block.get("file_data") or block.get("file_url") or _file_reference(block)
        if not isinstance(source, str) or not source:
            return None
        bare = "file_data" in block and not source.startswith("data:")
        return media_of_base64("file", "", source) if bare else media_of_uri("file", source)
    if kind == "input_audio" and isinstance(block.get("input_audio"), Mapping):
        audio = block["input_audio"]
        return media_of_base64("audio", f"audio/{audio.get('format') or 'wav'}", str(audio.get("data") or ""))
    return None


def _file_reference(block: Mapping[str, Any]) -> str:
    """A file that the provider holds, named in the place of a URL."""
    file_id = block.get("file_id")
    return f"file:{file_id}" if isinstance(file_id, str) and file_id else ""


def _reasoning(item: Mapping[str, Any]) -> Reasoning:
    blocks = [*(item.get("summary") or ()), *(item.get("content") or ())]
    texts = [block["text"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("text"), str)]
    return Reasoning(text="\n".join(texts), signature=item.get("encrypted_content") or item.get("id") or "")


def _call(item: Mapping[str, Any], path: str) -> ToolCall:
    kind = type_of(item)
    asked = item.get(CALLS[kind].asks)
    if asked is None and kind == "computer_call":
        asked = item.get("actions")
    if asked is None:
        raise ParseError(f"a {kind} needs {CALLS[kind].asks}", f"{path}.{CALLS[kind].asks}")
    arguments = asked if isinstance(asked, str) else encode_wire(asked).decode()
    name = item.get("name")
    if kind == "function_call" and not call_key(item):
        raise ParseError("a function_call needs call_id", f"{path}.call_id")
    return ToolCall(call_id=call_key(item), name=name if isinstance(name, str) and name else kind, arguments=arguments)


def _result(item: Mapping[str, Any], path: str) -> ToolResult:
    kind = type_of(item)
    if kind == "function_call_output" and not answer_key(item):
        raise ParseError("a function_call_output needs call_id", f"{path}.call_id")
    told = item.get(ANSWERS[kind].tells)
    failed = kind == "apply_patch_call_output" and item.get("status") == "failed"
    parts: tuple[Inner, ...]
    if kind == "shell_call_output":
        parts, failed = _shell_output(told)
    elif kind == "computer_call_output" and isinstance(told, Mapping):
        parts = (_media_block(told) or opaque(str(told.get("type")), told),)
    elif kind == "mcp_approval_response":
        parts = (Text(" ".join(["approved" if told else "refused", item.get("reason") or ""]).strip()),)
    elif kind == "tool_search_output":
        parts = (opaque(kind, told),)
    else:
        parts = content_parts(told, f"{path}.{ANSWERS[kind].tells}")
    return ToolResult(call_id=answer_key(item), parts=parts, is_error=failed)


def _shell_output(told: Any) -> tuple[tuple[Inner, ...], bool]:
    """The output of each command, and whether one of them failed."""
    if not isinstance(told, Sequence) or isinstance(told, str):
        return content_parts(told, "$.output"), False
    texts: list[Inner] = []
    failed = False
    for chunk in told:
        if not isinstance(chunk, Mapping):
            texts.append(opaque("shell_output", chunk))
            continue
        texts.extend(Text(chunk[key]) for key in ("stdout", "stderr") if isinstance(chunk.get(key), str) and chunk[key])
        outcome = chunk.get("outcome")
        if isinstance(outcome, Mapping):
            failed = failed or outcome.get("type") == "timeout" or bool(outcome.get("exit_code"))
    return tuple(texts), failed


def _self_answered(item: Mapping[str, Any]) -> tuple[Part, ...]:
    """A call that the provider made and answered itself: both parts in one message, so that it never waits."""
    error = item.get("error")
    told = item.get("output") or (error if isinstance(error, str) else encode_wire(error).decode() if error else "")
    key = call_key(item)
    call = ToolCall(call_id=key, name=str(item.get("name") or SELF_ANSWERED), arguments=str(item.get("arguments") or ""))
    return call, ToolResult(call_id=key, parts=(Text(str(told)),) if told else (), is_error=bool(error))
