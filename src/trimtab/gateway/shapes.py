"""Errors of the gateway's own in the shape of each interface, so that a client's library reads them as its provider's."""

from __future__ import annotations

from typing import Any

import msgspec

from trimtab.core.messages import WireName

# by status: what the two families of interfaces call it
_OPENAI = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 413: "invalid_request_error"}
_ANTHROPIC = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    529: "overloaded_error",
}


def error_body(wire: WireName | None, status: int, message: str) -> bytes:
    """The JSON body; of a path that belongs to no interface in the form of chat completions."""
    if wire == "anthropic":
        kind = _ANTHROPIC.get(status, "api_error")
        shaped: dict[str, Any] = {"type": "error", "error": {"type": kind, "message": message}}
    else:
        shaped = {"error": {"message": message, "type": _OPENAI.get(status, "server_error"), "param": None, "code": None}}
    return msgspec.json.encode(shaped)


def thread_refused() -> bytes:
    """The body (with status 400) after which the client's library sends the whole history itself: a thread that a server holds
    would hide it from us."""
    details = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
    message = "threads that a server holds are not kept here; send the whole history"
    return msgspec.json.encode({"type": "error", "error": {"type": "invalid_request_error", "message": message, "details": details}})


def error_event(wire: WireName | None, message: str) -> bytes:
    """The last event of a stream that could not be brought to its end, framed as that interface frames its own."""
    if wire == "anthropic":
        return b"event: error\ndata: " + error_body(wire, 500, message) + b"\n\n"
    if wire == "openai_responses":
        flat = {"type": "error", "code": "server_error", "message": message, "param": None}
        return b"event: error\ndata: " + msgspec.json.encode(flat) + b"\n\n"
    return b"data: " + error_body(wire, 500, message) + b"\n\n"
