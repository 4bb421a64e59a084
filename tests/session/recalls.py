"""What the tests of recall share."""

from __future__ import annotations

from typing import Any

import pytest

from tests.session.cases import round_of
from trimtab import Session
from trimtab.session import base
from trimtab.session.recall import RecallReport


def use(monkeypatch: pytest.MonkeyPatch, embedder: Any) -> None:
    monkeypatch.setattr(base, "open_embedder", lambda name: embedder)


def texts(report: RecallReport) -> list[str]:
    return [turn.text for turn in report.turns]


def filled(session: Session, count: int = 14, start: int = 1) -> None:
    """Rounds about nothing that is asked for, so that what was said before leaves the prompt."""
    for number in range(start, start + count):
        session.record(*round_of("openai_chat", number, 60))
        session.prompt()


def sent(session: Session) -> str:
    return session.prompt().render_bytes().decode()
