"""The documents are true: every Python block runs, every `trimtab` command in them works, every link leads somewhere.

Blocks of one page run in order and share names, in an empty folder that holds `history.json`. Pages that call a model
find one as `client`: a stub with the shape of OpenAI's library, which refuses a body that its provider would refuse.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner
from openai.types.chat import ChatCompletion

from trimtab.cli import main
from trimtab.wire import wire_for

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
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


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "history.json").write_text(json.dumps(HISTORY), "utf-8")
    names: dict[str, Any] = {"__name__": "__docs__", "client": stub_client()}
    for language, block in BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            run_python(page, block, names)
        for arguments in commands(block) if language == "sh" else ():
            run_command(arguments)


def test_blocks_are_found_in_the_pages_that_users_read_first() -> None:
    for name in ("README.md", "docs/getting-started.md", "docs/zh/getting-started.md"):
        assert sum(language == "python" for language, _ in BLOCK.findall((ROOT / name).read_text("utf-8"))) >= 3


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text("utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    assert isinstance(main, click.Group)
    names = [f"trimtab {name}" for name in main.commands]
    options = {option for command in main.commands.values() for each in command.params for option in each.opts if option.startswith("--")}
    assert [name for name in [*names, *sorted(options)] if f"`{name}" not in text] == []
