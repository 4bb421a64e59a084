"""The demo's transcript is a valid history of honest size, and says what its claims say, where they say it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trimtab.cli.report import body_text
from trimtab.cli.transcript import CLAIMS, CONSTRAINTS, FACT, ROUNDS, SYSTEM, TOOLS, Claim, demo_rounds
from trimtab.cli.transcript_article import ARTICLE, MARKET_NOTE
from trimtab.wire import wire_for


def rounds_saying(text: str) -> list[int]:
    return [number for number, new in enumerate(demo_rounds(), 1) if text in body_text(new)]


def last_words(number: int) -> str:
    message = demo_rounds()[number - 1][-1]
    assert message["role"] == "user"
    return str(message["content"])


def test_there_are_thirty_rounds_and_each_brings_something_new_from_outside() -> None:
    rounds = demo_rounds()
    assert len(rounds) == ROUNDS == 30
    assert all(new[-1]["role"] in {"user", "tool"} for new in rounds)
    assert [new[0]["role"] for new in rounds] == ["user", *["assistant"] * 29]


def test_every_call_is_answered_at_once_and_in_order() -> None:
    seen: set[str] = set()
    for new in demo_rounds():
        calls = [call["id"] for message in new for call in message.get("tool_calls", [])]
        assert [message["tool_call_id"] for message in new if message["role"] == "tool"] == calls
        assert not seen.intersection(calls)
        seen.update(calls)


@pytest.mark.parametrize("upto", [1, 4, 10, 30])
def test_a_chat_provider_takes_the_history(upto: int) -> None:
    messages = [message for new in demo_rounds()[:upto] for message in new]
    wire_for("openai_chat").validate({"model": "m", "messages": [{"role": "system", "content": SYSTEM}, *messages], "tools": TOOLS})


def test_every_call_names_a_tool_and_only_its_arguments() -> None:
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    assert len(schemas) == 6
    used = set()
    for message in (message for new in demo_rounds() for message in new):
        for call in message.get("tool_calls", []):
            arguments = json.loads(call["function"]["arguments"])
            schema = schemas[call["function"]["name"]]
            used.add(call["function"]["name"])
            assert set(schema["required"]) <= set(arguments) <= set(schema["properties"])
    assert used == set(schemas)


def test_it_is_the_same_every_time_and_every_call_gives_new_objects() -> None:
    first = demo_rounds()
    first[0].append({"role": "user", "content": "changed"})
    assert demo_rounds() != first
    assert demo_rounds() == demo_rounds()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text)
def test_a_claim_is_said_in_its_round_and_not_again_before_it_is_needed(claim: Claim) -> None:
    said = rounds_saying(claim.text)
    assert said[0] == claim.said
    assert all(number > claim.needed[1] for number in said[1:])
    assert claim.text not in SYSTEM + json.dumps(TOOLS, ensure_ascii=False)


def test_the_constraints_are_the_users_words_of_rounds_2_and_5() -> None:
    assert [constraint in last_words(2) for constraint in CONSTRAINTS] == [True, True, False, False]
    assert [constraint in last_words(5) for constraint in CONSTRAINTS] == [False, False, True, True]
    assert tuple(claim.text for claim in CLAIMS if claim.kind == "constraint") == CONSTRAINTS


def test_the_fact_of_round_9_is_asked_for_at_round_28_without_being_named() -> None:
    assert FACT in last_words(9)
    question = last_words(28)
    assert "drop folder" in question and "Lyon" in question and FACT not in question
    assert FACT in demo_rounds()[28][0]["content"]  # the model's answer


def test_a_failed_call_is_sent_again_in_another_way() -> None:
    failed, again = demo_rounds()[9], demo_rounds()[10]
    assert "batch_too_large" in failed[-1]["content"]
    first = json.loads(failed[0]["tool_calls"][0]["function"]["arguments"])["changes"]
    parts = [json.loads(call["function"]["arguments"])["changes"] for call in again[0]["tool_calls"]]
    assert len(first) > 20 and parts[0] + parts[1] == first and all(len(part) <= 20 for part in parts)


def test_parallel_calls_happen_more_than_twice() -> None:
    assert sum(len(message.get("tool_calls", [])) > 1 for new in demo_rounds() for message in new) >= 3


def results() -> list[Any]:
    texts = [message["content"] for new in demo_rounds() for message in new if message["role"] == "tool"]
    return [json.loads(text) for text in texts if text.startswith("{")]


def test_results_have_twenty_to_sixty_rows() -> None:
    sizes = [len(result[key]) for result in results() for key in ("rows", "pairs", "found", "log", "draft") if key in result]
    assert len(sizes) >= 15
    assert all(20 <= size <= 61 for size in sizes)


def test_the_merges_are_the_pairs_with_equal_tax_numbers() -> None:
    pairs = [pair for result in results() for pair in result.get("pairs", [])]
    equal = [[pair["left"], pair["right"]] for pair in pairs if pair["tax_no"] == "equal"]
    changes = json.loads(demo_rounds()[9][0]["tool_calls"][0]["function"]["arguments"])["changes"]
    assert [change["ids"] for change in changes] == equal
    assert f"In {len(equal)} of them" in demo_rounds()[8][0]["content"]
    assert f"{len(equal)} merges, {268 - len(equal)} records left" in demo_rounds()[11][0]["content"]


def test_texts_are_long_and_do_not_repeat_themselves() -> None:
    assert len(ARTICLE.split()) > 3_500
    paragraphs = [paragraph for paragraph in ARTICLE.split("\n\n") if not paragraph.startswith("#")]
    assert len(paragraphs) == len(set(paragraphs)) > 50
    assert sum("\u4e00" <= character <= "\u9fff" for character in MARKET_NOTE) > 600


def test_rows_vary() -> None:
    rows = [row for result in results() for row in result.get("rows", []) if "contact" in row]
    assert len(rows) == 95
    for key, least in (("company", 60), ("contact", 60), ("signal", 9), ("city", 13), ("employees", 60)):
        assert len({row[key] for row in rows}) >= least, key


def test_its_size_is_that_of_a_real_run() -> None:
    from trimtab.cli.play import counted, demo_play

    totals = counted(demo_play(), "gpt-4o").raw_tokens()
    assert 45_000 <= totals[-1] <= 70_000
    assert totals == sorted(totals)
