"""Segments in which an agent makes no headway, by kind: each plays in a scene and gives its rounds.

They are told by what they are, not by what finds them: lengths, tools, languages, wording, noise, and calls in between vary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from trimtab.evals.detectors.failing import SUITES, Failure, edit_tool, error_of, test_call
from trimtab.evals.detectors.runs import Call, Round
from trimtab.evals.detectors.words import phrase, words
from trimtab.evals.detectors.world import Scene, Tool, dumped

Made = list[Round]


def a_round(scene: Scene, *calls: Call, ms: int = 0, batch: bool = False) -> Round:
    """The calls in one reply, some seconds after the one before."""
    return Round(calls, scene.said(), ms=ms or scene.rng.randint(1_000, 20_000), batch=batch)


def exact(scene: Scene) -> Made:
    """One call, again and again; it says the same, be that an answer or an error."""
    tool = scene.rng.choice(scene.tools)
    arguments = tool.drawn(scene.rng)
    times = scene.rng.randint(5, 16)
    if scene.rng.random() < 0.3:
        error = error_of(scene)
        made = [Call(tool.name, dumped(scene.rng, arguments), *error.told(scene.rng, arguments)) for _ in range(times)]
        return _with_asides(scene, [a_round(scene, call) for call in made])
    return _with_asides(scene, [a_round(scene, scene.call(tool, arguments)) for _ in range(times)])


def abab(scene: Scene) -> Made:
    """Two calls by turns."""
    return _cycle(scene, 2, scene.rng.randint(4, 10))


def abc(scene: Scene) -> Made:
    """Three to five calls by turns."""
    return _cycle(scene, scene.rng.randint(3, 5), scene.rng.randint(4, 8))


def _cycle(scene: Scene, length: int, times: int) -> Made:
    matters: list[tuple[Tool, Any]] = []
    while len(matters) < length:
        tool = scene.rng.choice(scene.tools)
        matter = (tool, tool.drawn(scene.rng))
        if matter not in matters:
            matters.append(matter)
    return _with_asides(scene, [a_round(scene, scene.call(*matter)) for _ in range(times) for matter in matters])


def rereading(scene: Scene) -> Made:
    """The same few things are read over and over, each time in another order."""
    tools = [tool for tool in scene.tools if tool.arguments in ("path", "id", "query")] or [scene.tool()]
    matters = [(tool, tool.drawn(scene.rng)) for tool in scene.rng.choices(tools, k=scene.rng.randint(2, 5))]
    made = []
    for _ in range(scene.rng.randint(4, 8)):
        scene.rng.shuffle(matters)
        made += [a_round(scene, scene.call(*matter)) for matter in matters]
    return _with_asides(scene, made)


# ---------------------------------------------------------------- the same in other words

_ASKED = ("task", "instruction", "request", "query", "q")
_FILLERS: Mapping[str, tuple[str, ...]] = {
    "en": ("please", "find", "details of", "the", "about", "show", "current", "information on", "exact"),
    "zh": ("请", "查找", "关于", "的详细信息", "最新", "具体"),
    "de": ("bitte", "genau", "zu", "finde", "Angaben zu", "aktuell"),
    "es": ("por favor", "busca", "sobre", "detalles de", "actual", "información de"),
}


def paraphrased(scene: Scene) -> Made:
    """One request in ever other words, or one path and one filter in ever other spelling; what comes back is the same."""
    tool = Tool(scene.rng, scene.language)
    rng = scene.rng
    kind = rng.choice(("query", "query", "instruction", "path", "nested", "told", "told"))
    tool.arguments = {"instruction": "query", "told": "query"}.get(kind, kind)
    arguments = tool.drawn(rng)
    if kind == "instruction":
        arguments = {rng.choice(_ASKED): phrase(rng, scene.language, rng.randint(7, 14))}
    if kind == "told":
        arguments = {rng.choice(_ASKED): rng.choice(scene.texts.instructions)}
    vary = {"path": _other_path, "nested": _other_filter, "told": _told_otherwise}.get(kind, _other_words)
    made = []
    for _ in range(rng.randint(7, 18)):
        body = _near(scene, tool.body(arguments))
        answer = tool.volatile.around(rng, body, scene.tick())
        made.append(a_round(scene, Call(tool.name, dumped(rng, vary(scene, arguments)), answer)))
    return _with_asides(scene, made)


def _told_otherwise(scene: Scene, arguments: dict[str, Any]) -> dict[str, Any]:
    """One of the paraphrases that somebody wrote."""
    ((key, group),) = arguments.items()
    return {key: scene.rng.choice(group)}


def _other_words(scene: Scene, arguments: dict[str, Any]) -> dict[str, Any]:
    rng = scene.rng
    ((key, value),) = arguments.items()
    parts = re.findall(r"[^\W\d_]{2}", value) if scene.language == "zh" else value.split()
    if rng.random() < 0.5:
        rng.shuffle(parts)
    if len(parts) > 3 and rng.random() < 0.4:
        del parts[rng.randrange(len(parts))]
    for _ in range(rng.randint(0, 2)):
        parts.insert(rng.randint(0, len(parts)), rng.choice(_FILLERS[scene.language]))
    said = ("" if scene.language == "zh" else " ").join(parts)
    said = rng.choice((said, said, said.capitalize(), f'"{said}"', said + rng.choice(("?", ".", " 2026", " online"))))
    return {key: said}


def _other_path(scene: Scene, arguments: dict[str, Any]) -> dict[str, Any]:
    path = arguments["path"]
    return {"path": scene.rng.choice((path, "./" + path, path.replace("/", "//", 1), "./" + path, path + " ", f"././{path}"))}


def _other_filter(scene: Scene, arguments: dict[str, Any]) -> dict[str, Any]:
    rng = scene.rng
    fields = list(arguments["fields"])
    rng.shuffle(fields)
    extra = rng.choice(({}, {"verbose": rng.random() < 0.5}, {"fields": [*fields, rng.choice(words(rng, "en", 3))]}))
    return {**arguments, "fields": fields, **extra}


def _near(scene: Scene, body: str) -> str:
    """The same answer, with its lines in another order at times, as searches give."""
    lines = body.split("\n")
    if len(lines) > 3 and scene.rng.random() < 0.3:
        at = scene.rng.randrange(len(lines) - 1)
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return "\n".join(lines)


# ---------------------------------------------------------------- other arguments, same failure


def same_error(scene: Scene) -> Made:
    """A tool is tried with one guess after the other, and fails in the same way each time."""
    tool = scene.tool()
    error = error_of(scene)
    made = []
    for _ in range(scene.rng.randint(6, 16)):
        arguments = tool.drawn(scene.rng)
        made.append(a_round(scene, Call(tool.name, dumped(scene.rng, arguments), *error.told(scene.rng, arguments))))
    return _with_asides(scene, made)


def edit_test(scene: Scene) -> Made:
    """A file is changed again and again, and the same test fails in the same way."""
    rng = scene.rng
    suite, failure, edit = rng.choice(SUITES), Failure(rng), edit_tool(rng)
    path = f"src/{'_'.join(words(rng, 'en', 2))}.{suite.end}"
    made = []
    for _ in range(rng.randint(5, 12)):
        for _ in range(rng.choice((1, 1, 1, 2))):
            made.append(a_round(scene, edit(scene, path)))
        made.append(a_round(scene, test_call(scene, suite, [failure])))
    return _with_asides(scene, made, most=1)


def _with_asides(scene: Scene, made: Made, most: int = 2) -> Made:
    """Now and then something else is looked at in between, once."""
    if scene.rng.random() < 0.25:
        for _ in range(scene.rng.randint(1, most)):
            tool = scene.tool()
            made.insert(scene.rng.randint(1, len(made) - 1), a_round(scene, scene.call(tool, tool.drawn(scene.rng))))
    return made


LOOPS: Mapping[str, Callable[[Scene], Made]] = {
    "exact repeat": exact,
    "A-B-A-B": abab,
    "A-B-C": abc,
    "re-reading": rereading,
    "paraphrased arguments": paraphrased,
    "same error, other arguments": same_error,
    "edit-test": edit_test,
}
