"""Words that made-up runs are told with, by language, and texts of them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from importlib.resources import files

LANGUAGES = ("en", "en", "en", "zh", "de", "es")

_WORDS: Mapping[str, list[str]] = {
    language: listed.split() for language, listed in json.loads(files(__package__).joinpath("words.json").read_text("utf-8")).items()
}
# replies before a call, as models write them; the last ones are of models that notice something
SAID: Mapping[str, tuple[str, ...]] = {
    "en": (
        "",
        "Let me check that.",
        "I'll look this up now.",
        "One moment please.",
        "Next I need the details of {}.",
        "To go on with {}, I look at the {}.",
        "Let me try that again.",
        "That did not give me what I need about {}, I will try once more.",
        "Okay, checking the {} again to be sure.",
    ),
    "zh": ("", "我来查一下。", "请稍等。", "接下来需要{}的信息。", "先看一下{}和{}。", "我再试一次。", "没有得到{}，再查一遍。"),
    "de": ("", "Ich sehe nach.", "Einen Moment bitte.", "Jetzt brauche ich {}.", "Dann zu {} und {}.", "Ich versuche es noch einmal."),
    "es": ("", "Voy a comprobarlo.", "Un momento.", "Ahora necesito {}.", "Miro {} y {}.", "Lo intento otra vez."),
}


def words(rng: random.Random, language: str, count: int) -> list[str]:
    """So many words, drawn with replacement."""
    return rng.choices(_WORDS[language], k=count)


def phrase(rng: random.Random, language: str, count: int) -> str:
    """Words side by side, as the language sets them."""
    return ("" if language == "zh" else " ").join(words(rng, language, count))


def prose(rng: random.Random, language: str, lines: int) -> str:
    """Lines of 5 to 14 words."""
    return "\n".join(phrase(rng, language, rng.randint(5, 14)) + ("。" if language == "zh" else ".") for _ in range(lines))


def said(rng: random.Random, language: str) -> str:
    """What a model says before it calls a tool; often nothing."""
    line: str = rng.choice(SAID[language])
    return line.format(*words(rng, language, line.count("{}"))) if rng.random() < 0.6 else ""


def token(rng: random.Random, kind: int | None = None) -> str:
    """An identifier, of one of the six forms that systems give."""
    kind = rng.randrange(6) if kind is None else kind
    digits = "0123456789abcdef"
    if kind == 0:
        parts = ["".join(rng.choices(digits, k=size)) for size in (8, 4, 4, 4, 12)]
        return "-".join(parts)
    if kind == 1:
        return "".join(rng.choices(digits, k=rng.choice((8, 12, 24, 40))))
    if kind == 2:
        return f"{rng.choice(('ORD', 'TCK', 'INV', 'R', 'U', 'JOB'))}-{rng.randint(1000, 999999)}"
    if kind == 3:
        return "".join(rng.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=6))
    if kind == 4:
        return f"{rng.choice(_WORDS['en'])}_{rng.choice(_WORDS['en'])}_{rng.randint(100, 9999)}"
    return str(rng.randint(10_000, 99_999_999))


def moment(rng: random.Random, minute: int, kind: int | None = None) -> str:
    """A time of day in one of the five forms of logs; `minute` orders them."""
    kind = rng.randrange(5) if kind is None else kind
    hour, least = divmod(540 + minute, 60)
    second = rng.randint(0, 59)
    if kind == 0:
        return f"2026-03-14T{hour % 24:02d}:{least:02d}:{second:02d}Z"
    if kind == 1:
        return f"2026-03-14 {hour % 24:02d}:{least:02d}:{second:02d},{rng.randint(0, 999):03d}"
    if kind == 2:
        return str(1_773_478_800 + minute * 60 + second)
    if kind == 3:
        return f"Sat Mar 14 {hour % 24:02d}:{least:02d}:{second:02d} 2026"
    return f"2026-03-14T{hour % 24:02d}:{least:02d}:{second:02d}.{rng.randint(0, 999999):06d}+00:00"
