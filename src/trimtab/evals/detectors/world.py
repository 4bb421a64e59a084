"""A made-up world for spliced runs: tools with arguments, and what they answer.

What a tool says to the same arguments is the same each time, but for what really changes from call to call where nothing has
happened: request ids, times, durations. The world knows nothing of detectors.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from trimtab.evals.detectors.runs import Call, Half
from trimtab.evals.detectors.texts import texts_of
from trimtab.evals.detectors.words import LANGUAGES, moment, phrase, prose, said, token, words

_VERBS = ("get", "read", "fetch", "search", "list", "open", "query", "lookup", "load", "show", "find", "describe", "view", "inspect")
_NOUNS = (
    *("file", "page", "order", "record", "customer", "ticket", "invoice", "document", "user", "flight", "table", "log", "product"),
    *("contract", "reservation", "issue", "commit", "dataset", "article", "message", "calendar", "warehouse", "sensor", "config"),
)
_PATHS = ("src", "lib", "app", "docs", "tests", "data", "pkg", "internal", "server", "reports", "notes")
_ENDS = ("py", "ts", "md", "json", "csv", "go", "rs", "java", "txt", "yaml", "html")
_STYLES = ("snake", "snake", "snake", "camel", "kebab", "dot", "short")
_FORMS = ("json", "rows", "text", "table", "log", "code")


class Volatile:
    """What changes in a tool's answers though nothing has happened: for one tool always the same fields, in the same form."""

    def __init__(self, rng: random.Random) -> None:
        kinds = rng.choice(("", "", "", "id", "time", "id time", "took"))
        self.id_key = rng.choice(("request_id", "trace_id", "requestId")) if "id" in kinds else ""
        self.time_key = rng.choice(("timestamp", "generated_at", "time")) if "time" in kinds else ""
        self.took_key = rng.choice(("took_ms", "elapsed", "duration_ms")) if "took" in kinds else ""
        self.id_form, self.time_form = rng.choice((0, 1, 2, 3, 5)), rng.randrange(5)

    def around(self, rng: random.Random, body: str, minute: int) -> str:
        """The answer with its volatile fields: inside where it is a JSON object, else in lines above."""
        extra: dict[str, Any] = {}
        if self.id_key:
            extra[self.id_key] = token(rng, self.id_form)
        if self.time_key:
            extra[self.time_key] = moment(rng, minute, self.time_form)
        if self.took_key:
            extra[self.took_key] = rng.randint(3, 900)
        if not extra:
            return body
        if body.startswith("{") and body.endswith("}"):
            return json.dumps({**extra, **json.loads(body)}, ensure_ascii=False)
        return "\n".join(f"{key}: {value}" for key, value in extra.items()) + "\n" + body


