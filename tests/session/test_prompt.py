"""`prompt`: one request for one state and one set of inputs, and what changes it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.session.cases import (
    CHAT,
    CLAUDE,
    RESPONSES,
    TARGETS,
    WEATHER,
    ask,
    opened,
    reply,
    round_of,
    settings,
    system,
    text_of,
    user,
)
from trimtab import Session, Settings, Target
from trimtab.core.messages import WIRES, WireName
from trimtab.errors import NotFound, PinnedOverflow, WindowUnknown, WrongTarget
from trimtab.session.overflow import LEAST_CAP_TOKENS, SMALLER_RATIO
from trimtab.settings import LAYOUTS, MODES
from trimtab.tokens import counter_for
from trimtab.wire import wire_for


def fill(session: Session, rounds: int, wire: WireName = "openai_chat", words: int = 40, first: int = 1) -> None:
    for number in range(first, first + rounds):
        session.record(*round_of(wire, number, words))


# ---------------------------------------------------------------- the same again


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_same_call_again_is_the_same_request(mode: str, layout: str, tmp_path: Any) -> None:
    path = tmp_path / "a.db"
    chosen = settings(6_000, mode=mode, layout=layout)
    with opened(path, settings=chosen) as s:
        s.pin("THE-PIN")
        fill(s, 2)
        for number in range(3, 15):
            s.record(*round_of("openai_chat", number)[:1])
            s.record(*round_of("openai_chat", number)[1:])
            try:
                first = ask(s, tools=[WEATHER["openai_chat"]])
            except PinnedOverflow:
                assert mode == "none"
                return
            seq = s.state.seq
            again = ask(s, tools=[WEATHER["openai_chat"]])
            assert (again.number, again.render_bytes()) == (first.number, first.render_bytes())
            assert s.state.seq == seq
    with opened(path, settings=chosen) as s:
        reopened = ask(s, tools=[WEATHER["openai_chat"]])
        assert (reopened.number, reopened.render_bytes()) == (first.number, first.render_bytes())
        assert s.state.seq == seq


def test_two_renders_are_equal_and_apart() -> None:
    with opened() as s:
        fill(s, 1)
        prompt = ask(s)
        body = prompt.render()
        body["messages"].clear()
        assert len(prompt.render()["messages"]) == 4


def test_numbers_count_up_without_gaps() -> None:
    with opened() as s:
        for number in range(1, 8):
            s.record(user(str(number)), reply("ok"))
            assert ask(s).number == number
            assert s.last_request == number


@pytest.mark.parametrize("change", ["tools", "system", "max_output_tokens", "target", "pin", "note", "brief", "meta"])
def test_whatever_changes_the_prompt_makes_a_new_request(change: str) -> None:
    with opened(settings=settings(inject_notes=("n",))) as s:
        fill(s, 1)
        first = ask(s)
        named: dict[str, dict[str, Any]] = {
            "tools": {"tools": [WEATHER["openai_chat"]]},
            "system": {"system": "Be brief."},
            "max_output_tokens": {"max_output_tokens": 100},
            "target": {"target": Target(model="gpt-4o")},
        }
        if change == "pin":
            s.pin("x")
        elif change == "note":
            s.write_note("n", "x")
        elif change == "brief":
            s.brief("x")
        elif change == "meta":
            s.meta_context(identity="x")
        second = ask(s, **named.get(change, {}))
        assert second.number == first.number + 1
        assert second.render() != first.render()
        assert s.request(1).render_bytes() == first.render_bytes()


# ---------------------------------------------------------------- tools, system, output


def test_tools_are_counted_and_sent_unchanged() -> None:
    tools = [WEATHER["openai_chat"] | {"x_unknown": [1, None]}]
    with opened() as s:
        fill(s, 1)
        bare = ask(s)
        with_tools = ask(s, tools=tools)
        assert with_tools.render()["tools"] == tools
        assert with_tools.tokens > bare.tokens
        assert with_tools.sections["tools"] == with_tools.tokens - bare.tokens
        assert with_tools.break_reason == "client_changed"
        assert "tools" not in ask(s, tools=[]).render()


def test_an_empty_list_of_tools_is_no_tools() -> None:
    with opened() as s:
        fill(s, 1)
        assert ask(s, tools=[]).number == ask(s).number == ask(s, tools=None).number


def test_the_system_text_is_replaced_and_marked() -> None:
    with opened() as s:
        s.record(system("one"))
        fill(s, 1)
        assert ask(s).render()["messages"][0] == system("one")
        changed = ask(s, system="two")
        assert changed.render()["messages"][0] == system("two")
        assert "one" not in str(changed.render()["messages"][0])
        assert changed.break_reason == "client_changed"
        s.record(user("next"))
        assert ask(s).render()["messages"][0] == system("two")
        assert not ask(s).break_reason


def test_the_reply_gets_the_room_that_was_asked_for() -> None:
    with opened() as s:
        fill(s, 1)
        small, large = ask(s, max_output_tokens=100), ask(s, max_output_tokens=9_000)
        assert small.budget.reserve_tokens == 100
        assert large.budget.reserve_tokens == 9_000
        assert small.budget.prompt_budget_tokens - large.budget.prompt_budget_tokens == 8_900
        assert large.render()["max_completion_tokens"] == 9_000


def test_a_large_reply_takes_its_room_from_the_history() -> None:
    with opened(settings=settings(16_000, mode="compact")) as s:
        fill(s, 20, words=60)
        whole = ask(s)
        prompt = ask(s, max_output_tokens=11_000)
        assert prompt.tokens < whole.tokens
        assert prompt.tokens <= prompt.budget.prompt_budget_tokens < whole.budget.prompt_budget_tokens


# ---------------------------------------------------------------- other targets


@pytest.mark.parametrize("before", WIRES)
@pytest.mark.parametrize("after", WIRES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_session_goes_on_for_another_target(before: WireName, after: WireName, layout: str) -> None:
    with opened(target=TARGETS[before], settings=settings(8_000, layout=layout)) as s:
        s.pin("THE-PIN")
        s.record(system("The client's rules.")) if before == "openai_chat" else ask(s, system="The client's rules.")
        for number in range(1, 13):
            s.record(*round_of(before, number))
            prompt = ask(s, target=TARGETS[after if number % 3 == 0 else before], max_output_tokens=500)
            assert "THE-PIN" in text_of(prompt)
            assert "The client's rules." in text_of(prompt)
            assert f"question {number} " in text_of(prompt)
        for number in range(1, s.last_request + 1):
            wire_for(s.request(number).target.wire).validate(s.request(number).render(), s.request(number).target)


def test_a_prompt_is_not_rendered_for_another_form() -> None:
    with opened() as s:
        fill(s, 1)
        prompt = ask(s)
        assert prompt.render("openai_chat") == prompt.render()
        for wire in ("anthropic", "openai_responses"):
            with pytest.raises(WrongTarget, match="openai_chat"):
                prompt.render(wire)


def test_another_model_is_counted_by_its_own_tokenizer() -> None:
    """A prompt for another model must fit that model's window, counted as that model counts."""
    chinese = "请把所有价格换算成美元,并且不要改动客户的原始记录。" * 20
    other = Target(model="llama-3.1-8b-instruct")
    with opened() as s, opened(target=other) as own:
        for session in (s, own):
            session.record(user(chinese), reply("好"), user("继续"))
        assert counter_for(CHAT.model).counter_id != counter_for(other.model).counter_id
        assert ask(s, target=other).tokens == ask(own).tokens


