"""Train the classifier of kinds and write `src/trimtab/recall/weights/`. Run by `make train`; see README.md.

Multinomial logistic regression over the cues' verdict, words and characters (`trimtab.recall.intents_learned`).
Deterministic: no randomness, rows in the order of their files.
"""

from __future__ import annotations

import argparse
from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from trimtab.recall.intents import GIVEN_KINDS, cue_weights
from trimtab.recall.intents_learned import Head, Language, cue_value, features, words_scale, write_learned

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "src/trimtab/recall/weights"
LANGUAGES: tuple[Language, ...] = ("en", "zh")
STRENGTH = 3.0  # inverse of the regularization
LEAST_TIMES = 2  # a feature of one sentence tells nothing of another
HIGHEST_UNITS = 2_000  # of one weight; a lane of 24 bits holds the sum of 4,000 of them
_FOLDS = 5
_CUE = "cue "
# turns about one account that the cues were chosen on; en_gym and zh_library stay to measure on
CONFUSABLE = HERE.parents[1] / "tests/recall/confusable"
CHOSEN = {"en": ("en_cloud", "en_phone", "en_wallet"), "zh": ("zh_logistics", "zh_phone", "zh_wallet")}
# how their headings end, and the kind that means; others are left out
HEADINGS = {
    "when": "gives_time", "how": "gives_steps", "why": "gives_reason", "why_fail": "gives_reason", "which": "gives_options",
    "how_much": "gives_amount", "where": "gives_place", "who": "gives_person", "decided": "decision", "done": "done",
    "promised": "promise", "limit": "limit", "complaint": "complaint",
}  # fmt: skip


def load(language: Language) -> list[tuple[str, str]]:
    """(kind, sentence) of all files of the language."""
    found, kind = [], ""
    for path in _paths(language):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("# "):
                kind = line[2:].strip()
                kind = HEADINGS.get(kind.rpartition(" ")[2], "") if " " in kind else kind
            elif line.strip() and kind and not line.startswith("? "):
                found.append((kind, line.removeprefix("- ").strip()))
    return found


def digest(language: Language) -> str:
    """Of all that the weights of a language come from; the line breaks of one system or another do not matter."""
    return sha256("".join(path.read_text("utf-8") for path in _paths(language)).encode()).hexdigest()


def _paths(language: Language) -> list[Path]:
    return [*sorted(HERE.glob(f"train_{language}_*.txt")), *(CONFUSABLE / f"{name}.txt" for name in CHOSEN[language])]


def row(text: str, language: Language) -> dict[str, float]:
    sentences, cues = cue_weights(text)
    found = features(sentences, language)
    scale = words_scale(len(found))
    return dict.fromkeys(found, scale) | {_CUE + kind: cue_value(weight) for kind, weight in cues.items()}


def fit(rows: list[dict[str, float]], kinds: list[str]) -> tuple[LogisticRegression, list[str]]:
    times = Counter(name for one in rows for name in one)
    names = sorted(name for name, count in times.items() if count >= LEAST_TIMES or name.startswith(_CUE))
    return LogisticRegression(C=STRENGTH, max_iter=500).fit(matrix(rows, names), kinds), names


def matrix(rows: list[dict[str, float]], names: list[str]) -> sp.csr_matrix:
    columns = {name: at for at, name in enumerate(names)}
    cells = [(at, columns[name], value) for at, one in enumerate(rows) for name, value in one.items() if name in columns]
    at_row, at_column, values = zip(*cells, strict=True)
    return sp.csr_matrix((values, (at_row, at_column)), shape=(len(rows), len(names)))


def pack(language: Language, regression: LogisticRegression, names: list[str]) -> bytes:
    labels = tuple(str(label) for label in regression.classes_)
    cues = {}
    words = {}
    for at, name in enumerate(names):
        if name.startswith(_CUE):
            cues[name.removeprefix(_CUE)] = tuple(round(float(value), 4) for value in regression.coef_[:, at])
        else:
            words[name] = regression.coef_[:, at]
    unit = max(float(np.abs(value).max()) for value in words.values()) / HIGHEST_UNITS
    bias = tuple(round(float(value), 4) for value in regression.intercept_)
    units = {name: [round(float(one) / unit) for one in value] for name, value in words.items()}
    return write_learned(Head(language, labels, bias, unit, cues, digest(language)), units)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="print how many are right with a fifth left out, and write nothing")
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        examples = load(language)
        kinds = [kind for kind, _ in examples]
        assert set(kinds) <= {*GIVEN_KINDS, "none"}, sorted(set(kinds) - set(GIVEN_KINDS))
        rows = [row(text, language) for _, text in examples]
        if options.check:
            right = sum(_right(rows, kinds, fold) for fold in range(_FOLDS))
            print(f"{language}: {right / len(kinds):.3f} of {len(kinds)} right")
            continue
        content = pack(language, *fit(rows, kinds))
        (options.to / f"kinds_{language}.bin").write_bytes(content)
        print(f"{language}: {len(kinds)} sentences, {len(content):,} bytes")


def _right(rows: list[dict[str, float]], kinds: list[str], fold: int) -> int:
    """How many of a fold are right, learned from the others."""
    known = [at for at in range(len(rows)) if at % _FOLDS != fold]
    left = [at for at in range(len(rows)) if at % _FOLDS == fold]
    regression, names = fit([rows[at] for at in known], [kinds[at] for at in known])
    return int(sum(regression.predict(matrix([rows[at] for at in left], names)) == np.array([kinds[at] for at in left])))


if __name__ == "__main__":
    main()
