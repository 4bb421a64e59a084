"""What is quick marks what is plain: the patterns that leap are held against patterns that are tried at each character, and
what is looked at first against the patterns that it stands for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.steer import finish, goal, identity, marks, repeats
from trimtab.steer.canonical import asked_text, plain_text, words_in
from trimtab.steer.wording import folded

TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b|\b1[5-9]\d{8}(?:\d{3})?\b"
)
ID = re.compile(
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b0x[0-9a-fA-F]+\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9]*[a-f])[0-9a-f]{16,}\b"
)
PASSING = re.compile(r"\b(?:in |took |after |elapsed:? )?\d+(?:\.\d+)? ?(?:ms|s|sec|secs|seconds|毫秒|秒)\b|\bpid[ =:]+\d+", re.I)
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
WORD = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]", re.I)

PARTS = st.sampled_from(
    [
        *("in ", "took ", "After ", "elapsed: ", "\u0130n ", "\u0131n ", "pid", "PID ", "pid=", "1", "12", "3.5", "０１２", "٣"),
        *(
            " ",
            "  ",
            "\n",
            "\t",
            ".",
            ",",
            "-",
            "_",
            "'",
            '"',
            ":",
            "=",
            " ms",
            "s",
            " sec",
            "SECONDS",
            "\u017f",
            "秒",
            "毫秒",
            "K",
            "\u212a",
        ),
        *("2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05,123Z", "+01:00", "12:34:56", "12:34:56.789", "1600000000123"),
        *("0x", "0xdeadBEEF", "deadbeefdeadbeef", "1234567890abcdef", "dead1beef2dead3b", "550e8400-e29b-41d4-a716-446655440000"),
        *("request", "trace", "call", "span", "session", " id", "_id", "-ID", "Time", "timestamp", "runtime", "started_at", "duration_ms"),
        *("updatedat", "elapsed", "zeit", "took", "<time>", "<took>", "<x>", "T", "Z", "word", "中", "é"),
    ]
)
TEXTS = st.lists(PARTS, max_size=24).map("".join)


@given(TEXTS)
def test_marks_are_those_of_the_plain_patterns(text: str) -> None:
    said = PASSING.sub("<took>", ID.sub("<id>", TIME.sub("<time>", text)))
    assert plain_text(text) == " ".join(marks._IDLE_PAIR.sub("<idle>", said).split())
    assert asked_text(text) == " ".join(MOMENT.sub("<time>", text).split())


@given(TEXTS | st.text(max_size=200))
def test_words_are_those_of_the_plain_pattern(text: str) -> None:
    assert words_in(text) == WORD.findall(text.lower())


def test_each_sign_is_part_of_a_word_or_is_not_in_all_scripts() -> None:
    every = "".join(f" {chr(code)}" for code in range(0x3400) if not chr(code).isspace())
    assert words_in(every) == WORD.findall(every.lower())


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (repeats._NEW, repeats._NEW_WORDS),
        (identity._CLAIM, identity._NAME_WORDS),
        (identity._DENIES, identity._DENIAL_WORDS),
        (finish._SAYS, finish._END_WORDS),
    ],
    ids=["new", "claims", "denials", "ends"],
)
@given(choice=st.data())
def test_what_a_pattern_finds_has_one_of_the_words_that_are_looked_for_first(
    pattern: re.Pattern[str], words: tuple[str, ...], choice: st.DataObject
) -> None:
    said = choice.draw(st.from_regex(pattern))
    assert any(word in folded(said) for word in words)


@pytest.mark.parametrize(
    ("pattern", "words", "said"),
    [
        (repeats._NEW, repeats._NEW_WORDS, "New rule|new finding|NEW INSIGHT|new decision|new definition|new conclusion"),
        (repeats._NEW, repeats._NEW_WORDS, "I discovered|i have just found out|I just realized|I derived|I have worked out|I've decided"),
        (repeats._NEW, repeats._NEW_WORDS, "I have decided|Let's define|let us define|let's adopt|Let us adopt|let's decide|let us decide"),
        (
            repeats._NEW,
            repeats._NEW_WORDS,
            "I propose the rule|I propose a new rule|新规则|新的发现|我刚发现|我发现了|我决定|我推导出|我得出",
        ),
        (
            identity._CLAIM,
            identity._NAME_WORDS,
            "I am ChatGPT|I'm GPT-4|I am GPT5|My name is Claude|I am Gemini|Hi, I'm Copilot|I am Llama",
        ),
        (identity._CLAIM, identity._NAME_WORDS, "I am Qwen|I am DeepSeek|I am Kımi|我是文心一言|我叫通义千问|我是豆包"),
        (identity._DENIES, identity._DENIAL_WORDS, "I can't read files|I cannot read files|i can not read files|I am unable to read files"),
        (identity._DENIES, identity._DENIAL_WORDS, "I am not able to read files|I don't have the ability to read files"),
        (identity._DENIES, identity._DENIAL_WORDS, "我无法读取文件|我不能读取文件|我没有能力读取文件|我没办法读取文件|我不具备读取文件"),
        (finish._SAYS, finish._END_WORDS, "The task is done|The task is complete|This work has been finished|All steps are completed"),
        (
            finish._SAYS,
            finish._END_WORDS,
            "Mission accomplished|I've finished everything|all is done|任务完成|所有步骤都已结束|整个任务已做完",
        ),
        (finish._SAYS, finish._END_WORDS, "已全部完成任务|I have completed the task|ALL STEPS DONE"),
    ],
)
def test_no_way_to_say_it_is_passed_over(pattern: re.Pattern[str], words: tuple[str, ...], said: str) -> None:
    for phrase in said.split("|"):
        assert pattern.search(phrase), phrase
        assert any(word in folded(phrase) for word in words), phrase


@given(st.from_regex(goal._DEFINES))
def test_what_is_defined_has_the_part_that_is_looked_for_first(said: str) -> None:
    assert goal._MAYBE_DEFINES.search(said)
