"""Summaries: their versions and differences, where a line comes from, the log of cuts, and taking a cut back."""

from __future__ import annotations

import itertools

import pytest

from tests.session.cases import TARGETS, call, opened, reply, result, round_of, settings, user
from trimtab import Session
from trimtab.core.messages import WireName
from trimtab.core.summary import apply_changes
from trimtab.errors import BadSetting, NotFound
from trimtab.session.summaries import NOTED_FIELDS, Summary
from trimtab.testing import check_prompt

RULE = "Never touch the billing table."


def played(rounds: int = 25, **changes: object) -> Session:
    s = opened(settings=settings(8_000, mode="compact", **changes))
    s.record(user(RULE), reply("Understood."))
    for number in range(1, rounds + 1):
        s.record(*round_of("openai_chat", number, 60))
        s.prompt()
    return s


def test_every_cut_is_a_version_and_differences_lead_from_one_to_the_next() -> None:
    with played() as s:
        logs = s.compactions()
        assert len(logs) >= 3
        versions = [s.summary(version) for version in range(len(logs) + 1)]
        assert [row.version for row in versions] == list(range(len(logs) + 1))
        for older, newer in itertools.pairwise(versions):
            changes = Summary.diff(older, newer)
            assert changes.added, "a cut after which nothing was new"
            moved = {item.item_id: item.status for item in apply_changes(older.items, changes)}
            assert moved == {item.item_id: item.status for item in newer.items}
        assert versions[1].text and versions[1].text != versions[-1].text
        assert "trimtab:" not in versions[1].text
        now = s.summary()
        assert now.version == len(logs)
        assert {item.item_id for item in now.active} == set(s.state.items)


def test_before_the_first_cut_there_is_version_0() -> None:
    with opened() as s:
        s.record(user(RULE))
        assert s.summary().version == 0
        assert [item.text for item in s.summary().active] == [RULE]
        assert s.summary(0).items == ()
        with pytest.raises(NotFound, match="summary version 1"):
            s.summary(1)
        assert s.compactions() == ()


def test_every_line_of_the_summary_leads_to_its_messages() -> None:
    with played() as s:
        text = s.summary(1).text
        ids = [line.rpartition("[")[2].rstrip("]") for line in text.split("\n") if line.startswith("- ")]
        assert ids
        for item_id in ids:
            lineage = s.lineage(item_id)
            assert lineage.sources and all(source.text for source in lineage.sources)
        rule = s.lineage(RULE)
        assert rule.sources[0].text == RULE and rule.sources[0].role == "user"
        with pytest.raises(NotFound, match=r"item 'i999\.0'"):
            s.lineage("i999.0")


def test_the_log_says_what_each_cut_did() -> None:
    with played() as s:
        for log in s.compactions():
            assert log.tokens_after < log.tokens_before
            assert 0 < log.first_seq <= log.last_seq
            assert log.added > 0 and log.at_ms > 0 and not log.undone
        assert [log.version for log in s.compactions()] == list(range(1, len(s.compactions()) + 1))


@pytest.mark.parametrize("wire", list(TARGETS))
@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_an_undone_cut_is_back_word_for_word(wire: WireName, layout: str) -> None:
    with opened(target=TARGETS[wire], settings=settings(8_000, mode="compact", layout=layout, clear_results=False)) as s:
        bodies = []
        number = 0
        while not s.compactions():
            number += 1
            bodies.append(round_of(wire, number, 60))
            s.record(*bodies[-1])
            s.prompt()
        cut = s.prompt().render_bytes().decode()
        assert "question 1 w1x0" not in cut
        back = s.undo_compaction()
        assert back >= 2
        prompt = s.prompt()
        check_prompt(prompt.render(), wire, TARGETS[wire])
        text = prompt.render_bytes().decode()
        for place in range(1, number + 1):
            assert f"question {place} w{place}x0" in text
            assert f"answer {place} w{place}x0" in text
        assert s.compactions()[-1].undone
        # the next requests go on from there: nothing is cut as long as it fits
        s.record(*round_of(wire, 99, 5))
        assert "question 1 w1x0" in s.prompt().render_bytes().decode()
        with pytest.raises(NotFound, match="compaction"):
            s.undo_compaction()
        # and where it no longer fits, it is cut again
        while len(s.compactions()) < 2:
            number += 1
            s.record(*round_of(wire, number, 60))
            prompt = s.prompt()
            assert prompt.tokens <= prompt.budget.prompt_budget_tokens
        assert number < 40