def test_reopening_with_another_model_counts_anew(tmp_path: Any) -> None:
    path = tmp_path / "a.db"
    other = Target(model="llama-3.1-8b-instruct")
    with opened(path) as s, opened(target=other) as own:
        for session in (s, own):
            session.record(user("请把所有价格换算成美元。" * 30), reply("好"), user("继续"))
        first = ask(s)
        expected = ask(own).tokens
    with opened(path, target=other) as s:
        assert ask(s).tokens == expected
        assert s.request(1).render_bytes() == first.render_bytes()
        assert s.request(1).tokens == first.tokens
    with opened(path) as s:
        assert ask(s).tokens == first.tokens


# ---------------------------------------------------------------- anew, and off the event loop


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_rebuild_is_a_new_epoch_with_the_same_memory(layout: str) -> None:
    with opened(settings=settings(8_000, layout=layout, mode="compact")) as s:
        s.pin("THE-PIN")
        fill(s, 12)
        before = ask(s)
        anew = s.rebuild()
        assert anew.number == before.number + 1
        assert anew.epoch == before.epoch + 1
        assert anew.break_reason
        assert "THE-PIN" in text_of(anew)
        assert "question 12 " in text_of(anew)
        assert ask(s).number == anew.number
        s.record(user("next"))
        assert not ask(s).break_reason
        assert s.request(before.number).render_bytes() == before.render_bytes()


def test_a_rebuild_of_what_was_never_asked_for_is_the_first_request() -> None:
    with opened() as s:
        fill(s, 1)
        assert s.rebuild().number == 1


def test_prompts_can_be_awaited_many_at_once() -> None:
    async def ask_all(session: Session) -> list[int]:
        prompts = await asyncio.gather(*(session.aprompt(max_output_tokens=100) for _ in range(8)))
        return [prompt.number for prompt in prompts]

    with opened() as s:
        fill(s, 2)
        assert asyncio.run(ask_all(s)) == [1] * 8


# ---------------------------------------------------------------- what cannot be


def test_an_unknown_window_is_an_error_that_says_what_to_pass() -> None:
    with opened(settings=Settings(), target=Target(model="no-such-model")) as s:
        s.record(user("hi"))
        with pytest.raises(WindowUnknown, match="window_tokens"):
            s.prompt()
        s.overflowed(window_tokens=8_000)
        assert ask(s).budget.window_tokens == 8_000


