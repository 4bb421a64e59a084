"""Random valid histories in the chat and Messages forms, with what real clients add to them."""

from __future__ import annotations

from json import dumps
from typing import Any

from hypothesis import strategies as st

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABQAAX3+Hu4AAAAASUVORK5CYII="

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | words | st.just(""),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
extra_fields = st.dictionaries(words.map(lambda word: "x-" + word), json_values, max_size=2)
objects = st.dictionaries(words, json_values, max_size=2)
marks = st.sampled_from([{}, {}, {"cache_control": {"type": "ephemeral"}}])


@st.composite
def _with(draw: st.DrawFn, base: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    return {**draw(base), **draw(extra_fields)}


chat_parts = st.lists(
    _with(
        st.builds(lambda text: {"type": "text", "text": text}, words)
        | st.just({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}})
        | st.just({"type": "image_url", "image_url": {"url": "https://example.org/a.png?token=1"}})
        | st.just({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}})
        | st.builds(lambda value: {"type": "hologram", "hologram": value}, json_values)
    ),
    min_size=1,
    max_size=3,
)
chat_user = _with(st.builds(lambda content: {"role": "user", "content": content}, words | chat_parts))
chat_system = _with(st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["system", "developer"]), words))
chat_reasoning = st.sampled_from(
    [{}, {}, {"reasoning_content": "hm"}, {"reasoning": "so", "reasoning_details": [{"type": "reasoning.text", "text": "so"}]}]
)


@st.composite
def chat_exchange(draw: st.DrawFn, calls_after: bool = True) -> list[dict[str, Any]]:
    """An assistant message and the results of its calls; ids are given by `numbered`."""
    count = draw(st.integers(0, 3)) if calls_after else 0
    message = {"role": "assistant", **draw(chat_reasoning), **draw(extra_fields)}
    if not count:
        return [{**message, "content": draw(words)}]
    message["content"] = draw(st.none() | st.just("") | words)

    message["tool_calls"] = [
        {"type": "function", "id": "", "function": {"name": draw(words), "arguments": dumps(draw(objects))}, **draw(extra_fields)}
        for _ in range(count)
    ]
    results = [{"role": "tool", "tool_call_id": "", "content": draw(words | st.just("")), **draw(extra_fields)} for _ in range(count)]
    return [message, *results]


def numbered(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The history with call ids that are unique and answer each other, in call order."""
    made, waiting = 0, list[str]()
    for message in history:
        for call in message.get("tool_calls") or ():
            made += 1
            call["id"] = f"call_{made}"
            waiting.append(call["id"])
        if message["role"] == "tool":
            message["tool_call_id"] = waiting.pop(0)
    return history


@st.composite
def chat_blocks(draw: st.DrawFn) -> list[list[dict[str, Any]]]:
    """A valid history in pieces that may not be cut, the last of which is a user message."""
    middle = draw(st.lists(chat_exchange() | chat_user.map(lambda one: [one]) | chat_system.map(lambda one: [one]), max_size=6))
    blocks = [*middle, [draw(chat_user)]]
    numbered([message for block in blocks for message in block])
    return blocks


block_text = st.builds(lambda text, mark: {"type": "text", "text": text, **mark}, words, marks)
block_media = st.sampled_from(
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "law"}},
    ]
)
block_unknown = st.builds(lambda value: {"type": "hologram", "value": value}, json_values)
own_blocks = st.lists(_with(block_text | block_media | block_unknown), min_size=1, max_size=2)
thinking = st.sampled_from(
    [
        [],
        [{"type": "thinking", "thinking": "hm", "signature": "sig"}],
        [{"type": "redacted_thinking", "data": "xx"}],
    ]
)
claude_user = _with(st.builds(lambda content: {"role": "user", "content": content}, words | own_blocks))


@st.composite
def claude_exchange(draw: st.DrawFn) -> list[dict[str, Any]]:
    count = draw(st.integers(0, 3))
    if not count:
        return [{"role": "assistant", "content": [*draw(thinking), *draw(own_blocks)]}]
    calls = [{"type": "tool_use", "id": "", "name": "f", "input": draw(objects), **draw(extra_fields)} for _ in range(count)]
    results = [
        {
            "type": "tool_result",
            "tool_use_id": "",
            "content": draw(words | st.just("") | st.just([{"type": "text", "text": "t"}])),
            **draw(marks),
        }
        for _ in range(count)
    ]
    own = draw(st.just([]) | own_blocks)
    after = draw(st.just([]) | st.just([]) | own_blocks)
    return [
        {"role": "assistant", "content": [*draw(thinking), *own, *calls]},
        {"role": "user", "content": [*results, *after], **draw(extra_fields)},
    ]


def numbered_blocks(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made, waiting = 0, list[str]()
    for message in history:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_use":
                made += 1
                block["id"] = f"toolu_{made}"
                waiting.append(block["id"])
            if block["type"] == "tool_result":
                block["tool_use_id"] = waiting.pop(0)
    return history


@st.composite
def claude_blocks(draw: st.DrawFn) -> list[list[dict[str, Any]]]:
    """A valid history (but for its number of cache marks) in pieces that may not be cut; the first is a user message."""
    first = draw(claude_user)
    blocks = [[first], *draw(st.lists(claude_exchange() | claude_user.map(lambda one: [one]), max_size=6))]
    numbered_blocks([message for block in blocks for message in block])
    return blocks
