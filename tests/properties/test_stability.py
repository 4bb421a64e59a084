"""Properties 6, 8 and 10 of DESIGN §9: what holds from one prompt to the next, over restarts and over rollbacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import PROPERTY
from tests.properties.histories import ASKED, BESIDE, RETURNS, SAID, Scenario, Step, scenarios, steps
from tests.properties.play import TOOLS, Player, Sent, fixed_clock
from trimtab.core.plan import RenderItem, Segment
from trimtab.wire import wire_for

# of a state after a rollback only where it stands in the ledger differs from the checkpoint's
_OF_THE_PLACE = ("seq", "spans", "branch_mark", "dirty")

# ---------------------------------------------------------------- 6


class Reopening(Player):
    """The same program, but before every step the session is opened anew from what is stored."""

    def play(self, program: list[Step] | None = None) -> Player:
        for step in self.scenario.program if program is None else program:
            self._reopen(0, 0)
            super().play([step])
        return self


@PROPERTY
@given(scenarios(steps(SAID, ASKED, ASKED, BESIDE, RETURNS, max_size=12)), st.sampled_from([1, 3, 256]))
def test_06_same_bytes_again_and_after_restarts(scenario: Scenario, snapshot_entries: int) -> None:
    first, again = Player(scenario, reopens=False), Player(scenario, reopens=False)
    restarted = Reopening(scenario)
    with fixed_clock:
        first.play()
        again.play()
        # a small number, so that states are also read back from snapshots
        with patch("trimtab.session.lane.LEAST_SNAPSHOT_ENTRIES", snapshot_entries), patch("trimtab.session.lane.SNAPSHOT_SHARE", 10**6):
            restarted.play()
    for other in (again, restarted):
        assert [sent.bytes for sent in other.sent] == [sent.bytes for sent in first.sent]
        assert [sent.prompt.tokens for sent in other.sent] == [sent.prompt.tokens for sent in first.sent]
        assert _last_decisions(other) == _last_decisions(first)
        assert len(other.overflows) == len(first.overflows)
        other.close()
    first.close()


def _last_decisions(player: Player) -> Any:
    return player.session.request(player.sent[-1].number).decisions if player.sent else ()


# ---------------------------------------------------------------- 8


def _stable(sent: Sent) -> list[Segment]:
    """The prompt without its tail and without what still waited for results."""
    entry = sent.prompt._entry
    loose = {segment.segment_id for segment in entry.loose}
    standing = [] if entry.tail_frozen else [segment.segment_id for segment in entry.tail]
    return [
        segment
        for segment in sent.segments
        if not (segment.place == "tail" and segment.segment_id in standing) and segment.segment_id not in loose
    ]


def _rendered(player: Player, sent: Sent, segments: Sequence[Segment]) -> list[Any]:
    """The messages that these segments alone are rendered to."""
    items = [RenderItem(segment.place, sent.prompt.text_of(segment).encode()) for segment in segments]
    body = wire_for(player.target.wire).render(player.target, items, None, {})
    return _flat(body)


def _flat(body: dict[str, Any]) -> list[Any]:
    """A body as a list of pieces such that merging into a message only adds pieces: (role, block), in order."""
    pieces: list[Any] = [("system", block) for block in _blocks(body.get("system"))]
    if body.get("instructions"):
        pieces.append(("instructions", body["instructions"]))
    for message in body.get("messages") or _input(body):
        rest = {key: value for key, value in message.items() if key not in ("content", "role")}
        content = message.get("content")
        pieces.append((message.get("role"), "begins", rest)) if rest else None
        pieces += [(message.get("role"), block) for block in _blocks(content)]
    return _joined(pieces)


def _joined(pieces: list[Any]) -> list[Any]:
    """Neighbouring texts of one role as one text: as a string and as a list of parts they say the same."""
    joined: list[Any] = []
    for piece in pieces:
        texts = [row[1]["text"] for row in (joined[-1] if joined else None, piece) if _text(row) is not None]
        if len(texts) == 2 and joined[-1][0] == piece[0]:
            joined[-1] = (piece[0], {"type": "text", "text": "\n\n".join(texts)})
        else:
            joined.append(piece)
    return joined


def _input(body: dict[str, Any]) -> list[dict[str, Any]]:
    given_input = body.get("input") or []
    return [{"role": "user", "content": given_input}] if isinstance(given_input, str) else given_input


def _blocks(content: Any) -> list[Any]:
    if content is None:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _begins(whole: list[Any], pieces: list[Any]) -> bool:
    """Whether `pieces` are the beginning; the last text may go on, as texts of one role are joined for strict roles."""
    if not pieces:
        return True
    last, found = pieces[-1], whole[len(pieces) - 1 : len(pieces)]
    same = found == [last] or (_text(found[0] if found else None) or "").startswith(_text(last) or "\0")
    return whole[: len(pieces) - 1] == pieces[:-1] and same


def _text(piece: Any) -> str | None:
    """Role and text of a piece that is nothing but text."""
    if piece is None or len(piece) != 2 or not isinstance(piece[1], dict) or set(piece[1]) != {"type", "text"}:
        return None
    return f"{piece[0]}: {piece[1]['text']}"


def _common_tokens(earlier: Sent, later: Sent) -> int:
    """Tokens of the segments that both prompts truly begin with, tools first."""
    if earlier.body.get("tools") != later.body.get("tools"):
        return 0
    tokens = later.prompt.sections.get("tools", 0)
    for before, after in zip(earlier.segments, later.segments, strict=False):
        if before.segment_id != after.segment_id:
            break
        tokens += after.tokens
    return tokens


@PROPERTY
@given(scenarios())
def test_08_prompts_grow_unless_a_break_is_recorded(scenario: Scenario) -> None:
    by_number: dict[int, Sent] = {}

    def look(player: Player, sent: Sent) -> None:
        by_number[sent.number] = sent
        earlier = by_number.get(sent.before)
        if earlier is None:
            assert not sent.before and sent.prompt.common_prefix_tokens == 0
            return
        assert sent.prompt.common_prefix_tokens <= _common_tokens(earlier, sent)
        assert sent.prompt.common_prefix_tokens <= sent.prompt.tokens
        if sent.prompt.break_reason:
            return
        stable = _stable(earlier)
        ids = [segment.segment_id for segment in stable]
        assert [segment.segment_id for segment in sent.segments[: len(ids)]] == ids, "the prefix moved and no reason is recorded"
        assert earlier.body.get("tools") == sent.body.get("tools")
        pieces = _rendered(player, earlier, stable)
        if not any(segment.place in ("message", "tail") for segment in stable) and player.target.wire == "anthropic":
            pieces = [piece for piece in pieces if piece[0] == "system"]  # without a history the form adds a first message
        assert _begins(_flat(sent.body), pieces), "the same segments are rendered to another beginning"

    player = Player(scenario, look=look)
    player.play()
    player.close()


def _has_answered(player: Player, sent: Sent) -> bool:
    """Whether the model has spoken since the request before. If not, the tail comes anew before the same input."""
    earlier = next((other for other in player.sent if other.number == sent.before), None)
    since = earlier.prompt._entry.as_of_seq if earlier else 0
    return any(node.role == "assistant" for seq, node in player.session.state.nodes.items() if seq > since)


@PROPERTY
@given(scenarios(steps(("user", "exchange", "assistant", "prompt", "prompt", "pin", "note"), max_size=20), layout="cache_first"))
def test_08_cache_first_breaks_only_where_something_was_cut(scenario: Scenario) -> None:
    """A growing conversation, pins and notes included, breaks its prefix by compaction, clearing, or an open call alone."""

    def look(player: Player, sent: Sent) -> None:
        if sent.prompt.break_reason and _has_answered(player, sent):
            assert sent.prompt.cuts, f"broken by {sent.prompt.break_reason!r}, and nothing was cut"

    player = Player(scenario, look=look)
    player.play()
    player.close()


# ---------------------------------------------------------------- 10


def _state_of(player: Player) -> dict[str, Any]:
    state: dict[str, Any] = msgspec.to_builtins(player.session.state)
    assert set(state) > set(_OF_THE_PLACE)
    return {key: value for key, value in state.items() if key not in _OF_THE_PLACE}


@PROPERTY
@given(
    scenarios(steps(SAID, ASKED, BESIDE, max_size=12)),
    steps(SAID, ASKED, BESIDE, ("reopen", "sync"), max_size=8),
    st.booleans(),
)
def test_10_fold_after_rollback_equals_fold_at_the_checkpoint(scenario: Scenario, detour: list[Step], asks_first: bool) -> None:
    player = Player(scenario)
    with fixed_clock:
        player.play()
        player._make_askable()
        player.session.checkpoint("here")
        there, history = _state_of(player), list(player.history)
        asked = player.ask(tools=TOOLS[player.target.wire]) if asks_first else None
        player.play(detour)
        player.session.rollback("here")
        assert _state_of(player) == there
        player._reopen(0, 0)
        assert _state_of(player) == there, "opened anew it is another state"
        player.history = history
        if asked is not None:
            _check_same_request(player, asked)
    player.close()


def _check_same_request(player: Player, asked: Sent) -> None:
    """The request after the rollback is the one that was made at the checkpoint, under a new number."""
    after = player.ask(tools=TOOLS[player.target.wire])
    assert after is not None and after.bytes == asked.bytes
    assert (after.prompt.sections, after.prompt.cuts) == (asked.prompt.sections, asked.prompt.cuts)
    if asked.before or not asked.prompt.break_reason:
        assert after.prompt.common_prefix_tokens == asked.prompt.common_prefix_tokens
