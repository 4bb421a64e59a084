"""The baselines send what they say, and count their stable prefix as a provider would."""

from __future__ import annotations

from typing import Any

import pytest

from trimtab.cli.baselines import Piece, Rounds, sliding, sliding_start, unmanaged

USER: dict[str, Any] = {"role": "user", "content": "u"}
CALL: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "c", "content": "r"}
SAID: dict[str, Any] = {"role": "assistant", "content": "a"}
BLOCK_RESULT: dict[str, Any] = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "r"}]}


def pieces(*messages: dict[str, Any], tokens: int = 10) -> list[Piece]:
    return [Piece(message, tokens, str(n)) for n, message in enumerate(messages)]


@pytest.mark.parametrize(
    ("messages", "last", "start"),
    [
        ([USER, SAID, USER], 10, 0),
        ([USER, SAID, USER], 2, 1),
        ([USER, CALL, RESULT, RESULT, SAID], 3, 4),  # the results would stand without their call
        ([USER, CALL, RESULT, RESULT, SAID], 4, 1),
        ([USER, CALL, RESULT, RESULT, RESULT], 2, 1),  # leaving them out would leave nothing
        ([USER, CALL, BLOCK_RESULT, SAID], 2, 3),
    ],
)
def test_a_slide_never_splits_an_exchange(messages: list[dict[str, Any]], last: int, start: int) -> None:
    assert sliding_start(pieces(*messages), last) == start


def history() -> Rounds:
    rounds = [pieces(USER), pieces(CALL, RESULT), pieces(SAID, USER), pieces(SAID, USER)]
    return Rounds(head_tokens=5, head_text="head", rounds=rounds)


def test_unmanaged_sends_everything_and_repeats_the_whole_prompt_before() -> None:
    requests = unmanaged(history())
    assert [request.tokens for request in requests] == [15, 35, 55, 75]
    assert [request.raw_tokens for request in requests] == [15, 35, 55, 75]
    assert [request.produced_tokens for request in requests] == [10, 30, 50, 70]
    assert [request.prefix_tokens for request in requests] == [0, 15, 35, 55]


def test_sliding_keeps_only_the_head_as_prefix_once_it_slides() -> None:
    requests = sliding(history(), last=3)
    # u | u c r | r a u -> a u (the result lost its call) | u a u
    assert [request.tokens for request in requests] == [15, 35, 25, 35]
    assert [request.prefix_tokens for request in requests] == [0, 15, 5, 5]
    assert [request.raw_tokens for request in requests] == [15, 35, 55, 75]
    assert requests[2].text.splitlines()[0] == "head"
