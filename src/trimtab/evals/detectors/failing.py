"""Errors, test suites and edits of made-up runs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from trimtab.evals.detectors.runs import Call
from trimtab.evals.detectors.words import moment, phrase, token, words
from trimtab.evals.detectors.world import Scene


class Fault(Struct, frozen=True):
    """One way to fail: its text, and whether the result is marked as an error."""

    form: str
    is_marked: bool
    id_form: int
    at_form: int

    def told(self, rng: random.Random, arguments: Any) -> tuple[str, bool]:
        """(text, marked) of this failure with these arguments."""
        values = [str(value) for value in arguments.values() if isinstance(value, str | int)] if arguments else []
        what = (values[0] if values else "request")[:60]
        text = self.form.format(what=what.replace('"', ""), id=token(rng, self.id_form), at=moment(rng, rng.randint(0, 200), self.at_form))
        return text, self.is_marked


def error_of(scene: Scene) -> Fault:
    """A way to fail; messages are English more often than their users are."""
    rng, errors = scene.rng, scene.texts.errors
    return Fault(rng.choice(errors[rng.choice((scene.language, "en"))]), rng.random() < 0.6, rng.randrange(6), rng.randrange(5))


# ---------------------------------------------------------------- tests


class Suite(Struct, frozen=True):
    """A way to run tests: the commands that do, and the end of the names of its sources."""

    kind: str
    commands: tuple[str, ...]
    end: str


SUITES = (
    Suite("pytest", ("pytest -q", "python -m pytest -x", "pytest tests -q --tb=short"), "py"),
    Suite("jest", ("npm test", "npx jest", "yarn test --silent"), "ts"),
    Suite("go", ("go test ./...", "go test -run . ./..."), "go"),
    Suite("cargo", ("cargo test", "cargo test --quiet"), "rs"),
    Suite("make", ("make check", "make test", "./run_tests.sh"), "c"),
)
_TEST_TOOLS = ("bash", "run_tests", "execute", "shell", "run_command", "terminal")
_EXCEPTIONS = ("AssertionError", "TypeError", "KeyError", "ValueError", "AttributeError", "IndexError", "ImportError", "RuntimeError")


class Failure:
    """A test that fails, always with the same words."""

    def __init__(self, rng: random.Random) -> None:
        self.test = "test_" + "_".join(words(rng, "en", rng.randint(2, 4)))
        self.error = rng.choice(_EXCEPTIONS)
        self.got, self.wanted = rng.randint(0, 99), rng.randint(100, 999)
        self.line = rng.randint(10, 300)

    def told(self, kind: str) -> str:
        words_of = f"expected {self.wanted}, got {self.got}"
        return {
            "pytest": f"FAILED tests/{self.test}.py::{self.test} - {self.error}: {words_of}",
            "jest": f"  ● {self.test.replace('_', ' ')}\n    {self.error}: {words_of}\n      at Object.<anonymous> (spec.ts:{self.line}:11)",
            "go": f"--- FAIL: {self.test.title().replace('_', '')} (0.00s)\n    main_test.go:{self.line}: {self.error}: {words_of}",
            "cargo": f"---- {self.test} stdout ----\nthread '{self.test}' panicked at {self.error}: {words_of}, src/lib.rs:{self.line}",
        }.get(kind, f"{self.test}: FAIL ({self.error}: {words_of})")


def test_call(scene: Scene, suite: Suite, failures: Sequence[Failure], total: int = 40) -> Call:
    """The suite is run; which tests fail, with times that differ from run to run."""
    rng = random.Random(f"{scene.language}{suite.kind}{scene.tools[0].salt}")
    tool, command = rng.choice(_TEST_TOOLS), rng.choice(suite.commands)
    is_marked = rng.random() < 0.5
    took = scene.rng.randint(80, 9_000) / 1000
    lines = [failure.told(suite.kind) for failure in failures]
    if scene.rng.random() < 0.5:
        lines.insert(0, f"started {moment(scene.rng, scene.tick(), 1)}")
    lines.append(f"{len(failures)} failed, {total - len(failures)} passed in {took:.2f}s" if failures else f"{total} passed in {took:.2f}s")
    if failures:
        lines.append("exit code 1")
    return Call(tool, json.dumps({"command": command}), "\n".join(lines), is_marked and bool(failures))


def edit_tool(rng: random.Random) -> Callable[[Scene, str], Call]:
    """A tool that changes a file, and how it answers; every call writes other text."""
    name = rng.choice(("edit_file", "str_replace", "apply_patch", "write_file", "Edit", "replace_in_file", "update_code"))
    answer = rng.choice(("ok", "File updated.", "The file {path} has been edited.", '{{"success": true}}', "Applied 1 hunk to {path}"))
    echoes = rng.random() < 0.4

    def edit(scene: Scene, path: str) -> Call:
        old, new = (f"{phrase(scene.rng, 'en', 3)} = {phrase(scene.rng, 'en', scene.rng.randint(2, 9))}" for _ in range(2))
        arguments = {"apply_patch": {"patch": f"--- {path}\n+++ {path}\n-{old}\n+{new}"}, "write_file": {"path": path, "content": new}}
        given = arguments.get(name, {"path": path, "old": old, "new": new})
        said = answer.format(path=path) + (f"\n{scene.rng.randint(1, 200)}: {new}" if echoes else "")
        return Call(name, json.dumps(given), said)

    return edit
