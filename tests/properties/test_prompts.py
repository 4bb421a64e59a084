"""Properties 1 to 5 of DESIGN §9: what holds for every single prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import given

from tests.profiles import PROPERTY
from tests.properties.histories import Scenario, scenarios
from tests.properties.play import QUICK, Player, Sent
from trimtab.core.entries import MessageAdded, Node
from trimtab.core.plan import Segment
from trimtab.core.sections import fence, meta_text, pinned_items, reminder_text, rules_text
from trimtab.tokens import count_request

FRONT_ORDER = (
    "client_system",
    "meta_context",
    "brief",
    "constraints",
    "task_state",
    "plan",
    "fragments",
    "variables",
    "notes",
    "meta_notes",
    "summary",
)
TAIL_ORDER = ("fragments", "meta_context", "brief", "constraints", "notes", "summary", "reminder")
IN_THE_BODY = ("keep", "clear", "stub", "clamp", "inject")
# of one message that is shortened as far as it goes: 64 for its text (`fit.LEAST_CLAMP_TOKENS`), and for each call or
# result its name, its framing and at most 160 characters of arguments
LEAST_MESSAGE_TOKENS, LEAST_PAIR_TOKENS = 80, 90
_MARK = re.compile(r"\[m\d+\]")


def run(scenario: Scenario, look: Any = None) -> Player:
    player = Player(scenario, look=look)
    try:
        return player.play()
    finally:
        player.close()


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def all_text(body: dict[str, Any]) -> str:
    return "\n".join(strings({key: value for key, value in body.items() if key not in ("tools", "model")}))


def history_text(player: Player, body: dict[str, Any]) -> str:
    """The request's text without what we added to it."""
    key = player.session._fence_key
    return re.sub(rf"<trimtab:([a-z_]+) key={key}>\n.*?\n</trimtab:\1>", "", all_text(body), flags=re.DOTALL)


def messages_of(sent: Sent) -> list[Segment]:
    """The segments that stand for recorded messages: no sections, and no answers of ours to unanswered calls."""
    return [segment for segment in sent.segments if segment.place == "message" and segment.segment_id not in sent.repairs]


# ---------------------------------------------------------------- 1


def _least_tokens(player: Player) -> int:
    """What cannot be left out, by another way than the ladder's: instructions, pins, and the current exchange."""
    state, settings = player.session.state, player.scenario.settings
    key = player.session._fence_key
    texts = [meta_text(state.meta), state.brief, rules_text(state.pins.values(), pinned_items(state))]
    notes = [key for key in settings.inject_notes if key in state.notes]
    texts.append("\n".join(f"{key}: {msgspec.json.encode(player.session.read_note(key)).decode()}" for key in notes))
    if settings.layout == "cache_first":
        texts.append(reminder_text(state))
    ours = sum(QUICK.count_text(fence("constraints", text, key)) + 10 for text in texts if text)
    system = sum(node.tokens for node in state.instructions)
    last = len(state.units) - 1
    units = [unit for index, unit in enumerate(state.units) if index == last or (unit.opens_turn and unit.turn == state.turn)]
    nodes = [state.nodes[seq] for unit in units for seq in unit.nodes]
    history = sum(min(node.tokens, _floor(node)) for node in nodes) + LEAST_PAIR_TOKENS * sum(len(unit.open_calls) for unit in units)
    return ours + system + history


def _floor(node: Node) -> int:
    return LEAST_MESSAGE_TOKENS + LEAST_PAIR_TOKENS * (len(node.calls) + len(node.results))


@PROPERTY
@given(scenarios())
def test_01_tokens_within_budget(scenario: Scenario) -> None:
    def look(player: Player, sent: Sent) -> None:
        counted = count_request(sent.body, player.target.wire, player.counter)
        assert counted <= sent.prompt.tokens <= sent.prompt.budget.prompt_budget_tokens
        assert sent.prompt.tokens == sum(sent.prompt.sections.values())
        assert 0 <= sent.prompt.density <= 1

    class Judge(Player):
        def ask(self, **named: Any) -> Sent | None:
            overflows = len(self.overflows)
            sent = super().ask(**named)
            if len(self.overflows) > overflows:
                tools = self.counter.count_tools(named.get("tools"))
                error = self.overflows[-1]
                assert tools + _least_tokens(self) > error.budget_tokens, f"{_least_tokens(self)} fit: {error}"
            return sent

    player = Judge(scenario, look=look)
    try:
        player.play()
        player.ask()
    finally:
        player.close()


# ---------------------------------------------------------------- 2


def _is_silent(node: Node, sent: Sent) -> bool:
    """A message that rightly leaves nothing: it said nothing, or its reasoning was all of it."""
    return bool(node.flags & 32) or (node.has_reasoning and not node.calls)


