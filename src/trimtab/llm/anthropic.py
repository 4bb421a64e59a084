"""The Messages interface, as Anthropic and some others offer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trimtab.errors import ModelError
from trimtab.llm.http import REFUSALS, api_key, count_in, post
from trimtab.llm.protocol import ChatMessage, Completion, Finish
from trimtab.settings import Summarizer

VERSION = "2023-06-01"
_FINISHES: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


class AnthropicModel:
    """A model behind an Anthropic-compatible endpoint. One that refuses an answer by schema is asked without it."""

    def __init__(self, settings: Summarizer) -> None:
        self._settings = settings
        base = settings.base_url.rstrip("/")
        self._url = f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"
        self._takes_schema = True

    @property
    def name(self) -> str:
        return self._settings.model

    @property
    def window_tokens(self) -> int:
        return self._settings.window_tokens

    async def complete(self, messages: Sequence[ChatMessage], *, max_output_tokens: int, schema: dict[str, Any] | None) -> Completion:
        """Raises ModelError; BadSetting where the key's variable is not set."""
        key = api_key(self._settings.api_key_env)
        headers = {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})
        body: dict[str, Any] = {
            "model": self._settings.model,
            "max_tokens": max_output_tokens,
            "system": "\n\n".join(message.text for message in messages if message.role == "system"),
            "messages": [{"role": message.role, "content": message.text} for message in messages if message.role != "system"],
        }
        if schema is not None and self._takes_schema:
            shaped = body | {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
            try:
                return self._read(await post(self._url, headers, shaped, self._settings.timeout_s, key))
            except ModelError as error:
                if error.status not in REFUSALS or not _is_about_the_schema(error.problem):
                    raise
        completion = self._read(await post(self._url, headers, body, self._settings.timeout_s, key))
        self._takes_schema = self._takes_schema and schema is None
        return completion

    def _read(self, reply: Mapping[str, Any]) -> Completion:
        blocks = reply.get("content")
        if not isinstance(blocks, list):
            raise ModelError(self._url, "its reply holds no content", 200)
        usage = reply.get("usage")
        cached = count_in(usage, "cache_read_input_tokens") + count_in(usage, "cache_creation_input_tokens")
        return Completion(
            text="".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict) and block.get("type") == "text"),
            input_tokens=count_in(usage, "input_tokens") + cached,
            output_tokens=count_in(usage, "output_tokens"),
            finish=_FINISHES.get(str(reply.get("stop_reason")), "other"),
        )


def _is_about_the_schema(problem: str) -> bool:
    """A prompt that is too long, or a model that does not exist, is refused for any form of the request."""
    words = problem.lower()
    return not any(word in words for word in ("too long", "context", "credit", "model:", "not found"))
