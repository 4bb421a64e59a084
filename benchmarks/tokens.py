"""How fast counting is, and how often the estimates are too low: `python -m benchmarks.tokens`.

Reads real texts under TRIMTAB_DATA (else `../shared/data` beside the repository), of which only the report halves;
without them it runs on made texts alone. With `ctok` importable the Claude bounds are measured against it.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import os
import random
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from trimtab.core.messages import Message, Text
from trimtab.tokens.estimate import EstimateCounter
from trimtab.tokens.exact import ExactCounter
from trimtab.tokens.families import FAMILIES
from trimtab.tokens.vocabulary import load_vocabulary

PIECE_CHARS = 1_500
PIECES = 80
# every vocabulary of a model that is still served; the oldest (llama2, mistral-v1) are only timed
CURRENT = ("cl100k", "o200k", "llama3", "qwen3", "deepseek", "glm", "kimi", "gemma", "mistral")


def find_data() -> Path | None:
    folder = Path(os.environ.get("TRIMTAB_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    return folder if folder.is_dir() else None


def strings(value: Any, least_chars: int) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) >= least_chars:
            yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item, least_chars)


def pieces(texts: Iterable[str], size_chars: int = PIECE_CHARS, most: int = PIECES) -> list[str]:
    found = [text[at : at + size_chars] for text in texts for at in range(0, len(text), size_chars)]
    found = [piece for piece in found if len(piece) >= 20]
    random.Random(5).shuffle(found)
    return found[:most]


def files(folder: Path, pattern: str, skip: int, most: int) -> Iterator[Any]:
    for path in sorted(folder.glob(pattern))[skip : skip + most]:
        yield json.loads(path.read_text("utf-8"))


def real_texts(folder: Path) -> dict[str, list[str]]:
    with zipfile.ZipFile(folder / "crosswoz" / "test.json.zip") as archive:
        talks = list(json.loads(archive.read(archive.namelist()[0])).values())[:200]
    runs = json.loads((folder / "transcripts/taubench/gpt-4o-airline.json").read_text("utf-8"))[40:]
    results = [str(m.get("content") or "") for run in runs for m in run.get("traj", ()) if m.get("role") == "tool"]
    steps = [step for log in files(folder, "transcripts/multiswe/*.traj", 6, 12) for step in log.get("trajectory", ())]
    return {
        "English prose": pieces(t for n in (5, 6, 7, 8) for log in files(folder, f"beam/100K/{n}/*.json", 0, 2) for t in strings(log, 200)),
        "English chat": pieces((t for log in files(folder, "realtalk/*.json", 2, 3) for t in strings(log, 20)), 400),
        "Chinese talk": pieces("\n".join(m["content"] for m in talk["messages"]) for talk in talks),
        "Chinese notes": pieces((t for log in files(folder, "memdaily/*/*.json", 10, 16) for t in strings(log, 20)), 400),
        "JSON results": pieces(results),
        "JSON, Chinese": pieces(json.dumps(talk["messages"][:6], ensure_ascii=False) for talk in talks),
        "code, tool output": pieces(str(step.get("observation") or "") for step in steps),
    }


def made_texts() -> dict[str, list[str]]:
    rng = random.Random(11)
    line = "2026-11-{:02}T{:02}:{:02}:{:02}.{:03}Z {} [worker-{}] com.acme.OrderHandler id={:032x} path=/api/v2/orders/{} took={:.1f}ms"

    def log() -> str:
        moment = (rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59), rng.randint(0, 999))
        return line.format(
            *moment, rng.choice(("INFO", "WARN")), rng.randint(1, 64), rng.getrandbits(128), rng.getrandbits(20), rng.random() * 900
        )

    return {
        "logs": ["\n".join(log() for _ in range(12)) for _ in range(20)],
        "base64": [base64.b64encode(rng.randbytes(1_100)).decode() for _ in range(20)],
        "hex": [rng.randbytes(700).hex() for _ in range(20)],
        "numbers": [
            "\n".join(",".join(f"{rng.random() * 10 ** rng.randint(0, 6):.2f}" for _ in range(8)) for _ in range(20)) for _ in range(20)
        ],
        "random Han": ["".join(chr(rng.randint(0x4E00, 0x9FA5)) for _ in range(400)) for _ in range(10)],
        "emoji": ["".join(chr(rng.randint(0x1F300, 0x1F6FF)) for _ in range(200)) for _ in range(10)],
    }


def best_of(run: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def print_speed(texts: dict[str, list[str]]) -> None:
    shown = [name for name in ("English prose", "Chinese talk", "code, tool output", "JSON results", "logs", "base64") if name in texts]
    print("speed, MB/s by kind of text; a message is 360 characters of the first kind")
    print(
        f"{'family':12} {'load ms':>8} " + " ".join(f"{name[:12]:>12}" for name in shown) + f" {'us/message':>11} {'1 MB base64, ms':>16}"
    )
    blob = base64.b64encode(random.Random(3).randbytes(750_000)).decode()
    text = texts[shown[0]][0][:360]
    message = Message(role="user", parts=(Text(text),), wire_format="openai_chat", wire=b"{}")
    for family in FAMILIES.values():
        if family.bound == "unknown" and family.name != "unknown":
            continue
        start = time.perf_counter()
        # the engine compiles its pattern at the first count
        load_vocabulary(family.vocabulary).encode_ordinary("first words, 1 2 3: 第一")
        load_ms = (time.perf_counter() - start) * 1e3
        counter = EstimateCounter(family) if family.bound else ExactCounter(family)
        cells = []
        for name in shown:
            size = sum(len(piece.encode()) for piece in texts[name])
            # once only: the engine remembers words, and a message is counted once in its life
            seconds = best_of(lambda counter=counter, name=name: [counter.count_text(piece) for piece in texts[name]], 1)  # type: ignore[misc]
            cells.append(f"{size / seconds / 1e6:12.1f}")
        micro = best_of(lambda counter=counter: [counter.count_message(message) for _ in range(200)]) / 200 * 1e6  # type: ignore[misc]
        blob_ms = best_of(lambda counter=counter: counter.count_text(blob)) * 1e3  # type: ignore[misc]
        print(f"{family.name:12} {load_ms:8.0f} " + " ".join(cells) + f" {micro:11.1f} {blob_ms:16.0f}")


def print_errors(title: str, bound: EstimateCounter, count: Callable[[str], int], texts: dict[str, list[str]]) -> None:
    print(f"\n{title}: pieces under, worst piece, sum against the true sum")
    for name, found in texts.items():
        pairs = [(bound.count_text(text), max(1, count(text))) for text in found]
        under = sum(guess < true for guess, true in pairs) / len(pairs)
        worst = min(guess / true for guess, true in pairs)
        print(f"  {name:18} {under:6.1%} {worst:6.2f} {sum(g for g, _ in pairs) / sum(t for _, t in pairs):6.2f}")


def main() -> None:
    folder = find_data()
    texts = {**(real_texts(folder) if folder else {}), **made_texts()}
    if folder is None:
        print("no data folder (TRIMTAB_DATA): made texts only")
    print_speed(texts)
    unknown = EstimateCounter(FAMILIES["unknown"])
    exact = [ExactCounter(FAMILIES[name]) for name in CURRENT]
    print_errors("unknown model, against the largest of nine", unknown, lambda text: max(c.count_text(text) for c in exact), texts)
    for counter in exact:
        pairs = [(unknown.count_text(t), counter.count_text(t)) for found in texts.values() for t in found]
        print(
            f"  against {counter.counter_id:12} under {sum(g < t for g, t in pairs) / len(pairs):6.1%}, sum {sum(g for g, _ in pairs) / sum(t for _, t in pairs):.2f}"
        )
    if importlib.util.find_spec("ctok") is None:
        print("\nClaude's bounds: not measured, ctok is not installed")
        return
    ctok = importlib.import_module("ctok")
    for name in ("claude", "claude-4.7", "claude-4.8"):
        version = FAMILIES[name].ctok
        frame = ctok.token_count("a", version) - 1
        print_errors(
            f"{name}, against ctok {version}",
            EstimateCounter(FAMILIES[name]),
            lambda t, v=version, f=frame: ctok.token_count(t, v) - f,
            texts,
        )  # type: ignore[misc]


if __name__ == "__main__":
    main()
