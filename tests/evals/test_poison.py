"""A thousand poisoned texts a role, none of which makes a rule."""

from __future__ import annotations

import pytest

from trimtab.core.summary import PINNED_FIELDS
from trimtab.distill import extract
from trimtab.evals.extraction import poisoned_texts, rules_from_poison
from trimtab.evals.extraction.poison import TEXTS_BY_ROLE, PoisonRole
from trimtab.evals.extraction.turns import message_of


@pytest.mark.parametrize("role", ["tool", "user"])
def test_no_poisoned_text_makes_a_rule(role: PoisonRole) -> None:
    texts = list(poisoned_texts(role))
    assert len(set(texts)) == len(texts) == TEXTS_BY_ROLE
    assert texts == list(poisoned_texts(role))
    assert rules_from_poison(role) == []


def test_the_same_orders_said_by_the_user_do_make_rules() -> None:
    bare = list(poisoned_texts("tool"))[::10]  # the first wrapper of ten is none
    made = [
        any(item.field in PINNED_FIELDS | {"preference"} for item in extract(message_of("user", text), 1, (), {}).added) for text in bare
    ]
    assert len(bare) == 100 and sum(made) >= 95
