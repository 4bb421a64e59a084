"""`sync`: a history that is sent again is recognized, whatever clients do to it on the way."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessage

from tests.session.cases import (
    CHAT,
    CLAUDE,
    TARGETS,
    ask,
    bodies_of,
    call,
    opened,
    reply,
    result,
    round_of,
    settings,
    system,
    text_of,
    user,
)
from trimtab.core.messages import WIRES, WireName
from trimtab.errors import ParseError
from trimtab.session import Session


def talk(rounds: int, wire: WireName = "openai_chat", words: int = 40) -> list[dict[str, Any]]:
    return [message for number in range(1, rounds + 1) for message in round_of(wire, number, words)]


def outcome(session: Session, history: list[Any], **changes: Any) -> tuple[str, int]:
    report = session.sync(history, **changes)
    return report.outcome, report.added


def stored(session: Session) -> int:
    return len(bodies_of(session.store))


# ---------------------------------------------------------------- growing


@pytest.mark.parametrize("wire", WIRES)
def test_a_history_that_grows_message_by_message_is_one_conversation(wire: WireName) -> None:
    history = talk(6, wire)
    with opened(target=TARGETS[wire]) as s:
        assert outcome(s, copy.deepcopy(history[:1])) == ("new", 1)
        for length in range(2, len(history) + 1):
            assert outcome(s, copy.deepcopy(history[:length])) == ("append", 1)
            assert outcome(s, copy.deepcopy(history[:length])) == ("same", 0)
        assert stored(s) == len(history)


def test_the_same_again_adds_no_entry_and_no_request() -> None:
    history = [system("rules"), *talk(3)]
    with opened() as s:
        s.sync(history)
        number, seq = ask(s).number, s.state.seq
        for _ in range(3):
            assert outcome(s, copy.deepcopy(history)) == ("same", 0)
            assert ask(s).number == number
        assert s.state.seq == seq


def test_the_same_again_is_known_after_reopening(tmp_path: Any) -> None:
    history = [system("rules"), *talk(3)]
    with opened(tmp_path / "a.db") as s:
        s.sync(history)
        number = ask(s).number
    with opened(tmp_path / "a.db") as s:
        assert outcome(s, history) == ("same", 0)
        assert ask(s).number == number


def test_what_was_recorded_is_recognized_when_it_is_sent_again() -> None:
    history = talk(3)
    with opened() as s:
        s.record(*history)
        assert outcome(s, [*history, user("next")]) == ("append", 1)


def test_client_objects_in_a_history_are_the_messages_they_stand_for() -> None:
    answer = ChatCompletionMessage(role="assistant", content="hello")
    with opened() as s:
        s.record(user("hi"), answer)
        assert outcome(s, [user("hi"), answer]) == ("same", 0)
        assert outcome(s, [user("hi"), reply("hello"), user("more")]) == ("append", 1)


def spoiled(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same conversation as another client would send it: text blocks, cache marks moved, keys in another order."""
    changed: list[dict[str, Any]] = []
    for message in copy.deepcopy(history):
        if isinstance(message.get("content"), str) and message["role"] in ("user", "assistant"):
            message["content"] = [{"type": "text", "text": message["content"], "cache_control": {"type": "ephemeral"}}]
        for made in message.get("tool_calls") or ():
            made["function"]["arguments"] = '{ "b": 2,  "a": 1 }'
        changed.append(dict(reversed(message.items())))
    return changed


def test_cache_marks_blocks_and_key_order_do_not_make_another_conversation() -> None:
    history = [user("hi"), call("c1", arguments='{"a": 1, "b": 2}'), result("c1", "sunny"), reply("fine")]
    with opened() as s:
        s.sync(history)
        assert outcome(s, spoiled(history)) == ("same", 0)
        assert outcome(s, [*spoiled(history), user("more")]) == ("append", 1)
        assert stored(s) == 5


# ---------------------------------------------------------------- call ids that are made anew


def renewed(history: list[dict[str, Any]], mark: str) -> list[dict[str, Any]]:
    """The history with all call ids made anew, as Dify does on every request."""
    changed = copy.deepcopy(history)
    for message in changed:
        for made in message.get("tool_calls") or ():
            made["id"] = f"{made['id']}-{mark}"
        if "tool_call_id" in message:
            message["tool_call_id"] = f"{message['tool_call_id']}-{mark}"
    return changed


def test_renewed_call_ids_are_the_same_calls() -> None:
    history = talk(3)
    with opened() as s:
        s.sync(renewed(history, "one"))
        assert outcome(s, renewed(history, "two")) == ("same", 0)
        assert outcome(s, [*renewed(history, "three"), user("more")]) == ("append", 1)


