"""What tells of its author's own doing, only guesses, or is program text lays nothing down."""

from __future__ import annotations

import pytest

from trimtab.distill import extract
from trimtab.distill.narration import decides_nothing, is_program, obliges_to_nothing, tells_own_doing
from trimtab.evals.extraction.turns import message_of

RULES = {"constraint", "negative", "role", "format"}


@pytest.mark.parametrize(
    "text",
    [
        "I've been using the metric units parameter so far.",
        "However, I'm not sure whether the export must be JSON only.",
        "I want to make sure I'm doing it right so I don't break the build.",
        "We'll always keep a copy on our side.",
        "我们昨天已经把上限改成每人三张了",
        "我最近都用表格记账",
    ],
)
def test_own_doing(text: str) -> None:
    assert tells_own_doing(text)
    assert not {item.field for item in extract(message_of("user", text), 1, [], {}).added} & RULES


@pytest.mark.parametrize(
    "text",
    [
        "I'm on a tight budget, so never suggest hotels above 90 euros.",
        "I want to see every draft before it goes out.",
        "I need you to keep replies under 100 words.",
        "我已经说过了，别再用表情",
    ],
)
def test_an_order_in_it_is_one(text: str) -> None:
    assert not tells_own_doing(text)


@pytest.mark.parametrize(
    "text",
    ["一定是缓存的问题。", "没必要保留备份。", "There's no need to translate the appendix.", "You don't have to answer word for word."],
)
def test_guesses_and_what_need_not_be(text: str) -> None:
    assert obliges_to_nothing(text)
    assert not {item.field for item in extract(message_of("user", text), 1, [], {}).added} & RULES


def test_need_not_beside_an_order() -> None:
    assert not obliges_to_nothing("You don't have to cite page numbers, but always name the author.")


@pytest.mark.parametrize(
    "text", ["// only call this once per session", "git push origin v1.0.0", 'session.pop("user_id", None)', "return total / count;"]
)
def test_program_text(text: str) -> None:
    assert is_program(text)
    assert not {item.field for item in extract(message_of("user", text), 1, [], {}).added} & RULES


@pytest.mark.parametrize(
    "text",
    [
        "Let's go with this approach!",
        "Sure, let's dive into those problems.",
        "I'll run the audit and note the metrics.",
        "Yeah, that plan sounds good to me.",
        "那就这样吧",
    ],
)
def test_what_names_no_choice_decides_nothing(text: str) -> None:
    assert decides_nothing(text)
    assert "decision" not in {item.field for item in extract(message_of("user", text), 1, [], {}).added}


@pytest.mark.parametrize(
    "text", ["Let's go with the fixed rate.", "I'll take the refund.", "We'll roll back to v2.8.1", "那就定周五的那班"]
)
def test_a_named_choice_is_one(text: str) -> None:
    assert not decides_nothing(text)
