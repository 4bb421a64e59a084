"""Property 15 of DESIGN §9: what is stored is bounded by what is new, and past prompts are still there, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.profiles import PROPERTY
from tests.properties.authors import PLAIN_FLAVORS
from tests.properties.histories import TARGETS, Scenario, scenarios
from tests.properties.play import TOOLS, Player, fixed_clock
from trimtab import Budget, Settings
from trimtab.stores import Batch, LaneKey
from trimtab.stores.sqlite import SqliteStore

# a request's own row: target, ids, sections, budget, a decision; the tail is named in it again
MOST_REQUEST_BYTES = 2_500
BYTES_PER_SEGMENT = 260


class Measuring(SqliteStore):
    """A store in memory that remembers what each commit wrote: (entries, bytes of entries, of new bodies, of turns)."""

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.commits: list[tuple[int, int, int, int]] = []
        self._known: set[str] = set()

    def commit(self, key: LaneKey, batch: Batch, expect_seq: int) -> None:
        super().commit(key, batch, expect_seq)
        new = {body.body_id: len(body.data) for body in batch.bodies if body.body_id not in self._known}
        self._known.update(new)
        turns = sum(len(turn.terms) for turn in batch.turns)
        self.commits.append((len(batch.entries), sum(len(entry.data) for entry in batch.entries), sum(new.values()), turns))


@PROPERTY
@given(scenarios())
def test_15_bounded_by_what_is_new(scenario: Scenario) -> None:
    """A request that cuts nothing writes its own row and what is new since the last, however long the history is."""
    store = Measuring()
    player = Player(scenario, store)

    def look(player: Player, sent: object) -> None:
        prompt = player.sent[-1].prompt
        entry = prompt._entry
        entries, entry_bytes, _, _ = store.commits[-1]
        named = len(entry.appended) + len(entry.loose) + len(entry.tail) + len(entry.front or ()) + len(entry.decisions)
        repairs = sum(segment.segment_id in player.sent[-1].repairs for segment in (*entry.appended, *entry.loose))
        if not {"compaction", "clear", "rebuild", "drop"} & set(prompt.cuts):
            assert entries <= 2 + repairs, "one request row, one recall, and one for each repair"
            assert entry_bytes <= MOST_REQUEST_BYTES + BYTES_PER_SEGMENT * (named + 2 * repairs)
            new = player.session.state.messages - _messages_at(player, sent)
            assert len(entry.appended) + len(entry.loose) - len(entry.tail) <= 2 * new + 4 * repairs + _loose_before(player)
        else:
            assert entries <= 4 + repairs + len(prompt.segments)

    player.look = look
    with fixed_clock:
        player.play()
        _check_past(player)
        player._reopen(0, 0)
        _check_past(player)
    player.close()


def _messages_at(player: Player, sent: object) -> int:
    """Messages of the branch when the request before this one was made."""
    before = player.sent[-1].before
    return int(player.session._lane.fold_to(player.store.request(player.session._key, before).seq).messages) if before else 0


def _loose_before(player: Player) -> int:
    """Messages that were not frozen at the request before, and so come again."""
    before = player.sent[-1].before
    return len(player.session.request(before)._entry.loose) if before else 0


def _check_past(player: Player) -> None:
    """Every request that was ever sent is rebuilt from the store, on whatever branch it was."""
    for sent in player.sent:
        past = player.session.request(sent.number)
        assert past.render_bytes() == sent.bytes, f"request {sent.number} is rebuilt to other bytes"
        assert past.tokens == sent.prompt.tokens and past.sections == sent.prompt.sections
        assert past.segments == sent.segments or [row.segment_id for row in past.segments] == [row.segment_id for row in sent.segments]
        assert past.break_reason == sent.prompt.break_reason and past.cuts == sent.prompt.cuts
    assert player.session.last_request == (player.sent[-1].number if player.sent else 0)


STEPS, EARLY, LATE = 1_000, (60, 160), (900, 1_000)


@pytest.mark.parametrize(
    ("mode", "layout"),
    [
        ("auto", "cache_first"),
        ("compact", "state_first"),
        ("hierarchical", "cache_first"),
        ("window", "state_first"),
        ("retrieval", "cache_first"),
    ],
)
def test_15_step_1000_stores_what_step_100_did(mode: str, layout: str) -> None:
    """Mean bytes a step, snapshots and cuts included, around step 100 and around step 1,000."""
    store = Measuring()
    settings = Settings(mode=mode, layout=layout, budget=Budget(window_tokens=6_000), inject_notes=("k0",))  # type: ignore[arg-type]
    player = Player(
        Scenario(TARGETS["lenient"], settings, []), store, flavors=PLAIN_FLAVORS
    )  # a new rule at each step would rightly grow every prompt
    at: dict[int, int] = {}
    for step in range(STEPS):
        player._user(4, step)
        player._exchange(5, step % 8)
        if step % 10 == 0:
            player._note(step, 1)
        player.ask(tools=TOOLS["openai_chat"])
        player.say(player.author.assistant(player.text(4, step)))
        at[step + 1] = sum(sum(commit[1:]) for commit in store.commits)
    player.close()
    early = (at[EARLY[1]] - at[EARLY[0]]) / (EARLY[1] - EARLY[0])
    late = (at[LATE[1]] - at[LATE[0]]) / (LATE[1] - LATE[0])
    assert late <= 1.15 * early, f"{early:,.0f} bytes a step around 100, {late:,.0f} around 1,000"