def test_an_unknown_mode_is_refused_at_the_door(tmp_path: Any) -> None:
    with pytest.raises(NotFound, match="hierarchical"):
        opened(tmp_path / "a.db", settings=Settings(mode="magic"))
    with opened(tmp_path / "a.db") as s:
        s.record(user("hi"))
        ask(s)


def test_pins_above_the_budget_are_an_error_and_no_request() -> None:
    with opened(settings=settings(4_000)) as s:
        s.record(user("hi"))
        pin = s.pin("word " * 5_000)
        with pytest.raises(PinnedOverflow) as caught:
            s.prompt()
        assert "constraints" in caught.value.largest
        assert s.last_request == 0
        s.unpin(pin)
        assert ask(s).number == 1


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "none"])
def test_many_messages_of_users_in_a_row_still_fit(mode: str) -> None:
    """A group talks among itself before it asks; no reply stands between."""
    with opened(settings=settings(4_000, mode=mode)) as s:
        for number in range(200):
            s.record(user(f"speaker {number} " + "word " * 30))
        assert "speaker 199 " in text_of(ask(s))


def test_after_an_error_of_planning_the_next_request_is_whole(tmp_path: Any) -> None:
    path = tmp_path / "a.db"
    with opened(path, settings=settings(4_000)) as s:
        s.meta_context(identity="THE-CLERK")
        s.record(user("hi"))
        pin = s.pin("word " * 5_000)
        for _ in range(2):
            with pytest.raises(PinnedOverflow):
                s.prompt(tools=[WEATHER["openai_chat"]])
        s.unpin(pin)
        prompt = ask(s, tools=[WEATHER["openai_chat"]])
    with opened(path, settings=settings(4_000)) as s:
        assert s.request(1).render_bytes() == prompt.render_bytes()


# ---------------------------------------------------------------- what a refusal teaches

OVERFLOWS = [
    ("This model's maximum context length is 4,000 tokens. However, your messages resulted in 5000 tokens.", 4_000),
    ("This model's maximum context length is 4000 tokens. However, you requested 5000 tokens (4500 in the messages).", 4_000),
    ("prompt is too long: 5000 tokens > 4000 maximum", 4_000),
    ("input length and `max_tokens` exceed context limit: 3100 + 2000 > 4000, decrease input length or `max_tokens`", 4_000),
    ("input length and `max_tokens` exceed context limit: 1000 + 32000 > 4000, decrease input length or `max_tokens`", 4_000),
    ("Your input exceeds the context window of this model. Please adjust your input and try again.", 0),
    ("", 0),
]


@pytest.mark.parametrize(("words", "window"), OVERFLOWS)
@pytest.mark.parametrize("target", [CHAT, CLAUDE, RESPONSES], ids=["chat", "claude", "responses"])
def test_after_a_refusal_the_next_prompt_is_strictly_smaller(words: str, window: int, target: Target) -> None:
    with opened(target=target) as s:
        fill(s, 8, target.wire)
        refused = ask(s)
        s.overflowed(ValueError(words))
        smaller = ask(s)
        assert smaller.tokens < refused.tokens
        assert smaller.number == refused.number + 1
        assert smaller.budget.window_tokens == (window or refused.budget.window_tokens)


def test_a_window_that_was_learned_is_kept(tmp_path: Any) -> None:
    path = tmp_path / "a.db"
    with opened(path) as s:
        fill(s, 8)
        ask(s)
        s.overflowed("prompt is too long: 5000 tokens > 4000 maximum")
    with opened(path) as s:
        assert ask(s).budget.window_tokens == 4_000


def test_refusal_after_refusal_shrinks_further_down_to_a_floor() -> None:
    with opened() as s:
        fill(s, 20)
        sizes = [ask(s).tokens]
        for _ in range(12):
            s.overflowed("context_length_exceeded")
            sizes.append(ask(s).tokens)
        falling = [size for size in sizes if size >= LEAST_CAP_TOKENS / SMALLER_RATIO]
        assert falling == sorted(set(falling), reverse=True)
        # what is this small was refused for another reason: it is not cut to nothing, and the session goes on
        assert min(sizes) > 0


def test_a_cap_without_a_number_holds_for_one_request_only() -> None:
    with opened() as s:
        fill(s, 20)
        first = ask(s).tokens
        s.overflowed("Input is too long")
        assert ask(s).tokens < first
        s.record(reply("k"), user("there"))
        assert ask(s).budget.stable_tokens is None


def test_a_window_that_one_model_taught_is_not_another_ones() -> None:
    with opened() as s:
        fill(s, 3)
        ask(s)
        s.overflowed("maximum context length is 9,000 tokens")
        assert ask(s).budget.window_tokens == 9_000
        other = s.prompt(target=Target(model="gpt-4.1-mini"))
        assert other.budget.window_tokens > 9_000


def test_a_larger_window_in_an_error_does_not_raise_the_own_one() -> None:
    with opened(settings=settings(4_000)) as s:
        fill(s, 2)
        ask(s)
        s.overflowed("maximum context length is 1,000,000 tokens")
        assert ask(s).budget.window_tokens == 4_000
