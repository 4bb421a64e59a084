"""Measures, baselines, comparisons and the small measurements around them; nothing here reads the data sets."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.errors import BadSetting, ConfigError
from trimtab.evals.recall import Fused, Retriever, WordsOnly
from trimtab.evals.recall.compare import bootstrap, difference, verdicts
from trimtab.evals.recall.confusable import confusable
from trimtab.evals.recall.episodes import Episode, Question, Said, evidence_ids, of_split
from trimtab.evals.recall.measures import MEASURES, mean, measures, quantile, spread
from trimtab.evals.recall.plain import Bm25, FixedRule1, FixedRule2, Fts5
from trimtab.evals.recall.prompts import evenly, prompts
from trimtab.evals.recall.retriever import VectorsOnly
from trimtab.evals.recall.run import Asked, Costs, Outcome, measure
from trimtab.evals.recall.systems import SYSTEMS, entry
from trimtab.evals.recall.vectors import KeptVectors
from trimtab.testing.embedders import WordsEmbedder

TEXTS = [
    "The kitchen has a blue kettle.",
    "My brother lives in Lisbon with two cats.",
    "Order CT-88213 arrives on Monday.",
    "我昨天在杭州买了一把雨伞。",
    "The weather was fine and we walked along the river.",
    "She paid 42 euros for the theater.",
]


def said(number: int, text: str, session: str = "s1") -> Said:
    return Said(f"t{number}", session, "user", "", "", text)


TURNS = [said(number, text, f"s{number // 3}") for number, text in enumerate(TEXTS)]
EPISODE = Episode(
    "e",
    TURNS,
    [
        Question("q0", "place", "Where does the brother live?", frozenset({"t1"})),
        Question("q1", "order", "When does CT-88213 arrive?", frozenset({"t2"})),
        Question("q2", "order", "kettle", frozenset({"t0"}), upto=2),
    ],
)


def test_measures_are_those_of_a_list_counted_by_hand() -> None:
    turns = {turn.id: turn for turn in TURNS}
    found = measures(["t3", "t1", "t5", "t0"], {"t1", "t0", "t2"}, turns)
    assert set(found) == set(MEASURES)
    assert (found["R@5"], found["hit@5"], found["all@5"]) == (pytest.approx(2 / 3), 1.0, 0.0)
    best = 1 + 1 / 1.5849625007211562 + 0.5
    assert found["NDCG@10"] == pytest.approx((1 / 1.5849625007211562 + 1 / 2.321928094887362) / best)
    # sessions in the order of their first turn: s1, s0; gold is all in s0
    assert (found["session R@5"], found["session all@5"]) == (1.0, 1.0)
    assert found["session NDCG@10"] == pytest.approx(1 / 1.5849625007211562)


def test_evidence_passes_over_what_does_not_fit() -> None:
    long, short = said(1, "x" * 4_000), said(2, "short")
    turns = {turn.id: turn for turn in (long, short)}
    found = measures(["t1", "t2"], {"t1", "t2"}, turns)
    assert long.tokens == 1_004
    assert (found["evidence 1k"], found["evidence 2k"]) == (0.5, 1.0)


@given(st.permutations([turn.id for turn in TURNS]), st.sets(st.sampled_from([turn.id for turn in TURNS]), min_size=1))
def test_measures_stay_between_0_and_1_and_a_perfect_list_has_1(ranked: list[str], gold: set[str]) -> None:
    turns = {turn.id: turn for turn in TURNS}
    assert all(0 <= value <= 1 + 1e-9 for value in measures(ranked, gold, turns).values())
    perfect = measures(sorted(ranked, key=lambda each: each not in gold), gold, turns)
    assert all(value == pytest.approx(1) for name, value in perfect.items() if "session" not in name and not name.endswith("@5"))


def test_evidence_labels_are_read_in_all_their_spellings() -> None:
    known = {"D1:3", "D2:4", "D2:10"}
    assert evidence_ids(["D1:3", "D:2:04; D2:10", "D9:9", "", "nonsense"], known) == known
    assert evidence_ids(None, known) == frozenset()


def test_splits_part_the_episodes() -> None:
    episodes = [Episode("a", [], [], True), Episode("b", [], [])]
    assert [[each.id for each in of_split(episodes, split)] for split in ("tune", "report", "all")] == [["a"], ["b"], ["a", "b"]]


def test_quantiles_lie_between_values() -> None:
    assert (quantile([3.0, 1.0, 2.0], 0.5), quantile([1.0, 2.0], 0.25), quantile([], 0.5)) == (2.0, 1.25, 0.0)
    assert spread([float(n) for n in range(101)]) == (2.0, 98.0)
    assert mean([{"a": 1.0}, {"a": 0.0}]) == {"a": 0.5} and mean([]) == {}


# ------------------------------------------------------------ systems


@pytest.mark.parametrize(
    "system", [Bm25(), Fts5(), WordsOnly(), Fused(WordsEmbedder()), FixedRule2(WordsEmbedder()), Retriever(WordsEmbedder())]
)
def test_every_system_finds_what_shares_rare_words_and_knows_only_what_exists(system: Bm25) -> None:
    system.index(TURNS)
    assert system.search("When does CT-88213 arrive?", 1) == ["t2"]
    assert system.search("杭州的雨伞", 1) == ["t3"]
    system.now = 2
    assert set(system.search("kettle, Lisbon, euros, theater, Monday", 5)) <= {"t0", "t1"}
    system.now = 0
    assert system.search("42 euros theater", 1) == ["t5"]


def test_vectors_alone_are_ranked_by_likeness() -> None:
    system = VectorsOnly(WordsEmbedder())
    system.index(TURNS)
    assert system.search(TEXTS[4], 3)[0] == "t4"


def test_systems_that_need_vectors_say_so() -> None:
    needing = [name for name, each in SYSTEMS.items() if each.needs_vectors]
    assert needing == ["f1", "f2", "vectors", "fused", "product"]
    with pytest.raises(ConfigError, match="embedder"):
        entry("f1").make(None)
    with pytest.raises(BadSetting, match="one of: fts5"):
        entry("nonsense")


def test_fixed_rules_weigh_words_and_vectors_as_they_say() -> None:
    turns = [said(0, "apple pear"), said(1, "apple"), said(2, "plum")]
    one, words = FixedRule1(WordsEmbedder()), Bm25()
    one.index(turns)
    words.index(turns)
    bm25 = words.scores("apple")
    likeness = list(one._likeness("apple", 3))
    scaled = [[(value - min(of)) / (max(of) - min(of)) for value in of] for of in (bm25, likeness)]
    assert one.scores("apple") == pytest.approx([0.5 * word + 0.5 * vector for word, vector in zip(*scaled, strict=True)])


def test_vectors_are_made_once(tmp_path: Path) -> None:
    first = KeptVectors(WordsEmbedder(), tmp_path / "v.db")
    made = first.embed(["a", "b", "a"])
    assert first.made == 2 and made[0] == made[2] == WordsEmbedder().embed(["a"])[0]
    first.close()
    again = KeptVectors(WordsEmbedder(), tmp_path / "v.db")
    assert again.embed(["b", "a"]) == [made[1], made[0]] and again.made == 0
    again.close()


# ------------------------------------------------------------ outcomes


def test_measuring_keeps_every_question_and_its_category() -> None:
    found = measure("mine", [EPISODE], "bm25")
    assert [(row.question, row.category, row.ranked[0]) for row in found.rows] == [
        ("q0", "place", "t1"),
        ("q1", "order", "t2"),
        ("q2", "order", "t0"),
    ]
    assert found.means["R@5"] == 1.0 and found.costs.turns == len(TURNS) and found.costs.peak_mb > 1
    assert {name: count for name, (count, _) in found.by_category.items()} == {"order": 2, "place": 1}


def outcome(system: str, values: Sequence[float], data_set: str = "madial-zh") -> Outcome:
    rows = [Asked("e", f"q{n}", "all", {"R@10": value, "evidence 2k": value}, ()) for n, value in enumerate(values)]
    return Outcome(data_set, system, rows, Costs(1, 0.0, 0.0, 0.0))


def test_the_floor_is_the_better_fixed_rule() -> None:
    (verdict,) = verdicts([outcome("f1", [0.5]), outcome("f2", [0.6]), outcome("product", [0.6])])
    assert (verdict.floor, verdict.holds, verdict.goal) == (0.6, True, 0.72)
    (verdict,) = verdicts([outcome("f1", [0.7]), outcome("f2", [0.6]), outcome("product", [0.6])])
    assert not verdict.holds
    assert verdicts([outcome("f1", [0.7]), outcome("product", [0.6])]) == []
    talk = [outcome(system, [0.5], "locomo") for system in ("f1", "f2", "product")]
    assert [(one.measure, one.goal) for one in verdicts(talk)] == [("R@10", 0.78), ("evidence 2k", 0.91)]


def test_a_paired_bootstrap_knows_a_sure_difference_from_chance() -> None:
    rng = random.Random(1)
    base = [rng.random() for _ in range(200)]
    sure = difference(outcome("product", [value + 0.1 for value in base]), outcome("f2", base), 200)
    assert sure.low == pytest.approx(0.1) and sure.mean == pytest.approx(0.1)
    chance = difference(outcome("product", rng.sample(base, 200)), outcome("f2", base), 200)
    assert chance.low < 0 < chance.high
    assert [one.other for one in bootstrap([outcome("f2", base), outcome("product", base)], 5)] == ["f2"]
    with pytest.raises(ValueError, match="same questions"):
        difference(outcome("product", base[1:]), outcome("f2", base), 5)


# ------------------------------------------------------------ confusable turns, prompts


def confusing(path: Path, gold: list[str]) -> Path:
    turns = [{"id": turn.id, "role": "user", "text": turn.text} for turn in TURNS]
    path.write_text(json.dumps({"turns": turns, "questions": [{"id": "q", "text": "When does CT-88213 arrive?", "gold": gold}]}), "utf-8")
    return path


def test_precision_is_stated_with_its_ceiling(tmp_path: Path) -> None:
    report = confusable(confusing(tmp_path / "c.json", ["t2"]), WordsEmbedder())
    assert report.ceiling == pytest.approx(1 / 3) and report.questions == 1
    whole = report.rows[1]
    assert (whole.precision, whole.reachable, whole.recall["R@3"]) == (pytest.approx(1 / 3), 1.0, 1.0)
    assert report.errors[1] == pytest.approx(2 / 3) and report.reachable_errors[1] == 0.0 and report.recall_holds


@pytest.mark.parametrize("gold", [["t99"], []])
def test_gold_that_is_no_turn_is_refused(tmp_path: Path, gold: list[str]) -> None:
    with pytest.raises(BadSetting, match="ids of turns"):
        confusable(confusing(tmp_path / "c.json", gold), WordsEmbedder())


def test_a_sample_is_even() -> None:
    assert evenly(list(range(10)), 4) == [0, 2, 5, 7] and evenly([1, 2], 5) == [1, 2]


def test_evidence_that_stands_in_the_prompt_is_seen_and_questions_do_not_see_each_other() -> None:
    turns = [said(n, f"{text} Number {n}.") for n, text in enumerate(TEXTS)]
    questions = [Question(f"q{n}", "c", f"What was number {n}?", frozenset({f"t{n}"})) for n in range(3)]
    rows = list(prompts([Episode("e", turns, questions)], ("window",), (4_000,)))
    assert [(row.mode, row.questions, row.whole, row.share) for row in rows] == [("window", 3, 1.0, 1.0)]
    assert rows[0].tokens < 400