class Tool:
    """A tool of a run: its name, the form of its arguments and answers, and what is volatile in its answers."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.name = tool_name(rng, rng.choice(_VERBS), rng.choice(_NOUNS))
        self.language = language
        self.arguments = rng.choice(("path", "path", "id", "id", "query", "query", "nested", "command", "none"))
        self.key = rng.choice(("id", "id", "name", "ref"))
        self.form = rng.choice(_FORMS)
        self.lines = rng.choice((1, 2, 4, 8, 15, 30))
        self.volatile = Volatile(rng)
        self.salt = rng.random()

    def drawn(self, rng: random.Random) -> dict[str, Any]:
        """Arguments for a new matter."""
        language = self.language
        if self.arguments == "path":
            folder = "/".join(rng.sample(_PATHS, rng.randint(1, 3)))
            return {"path": f"{folder}/{'_'.join(words(rng, 'en', 2))}{rng.randint(1, 99)}.{rng.choice(_ENDS)}"}
        if self.arguments == "id":
            return {self.key: token(rng)}
        if self.arguments == "query":
            return {"query": phrase(rng, language, rng.randint(3, 7))}
        if self.arguments == "nested":
            near = {key: rng.choice((rng.randint(1, 500), phrase(rng, language, 2))) for key in dict.fromkeys(words(rng, "en", 3))}
            return {"filter": near, "kind": rng.choice(_NOUNS), "fields": words(rng, "en", 2)}
        if self.arguments == "command":
            target = f"{rng.choice(_PATHS)}/{rng.choice(words(rng, 'en', 1))}{rng.randint(1, 99)}.{rng.choice(_ENDS)}"
            return {
                "command": f"{rng.choice(('cat', 'ls -la', 'grep -rn TODO', 'wc -l', 'head -40', 'git log --oneline', 'stat'))} {target}"
            }
        return {}

    def body(self, arguments: Any) -> str:
        """What it answers, without what is volatile."""
        rng = random.Random(f"{self.salt}{json.dumps(arguments, sort_keys=True)}")
        language, lines = self.language, self.lines
        if self.form == "json":
            names = words(rng, "en", min(lines, 8) + 1)
            return json.dumps({name: _value(rng, language) for name in names}, ensure_ascii=False)
        if self.form == "rows":
            keys = tuple(dict.fromkeys(words(rng, "en", 4)))
            return json.dumps([{key: _value(rng, language) for key in keys} for _ in range(lines)], ensure_ascii=False)
        if self.form == "table":
            head = ",".join(words(rng, "en", 4))
            return "\n".join([head, *(",".join(str(_value(rng, language)) for _ in range(4)) for _ in range(lines))])
        if self.form == "log":
            levels = ("INFO", "WARN", "DEBUG")
            return "\n".join(
                f"{moment(rng, n, self.volatile.time_form)} {rng.choice(levels)} {phrase(rng, language, 6)}" for n in range(lines)
            )
        if self.form == "code":
            names = words(rng, "en", lines * 2)
            return "\n".join(f"    {a} = {b}({rng.randint(0, 99)})" for a, b in zip(names[::2], names[1::2], strict=True))
        return prose(rng, language, lines)

    def answer(self, rng: random.Random, arguments: Any, minute: int = 0) -> str:
        return self.volatile.around(rng, self.body(arguments), minute)

    def call(self, rng: random.Random, arguments: Any, minute: int = 0) -> Call:
        return Call(self.name, dumped(rng, arguments), self.answer(rng, arguments, minute))


class Scene:
    """Where a segment plays: language, tools, and a clock that goes on with every call."""

    def __init__(self, rng: random.Random, known: Sequence[Tool] = (), half: Half = "report") -> None:
        self.rng, self.texts = rng, texts_of(half)
        self.language = rng.choice(LANGUAGES)
        self.tools = [*known, *(Tool(rng, self.language) for _ in range(6))]
        self.minute = rng.randint(0, 300)

    def tool(self) -> Tool:
        """A tool of the scene, one that takes arguments."""
        return self.rng.choice([tool for tool in self.tools if tool.arguments != "none"])

    def tick(self) -> int:
        self.minute += self.rng.randint(0, 2)
        return self.minute

    def said(self) -> str:
        return said(self.rng, self.language)

    def call(self, tool: Tool, arguments: Any) -> Call:
        return tool.call(self.rng, arguments, self.tick())


def tool_name(rng: random.Random, verb: str, noun: str) -> str:
    """Verb and noun in one of the styles that tools are named in."""
    style = rng.choice(_STYLES)
    if style == "camel":
        return verb + "".join(word.capitalize() for word in noun.split("_"))
    if style == "kebab":
        return f"{verb}-{noun.replace('_', '-')}"
    if style == "dot":
        return f"{noun}.{verb}"
    return verb if style == "short" else f"{verb}_{noun}"


def dumped(rng: random.Random, arguments: Any) -> str:
    """Arguments as a model writes them: order of keys and white space vary from call to call."""
    if isinstance(arguments, dict) and len(arguments) > 1 and rng.random() < 0.2:
        items = list(arguments.items())
        rng.shuffle(items)
        arguments = dict(items)
    compact = rng.random() < 0.5
    return json.dumps(arguments, ensure_ascii=rng.random() < 0.3, separators=(",", ":") if compact else None)


def _value(rng: random.Random, language: str) -> Any:
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randint(0, 9999)
    if kind == 1:
        return round(rng.random() * 1000, 2)
    if kind == 2:
        return token(rng)
    if kind == 3:
        return rng.choice((True, False, None, "ok", "new"))
    return phrase(rng, language, rng.randint(1, 4))
