"""Thin clients of language models. Only `maintain()` asks one; no request of the session ever does."""

from __future__ import annotations

from importlib.util import find_spec

from trimtab.errors import BadSetting, ConfigError
from trimtab.llm.anthropic import AnthropicModel
from trimtab.llm.openai_chat import OpenAIChatModel
from trimtab.llm.protocol import ChatMessage, ChatModel, Completion, Finish
from trimtab.settings import Summarizer

__all__ = ["AnthropicModel", "ChatMessage", "ChatModel", "Completion", "Finish", "OpenAIChatModel", "model_for"]


def model_for(settings: Summarizer) -> ChatModel:
    """The client that the settings describe. Nothing is sent yet, and no key is read.

    Raises:
        BadSetting: no endpoint or no model is named.
        ConfigError: the library that speaks HTTP is not installed.
    """
    if not settings.base_url:
        raise BadSetting("summarizer.base_url", settings.base_url, "the endpoint's URL, or pass a model to Session.open(summarizer=...)")
    if not settings.model:
        raise BadSetting("summarizer.model", settings.model, "the model's name at the endpoint")
    if find_spec("aiohttp") is None:
        raise ConfigError(f"the summarizer {settings.model!r} needs aiohttp, which is not installed; pip install 'trimtab[llm]'")
    return AnthropicModel(settings) if settings.interface == "anthropic" else OpenAIChatModel(settings)