def test_a_result_under_a_renewed_id_answers_the_stored_call() -> None:
    history = [user("weather?"), call("c1"), result("c1", "sunny"), reply("It is sunny.")]
    with opened() as s:
        for length in range(1, len(history) + 1):
            report = s.sync(renewed(history[:length], f"try{length}"))
            assert (report.outcome, report.added) == ("new" if length == 1 else "append", 1)
            messages = ask(s).render()["messages"]
            assert "interrupted" not in str(messages) or length == 2
            assert [message["role"] for message in messages][:3] == ["user", "assistant", "tool"][: max(length, 1)] or length == 2
    assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]


def test_parallel_calls_under_renewed_ids_are_mapped_by_order() -> None:
    both = {"role": "assistant", "content": None, "tool_calls": [*call("a")["tool_calls"], *call("b")["tool_calls"]]}
    history = [user("two towns"), both, result("b", "rain in the second"), result("a", "sun in the first")]
    with opened() as s:
        s.sync(renewed(history[:2], "one"))
        assert outcome(s, renewed(history, "two")) == ("append", 2)
        sent = ask(s).render()["messages"]
    ids = [made["id"] for made in sent[1]["tool_calls"]]
    assert {message["tool_call_id"]: message["content"] for message in sent[2:]} == dict(
        zip(ids, ["sun in the first", "rain in the second"], strict=True)
    )


def test_a_result_under_a_renewed_id_answers_its_call_where_the_head_was_cut_off() -> None:
    """Dify does both on every request: it cuts the head off and makes all call ids anew."""
    history = [*talk(6), user("weather?"), call("c1")]
    with opened() as s:
        s.sync(renewed(history, "one"))
        ask(s)
        rest = [*history[8:], result("c1", "THE-WEATHER")]
        report = s.sync(renewed(rest, "two"))
        assert (report.outcome, report.added) == ("truncated_head", 1)
        messages = ask(s).render()["messages"]
        assert messages[-1]["role"] == "tool"
        assert messages[-1]["content"] == "THE-WEATHER"
        assert messages[-1]["tool_call_id"] == messages[-2]["tool_calls"][0]["id"]
        report = s.sync(renewed([*rest[4:], reply("It is fine."), user("thanks")], "three"))
        assert (report.outcome, report.added) == ("truncated_head", 2)
        assert "interrupted" not in str(ask(s).render())


# ---------------------------------------------------------------- edits


def test_an_edited_message_is_a_branch_and_the_old_one_stays_in_the_ledger() -> None:
    history = talk(4)
    edited = [*history[:12], user("question 4, asked otherwise")]
    with opened() as s:
        s.sync(history)
        ask(s)
        assert outcome(s, edited) == ("branch", 1)
        text = text_of(ask(s))
        assert "asked otherwise" in text
        assert "answer 4" not in text
        assert stored(s) == len(history) + 1


def test_a_regenerated_reply_is_a_branch() -> None:
    history = talk(3)
    with opened() as s:
        s.sync(history)
        report = s.sync(history[:-1])
        assert (report.outcome, report.added) == ("branch", 0)
        assert ask(s).render()["messages"][-1] == history[-2]
        assert outcome(s, [*history[:-1], reply("another answer")]) == ("append", 1)
        assert "answer 3" not in text_of(ask(s))


def test_going_back_to_the_first_branch_finds_it() -> None:
    history = talk(3)
    other = [*history[:-1], reply("another answer")]
    with opened() as s:
        s.sync(history)
        first = ask(s).render()
        s.sync(other)
        assert outcome(s, history) == ("branch", 0)
        assert ask(s).render()["messages"] == first["messages"]
        assert outcome(s, [*history, user("on")]) == ("append", 1)
        assert stored(s) == len(history) + 2


def test_what_was_set_up_before_the_first_message_holds_on_every_branch() -> None:
    """DESIGN §3: a branch has the entries of its ancestors, and what came before all messages is one of every branch."""
    with opened() as s:
        s.meta_context(identity="I-AM-THE-CLERK", never=["NEVER-THIS"])
        s.brief("THE-BRIEF")
        pin = s.pin("THE-PIN")
        s.write_note("n", 1)
        s.sync(talk(2))
        ask(s)
        s.sync([user("the first question, edited"), *talk(2)[1:]])
        text = text_of(ask(s))
        for word in ("I-AM-THE-CLERK", "NEVER-THIS", "THE-BRIEF", "THE-PIN", "edited"):
            assert word in text
        assert s.read_note("n") == 1
        s.unpin(pin)


