"""The chat completions interface, as OpenAI and many others offer it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from trimtab.errors import ModelError
from trimtab.llm.http import REFUSALS, api_key, count_in, post
from trimtab.llm.protocol import ChatMessage, Completion, Finish
from trimtab.settings import Summarizer

# some servers leave the model's reasoning in front of the answer
_REASONING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FINISHES: Mapping[str, Finish] = {"stop": "stop", "length": "length", "content_filter": "refused"}
_NEW_LIMIT = "max_completion_tokens"
# ways to ask for JSON, the strictest first
ANSWERS = ("json_schema", "json_object", "text")
_TOO_LONG = re.compile(r"context|too long|maximum.{0,20}length|token limit", re.IGNORECASE)


class _Form(Struct, frozen=True):
    """How a request is worded: endpoints differ in which of these they take."""

    limit: str
    answer: str


class OpenAIChatModel:
    """A model behind an OpenAI-compatible endpoint.

    An answer by JSON schema is asked for; an endpoint that refuses that is asked for a JSON object, then for plain
    text. Which form it took is remembered, so that it is found out once.
    """

    def __init__(self, settings: Summarizer) -> None:
        self._settings = settings
        self._url = settings.base_url.rstrip("/") + "/chat/completions"
        self._form: _Form | None = None

    @property
    def name(self) -> str:
        return self._settings.model

    @property
    def window_tokens(self) -> int:
        return self._settings.window_tokens

    async def complete(self, messages: Sequence[ChatMessage], *, max_output_tokens: int, schema: dict[str, Any] | None) -> Completion:
        """Raises ModelError; BadSetting where the key's variable is not set."""
        key = api_key(self._settings.api_key_env)
        headers = {"authorization": f"Bearer {key}"} if key else {}
        waiting = (
            [self._form] if self._form is not None else [_Form("max_tokens", answer) for answer in ANSWERS if schema or answer == "text"]
        )
        while True:
            form = waiting.pop(0)
            body = self._body(form, messages, max_output_tokens, schema)
            try:
                reply = await post(self._url, headers, body, self._settings.timeout_s, key)
            except ModelError as error:
                if error.status in REFUSALS and form.limit == "max_tokens" and _NEW_LIMIT in error.problem:
                    # newer models want this name, most other servers know only the old one
                    waiting = [_Form(_NEW_LIMIT, other.answer) for other in (form, *waiting)]
                elif error.status not in REFUSALS or _TOO_LONG.search(error.problem) or not waiting:
                    raise
                continue
            self._form = form if schema else self._form
            return self._read(reply)

    def _body(self, form: _Form, messages: Sequence[ChatMessage], max_output_tokens: int, schema: dict[str, Any] | None) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            form.limit: max_output_tokens,
        }
        if schema is not None and form.answer == "json_schema":
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
        elif schema is not None and form.answer == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _read(self, reply: Mapping[str, Any]) -> Completion:
        choices = reply.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        message = choice.get("message")
        if not isinstance(message, dict):
            raise ModelError(self._url, "its reply holds no message", 200)
        usage = reply.get("usage")
        finish = _FINISHES.get(str(choice.get("finish_reason")), "other")
        return Completion(
            text=_REASONING.sub("", _text(message.get("content"))),
            input_tokens=count_in(usage, "prompt_tokens"),
            output_tokens=count_in(usage, "completion_tokens"),
            finish="refused" if message.get("refusal") else finish,
        )


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
