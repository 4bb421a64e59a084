"""What `sync` stores is a tree: each conversation a client ever sent is one path, and no message stands in it twice."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.session.cases import ask, bodies_of, opened, reply, round_of, settings, user

# (what the client does, where)
STEPS = st.lists(
    st.tuples(st.sampled_from(["grow", "grow", "grow", "edit", "cut", "back", "renew", "same", "reopen", "prompt"]), st.integers(0, 30)),
    min_size=1,
    max_size=14,
)


class Client:
    """A client that sends its whole history each time, and sometimes changes its mind."""

    def __init__(self) -> None:
        self.history: list[dict[str, Any]] = []
        self.sent: list[list[dict[str, Any]]] = []
        self.made = 0

    def step(self, what: str, place: int) -> None:
        self.made += 1
        if what == "grow" or not self.history:
            self.history = [*self.history, *round_of("openai_chat", self.made, words=3)[: 1 + place % 4]]
        elif what == "edit":
            at = place % len(self.history)
            self.history = self.history[:at] if self.history[at]["role"] == "tool" else [*self.history[:at], self.other(self.history[at])]
        elif what == "cut":
            self.history = self.history[: 1 + place % len(self.history)]
        elif what == "back":
            self.history = self.sent[place % len(self.sent)] if self.sent else self.history
        elif what == "renew":
            self.history = renewed(self.history, self.made)
        self.history = self.history[: whole(self.history)]

    def other(self, message: dict[str, Any]) -> dict[str, Any]:
        return (user if message["role"] == "user" else reply)(f"other {self.made}")


def whole(history: list[dict[str, Any]]) -> int:
    """The length of the history without a call at its end that waits for its result: half a loop is not resent."""
    return len(history) - 1 if history and history[-1].get("tool_calls") else len(history)


def renewed(history: list[dict[str, Any]], mark: int) -> list[dict[str, Any]]:
    changed = copy.deepcopy(history)
    for message in changed:
        for made in message.get("tool_calls") or ():
            made["id"] = f"{made['id'].split('.')[0]}.{mark}"
        if "tool_call_id" in message:
            message["tool_call_id"] = f"{message['tool_call_id'].split('.')[0]}.{mark}"
    return changed


def plain(messages: list[dict[str, Any]]) -> list[str]:
    """What the messages say, without call ids."""
    return [str(message) for message in renewed(messages, 0)]


@given(steps=STEPS)
def test_every_history_is_one_path_of_the_tree(steps: list[tuple[str, int]]) -> None:
    client, paths = Client(), set[tuple[str, ...]]()
    with opened(settings=settings(500_000, mode="none")) as s:
        s.pin("THE-PIN")
        for what, place in steps:
            client.step(what, place)
            if not client.history:
                continue
            report = s.sync(copy.deepcopy(client.history))
            client.sent.append(client.history)
            said = plain(client.history)
            before = len(paths)
            paths |= {tuple(said[:end]) for end in range(1, len(said) + 1)}
            assert report.added == len(paths) - before
            assert len(bodies_of(s.store)) == len(paths)
            sent = ask(s).render()["messages"]
            assert plain(sent[1:]) == said
            assert "THE-PIN" in sent[0]["content"]


@given(steps=STEPS)
def test_the_tree_is_the_same_with_compactions_and_reopening(steps: list[tuple[str, int]], tmp_path_factory: Any) -> None:
    client, paths = Client(), set[tuple[str, ...]]()
    path = tmp_path_factory.mktemp("tree") / "a.db"
    chosen = settings(2_600, mode="window", window_rounds=2)
    s = opened(path, settings=chosen)
    try:
        for what, place in steps:
            client.step(what, place)
            if not client.history:
                continue
            if what == "reopen":
                s.close()
                s = opened(path, settings=chosen)
            s.sync(copy.deepcopy(client.history))
            client.sent.append(client.history)
            said = plain(client.history)
            paths |= {tuple(said[:end]) for end in range(1, len(said) + 1)}
            assert len(bodies_of(s.store)) == len(paths)
            if what != "prompt":
                sent = [message for message in ask(s).render()["messages"] if message["role"] != "system"]
                assert plain(sent)[-1] == said[-1]
    finally:
        s.close()