def test_a_pin_made_at_a_message_holds_when_its_answer_is_regenerated() -> None:
    history = talk(2)
    with opened() as s:
        s.sync(history[:-1])
        s.pin("THE-PIN")
        s.write_note("n", 1)
        s.sync(history)
        ask(s)
        s.sync(history[:-1])
        assert "THE-PIN" in text_of(ask(s))
        assert s.read_note("n") == 1


# ---------------------------------------------------------------- system text


def test_a_dated_system_prompt_is_tolerated() -> None:
    history = talk(2)
    with opened() as s:
        s.sync([system("Today is Monday."), *history])
        ask(s)
        assert outcome(s, [system("Today is Tuesday."), *history, user("next")]) == ("append", 1)
        messages = ask(s).render()["messages"]
    assert messages[0] == system("Today is Tuesday.")
    assert "Monday" not in str(messages)


def test_the_system_text_holds_when_the_history_branches() -> None:
    with opened() as s:
        s.sync([system("one"), user("a"), reply("b"), user("c")])
        ask(s)
        assert outcome(s, [system("two"), user("a"), reply("b"), user("d")]) == ("branch", 1)
        assert ask(s).render()["messages"][0] == system("two")
        assert outcome(s, [system("two"), user("something else")]) == ("new", 1)
        assert ask(s).render()["messages"] == [system("two"), user("something else")]


@pytest.mark.parametrize(("wire", "where"), [("anthropic", "system"), ("openai_responses", "instructions")])
def test_a_system_text_beside_the_history_may_change_while_the_history_does_not(wire: WireName, where: str) -> None:
    history = round_of(wire, 1)
    with opened(target=TARGETS[wire]) as s:
        s.sync(history, system="Today is Monday.")
        assert "Monday" in str(ask(s).render())
        assert outcome(s, history, system="Today is Tuesday.") == ("same", 0)
        body = ask(s).render()
        assert "Tuesday" in str(body)
        assert "Monday" not in str(body)


# ---------------------------------------------------------------- heads cut off by the client


@pytest.mark.parametrize("dropped", [1, 2, 4, 8, 12])
def test_a_history_without_its_head_is_aligned(dropped: int) -> None:
    history = talk(8)
    if history[dropped]["role"] == "tool":
        dropped += 1
    with opened() as s:
        s.sync([system("rules"), *history])
        ask(s)
        report = s.sync([system("rules"), *history[dropped:], user("next")])
        assert (report.outcome, report.added, report.head_missing) == ("truncated_head", 1, dropped)
        text = text_of(ask(s))
        assert "question 1 " in text
        assert "next" in text
        assert stored(s) == len(history) + 1


def test_a_client_that_truncates_ever_more_stays_one_conversation() -> None:
    history = talk(12)
    with opened() as s:
        s.sync(history[:16])
        for end in range(17, len(history) + 1):
            start = (end - 16) // 4 * 4
            report = s.sync(copy.deepcopy(history[start:end]))
            assert report.added == 1
            assert report.outcome in ("append", "truncated_head")
            ask(s)
        assert stored(s) == len(history)


def test_an_edit_in_a_truncated_history_is_a_branch_at_its_place() -> None:
    history = talk(6)
    with opened() as s:
        s.sync(history)
        ask(s)
        assert outcome(s, [*history[4:20], user("question 6, asked otherwise")])[1] == 1
        text = text_of(ask(s))
        assert "question 1 " in text
        assert "asked otherwise" in text
        assert "answer 6" not in text


def test_short_equal_openings_do_not_join_two_conversations() -> None:
    with opened() as s:
        s.sync([user("hi"), reply("Hello!"), user("Sell me a car"), reply("Which one?")])
        s.sync([*talk(2)])
        assert "car" not in text_of(ask(s))
        report = s.sync([user("hi"), reply("Hello!"), user("Bake me a cake")])
        assert report.outcome in ("branch", "new")
        text = text_of(ask(s))
        assert "car" not in text
        assert "question 1" not in text


def test_an_equal_opening_in_the_middle_is_no_missing_head() -> None:
    with opened() as s:
        s.sync([*talk(2), user("hi"), reply("Hello!"), user("Sell me a car")])
        assert outcome(s, [user("hi"), reply("Hello!"), user("Bake me a cake")])[0] == "new"
        assert "car" not in text_of(ask(s))


