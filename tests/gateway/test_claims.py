"""What requests claim: of real clients as they were captured, and of every other form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gateway.captured import CLIENT_IDS, LABELS
from trimtab.gateway.claims import claim_of, untagged, upstream_path
from trimtab.gateway.passing import interface_of, passed

TAG = "[[trimtab-session:chat-7]]"


def captured(data_dir: Path, name: str) -> list[tuple[str, dict[str, str], dict[str, Any]]]:
    rows = json.loads((data_dir / "captures" / f"{name}.json").read_text("utf-8"))
    made = []
    for row in rows:
        # the capture shows a header's JSON as read; on the wire it is text
        headers = {key: value if isinstance(value, str) else json.dumps(value) for key, value in row["headers"].items()}
        made.append((row["path"].partition("?")[0], headers, row["body"] if isinstance(row.get("body"), dict) else {}))
    return made


@pytest.mark.parametrize("name", LABELS)
def test_what_real_clients_send(data_dir: Path, name: str) -> None:
    requests = captured(data_dir, name)
    assert len(requests) == len(LABELS[name])
    for (path, headers, body), (conversation, lane, why) in zip(requests, LABELS[name], strict=True):
        assert passed(path, headers, body) == why
        claim = claim_of(path, headers, body)
        if name in CLIENT_IDS and conversation != "-":
            assert (claim.session_id, claim.rung, claim.agent) == (CLIENT_IDS[name][conversation], "client", lane)


def test_one_user_with_many_conversations_claims_none(data_dir: Path) -> None:
    for path, headers, body in captured(data_dir, "dify-llm"):
        assert claim_of(path, headers, body).rung == "none"


CHAT: dict[str, Any] = {"messages": [{"role": "system", "content": f"Be brief. {TAG}\nAlways."}, {"role": "user", "content": "hi"}]}
RUNGS: list[tuple[str, str, dict[str, str], dict[str, Any]]] = [
    ("header", "/v1/messages", {"x-trimtab-session": "chat-7"}, {}),
    ("path", "/s/chat-7/v1/messages", {}, {}),
    ("tag", "/v1/messages", {}, CHAT),
    ("client", "/v1/messages", {"x-conversation-id": "chat-7"}, {}),
    ("client", "/v1/messages", {}, {"metadata": {"user_id": '{"device_id": "d", "session_id": "chat-7"}'}}),
    ("field", "/v1/responses", {}, {"prompt_cache_key": "chat-7"}),
    ("field", "/v1/responses", {}, {"metadata": {"thread_id": "chat-7"}}),
]


@pytest.mark.parametrize(("rung", "path", "headers", "body"), RUNGS)
def test_each_rung(rung: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> None:
    claim = claim_of(path, headers, body)
    assert (claim.session_id, claim.rung) == ("chat-7", rung)


@pytest.mark.parametrize("first", range(len(RUNGS)))
def test_a_higher_rung_goes_before_a_lower_one(first: int) -> None:
    rung, path, headers, body = RUNGS[first]
    for _, _, other_headers, other_body in RUNGS[first + 1 :]:
        low_headers = dict.fromkeys(other_headers, "low")
        low_body = json.loads(json.dumps(other_body).replace("chat-7", "low"))
        assert claim_of(path, low_headers | headers, low_body | body).session_id == "chat-7"
    assert claim_of(path, headers, body).rung == rung


@pytest.mark.parametrize(
    ("body", "previous"),
    [
        ({"previous_response_id": "resp_1"}, "resp_1"),
        ({"conversation": {"id": "conv_1"}}, "conv_1"),
        ({"conversation": "conv_1"}, "conv_1"),
        ({"thread": {"type": "continue", "previous_message_id": "msg_1"}}, "msg_1"),
    ],
)
def test_a_reply_that_it_goes_on_from(body: dict[str, Any], previous: str) -> None:
    claim = claim_of("/v1/responses", {}, body | {"prompt_cache_key": "k"})
    assert (claim.rung, claim.session_id, claim.previous) == ("previous", "", previous)


def test_an_older_form_of_a_user_id_and_what_is_none() -> None:
    old = "user_ab12_account_11-22_session_9344cbaa-56cc-4395-88ab-c64a1d686e66"
    assert claim_of("/v1/messages", {}, {"metadata": {"user_id": old}}).session_id == "9344cbaa-56cc-4395-88ab-c64a1d686e66"
    for user_id in ("u1", "{", '{"session_id": 3}', "[]", 7, None):
        assert claim_of("/v1/messages", {}, {"metadata": {"user_id": user_id}}).rung == "none"
    for said in ("", " ", "a" * 201, "a\nb", "\x00"):
        assert claim_of("/v1/messages", {"x-trimtab-session": said}, {}).rung == "none"


def test_a_branch_and_an_agent_are_told_beside() -> None:
    headers = {"x-trimtab-session": "s", "x-trimtab-branch": "b", "x-claude-code-agent-id": "sub"}
    claim = claim_of("/v1/messages", headers, {})
    assert (claim.session_id, claim.branch, claim.agent) == ("s", "b", "sub")


# ---------------------------------------------------------------- the tag goes


@pytest.mark.parametrize(
    ("body", "bare"),
    [
        (CHAT, {"messages": [{"role": "system", "content": "Be brief.\nAlways."}, {"role": "user", "content": "hi"}]}),
        ({"system": f"Be brief.\n{TAG}\n"}, {"system": "Be brief.\n"}),
        (
            {"system": [{"type": "text", "text": TAG}, {"type": "text", "text": "Be brief."}]},
            {"system": [{"type": "text", "text": "Be brief."}]},
        ),
        ({"instructions": TAG}, {"instructions": ""}),
        (
            {"input": [{"role": "developer", "content": [{"type": "input_text", "text": f"a {TAG} b"}]}]},
            {"input": [{"role": "developer", "content": [{"type": "input_text", "text": "a b"}]}]},
        ),
    ],
)
def test_the_tag_is_taken_out_of_the_system_text(body: dict[str, Any], bare: dict[str, Any]) -> None:
    assert claim_of("/v1/chat/completions", {}, body).session_id == "chat-7"
    made = untagged(body)
    assert made == bare
    assert claim_of("/v1/chat/completions", {}, made).rung == "none"


def test_what_a_user_writes_is_no_tag() -> None:
    body = {"messages": [{"role": "user", "content": f"What is {TAG}?"}]}
    assert claim_of("/v1/chat/completions", {}, body).rung == "none"
    assert untagged(body) == body


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "text", "id", "user_id"]), inner, max_size=3)
    ),
    max_leaves=8,
)
BODIES = st.dictionaries(
    st.sampled_from(["messages", "input", "system", "instructions", "metadata", "thread", "conversation", "tools", "max_tokens"]),
    json_values,
)


@given(BODIES, st.text(max_size=20))
def test_no_body_is_too_odd_to_be_read(body: dict[str, Any], path: str) -> None:
    assert claim_of(path, {}, body) == claim_of(path, {}, body)
    assert claim_of("/v1/messages", {}, untagged(body)).rung != "tag"
    assert isinstance(passed("/v1/messages", {}, body), str)


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize(
    ("path", "upstream", "interface"),
    [
        ("/v1/chat/completions", "/v1/chat/completions", "openai_chat"),
        ("/s/a-1/v1/messages", "/v1/messages", "anthropic"),
        ("/s/a-1/responses", "/responses", "openai_responses"),
        ("/v1/models", "/v1/models", None),
        ("/s/", "/s/", None),
        ("/v1/messages/batches", "/v1/messages/batches", None),
    ],
)
def test_paths(path: str, upstream: str, interface: str | None) -> None:
    assert upstream_path(path) == upstream
    assert interface_of(upstream) == interface


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"max_tokens": 0, "messages": [{"role": "user", "content": "hi"}]}, "prewarm"),
        ({"max_tokens": 5, "messages": [{"role": "user", "content": "ping"}]}, "probe"),
        ({"max_tokens": 5, "messages": [{"role": "user", "content": "Write me a letter to the city."}]}, ""),
        ({"system": "You are a title generator. Answer with a title only.", "messages": [{"role": "user", "content": "hi"}]}, "title"),
        ({"system": "You are a title generator.", "tools": [{}], "messages": [{"role": "user", "content": "hi"}]}, ""),
    ],
)
def test_what_is_no_turn(body: dict[str, Any], why: str) -> None:
    assert passed("/v1/messages", {}, body) == why
