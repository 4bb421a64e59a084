"""`trimtab library`: the documents of a project: put in, listed, taken out, searched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli.exits import Refused, told

if TYPE_CHECKING:
    from trimtab.session.library import Library

_SHOWN_CHARS = 300


def _place(made: Callable[..., None]) -> Callable[..., None]:
    """The options that all of these commands have: whose documents."""
    made = click.option("--project", default="default", show_default=True, help="Whose documents.")(made)
    made = click.option("--tenant", default="default", show_default=True)(made)
    return click.option("--json", "as_json", is_flag=True, help="As JSON.")(made)


def _db(exists: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.argument("db", type=click.Path(exists=exists, dir_okay=False, path_type=Path))


@contextmanager
def _opened(db: Path, tenant: str, project: str) -> Iterator[Library]:
    from trimtab.session.library import Library
    from trimtab.stores import open_store

    with told():
        store = open_store(db)
        try:
            yield Library(store, tenant, project)
        finally:
            store.close()


@click.group("library")
def command() -> None:
    """Documents that a project's agents can search: Markdown, text, HTML, PDF, DOCX, CSV, JSON, code."""


@command.command("add")
@_db(exists=False)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="Name of the document, where there is one file; by default the file's own.")
@click.option("--kind", default="", help="md, txt, html, pdf, docx, csv, tsv, json, jsonl or code; told from the file by default.")
@_place
def add(db: Path, files: tuple[Path, ...], name: str | None, kind: str, tenant: str, project: str, as_json: bool) -> None:  # noqa: PLR0913 - a command line
    """Put FILES into the library in DB; a file of a name that is there takes its place."""
    names = [name] if name and len(files) == 1 else [file.name for file in files]
    if name and len(files) > 1:
        raise Refused(f"--name {name!r} was given for {len(files)} files; add them one by one, or leave it out")
    if len(set(names)) < len(names):
        double = next(one for one in names if names.count(one) > 1)
        raise Refused(f"two of the files are called {double!r}, and one would take the other's place; add them one by one with --name")
    rows = []
    with _opened(db, tenant, project) as library:
        for file, called in zip(files, names, strict=True):
            added = library.add(file, called, kind)
            rows.append({field: getattr(added, field) for field in ("name", "kind", "pieces", "changed", "warnings")})
            if not as_json:
                state = f"{added.pieces:,} pieces" if added.changed else "unchanged"
                click.echo(f"{added.name} ({added.kind}): {state}")
                for warning in added.warnings:
                    click.echo(f"  {warning}")
    if as_json:
        _print_json(rows)


@command.command("list")
@_db(exists=True)
@_place
def list_documents(db: Path, tenant: str, project: str, as_json: bool) -> None:
    """Say which documents are in the library in DB."""
    with _opened(db, tenant, project) as library:
        rows = [
            {"name": row.name, "kind": row.kind, "title": row.title, "pieces": row.pieces, "chars": row.chars} for row in library.list()
        ]
    if as_json:
        _print_json(rows)
        return
    if not rows:
        click.echo("no documents")
        return
    from rich.markup import escape

    from trimtab.cli.tables import console, make_table

    table = make_table("documents", ("name", "kind", "title", "pieces", "characters"), left=(0, 1, 2))
    for row in rows:
        table.add_row(escape(str(row["name"])), str(row["kind"]), escape(str(row["title"])), f"{row['pieces']:,}", f"{row['chars']:,}")
    console().print(table)


@command.command("drop")
@_db(exists=True)
@click.argument("names", nargs=-1, required=True)
@_place
def drop(db: Path, names: tuple[str, ...], tenant: str, project: str, as_json: bool) -> None:
    """Take the documents NAMES out of the library in DB."""
    with _opened(db, tenant, project) as library:
        for name in names:
            library.drop(name)
            if not as_json:
                click.echo(f"{name}: dropped")
    if as_json:
        _print_json(list(names))


@command.command("search")
@_db(exists=True)
@click.argument("query")
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True, help="How many pieces.")
@_place
def search(db: Path, query: str, limit: int, tenant: str, project: str, as_json: bool) -> None:
    """Find the pieces of the documents in DB that answer QUERY, best first."""
    with _opened(db, tenant, project) as library:
        found = library.search(query, limit)
    if as_json:
        fields = ("name", "number", "where", "text", "page", "line", "score", "parts")
        _print_json([{field: getattr(piece, field) for field in fields} for piece in found])
        return
    if not found:
        click.echo("nothing found")
    for place, piece in enumerate(found, 1):
        text = " ".join(piece.text.split())
        short = text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
        parts = ", ".join(f"{name} {value:.2f}" for name, value in piece.parts.items())
        click.echo(f"{place}. {piece.where} (piece {piece.number}; {piece.score:.2f}: {parts})\n   {short}")


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))
