"""What passes by is heard as it was said, however it is cut; what is no reply is told and keeps nobody."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.messages import WireName
from trimtab.gateway import listening
from trimtab.gateway.listening import Listener
from trimtab.testing.streams import events_of, framed
from trimtab.testing.upstream import StrictUpstream
from trimtab.wire import wire_for

WIRES: tuple[WireName, ...] = ("openai_chat", "openai_responses", "anthropic")
ASKED: dict[WireName, dict[str, Any]] = {
    "openai_chat": {
        "model": "strict-1",
        "messages": [{"role": "user", "content": "你好, say it"}],
        "stream_options": {"include_usage": True},
    },
    "openai_responses": {"model": "strict-1", "input": "你好, say it"},
    "anthropic": {"model": "strict-1", "max_tokens": 50, "messages": [{"role": "user", "content": "你好, say it"}]},
}


def replied(wire: WireName) -> tuple[dict[str, Any], bytes]:
    """A reply of the strict upstream, whole and as the bytes of its stream."""
    body = ASKED[wire]
    reply = StrictUpstream().reply(wire, body)
    return reply, b"".join(framed(wire, events_of(wire, reply, body | {"stream": True})))


def heard(wire: WireName, pieces: list[bytes], *, is_stream: bool = True) -> Any:
    listener = Listener(wire, is_stream=is_stream)
    for piece in pieces:
        listener.hear(piece)
    reply = listener.reply()
    assert listener.problem == "" and reply is not None
    return reply


@pytest.mark.parametrize("wire", WIRES)
@given(cuts=st.lists(st.integers(0, 4_000), max_size=12), ends=st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_a_stream_says_the_same_however_it_is_cut_and_whatever_ends_its_lines(wire: WireName, cuts: list[int], ends: bytes) -> None:
    whole, stream = replied(wire)
    stream = stream.replace(b"\n", ends)
    places = sorted({min(cut, len(stream)) for cut in cuts})
    pieces = [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]
    said = heard(wire, pieces)
    expected = wire_for(wire).parse_reply(whole)
    assert [message.text for message in said.messages] == [message.text for message in expected.messages]
    assert (said.status, said.usage) == (expected.status, expected.usage)


@pytest.mark.parametrize("wire", WIRES)
def test_a_whole_reply(wire: WireName) -> None:
    whole, _ = replied(wire)
    raw = msgspec.json.encode(whole)
    assert heard(wire, [raw[:7], raw[7:]], is_stream=False) == wire_for(wire).parse_reply(whole)


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_broke_off_is_what_had_come(wire: WireName) -> None:
    _, stream = replied(wire)
    listener = Listener(wire, is_stream=True)
    listener.hear(stream[: len(stream) // 2])
    reply = listener.reply(broke_off=True)
    assert reply is not None and reply.status in ("aborted", "partial")


def test_comments_event_names_and_joined_lines_are_heard_as_the_standard_has_them() -> None:
    event = b'{"choices": [{"index": 0, "delta": {"role": "assistant",\ndata: "content": "hi"}, "finish_reason": "stop"}]}'
    said = heard("openai_chat", [b": ping\n\nid: 3\nretry: 5\ndata: " + event + b"\n\ndata: [DONE]\n\ndata: after\n\n"])
    assert said.messages[0].text == "hi"


@pytest.mark.parametrize(
    ("pieces", "is_stream", "status", "problem"),
    [
        ([b"data: {not json\n\n"], True, 200, "an event of it is not JSON"),
        ([b"<html>"], False, 200, "it cannot be read"),
        ([b'{"choices": 3}'], False, 200, "it cannot be read"),
        ([b'{"error": {}}'], False, 429, "status 429"),
    ],
)
def test_what_is_no_reply_is_told(pieces: list[bytes], is_stream: bool, status: int, problem: str) -> None:
    listener = Listener("openai_chat", is_stream=is_stream, status=status)
    for piece in pieces:
        listener.hear(piece)
    assert listener.reply() is None and problem in listener.problem
    listener.hear(b"more")
    assert listener.reply() is None


def test_a_reply_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST_HEARD_BYTES", 1_000)
    listener = Listener("anthropic", is_stream=True)
    for _ in range(100):
        listener.hear(b"data: " + b"x" * 100)
    assert "larger than 1,000 bytes" in listener.problem and listener.reply() is None


@given(st.sampled_from(WIRES), st.booleans(), st.lists(st.binary(max_size=40), max_size=8))
def test_no_bytes_are_too_odd_to_pass_by(wire: WireName, is_stream: bool, pieces: list[bytes]) -> None:
    listener = Listener(wire, is_stream=is_stream)
    for piece in pieces:
        listener.hear(piece)
    assert listener.reply() is not None or listener.problem
