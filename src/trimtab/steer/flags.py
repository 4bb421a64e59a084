"""From what detectors find to the flags of a session: which are new, which are over, and how they are answered."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trimtab.core.drift import Act, Answer, Flag
from trimtab.core.entries_task import DriftFlagged
from trimtab.core.state import SessionState
from trimtab.steer import detectors_for
from trimtab.steer.seen import Found, Seen

# rounds after which a flag that was not raised again is over
QUIET_ROUNDS = 3
# evidence that a flag keeps, newest last
_MOST_EVIDENCE = 12


def flagged(state: SessionState, acts: Sequence[Act], view: Seen, kinds: Collection[str], on_flag: Answer, seq: int) -> DriftFlagged | None:
    """What is entered after an exchange; None for nothing new.

    Args:
        acts: those of the state and those of the exchange.
        kinds: of drift that are looked for.
        on_flag: what is done about the act tier.
        seq: of the entry that is to hold it.
    """
    found = [(detector.name, row) for detector in detectors_for(kinds) for row in detector.look(acts, view) if row.kind in kinds]
    step = acts[-1].step if acts else ""
    flags = [
        flag for place, (name, row) in enumerate(found) if (flag := _flag(state, name, row, step, on_flag, f"d{seq}.{place}")) is not None
    ]
    raised = {(name, row.kind) for name, row in found}
    ended = tuple(flag.flag_id for flag in state.flags if _is_over(flag, acts, raised, step))
    replaced = tuple(
        old.flag_id for old in state.flags for new in flags if (old.detector, old.kind, old.step) == (new.detector, new.kind, new.step)
    )
    gone = tuple(dict.fromkeys((*ended, *replaced)))
    return DriftFlagged(tuple(flags), gone) if flags or gone else None


def _flag(state: SessionState, name: str, row: Found, step: str, on_flag: Answer, flag_id: str) -> Flag | None:
    """None where a flag that stands says as much."""
    for old in state.flags:
        if (old.detector, old.kind, old.step) == (name, row.kind, step) and (old.tier == "act" or row.tier == "signal"):
            return None
    return Flag(flag_id, row.kind, row.tier, name, row.text, row.evidence[-_MOST_EVIDENCE:], step, on_flag if row.tier == "act" else "warn")


def _is_over(flag: Flag, acts: Sequence[Act], raised: Collection[tuple[str, str]], step: str) -> bool:
    """Not raised again for some rounds, or of a step that is not under way any more. One that is to be answered stands."""
    if flag.answer in ("rollback", "stop"):
        return False
    if (flag.detector, flag.kind) in raised and flag.step == step:
        return False
    since = {act.round for act in acts if act.seq > flag.evidence[-1]} if flag.evidence else set()
    return bool(flag.step and flag.step != step) or len(since) >= QUIET_ROUNDS
