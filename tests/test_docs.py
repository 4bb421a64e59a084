"""The documents are true: every Python block runs, every `trimtab` command in them works, every link leads somewhere.

Blocks of one page run in order and share names, in an empty folder that holds `history.json`. Pages that call a model
find one as `client`: a stub with the shape of OpenAI's library, which refuses a body that its provider would refuse.
A TOML block with a table `[trimtab]` is written to `trimtab.toml`; one with entry points is installed, as a package
that holds the classes of the page that it names. Conformance suites that a page writes down are run.
"""

from __future__ import annotations

import inspect
import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import click
import pytest
from click.testing import CliRunner
from openai.types.chat import ChatCompletion

from trimtab.cli import main
from trimtab.core.plan import Reason
from trimtab.policies import policy_for
from trimtab.testing.embedder_conformance import EmbedderConformance
from trimtab.testing.store_conformance import StoreConformance
from trimtab.wire import wire_for

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
SUITES = (StoreConformance, EmbedderConformance)
# has its own tests, with a clock
NOT_RUN = ("trimtab demo",)
HISTORY = [
    {"role": "user", "content": "Score these leads: Acme (Lyon), Borealis (Oslo)."},
    {"role": "assistant", "content": "Acme 7, Borealis 9."},
    {"role": "user", "content": "Why is Borealis higher?"},
    {"role": "assistant", "content": "It asked for a quote twice."},
]


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def complete(**body: Any) -> ChatCompletion:
    wire_for("openai_chat").validate(body)
    message = {"role": "assistant", "content": "Acme 7, Borealis 9."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 40, "completion_tokens": 8, "total_tokens": 48}
    return ChatCompletion.model_validate(
        {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice], "usage": usage}
    )


def stub_client() -> SimpleNamespace:
    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=complete)))


def commands(block: str) -> list[list[str]]:
    lines = [line.partition(" #")[0].strip() for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("trimtab ") and not line.startswith(NOT_RUN)]


def run_python(page: Path, block: str, names: dict[str, Any]) -> None:
    exec(compile(block, page_id(page), "exec"), names)


def run_command(arguments: list[str]) -> None:
    ran = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert ran.exit_code == 0, f"trimtab {shlex.join(arguments)}: {ran.output}"
    assert ran.output.strip()


class Package:
    """A package that a page's reader would have written and installed: found by Python's own ways."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.modules: set[str] = set()

    def install(self, entry_points: dict[str, dict[str, str]], blocks: list[str]) -> None:
        lines = []
        for group, points in entry_points.items():
            lines.append(f"[{group}]")
            for name, value in points.items():
                module, _, attribute = value.partition(":")
                source = next(block for block in blocks if f"class {attribute}" in block)
                (self.place / f"{module}.py").write_text(source, "utf-8")
                self.modules.add(module)
                lines.append(f"{name} = {value}")
        number = len(self.modules)
        about = self.place / f"of_the_page_{number}-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: of-the-page-{number}\nVersion: 1\n", "utf-8")
        (about / "entry_points.txt").write_text("\n".join(lines), "utf-8")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    place = tmp_path / "installed"
    place.mkdir()
    monkeypatch.syspath_prepend(str(place))
    policy_for.cache_clear()
    made = Package(place)
    yield made
    policy_for.cache_clear()
    for module in made.modules:
        sys.modules.pop(module, None)


def read_toml(block: str, package: Package, blocks: list[str]) -> None:
    tables = tomllib.loads(block)
    if "trimtab" in tables:
        Path("trimtab.toml").write_text(block, "utf-8")
    if "project" in tables:
        package.install(tables["project"]["entry-points"], blocks)


def run_suites(names: dict[str, Any]) -> None:
    suites = [value for value in names.values() if inspect.isclass(value) and issubclass(value, SUITES)]
    for suite in suites:
        tests = [name for name in dir(suite) if name.startswith("test_")]
        assert suite in SUITES or tests
        for name in tests if suite not in SUITES else ():
            getattr(suite(), name)()


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: Package) -> None:
    place = tmp_path / "reader"
    place.mkdir()
    monkeypatch.chdir(place)
    Path("history.json").write_text(json.dumps(HISTORY), "utf-8")
    names: dict[str, Any] = {"__name__": "__docs__", "client": stub_client()}
    blocks = BLOCK.findall(page.read_text("utf-8"))
    for language, block in blocks:
        if language == "python":
            run_python(page, block, names)
        if language == "toml":
            read_toml(block, package, [text for kind, text in blocks if kind == "python"])
        for arguments in commands(block) if language == "sh" else ():
            run_command(arguments)
    run_suites(names)


def test_blocks_are_found_in_the_pages_that_users_read_first() -> None:
    for name in ("README.md", "docs/getting-started.md", "docs/zh/getting-started.md"):
        assert sum(language == "python" for language, _ in BLOCK.findall((ROOT / name).read_text("utf-8"))) >= 3


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text("utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def all_commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command by its whole name, groups before what is in them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from all_commands(command, f"{path} {name}")


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    assert isinstance(main, click.Group)
    found = dict(all_commands(main, "trimtab"))
    assert {"trimtab demo", "trimtab run", "trimtab show"} <= set(found)
    options = {option for command in found.values() for each in command.params for option in each.opts if option.startswith("--")}
    assert [name for name in [*found, *sorted(options)] if name not in text] == []


# ---------------------------------------------------------------- what was measured

MEASURED = re.compile(
    r"^\| `?([\w ()]+)`? \| `?([\w-]+)`? \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| [\d%]+ \| (\d/\d) \| (\d/\d) \|", re.MULTILINE
)
# a change of a few words in what we inject need not touch the README; a change of what users get must
TOLERANCE_RATIO = 0.05


def test_the_table_in_the_readme_is_what_the_demo_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIMTAB_DATA", str(tmp_path))  # the real run is not in that table
    ran = CliRunner().invoke(main, ["demo", "--keep", str(tmp_path / "demo.db"), "--json"], catch_exceptions=False)
    rows = {(row["mode"], row["layout"]): row for row in json.loads(ran.stdout)["leads"]}
    written = MEASURED.findall((ROOT / "README.md").read_text("utf-8"))
    assert len(written) == 6
    for mode, layout, *tokens, constraints, facts in written:
        row = rows[mode, layout]
        assert [f"{alive}/{of}" for alive, of in (row["constraints"], row["facts"])] == [constraints, facts], (mode, layout)
        measured = [row["tokens_at"][at][0] for at in ("10", "20", "30")]
        assert [int(text.replace(",", "")) for text in tokens] == pytest.approx(measured, rel=TOLERANCE_RATIO), (mode, layout)


# ---------------------------------------------------------------- where reasons can be


def test_the_page_on_decisions_says_of_each_reason_where_it_can_appear() -> None:
    text = (ROOT / "docs" / "decisions.md").read_text("utf-8")
    where = dict(re.findall(r"^\| `(\w+)` \| ((?:piece|decision|break)(?:, (?:piece|decision|break))*) \|", text, re.MULTILINE))
    assert set(where) == set(get_args(Reason))
