"""Every request of every capture is placed as it was labelled by hand: all continuations are found, nothing is merged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.captured import LABELS
from tests.gateway.test_claims import captured
from trimtab.core.messages import Message
from trimtab.gateway.claims import claim_of
from trimtab.gateway.conversations import Conversations, Placed
from trimtab.gateway.passing import interface_of
from trimtab.wire import wire_for

SECRET = b"0123456789abcdef"
Request = tuple[str, dict[str, str], dict[str, Any]]


def parsed(request: Request) -> tuple[Message, ...]:
    path, _, body = request
    wire = interface_of(path)
    return wire_for(wire).parse_request(body).messages if wire is not None else ()


def replies_seen(before: Sequence[Message], after: Sequence[Message]) -> list[Message]:
    """What the upstream had answered, as the client's next request holds it."""
    rest = list(after[len(before) :])
    return rest[: next((n for n, message in enumerate(rest) if message.role != "assistant"), len(rest))]


def placed_all(requests: Sequence[Request], labels: Sequence[tuple[str, str, str]], known: Conversations) -> list[Placed | None]:
    """As the requests come in; between two of one lane the reply to the first is told."""
    found: list[Placed | None] = []
    for number, (request, (conversation, lane, why)) in enumerate(zip(requests, labels, strict=True)):
        if conversation == "-" or why or interface_of(request[0]) is None:
            found.append(None)
            continue
        path, headers, body = request
        messages = parsed(request)
        placed = known.place(claim_of(path, headers, body), headers, body, messages)
        found.append(placed)
        later = next(
            (other for other, label in zip(requests[number + 1 :], labels[number + 1 :], strict=True) if label == (conversation, lane, "")),
            None,
        )
        replies = replies_seen(messages, parsed(later)) if later is not None else []
        # the id that its upstream gave the reply, where the next request goes on from it
        reply_id = claim_of(later[0], later[1], later[2]).previous if later is not None else ""
        known.said(placed, replies, messages, reply_id)
    return found


@pytest.mark.parametrize("name", LABELS)
def test_captures_are_placed_as_they_were_labelled(data_dir: Path, name: str) -> None:
    requests, labels = captured(data_dir, name), LABELS[name]
    found = placed_all(requests, labels, Conversations(SECRET))
    for first, first_label in zip(found, labels, strict=True):
        for second, second_label in zip(found, labels, strict=True):
            if first is not None and second is not None:
                assert (first.key == second.key) is (first_label[:2] == second_label[:2])


def test_all_captures_through_one_gateway_stay_apart(data_dir: Path) -> None:
    """Many of them begin with the same word, by clients that send no id."""
    known = Conversations(SECRET)
    by_key: dict[Any, set[tuple[str, str, str]]] = {}
    for name in LABELS:
        requests = captured(data_dir, name)
        for placed, label in zip(placed_all(requests, LABELS[name], known), LABELS[name], strict=True):
            if placed is not None:
                # three captures are of one session of Claude Code, as its id says
                file = "cc" if name in ("cc_agent", "cc_auto") else name
                by_key.setdefault(placed.key, set()).add((file, *label[:2]))
    assert all(len(labels) == 1 for labels in by_key.values())


def chat(*said: str, **more: Any) -> dict[str, Any]:
    rows = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(said)]
    return {"model": "m", "messages": rows, **more}


def place(known: Conversations, body: dict[str, Any], key: str = "k", **headers: str) -> Placed:
    heads = {"authorization": f"Bearer {key}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    messages = wire_for("openai_chat").parse_request(body).messages
    return known.place(claim_of("/v1/chat/completions", heads, body), heads, body, messages)


def answer(known: Conversations, placed: Placed, body: dict[str, Any], text: str) -> None:
    wire = wire_for("openai_chat")
    known.said(placed, [wire.parse_message({"role": "assistant", "content": text})], wire.parse_request(body).messages)


def test_another_key_or_user_is_another_conversation_whatever_is_said() -> None:
    known = Conversations(SECRET)
    answer(known, place(known, chat("hi", user="u1")), chat("hi", user="u1"), "hello")
    more = chat("hi", "hello", "more", user="u1")
    first = place(known, more)
    assert (first.rung, first.outcome) == ("lineage", "continued")
    for other in (place(known, more, key="other"), place(known, chat("hi", "hello", "more", user="u2"))):
        assert (other.rung, other.outcome) == ("none", "new") and other.key != first.key
    assert (
        place(known, chat("hi"), x_trimtab_session="s").key.tenant_id
        != place(known, chat("hi"), key="b", x_trimtab_session="s").key.tenant_id
    )


def test_an_id_is_enough_after_a_restart() -> None:
    placed = [place(Conversations(SECRET), chat("hi", "hello", "more"), x_trimtab_session="s") for _ in range(2)]
    assert placed[0].key == placed[1].key and placed[0].rung == "header"


def test_a_name_by_one_rung_is_no_name_by_another() -> None:
    known = Conversations(SECRET)
    keys = {place(known, chat("hi"), **{header: "s"}).key for header in ("x_trimtab_session", "x_conversation_id")}
    keys.add(place(known, chat("hi", prompt_cache_key="s")).key)
    assert len(keys) == 3, "what a client's user may choose does not lead into what its program chose"
