"""What the summary's benchmark plays: a long conversation with planted sentences, and a model that keeps most of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from benchmarks.history import Json
from trimtab.testing import models

Kind: TypeAlias = Literal["rule", "decision", "fact"]
# four of the twelve are said in a roundabout way
RULES = (
    "Never write to the table ledger_main.",
    "Always quote amounts in euro.",
    "Suppliers are off limits for you, I talk to them myself.",
    "All dates must be written as 2025-03-31.",
    "Never shorten the name of a customer.",
    "Always sort the rows by region.",
    "I don't want to see rounded quantities anywhere.",
    "Every report must have a summary of at most 5 lines.",
    "It is important to me that the archive of 2019 stays untouched.",
    "You must ask me before you cancel a shipment.",
    "From now on each figure comes with the name of its source file.",
    "Do not send anything on a Sunday.",
)
DECISIONS = (
    "Let's go with the {0} view for dashboard {1}.",
    "We settled on the {0} view for dashboard {1}.",
    "OK, then dashboard {1} gets the {0} view.",
)
FACTS = (
    "The contract of customer {0} is {1}.",
    "Customer {0} signed {1} in the morning.",
    "For {1} the customer is {0}.",
)
_NOUNS = [
    "shipment",
    "invoice",
    "carrier",
    "depot",
    "pallet",
    "customer",
    "region",
    "account",
    "warehouse",
    "driver",
    "scanner",
    "supplier",
    "harbor",
    "terminal",
    "office",
    "table",
]
_PLAIN = (
    "The {0} came in with the {1} and went on to the {2} of the {3}.",
    "After the {0} the team looked at the {1}, then at the {2} and the {3}.",
    "I walked past the {0} this morning and saw the {1} beside the {2}, near the {3}.",
    "The {0} and the {1} were quiet while the {2} waited for the {3}.",
    "Somebody moved the {0} behind the {1}, where the {2} and the {3} had been.",
)
RULES_A_ROUND = 2
DECISION_EVERY_ROUNDS, FACT_EVERY_ROUNDS = 20, 5
# a round: what is said besides, in sentences of a dozen words; one of them has a number that matters to nobody
USER_SENTENCES, ASSISTANT_SENTENCES = 12, 28
_SENTENCE = re.compile(r"[^.!?\n]+[.!?](?=\s|$)")
_DECISION = re.compile(r"\b(?:let's go|settled on|gets the)\b", re.IGNORECASE)
_RULE = re.compile(r"\b(?:never|always|must|do not|off limits|don't want|important to me|from now on)\b", re.IGNORECASE)
_TELLING = re.compile("|".join((r"\d|[a-z]_[a-z]", _RULE.pattern, _DECISION.pattern)), re.IGNORECASE)


class Planted(Struct, frozen=True):
    """A sentence whose fate is watched.

    Attributes:
        key: what must be read somewhere for it to count as kept: the sentence, or the identifier of a fact.
        query: what one would ask to find it.
    """

    kind: Kind
    text: str
    key: str
    query: str = ""


class Round(Struct, frozen=True):
    user: Json
    assistant: Json
    planted: tuple[Planted, ...]


def prose(random: Random, count: int) -> list[str]:
    """Plain statements of about a dozen words, none of which anyone has to remember."""
    return [random.choice(_PLAIN).format(*random.choices(_NOUNS, k=4)) for _ in range(count)]


def rounds(seed: int = 11) -> Iterable[Round]:
    """The conversation, without end: the same for each seed."""
    random, number = Random(seed), 0
    while True:
        number += 1
        planted = [Planted("rule", rule, rule) for rule in RULES[(number - 1) * RULES_A_ROUND : number * RULES_A_ROUND]]
        if number % DECISION_EVERY_ROUNDS == 0:
            text = random.choice(DECISIONS).format(random.choice(_NOUNS), number)
            planted.append(Planted("decision", text, text))
        if number % FACT_EVERY_ROUNDS == 0:
            code = f"{random.choice('ABCDEFGH')}{random.choice('KLMNPQRS')}-{random.randrange(10**5, 10**6)}"
            customer = f"{random.choice(_NOUNS)}-{number}"
            text = random.choice(FACTS).format(customer, code)
            planted.append(Planted("fact", text, code, f"Which contract does customer {customer} have?"))
        said = prose(random, USER_SENTENCES)
        answered = prose(random, ASSISTANT_SENTENCES)
        answered.insert(
            random.randrange(ASSISTANT_SENTENCES), f"Row {random.randrange(10**4)} of the {random.choice(_NOUNS)} list looks fine."
        )
        # facts come from both sides, rules and decisions from the user
        for row in planted:
            (answered if row.kind == "fact" and number % (2 * FACT_EVERY_ROUNDS) == 0 else said).insert(random.randrange(4), row.text)
        yield Round({"role": "user", "content": " ".join(said)}, {"role": "assistant", "content": " ".join(answered)}, tuple(planted))


def sentences(text: str) -> list[str]:
    return [" ".join(found[0].split()) for found in _SENTENCE.finditer(text)]


@lru_cache(maxsize=100_000)
def is_telling(sentence: str) -> bool:
    return _TELLING.search(sentence) is not None


class Choice:
    """The scripted model's judgement: each sentence with a rule, a number or an identifier, with the probability
    `keep`; where they are more than it may write, the newest. `size` gives the tokens of one as it is written down."""

    def __init__(self, keep: float, seed: int) -> None:
        self.keep, self._random = keep, Random(seed)

    def of(self, found: Sequence[str], max_tokens: int, size: Callable[[str], int]) -> list[int]:
        """Indexes of those that are kept, in order."""
        telling = [at for at, sentence in enumerate(found) if is_telling(sentence) and self._random.random() < self.keep]
        chosen: list[int] = []
        for at in reversed(telling):
            max_tokens -= size(found[at]) + 1
            if max_tokens < 0:
                break
            chosen.append(at)
        return chosen[::-1]


class Rewriting:
    """The plain baseline: one text that the model writes anew from the old one and what has left. `kept`: its
    sentences, one a line."""

    def __init__(self, choice: Choice, max_tokens: int, size: Callable[[str], int]) -> None:
        self._choice, self._max_tokens, self._size = choice, max_tokens, size
        self.kept: list[str] = []

    def take(self, left: Sequence[str]) -> None:
        shown = [*self.kept, *left]
        self.kept = [shown[at] for at in self._choice.of(shown, self._max_tokens, self._size)]


class Adapter(models.ScriptedModel):
    """The same model in the form that `maintain` asks for: the same choice, as items of our schema."""

    def __init__(self, choice: Choice, max_tokens: int, count: Callable[[str], int]) -> None:
        super().__init__(name="gpt-5", window_tokens=32_000)
        self._choice, self._max_tokens, self._count = choice, max_tokens, count

    def items_for(self, heard: Sequence[models.Heard]) -> list[models.Item]:
        shown = [(row, sentence) for row in heard for sentence in sentences(row.text)]
        items = [_item(row, sentence) for row, sentence in shown]
        sizes = {sentence: self._count(str(item)) for (_, sentence), item in zip(shown, items, strict=True)}
        return [items[at] for at in self._choice.of([sentence for _, sentence in shown], self._max_tokens, sizes.__getitem__)]


def _item(row: models.Heard, sentence: str) -> dict[str, Any]:
    decision, rule = _DECISION.search(sentence), _RULE.search(sentence)
    if row.role != "user" or not (decision or rule):
        return models.item("fact", sentence, row.seq)
    return models.item("decision" if decision else "constraint", sentence, row.seq, quote=sentence)
