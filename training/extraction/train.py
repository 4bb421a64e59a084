"""Train the classifier of sentences and write `src/trimtab/distill/weights/`. Run by `make train`; see README.md.

Multinomial logistic regression over sparse features (`trimtab.distill.features_en`, `features_zh`), each weighing more
the rarer it is. Deterministic: no randomness, rows in the order of their files.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from made_up import made_up
from prose import prose
from sklearn.linear_model import LogisticRegression

from trimtab.distill.classify import LABELS, Language, count_features
from trimtab.distill.model import SQUARE_UNIT, Feature, Head, write_model
from trimtab.evals.extraction.sentences import Example, examples_of_file, examples_of_turns, training_digest

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "src/trimtab/distill/weights"
LANGUAGES: tuple[Language, ...] = ("en", "zh")
WRITERS = "abcdefghijk"
# rarity to the power of this; found with one writer left out, flat between 1 and 1.5
RARITY_POWER = 1.2
STRENGTH = 10.0  # inverse of the regularization
MOST_FEATURES = 18_500  # of a language: about 300 kB
PROSE_SENTENCES = 2_500  # of the background that asks for nothing
HIGHEST_UNITS = 600  # of one weight; a lane of 24 bits holds the sum of 13,000 of them


class Fitted(NamedTuple):
    regression: LogisticRegression
    rarity: dict[Feature, float]
    unknown: float

    def probabilities(self, rows: Sequence[Counter[Feature]]) -> np.ndarray:
        """One line a row, one column a label of LABELS."""
        found = np.zeros((len(rows), len(LABELS)))
        found[:, [LABELS.index(label) for label in self.regression.classes_]] = self.regression.predict_proba(
            _matrix(rows, self.rarity, self.unknown)
        )
        return found


def load(language: Language, writers: Iterable[str] = WRITERS, *, with_turns: bool = True) -> list[Example]:
    """The labelled sentences: of the writers, of ordinary prose, and of the development turns."""
    files = [HERE / f"train_{language}_{writer}.tsv" for writer in writers]
    found = [example for file in files if file.exists() for example in examples_of_file(file)]
    found += made_up(language)
    found += [Example("none", False, text) for text in prose(language, PROSE_SENTENCES)]
    return found + (list(examples_of_turns("rules", language)) if with_turns else [])


def fit(language: Language, examples: Sequence[Example]) -> Fitted:
    """Fit, keep the features that weigh most, and fit again with these alone."""
    rows = [count_features(example.text, example.is_system, language) for example in examples]
    labels = [example.label for example in examples]
    documents = Counter(feature for row in rows for feature in row)
    rarity = {feature: float(np.log(1 + len(rows) / documents[feature]) ** RARITY_POWER) for feature in sorted(documents, key=_name)}
    unknown = max(rarity.values())
    first = _fit(rows, labels, rarity, unknown)
    # how much a feature can move a score, and how often it does
    weight = np.abs(first.coef_).max(axis=0) * np.array([rarity[name] * documents[name] ** 0.25 for name in rarity])
    names = list(rarity)
    kept = {names[at] for at in np.argsort(-weight, kind="stable")[:MOST_FEATURES]}
    rarity = {name: value for name, value in rarity.items() if name in kept}
    return Fitted(_fit(rows, labels, rarity, unknown), rarity, unknown)


def _name(feature: Feature) -> str:
    return feature if isinstance(feature, str) else "\t".join(feature)


def _fit(rows: Sequence[Counter[Feature]], labels: Sequence[str], rarity: dict[Feature, float], unknown: float) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, max_iter=400).fit(_matrix(rows, rarity, unknown), labels)


def _matrix(rows: Sequence[Counter[Feature]], rarity: dict[Feature, float], unknown: float) -> sp.csr_matrix:
    columns = {name: at for at, name in enumerate(rarity)}
    at_row, at_column, values = [], [], []
    squares = np.zeros(len(rows))
    for at, row in enumerate(rows):
        for name, count in row.items():
            if name in columns:
                at_row.append(at)
                at_column.append(columns[name])
                values.append(count * rarity[name])
            squares[at] += count * rarity.get(name, unknown) ** 2
    matrix = sp.csr_matrix((values, (at_row, at_column)), shape=(len(rows), len(rarity)))
    return sp.diags(1 / np.sqrt(np.maximum(squares, SQUARE_UNIT))) @ matrix


def pack(language: Language, fitted: Fitted) -> bytes:
    """The file of one language."""
    regression, rarity, unknown = fitted
    order = [list(regression.classes_).index(label) for label in LABELS]
    weights = regression.coef_[order] * np.array(list(rarity.values()))
    unit = float(np.abs(weights).max()) / HIGHEST_UNITS
    rows = {
        name: ([round(value / unit) for value in weights[:, at]], round(value_of**2 / SQUARE_UNIT))
        for at, (name, value_of) in enumerate(rarity.items())
    }
    bias = tuple(float(value) for value in regression.intercept_[order])
    return write_model(Head(language, LABELS, bias, unit, round(unknown**2 / SQUARE_UNIT), training_digest(HERE, language)), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-turns", action="store_true", help="leave the development turns out, to measure on them")
    parser.add_argument("--writers", default=WRITERS, help="the writers to train on; leave some out to measure on them")
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="folder of the weights")
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="which languages, with commas between")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    for language in [name for name in LANGUAGES if name in options.languages.split(",")]:
        examples = load(language, options.writers, with_turns=not options.without_turns)
        content = pack(language, fit(language, examples))
        (options.to / f"{language}.bin").write_bytes(content)
        print(f"{language}: {len(examples)} sentences, {len(content):,} bytes")


if __name__ == "__main__":
    main()