def test_sessions_and_tenants_share_nothing(tmp_path: Any) -> None:
    path, history = tmp_path / "a.db", talk(3)
    with opened(path, "one") as first, opened(path, "two") as second, opened(path, "one", tenant="other") as third:
        first.pin("SECRET")
        first.write_note("n", "SECRET")
        first.sync(history)
        for other in (second, third):
            assert outcome(other, history[:8]) == ("new", 8)
            assert "SECRET" not in text_of(ask(other))
            assert other.state.notes == {}
            assert other.last_request == 1
        assert first.state.lineage != third.state.lineage
        assert {node.body_id for node in first.state.nodes.values()}.isdisjoint(node.body_id for node in third.state.nodes.values())


def test_tenants_with_long_equal_beginnings_have_hashes_of_their_own() -> None:
    name = "organization-" * 6
    with opened(tenant=name + "a") as one, opened(tenant=name + "b") as two:
        one.record(user("the same"))
        two.record(user("the same"))
        assert one.state.lineage != two.state.lineage


# ---------------------------------------------------------------- reasoning


def thinking(signature: str = "c2ln") -> dict[str, Any]:
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": signature}, {"type": "text", "text": "Sunny."}]
    return {"role": "assistant", "content": blocks}


def test_reasoning_that_the_stored_message_lacks_is_taken() -> None:
    with opened(target=CLAUDE) as s:
        s.sync([user("weather?"), reply("Sunny.")])
        assert outcome(s, [user("weather?"), thinking(), user("and tomorrow?")]) == ("append", 1)
        assert ask(s).render()["messages"][1] == thinking()
        assert outcome(s, [user("weather?"), thinking(), user("and tomorrow?")]) == ("same", 0)


def test_reasoning_that_the_client_left_out_stays_as_stored() -> None:
    with opened(target=CLAUDE) as s:
        s.sync([user("weather?"), thinking()])
        first = ask(s).render()["messages"]
        assert outcome(s, [user("weather?"), reply("Sunny."), user("and tomorrow?")]) == ("append", 1)
        assert ask(s).render()["messages"][:2] == first


# ---------------------------------------------------------------- after a compaction


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_the_projected_prefix_holds_while_the_client_resends_everything(layout: str) -> None:
    """Stored bytes win in the frozen part: cache marks that move on each resend do not reach the provider's cache."""
    history = talk(24, words=60)
    seen: list[str] = []
    with opened(settings=settings(8_000, layout=layout, mode="compact")) as s:
        for end in range(1, len(history) + 1):
            sent = renewed(history[:end], f"try{end}")
            sent[-1]["cache_control"] = {"type": "ephemeral"}
            report = s.sync(sent)
            assert (report.outcome, report.added) == ("append" if end > 1 else "new", 1)
            prompt = ask(s)
            if not prompt.break_reason and seen and layout == "cache_first":
                before = [part for part in seen if part in told_messages(prompt)]
                assert before == seen
            seen = [prompt.text_of(segment) for segment in prompt.segments if segment.place == "message" and segment.reason != "open_call"]
        assert s.state.epoch > 0
        assert stored(s) == len(history)


def told_messages(prompt: Any) -> list[str]:
    return [prompt.text_of(segment) for segment in prompt.segments if segment.place == "message"]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("value", ["a text", {"role": "user", "content": "x"}, 5, None])
def test_a_history_is_a_list(value: Any) -> None:
    with opened() as s, pytest.raises(ParseError):
        s.sync(value)


def test_a_bad_message_changes_nothing() -> None:
    with opened() as s:
        s.sync([system("old"), *talk(1)])
        seq = s.state.seq
        with pytest.raises(ParseError) as caught:
            s.sync([system("new"), *talk(1), {"role": "user", "content": 5}])
        assert caught.value.path == "$[5].content"
        with pytest.raises(ParseError):
            s.sync(talk(1), system=5)
        assert s.state.seq == seq
        assert ask(s).render()["messages"][0] == system("old")


def test_our_own_words_that_come_back_are_not_taken_for_the_users() -> None:
    """A client that sends its whole request back, with what we put into it."""
    with opened(settings=settings(layout="cache_first")) as s:
        s.meta_context(identity="clerk", never=["Never sell below cost."])
        s.record(user("hi"))
        body = ask(s).render()
        tail = next(message for message in body["messages"] if "below cost" in str(message["content"]))
        s.record(reply("hello"), user(f"{tail['content']}\n\nmy own words"))
        last = ask(s).render()["messages"][-1]
    assert "my own words" in last["content"]
    assert "below cost" not in last["content"]


def test_a_target_of_another_wire_is_recognized() -> None:
    """The same conversation by another client in another form."""
    with opened(target=CHAT) as s:
        s.sync([user("hi"), reply("hello")])
        blocks = [{"type": "text", "text": "hi"}]
        assert outcome(s, [{"role": "user", "content": blocks}, reply("hello"), user("more")]) == ("append", 1)
