"""Rules of the house that no linter knows: sizes, names, and that what exists is documented."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import trimtab
from trimtab import errors
from trimtab.core import plan
from trimtab.policies import PRESETS
from trimtab.settings import Budget, Settings, Steering, Summarizer

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
MOST_PUBLIC_NAMES = 30  # DESIGN §2
BASE_INSTALL_LIMIT_BYTES = 60_000_000  # DESIGN §7
LANGUAGES = ("docs", "docs/zh")

# in pieces, so that this file does not name what it looks for
REGISTRY_HOSTS = [
    ".".join(pieces)
    for pieces in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("deb", "debian", "org"),
        ("crates", "io"),
        ("golang", "org"),
    )
]
BUILD_PATHS = re.compile(r"(?<![\w.\-/])/" + r"(?:wo" + r"rk|ro" + r"ot|build" + r"s)/")


def repo_files() -> list[Path]:
    """Everything that is, or would be, committed."""
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in repo_files():
        text = path.read_text("utf-8", errors="replace")
        found += [
            f"{path.relative_to(ROOT)}:{n}: {line.strip()[:120]}" for n, line in enumerate(text.splitlines(), 1) if pattern.search(line)
        ]
    return found


def test_no_file_names_the_host_of_a_package_registry() -> None:
    assert lines_with(re.compile("|".join(map(re.escape, REGISTRY_HOSTS)), re.IGNORECASE)) == []


def test_no_file_holds_a_path_of_a_build_machine() -> None:
    assert lines_with(BUILD_PATHS) == []


@pytest.mark.parametrize("text", ["/wo" + "rk/main", 'open("/ro' + 'ot/x")', "see /wo" + "rk/shared"])
def test_a_path_of_a_build_machine_would_be_found(text: str) -> None:
    assert BUILD_PATHS.search(text)


def test_files_are_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in SOURCES}
    assert {name: length for name, length in lengths.items() if length > MOST_FILE_LINES} == {}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_functions_are_short() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length} lines"
        for path in SOURCES
        for node in functions(path)
        if node.end_lineno is not None and (length := node.end_lineno - node.lineno + 1) > MOST_FUNCTION_LINES
    ]
    assert long == []


def test_the_public_names_are_few_and_exist() -> None:
    assert 0 < len(trimtab.__all__) <= MOST_PUBLIC_NAMES
    assert [name for name in trimtab.__all__ if not hasattr(trimtab, name)] == []


def test_every_public_name_has_a_docstring() -> None:
    documented = {name: getattr(trimtab, name) for name in trimtab.__all__}
    lacking = [name for name, value in documented.items() if (inspect.isclass(value) or inspect.isroutine(value)) and not value.__doc__]
    assert lacking == []


def settings_with_defaults() -> dict[str, object]:
    nested = {"budget": Budget, "summarizer": Summarizer, "steering": Steering, "verifier": Summarizer}
    own = {field.name: field.default for field in msgspec.structs.fields(Settings) if field.name not in nested}
    return own | {f"{outer}.{field.name}": field.default for outer, kind in nested.items() for field in msgspec.structs.fields(kind)}


def table_rows(page: Path) -> dict[str, list[str]]:
    """Rows of the page's tables by their first cell, which is a name in backticks."""
    rows = {}
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) > 1:
            rows[cells[0].strip("`")] = cells[1:]
    return rows


@pytest.mark.parametrize("folder", LANGUAGES)
def test_every_setting_is_documented_with_its_default(folder: str) -> None:
    rows = table_rows(ROOT / folder / "settings.md")
    written = {name: rows[name][0].strip("`") for name in settings_with_defaults() if name in rows}
    assert written == {name: as_written(default) for name, default in settings_with_defaults().items()}


@pytest.mark.parametrize("folder", LANGUAGES)
def test_no_page_documents_a_setting_that_does_not_exist(folder: str) -> None:
    assert set(table_rows(ROOT / folder / "settings.md")) <= set(settings_with_defaults())


@pytest.mark.parametrize("folder", LANGUAGES)
def test_every_preset_is_documented(folder: str) -> None:
    text = (ROOT / folder / "settings.md").read_text("utf-8")
    assert [name for name in PRESETS if f"`{name}`" not in text] == []


def as_written(default: object) -> str:
    if isinstance(default, int | float) and not isinstance(default, bool):
        return f"{default:,}"
    if default == "":
        return '""'
    if isinstance(default, tuple) and default:
        return ", ".join(map(str, default))
    return {None: "None", (): "()", True: "true", False: "false"}.get(default, str(default))  # type: ignore[call-overload]


@pytest.mark.parametrize("names", [plan.Reason, plan.Action, plan.Section], ids=["reasons", "actions", "sections"])
def test_every_name_in_a_decision_is_documented(names: object) -> None:
    rows = table_rows(ROOT / "docs" / "decisions.md")
    assert [name for name in get_args(names) if name not in rows] == []


def test_every_error_is_in_the_tree_that_the_docstring_draws() -> None:
    classes = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, errors.TrimtabError)}
    drawn = set(re.findall(r"^[│ ]*[├└]── (\w+)", errors.__doc__ or "", re.MULTILINE)) | {"TrimtabError"}
    assert drawn == classes


def closure(name: str, extras: frozenset[str]) -> dict[str, Distribution]:
    """A distribution and all that it needs on this Python, by canonical name."""
    found: dict[str, Distribution] = {}
    waiting = [(name, extras)]
    seen = set()
    while waiting:
        current, wanted = waiting.pop()
        if (current, wanted) in seen:
            continue
        seen.add((current, wanted))
        found[canonicalize_name(current)] = dist = distribution(current)
        for requirement in map(Requirement, dist.requires or ()):
            environments = [{"extra": extra} for extra in wanted] or [{"extra": ""}]
            if requirement.marker is None or any(requirement.marker.evaluate(each) for each in environments):
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return found


def size_bytes(dist: Distribution) -> int:
    paths = [Path(str(dist.locate_file(file))) for file in dist.files or ()]
    return sum(path.stat().st_size for path in paths if path.is_file())


def test_the_base_install_is_small() -> None:
    sizes = {name: size_bytes(dist) for name, dist in closure("trimtab", frozenset()).items()}
    sizes["trimtab"] = sum(path.stat().st_size for path in (ROOT / "src").rglob("*") if path.is_file())
    assert len(sizes) > 3, "the closure was not followed"
    assert sum(sizes.values()) < BASE_INSTALL_LIMIT_BYTES, sizes


def test_every_installed_requirement_is_pinned() -> None:
    pins = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            pin = Requirement(line)
            pins[canonicalize_name(pin.name)] = str(pin.specifier).removeprefix("==")
    try:
        installed = closure("trimtab", frozenset({"dev"}))
    except PackageNotFoundError as lacking:
        pytest.fail(f"{lacking} is not installed; run: make test")
    unpinned = {name: dist.version for name, dist in installed.items() if name != "trimtab" and name not in pins}
    assert unpinned == {}


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_a_page_names_are_there(page: str) -> None:
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.py)`", (ROOT / page).read_text("utf-8")))
    there = [str(path.relative_to(ROOT)) for folder in ("src", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    assert sorted(name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in there)) == []