@PROPERTY
@given(scenarios())
def test_02_valid_and_no_exchange_is_split(scenario: Scenario) -> None:
    """Validity itself is checked for every prompt of every property, in `Player.ask`, signatures included."""

    def look(player: Player, sent: Sent) -> None:
        state = player.session.state
        shown = {segment.origin[0] for segment in messages_of(sent)}
        live: set[int] = set()
        for unit in state.units:
            live.update(unit.nodes)
            wanted = [seq for seq in unit.nodes if seq not in unit.replaced and not _is_silent(state.nodes[seq], sent)]
            present = [seq for seq in wanted if seq in shown]
            assert present in ([], wanted), f"exchange {unit.key} stands with {present} of {wanted}"
        assert shown <= live, "a message stands whose exchange has left"
        calls = [call for unit in state.units for call in unit.calls]
        assert len(calls) >= len({call for unit in state.units for call in unit.answered})

    run(scenario, look)


# ---------------------------------------------------------------- 3


def _in_order(sections: list[str], order: tuple[str, ...]) -> bool:
    places = [order.index(section) for section in sections]
    return places == sorted(set(places))


@PROPERTY
@given(scenarios())
def test_03_sections_in_order_and_turns_chronological(scenario: Scenario) -> None:
    def look(player: Player, sent: Sent) -> None:
        before, body = _split(sent.segments)
        client = [segment for segment in before if segment.place == "client"]
        assert before[: len(client)] == client, "something of ours stands before the client's instructions"
        assert _in_order([segment.section for segment in before[len(client) :]], FRONT_ORDER)
        standing = [segment.section for segment in sent.prompt._entry.tail]
        assert _in_order(list(standing), TAIL_ORDER)
        if scenario.settings.layout == "state_first":
            assert not standing and all(segment.place == "message" for segment in body)
        else:
            assert not {"fragments", "reminder"} & {segment.section for segment in before}
        messages = [segment for segment in body if segment.place == "message"]
        assert [segment.turn for segment in messages] == sorted(segment.turn for segment in messages)
        keys = {seq: unit.key for unit in player.session.state.units for seq in unit.nodes}
        units = [keys[segment.origin[0]] for segment in messages]
        assert units == sorted(units), "exchanges are not in the order in which they began"

    run(scenario, look)


def _split(segments: tuple[Segment, ...]) -> tuple[list[Segment], list[Segment]]:
    """What stands before the history, and the history with the tail in it."""
    start = next((index for index, segment in enumerate(segments) if segment.place in ("message", "tail")), len(segments))
    return list(segments[:start]), list(segments[start:])


# ---------------------------------------------------------------- 4


@PROPERTY
@given(scenarios())
def test_04_pinned_text_verbatim_in_every_prompt(scenario: Scenario) -> None:
    def look(player: Player, sent: Sent) -> None:
        text = all_text(sent.body)
        for wanted in (*player.pins.values(), *player.meta, player.brief):
            assert wanted in text, f"{wanted!r} is not in prompt {sent.number}"

    run(scenario, look)


# ---------------------------------------------------------------- 5


def branch_nodes(player: Player) -> list[Node]:
    """Every message of the current branch, from the ledger itself."""
    session = player.session
    rows = [row for row in session.store.load(session._key) if row.kind == "message" and session.state.contains(row.seq)]
    entries = [session._lane.decoded(row) for row in rows]
    return [entry.node for entry in entries if isinstance(entry, MessageAdded)]


def _check_places(sent: Sent, action: str, seq: int) -> None:
    actions = {segment.action for segment in messages_of(sent) if segment.origin[0] == seq}
    expected = {action} if action in IN_THE_BODY else set()
    assert actions == expected, f"#{seq} is decided as {action} and stands as {actions or 'nothing'}"


@PROPERTY
@given(scenarios())
def test_05_every_message_has_one_disposition(scenario: Scenario) -> None:
    def look(player: Player, sent: Sent) -> None:
        decisions = sent.prompt.decisions
        nodes = branch_nodes(player)
        text = history_text(player, sent.body)
        kept_marks: set[str] = set()
        gone_marks: set[str] = set()
        for node in nodes:
            held = [decision for decision in decisions if decision.first_seq <= node.seq <= decision.last_seq]
            assert len(held) == 1, f"#{node.seq} has {len(held)} dispositions"
            _check_places(sent, held[0].action, node.seq)
            marks = set(_MARK.findall(player.session._bodies.get(node.body_id).decode()))
            if held[0].action == "keep":
                kept_marks |= marks
            elif held[0].action not in IN_THE_BODY:
                gone_marks |= marks
        for mark in kept_marks:
            assert mark in text, f"{mark} is kept and not in the request"
        standing = {mark for segment in sent.segments if segment.place == "message" for mark in _MARK.findall(sent.prompt.text_of(segment))}
        for mark in gone_marks - standing:
            assert mark not in text, f"{mark} has left and is in the request"
        assert all(decision in decisions for decision in sent.prompt.left_out)

    run(scenario, look)
