"""The session's state: a fold over its ledger entries, kept incrementally.

It holds what is live (not yet cut), not the whole history, so that a request costs in proportion to what is
new. `trimtab.core.fold.apply` is the only thing that changes it.
"""

from __future__ import annotations

from msgspec import Struct, field

from trimtab.core import entries as e
from trimtab.core.conflicts import Conflict, Keep
from trimtab.core.drift import Act, Flag
from trimtab.core.entries import Node
from trimtab.core.ids import ROOT
from trimtab.core.library import StoredDocument
from trimtab.core.notes import MetaNote, Variable
from trimtab.core.plan import Reason, Segment
from trimtab.core.sharing import Peer
from trimtab.core.summary import SummaryItem
from trimtab.core.target import Target
from trimtab.core.task import TaskState
from trimtab.core.units import Unit

STATE_VERSION = 4
# Below this a cleared result would not be smaller than its stub.
LEAST_CLEARED_TOKENS = 120
# Items of the fields that routine fills; older ones stay in the ledger and in the index only.
MOST_ROUTINE_ITEMS = 60
# Idempotency keys that are remembered: a call that is repeated is repeated soon.
MOST_KEYS = 1_000
# What a summary lists as open, or as what the user wants: once that is over, no prompt may say it still is.
OPEN_FIELDS = frozenset({"goal", "preference", "question", "todo"})
# Settled items that are told until the next cut.
MOST_SETTLED = 20
# Rules that were taken back and are remembered as such.
MOST_ENDED = 500
# Conflicts that were settled and are not raised again.
MOST_SETTLED_CONFLICTS = 500
# Refused proposals, and lines of what was tried and failed before a rollback, that prompts repeat.
MOST_REFUSED, MOST_TRIED = 3, 5
ROUTINE_FIELDS = frozenset({"fact", "action", "failed", "structure", "state"})


class LastRequest(Struct, frozen=True):
    """What the next request must know of the last one on its branch."""

    number: int
    as_of_seq: int
    target: Target
    layout: str
    fingerprint: str
    system_ids: tuple[str, ...]
    tools_id: str
    tail: tuple[Segment, ...]
    shared_tokens: int
    level: int
    tokens: int
    loose: tuple[str, ...] = ()
    loose_tail: bool = False
    history_budget_tokens: int = 0


class NoteVersion(Struct, frozen=True, array_like=True):
    version: int
    body_id: str


class MetaContext(Struct, frozen=True):
    """Who I am, what I never do, how I judge a step done (REQUIREMENTS T1)."""

    identity: str = ""
    never: tuple[str, ...] = ()
    done_when: tuple[str, ...] = ()


class Pin(Struct, frozen=True, array_like=True):
    pin_id: str
    text: str
    polarity: str = "must"
    seq: int = 0


class SessionState(Struct):
    """Everything a plan needs. See the fields' names; counts are raw tokens of `counter_id`.

    `holes` are messages after `cut_seq` that have left all the same: late results of exchanges before it, and what
    was dropped. `dropped` are exchanges that are to leave, by their keys; results up to `used_seq` likewise, at once.
    `concluded` are messages whose conclusion is written down, with the place of it ("note x", "item n12").
    `settled` are items of OPEN_FIELDS that were closed or replaced after the summary that may list them was made.
    `ended` are texts of rules and decisions that no longer hold: no model may bring them back.
    `conflicts` are open, by id, `decided` those that were settled and how. `needs` are messages that stay whole, by the step that needs them. `distilled_seq` is how far a summarizing model
    has read. `compacted_round` is when history was last cut, `fruitless` how many cuts in a row left it over its
    trigger, `held` that a cut was undone: then nothing is cut as long as it fits. `shared` is what came from other
    lanes, by lane, `news` the ids of such items that came since the front was made, `given` what this lane gives by name.
    `documents` are those of a project's library, in its own lane, `piece_count` how many pieces it ever held.
    `task` is under way, `parked` are others by id; `tried` is what failed before a rollback, a line each. `acts` are the
    newest calls as detectors see them, those up to `watched_seq`, `flags` what detectors found and nobody answered,
    `judged` and `asserted` the newest verdict and progress assertion since the step last moved.
    """

    seq: int = 0
    head: int = 0
    lineage: str = ROOT
    spans: list[list[int]] = field(default_factory=list)
    messages: int = 0
    round: int = 0
    turn: int = 0
    total_tokens: int = 0
    counter_id: str = ""

    instructions: tuple[Node, ...] = ()
    meta: MetaContext = MetaContext()
    brief: str = ""
    pins: dict[str, Pin] = field(default_factory=dict)
    notes: dict[str, NoteVersion] = field(default_factory=dict)
    items: dict[str, SummaryItem] = field(default_factory=dict)
    settled: list[SummaryItem] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    checkpoints: dict[str, int] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    meta_notes: dict[str, MetaNote] = field(default_factory=dict)
    step: str = ""
    reads: tuple[str, ...] = ()
    needs: dict[str, list[int]] = field(default_factory=dict)
    concluded: dict[int, str] = field(default_factory=dict)
    inherited: tuple[e.Inherited, ...] = ()
    distilled_seq: int = 0
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    decided: dict[str, Keep] = field(default_factory=dict)
    shared: dict[str, Peer] = field(default_factory=dict)
    news: list[str] = field(default_factory=list)
    given: e.Given = e.Given()
    documents: dict[str, StoredDocument] = field(default_factory=dict)
    piece_count: int = 0

    task: TaskState | None = None
    parked: dict[str, TaskState] = field(default_factory=dict)
    tried: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    watched_seq: int = 0
    judged: e.Judged | None = None
    asserted: e.Asserted | None = None

    units: list[Unit] = field(default_factory=list)
    nodes: dict[int, Node] = field(default_factory=dict)
    call_units: dict[str, int] = field(default_factory=dict)

    epoch: int = 0
    cut_seq: int = 0
    holes: list[int] = field(default_factory=list)
    indexed_seq: int = 0
    step_needs: tuple[str, ...] = ()
    compacted_tokens: int = 0
    front: tuple[Segment, ...] = ()
    front_seq: int = 0
    unbound_seq: int = 0
    projection: list[Segment] = field(default_factory=list)
    projection_tokens: int = 0
    frozen_units: int = 0
    frozen_nodes: int = 0
    results: list[tuple[int, int, int]] = field(default_factory=list)
    stale: Reason | None = None
    dropped: list[int] = field(default_factory=list)
    used_seq: int = 0
    compacted_round: int = 0
    fruitless: int = 0
    held: bool = False

    recalled: e.Recalled | None = None
    last: LastRequest | None = None
    dirty: bool = True
    branch_mark: str = ""
    learned_windows: dict[str, int] = field(default_factory=dict)
    next_cap_tokens: int = 0

    def contains(self, seq: int) -> bool:
        """Whether the entry is on this branch."""
        return any(first <= seq <= last for first, last in self.spans)

    @property
    def open_unit(self) -> Unit | None:
        """The exchange that still waits for results, if it is the newest one."""
        if self.units and self.units[-1].open_calls:
            return self.units[-1]
        return None

    @property
    def live_rounds(self) -> int:
        """Rounds whose messages are still in the prompt; the message that opened the current turn, which always
        stays, does not make the rounds after it live."""
        for unit in self.units:
            if not (unit.opens_turn and unit.role == "user" and unit.turn == self.turn):
                return self.round - unit.round + 1
        return 1 if self.units else 0
