"""Segments that repeat themselves and are right to: each plays in a scene and gives its rounds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from trimtab.evals.detectors.failing import SUITES, Failure, edit_tool, test_call
from trimtab.evals.detectors.loops import Made, a_round
from trimtab.evals.detectors.runs import Call
from trimtab.evals.detectors.words import moment, phrase, token, words
from trimtab.evals.detectors.world import Scene, Tool, dumped, tool_name


def paging(scene: Scene) -> Made:
    """One thing is read page by page."""
    rng, tool = scene.rng, scene.tool()
    if rng.random() < 0.3:
        name, pages = rng.choice(scene.texts.paging)
        return [a_round(scene, Call(name, page, tool.body([name, page]))) for page in pages]
    size = rng.choice((10, 20, 25, 50, 100, 200))
    style = rng.choice(("offset", "page", "cursor", "lines", "sed", "url", "skip", "scroll"))
    matter = tool.drawn(rng)
    made = []
    for page in range(rng.randint(4, 25)):
        body = tool.body([matter, page])
        if style == "cursor" and body.startswith("{"):
            body = json.dumps({**json.loads(body), "next_cursor": token(rng)}, ensure_ascii=False)
        elif rng.random() < 0.3:
            body += f"\n... {page * size + size} of {size * 30} shown"
        answer = tool.volatile.around(rng, body, scene.tick())
        made.append(a_round(scene, Call(tool.name, dumped(rng, _page(scene, style, matter, page, size)), answer)))
    return made


def _page(scene: Scene, style: str, matter: dict[str, Any], page: int, size: int) -> dict[str, Any]:
    first = page * size
    path = next((value for value in matter.values() if isinstance(value, str)), "file.txt")
    forms: dict[str, dict[str, Any]] = {
        "offset": {**matter, "offset": first, "limit": size},
        "page": {**matter, "page": page + 1},
        "cursor": {**matter, "cursor": token(scene.rng, 1)} if page else dict(matter),
        "lines": {**matter, "start_line": first + 1, "end_line": first + size},
        "sed": {"command": f"sed -n '{first + 1},{first + size}p' {path}"},
        "url": {"url": f"https://example.com/{path.replace(' ', '-')}?sort=asc&page={page + 1}"},
        "skip": {**matter, "skip": first},
        "scroll": {"direction": "down", "amount": size, "from": first},
    }
    return forms[style]


# ---------------------------------------------------------------- polling

_POLL_VERBS = ("poll", "wait_for", "check_status_of", "get_status_of", "monitor", "watch", "check")
_POLL_NOUNS = ("job", "build", "deployment", "task", "export", "pipeline", "order", "upload", "training_run")
_WAITING = {
    "en": ("pending", "running", "in progress", "queued", "IN_PROGRESS", "still processing", "not ready yet", "building"),
    "zh": ("处理中", "等待中", "正在运行", "排队中", "尚未完成"),
    "de": ("läuft", "wartet", "in Bearbeitung", "noch nicht fertig"),
    "es": ("en curso", "pendiente", "procesando", "en espera"),
}
_COMMANDS = (
    "sleep {s} && kubectl get pod {id}",
    "sleep {s}; tail -3 build.log",
    "gh run view {id}",
    "docker ps --filter name={id}",
    "squeue -j {id}",
    "sleep {s} && curl -s http://localhost:8080/health",
    "systemctl status {id}",
)


def polling_changing(scene: Scene) -> Made:
    """The state of something that takes its time is asked for; it goes on from call to call."""
    return _waiting(scene, changes=True) if scene.rng.random() < 0.5 else _polling(scene, changes=True)


def polling_unchanged(scene: Scene) -> Made:
    """The state of something that takes its time is asked for; nothing has changed yet, until it is done."""
    return _waiting(scene, changes=False) if scene.rng.random() < 0.5 else _polling(scene, changes=False)


def _waiting(scene: Scene, changes: bool) -> Made:
    """The same, as somebody wrote it."""
    rng, polling = scene.rng, scene.texts.polling
    texts = [text for text in polling.pending if "{pct}" in text] if changes else polling.pending
    (tool, arguments), pending = rng.choice(polling.tools), rng.choice(texts)
    times, seconds, id_form, at_form = rng.randint(4, 15), rng.choice((5, 10, 30, 60, 120)), rng.randrange(6), rng.randrange(5)
    shares = sorted(rng.sample(range(1, 99), times))
    made = []
    for n in range(times):
        at = moment(rng, scene.tick(), at_form)
        said = pending.format(pct=shares[n] if changes else shares[0], id=token(rng, id_form), at=at)
        made.append(a_round(scene, Call(tool, arguments, said), ms=seconds * 1000 + rng.randint(0, 3000)))
    return [*made, a_round(scene, Call(tool, arguments, "completed"), ms=seconds * 1000)]


def _polling(scene: Scene, changes: bool) -> Made:
    rng = scene.rng
    job = token(rng)
    seconds = rng.choice((5, 10, 30, 60, 120))
    name = "bash"
    arguments: dict[str, Any] = {"command": rng.choice(_COMMANDS).format(s=seconds, id=job)}
    if rng.random() < 0.7:
        name, arguments = tool_name(rng, rng.choice(_POLL_VERBS), rng.choice(_POLL_NOUNS)), {"id": job}
        arguments |= {"timeout": seconds} if rng.random() < 0.3 else {}
    waiting = rng.choice(_WAITING[rng.choice((scene.language, "en"))])
    times = rng.randint(4, 15)
    form = rng.choice(("json", "text", "log"))
    marks = sorted(rng.sample(range(1, 99), times)) if changes else []
    seen: list[str] = []
    volatile = Tool(rng, scene.language).volatile
    made = []
    for n in range(times + 1):
        state = "completed" if n == times else waiting
        told: dict[str, Any] = {"id": job, "status": state} if form == "json" else {}
        if changes and n < times:
            seen.append(f"{marks[n]}% {phrase(rng, scene.language, 3)}")
            told["progress"] = marks[n]
        body = json.dumps(told, ensure_ascii=False) if form == "json" else f"{job} {state}" + (f" {marks[n]}%" if told else "")
        if form == "log":
            body = "\n".join([*seen[-6:], body])
        call = Call(name, dumped(rng, arguments), volatile.around(rng, body, scene.tick()))
        made.append(a_round(scene, call, ms=seconds * 1000 + rng.randint(0, 3000)))
    return made


# ---------------------------------------------------------------- work that goes on


def edit_headway(scene: Scene) -> Made:
    """A file is changed and tested again and again, and fewer tests fail, or other ones."""
    rng = scene.rng
    suite, edit = rng.choice(SUITES), edit_tool(rng)
    path = f"src/{'_'.join(words(rng, 'en', 2))}.{suite.end}"
    failures = [Failure(rng) for _ in range(rng.randint(3, 9))]
    is_chain = rng.random() < 0.4  # each mended failure uncovers the next one
    made, stood_still = [], False
    while failures:
        for _ in range(rng.choice((1, 1, 2, 3))):
            made.append(a_round(scene, edit(scene, path)))
        made.append(a_round(scene, test_call(scene, suite, failures[:1] if is_chain else failures)))
        stood_still = not stood_still and rng.random() < 0.15
        if not stood_still:
            failures = failures[rng.randint(1, 2) :]
    made += [a_round(scene, edit(scene, path)), a_round(scene, test_call(scene, suite, []))]
    return made


def parallel(scene: Scene) -> Made:
    """Many calls of one tool in one message; a few messages of this kind."""
    rng = scene.rng
    made = []
    for _ in range(rng.randint(1, 4)):
        tool = scene.tool()
        matters = [tool.drawn(rng) for _ in range(rng.randint(3, 12))]
        if rng.random() < 0.15:
            matters.append(matters[0])
        calls = [scene.call(tool, matter) for matter in matters]
        if rng.random() < 0.25:
            said = rng.choice(("ok", '{"success": true}', "done", "{}"))
            calls = [Call(call.tool, call.arguments, said) for call in calls]
        made.append(a_round(scene, *calls))
    return made


def declared_batch(scene: Scene) -> Made:
    """A step that was declared to do one thing to many items; the answers hardly differ, and at times the calls do not."""
    rng, tool = scene.rng, scene.tool()
    count = rng.randint(6, 30)
    said = rng.choice(("ok", '{"success": true}', "{left} left", "moved {left}", "done", "done, {left} to go"))
    is_blind = rng.random() < 0.25  # "the next one", without a word which
    made = []
    for n in range(count):
        arguments = {"action": "next"} if is_blind else tool.drawn(rng)
        call = Call(tool.name, dumped(rng, arguments), said.replace("{left}", str(count - n)))
        made.append(a_round(scene, call, batch=True))
    return made


def other_arguments(scene: Scene) -> Made:
    """A tool is called for one matter after the other; at times a second tool takes what the first one gave."""
    rng, tool = scene.rng, scene.tool()
    second = scene.tool() if rng.random() < 0.3 else None
    none_left = rng.choice(("[]", '{"available": false}', "no results", "没有结果")) if rng.random() < 0.1 else ""
    made = []
    for _ in range(rng.randint(5, 20)):
        matter = tool.drawn(rng)
        call = scene.call(tool, matter)
        made.append(a_round(scene, Call(call.tool, call.arguments, none_left) if none_left else call))
        if second is not None:
            made.append(a_round(scene, scene.call(second, second.drawn(rng))))
    return made


LEGAL: Mapping[str, Callable[[Scene], Made]] = {
    "paging": paging,
    "polling, status changes": polling_changing,
    "polling, status unchanged": polling_unchanged,
    "edit-test with headway": edit_headway,
    "parallel batch": parallel,
    "declared batch": declared_batch,
    "same tool, other arguments": other_arguments,
}
