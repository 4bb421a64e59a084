"""The shell around the pure core: sessions, prompts, and the ledger they are written to."""

from trimtab.session.history import RecordReport
from trimtab.session.planned import Step
from trimtab.session.prompt import Prompt
from trimtab.session.session import Session
from trimtab.session.sync import SyncReport

__all__ = ["Prompt", "RecordReport", "Session", "Step", "SyncReport"]
