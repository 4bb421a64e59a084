"""`trimtab recall`: which turns of a session answer a question, how they rank, and why others lost."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trimtab.cli.exits import Refused, told

if TYPE_CHECKING:
    from trimtab.recall.needs import Need
    from trimtab.session import Session
    from trimtab.session.recall import RecalledTurn, RecallReport

_SHOWN_CHARS = 300
_MISSING = {
    "off": "by words only: no embedder",
    "late": "by words only: the embedder was late",
    "none stored": "by words only: no turn has a vector yet",
}


@click.command("recall")
@click.argument("db", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("session")
@click.argument("query")
@click.option("--entities", default="", help="Names that the answer should hold, with commas between.")
@click.option("--kind", default="", help="What is asked: when, how, why, how_much, decision ...")
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True, help="How many turns.")
@click.option("--lane", default="main", show_default=True)
@click.option("--project", default="default", show_default=True)
@click.option("--tenant", default="default", show_default=True)
@click.option("--scope", type=click.Choice(("lane", "session", "project")), default="session", show_default=True, help="Where to look.")
@click.option("--explain", is_flag=True, help="Also the next ones, and why they lost.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(  # noqa: PLR0913 - a command line
    db: Path,
    session: str,
    query: str,
    entities: str,
    kind: str,
    limit: int,
    lane: str,
    project: str,
    tenant: str,
    scope: str,
    explain: bool,
    as_json: bool,
) -> None:
    """Find the turns of SESSION in the database DB that answer QUERY, best first.

    QUERY is a question in plain words ("what did I say about the fee last week?"), or a need as JSON. Turns that are over
    and not searchable yet become so first.
    """
    with told(), _opened(db, (tenant, project, session, lane)) as opened:
        report = opened.recall(_asked(query, entities, kind), limit, scope=scope, explain=explain)
    if as_json:
        click.echo(json.dumps(_whole(report), ensure_ascii=False, indent=1))
    else:
        _print(report, explain)


def _opened(db: Path, key: tuple[str, str, str, str]) -> Session:
    """The lane, if it is there: opening would make a new one otherwise."""
    from trimtab import Session
    from trimtab.stores import open_store

    tenant, project, session, lane = key
    store = open_store(db)
    try:
        keys = [known for known in store.sessions(tenant, project) if not known.session_id.startswith("@")]
        lanes = [known.lane_id for known in store.lanes(tenant, project, session)]
    finally:
        store.close()
    known = sorted({known.session_id for known in keys})
    if session not in known:
        raise Refused(f"no session {session!r} in {db}; there are: {', '.join(known) or 'none'}")
    if lane not in lanes:
        raise Refused(f"session {session!r} has no lane {lane!r}; there are: {', '.join(lanes) or 'none'}")
    return Session.open(str(db), session, tenant=tenant, project=project, lane=lane)


def _asked(query: str, entities: str, kind: str) -> str | Need:
    """The question; with what the options add to it, where they do."""
    import msgspec

    from trimtab.recall.needs import Need
    from trimtab.recall.needs_questions import read_question
    from trimtab.session import clock

    names = tuple(name.strip() for name in entities.replace("，", ",").split(",") if name.strip())
    if not (names or kind):
        return query
    need = Need.of(query)
    if need == Need(words=query.strip()):
        need = read_question(query, clock.now_ms())
    # what was named on the command line counts in full
    return msgspec.structs.replace(need, entities=names or need.entities, kind=kind or need.kind, guessed=False)


def _whole(report: RecallReport) -> dict[str, Any]:
    import msgspec

    rows: dict[str, Any] = msgspec.to_builtins(report)
    return rows


def _print(report: RecallReport, explain: bool) -> None:
    if not report.turns:
        click.echo(f"nothing found among {report.searched:,} turns")
    for turn in report.turns:
        _print_turn(turn)
    if explain:
        click.echo(f"\nread as: {_told(report.need)}")
        click.echo("lost:" if report.lost else "nothing else came near")
        for turn in report.lost:
            _print_turn(turn)
    if report.missing and (explain or report.missing != "off"):
        click.echo(_MISSING.get(report.missing, f"by words only: {report.missing}"))


def _print_turn(turn: RecalledTurn) -> None:
    at = f"{datetime.fromtimestamp(turn.at_ms / 1000, UTC):%Y-%m-%d %H:%M}"
    place = f"{turn.session_id}/{turn.lane_id} #{turn.first_seq}" + (f"-{turn.last_seq}" if turn.last_seq != turn.first_seq else "")
    parts = ", ".join(f"{name} {part:.2f}" for name, part in turn.parts.items() if part)
    tags = "; ".join(f"{name}: {', '.join(values)}" for name, values in turn.tags.items() if values)
    text = " ".join(turn.text.split())
    lost = f" ({turn.why_not})" if turn.why_not else ""
    click.echo(f"{turn.rank}. {place}, {at}, {turn.role}{lost}; {turn.score:.2f}" + (f": {parts}" if parts else ""))
    if tags:
        click.echo(f"   {tags}")
    if turn.item:
        click.echo(f"   the item that is meant: {turn.item}")
    click.echo(f"   {text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + '…'}")


def _told(need: Need) -> str:
    import msgspec

    fields: dict[str, Any] = msgspec.to_builtins(need)
    fields.pop("guessed", None)
    if need.time_range is not None:
        fields["time_range"] = [
            f"{datetime.fromtimestamp(bound / 1000, UTC):%Y-%m-%d %H:%M}" if bound else "any time" for bound in need.time_range
        ]
    return json.dumps(fields, ensure_ascii=False)