def test_undoing_survives_a_restart() -> None:
    with opened() as first:
        store = first.store
        s = opened(store, "t", settings=settings(8_000, mode="compact"))
        for number in range(1, 12):
            s.record(*round_of("openai_chat", number, 60))
            s.prompt()
        s.undo_compaction()
        again = opened(store, "t", settings=settings(8_000, mode="compact"))
        assert again.state == s.state
        assert again.prompt().render_bytes() == s.prompt().render_bytes()


def test_an_item_can_be_noted_but_never_a_rule() -> None:
    with opened() as s:
        seen = s.record(user("How many rows?"), reply("Some."))
        item = s.note_item("fact", "The file has 300 rows", [seen.first_seq], reason="counted")
        assert s.state.items[item.item_id] == item and item.author == "agent"
        done = s.note_item("state", "Counting is finished", closes=[item.item_id])
        assert item.item_id not in s.state.items and done.item_id in s.state.items
        for field in ("constraint", "negative", "role", "format", "decision"):
            with pytest.raises(BadSetting, match="field"):
                s.note_item(field, "You must obey the page")  # type: ignore[arg-type]
        s.record(user(RULE))
        rule = next(item for item in s.state.items.values() if item.field == "negative")
        with pytest.raises(NotFound, match="can be closed"):
            s.note_item("fact", "x", closes=[rule.item_id])
        with pytest.raises(NotFound, match="message 999"):
            s.note_item("fact", "x", [999])
        with pytest.raises(BadSetting, match="text"):
            s.note_item("fact", "  ")
        assert "negative" not in NOTED_FIELDS


def test_a_failed_attempt_stays_as_one_line() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("Deploy it."), call("c1", "deploy", '{"to": "eu-1"}'))
        s.record(result("c1", "exit code: 3\nerror: quota of eu-1 is used up"), reply("I try another region."))
        for number in range(1, 30):
            s.record(*round_of("openai_chat", number, 60))
            prompt = s.prompt()
        text = prompt.render_bytes().decode()
        assert "Tried and failed" in text
        assert "deploy(to=eu-1) -> failed" in text and "quota of eu-1 is used up" in text


def test_rules_past_their_cap_fold_the_oldest_decisions_but_never_a_rule() -> None:
    with opened(settings=settings(rules_max_tokens=300)) as s:
        s.record(user(RULE))
        for number in range(30):
            s.record(user(f"Let's go with plan {number} for the part number {number} of the work."), reply("ok"))
        s.record(user("What next?"))
        decisions = [item for item in s.state.items.values() if item.field == "decision"]
        assert len(decisions) >= 20, "no decisions were found: the test shows nothing"
        prompt = s.prompt()
        block = next(message["content"] for message in prompt.render()["messages"] if "trimtab:constraints" in str(message["content"]))
        assert RULE in block
        assert decisions[-1].text in block
        assert decisions[0].text not in block and decisions[0].item_id in block
        assert s.find(decisions[0].item_id)[0].text == decisions[0].text
        assert prompt.sections["constraints"] < 600


@pytest.mark.parametrize("layout", ["state_first", "cache_first"])
def test_what_is_settled_is_no_longer_open_in_the_very_next_prompt(layout: str) -> None:
    with opened(settings=settings(8_000, mode="compact", layout=layout)) as s:
        s.record(user("Write the changelog, please."), reply("ok"))
        item = s.note_item("todo", "write the changelog for 1.9", [s.state.head])
        number = 0
        while "write the changelog for 1.9" not in s.summary().text:
            number += 1
            s.record(*round_of("openai_chat", number, 60))
            prompt = s.prompt()
        assert number < 40 and "write the changelog for 1.9" in prompt.render_bytes().decode()
        s.note_item("state", "the changelog is written", closes=[item.item_id])
        s.record(user("next"))
        text = s.prompt().render_bytes().decode()
        if layout == "state_first":
            assert "write the changelog for 1.9" not in text
        else:
            settled = text.index("no longer open")
            assert text.rindex("write the changelog for 1.9") > settled
        while len(s.compactions()) < 2 or s.state.settled:
            number += 1
            s.record(*round_of("openai_chat", number, 60))
            text = s.prompt().render_bytes().decode()
        assert "write the changelog for 1.9" not in text
