"""How the mock upstream says no: the provider's status, body and words."""

from __future__ import annotations

from typing import Any

from trimtab.core.messages import WireName


class UpstreamRefusal(Exception):
    """A request that the provider would refuse.

    Attributes:
        status: HTTP status.
        body: the error body in the provider's shape.
        rule: name of the broken rule (C1, R2, A9 ...).
        message: the provider's words.
    """

    def __init__(self, status: int, body: dict[str, Any], rule: str) -> None:
        self.status, self.body, self.rule = status, body, rule
        self.message: str = body["error"]["message"]
        super().__init__(f"{rule}: {status} {self.message}")


def refusal(wire: WireName, rule: str, message: str, path: str = "", code: str | None = None) -> UpstreamRefusal:
    """A 400 in the shape of that provider. `path` names the parameter, where the shape has a place for it."""
    if wire == "anthropic":
        error: dict[str, Any] = {"type": "invalid_request_error", "message": message}
        return UpstreamRefusal(400, {"type": "error", "error": error, "request_id": "req_refused"}, rule)
    error = {"message": message, "type": "invalid_request_error", "param": path or None, "code": code}
    return UpstreamRefusal(400, {"error": error}, rule)


def too_long(wire: WireName, prompt_tokens: int, output_tokens: int, window_tokens: int) -> UpstreamRefusal | None:
    """The refusal of a prompt that does not fit the window (C12, A14); None where it fits."""
    if prompt_tokens + output_tokens <= window_tokens:
        return None
    if wire == "anthropic":
        if prompt_tokens > window_tokens:
            return refusal(wire, "A14", f"prompt is too long: {prompt_tokens} tokens > {window_tokens} maximum")
        message = f"input length and `max_tokens` exceed context limit: {prompt_tokens} + {output_tokens} > {window_tokens}"
        return refusal(wire, "A14", f"{message}, decrease input length or `max_tokens` and try again")
    if wire == "openai_responses":
        message = "Your input exceeds the context window of this model. Please adjust your input and try again."
        return refusal(wire, "C12", message, "input", "context_length_exceeded")
    message = (
        f"This model's maximum context length is {window_tokens} tokens. However, you requested "
        f"{prompt_tokens + output_tokens} tokens ({prompt_tokens} in the messages, {output_tokens} in the completion). "
        "Please reduce the length of the messages or completion."
    )
    return refusal(wire, "C12", message, "messages", "context_length_exceeded")
