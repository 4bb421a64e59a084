"""Properties 7 and 9 of DESIGN §9: what came in goes out as it came, and what comes again is not new."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import PROPERTY
from tests.properties.authors import PIXEL, PLAIN_FLAVORS, resent
from tests.properties.histories import BESIDE, SAID, TARGETS, Scenario, scenarios, steps
from tests.properties.play import TOOLS, Player
from tests.wire.histories import chat_blocks, chat_system, claude_blocks, extra_fields, json_values, objects, words
from trimtab import Budget, Session, Settings, Target
from trimtab.core.messages import WireName, encode_wire
from trimtab.core.plan import RenderItem
from trimtab.wire import wire_for

HUGE = Settings(mode="none", budget=Budget(window_tokens=10**9))


@st.composite
def _item(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["user", "assistant", "developer", "reasoning", "reference", "unknown", "picture"]))
    more = draw(extra_fields)
    if kind == "reference":
        return {"type": "item_reference", "id": "it_" + draw(words)}
    if kind == "unknown":
        return {"type": "x_hologram", "value": draw(json_values), **more}
    if kind == "reasoning":
        return {"type": "reasoning", "summary": [{"type": "summary_text", "text": draw(words)}], "encrypted_content": draw(words), **more}
    if kind == "picture":
        image = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", **draw(extra_fields)}
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": draw(words)}, image], **more}
    text_type = "output_text" if kind == "assistant" else "input_text"
    content = draw(words) if draw(st.booleans()) else [{"type": text_type, "text": draw(words), **draw(extra_fields)}]
    return {"role": kind, "content": content, **more}


@st.composite
def _call_items(draw: st.DrawFn) -> list[dict[str, Any]]:
    count = draw(st.integers(1, 3))
    calls = [
        {"type": "function_call", "call_id": f"c{index}", "name": draw(words), "arguments": encode_wire(draw(objects)).decode()}
        for index in range(count)
    ]
    custom = {"type": "custom_tool_call", "call_id": "c9", "name": draw(words), "input": draw(words)}
    outputs = [{"type": "function_call_output", "call_id": call["call_id"], "output": draw(words), **draw(extra_fields)} for call in calls]
    return [*calls, custom, {"type": "custom_tool_call_output", "call_id": "c9", "output": draw(words)}, *outputs]


@st.composite
def _bodies(draw: st.DrawFn) -> tuple[WireName, dict[str, Any]]:
    """A request body of one of the three forms, with unknown fields everywhere."""
    wire: WireName = draw(st.sampled_from(["openai_chat", "openai_responses", "anthropic"]))
    body: dict[str, Any] = {"model": "m", **draw(extra_fields)}
    if wire == "openai_chat":
        system = draw(st.lists(chat_system, max_size=2))
        body["messages"] = [*system, *(message for block in draw(chat_blocks()) for message in block)]
    elif wire == "anthropic":
        system_text = draw(
            st.none() | words | st.lists(st.builds(lambda text: {"type": "text", "text": text}, words), min_size=1, max_size=2)
        )
        if system_text is not None:
            body["system"] = system_text
        body["messages"] = [message for block in draw(claude_blocks()) for message in block]
        body["max_tokens"] = 100
    else:
        body["instructions"] = draw(words)
        pieces = draw(st.lists(_item().map(lambda one: [one]) | _call_items(), min_size=1, max_size=5))
        body["input"] = draw(words) if draw(st.booleans()) and len(pieces) == 1 else [item for piece in pieces for item in piece]
    if draw(st.booleans()):
        body["tools"] = TOOLS[wire]
    return wire, body


@PROPERTY
@given(_bodies())
def test_07_render_of_parse_is_the_same(case: tuple[WireName, dict[str, Any]]) -> None:
    name, body = case
    wire = wire_for(name)
    parsed = wire.parse_request(body)
    items = [RenderItem("client", message.wire) for message in parsed.system]
    items += [RenderItem("message", message.wire) for message in parsed.messages]
    rendered = wire.render(Target(model="m", wire=name), items, parsed.tools, parsed.params)
    marks = encode_wire(body).count(b'"cache_control":')
    if marks <= 4:  # more are refused, and the oldest go
        assert rendered == body
        assert encode_wire(dict(sorted(rendered.items()))) == encode_wire(dict(sorted(body.items()))), "the order of keys"


LENIENT = [target for name, target in TARGETS.items() if name != "strict"]
# results without a call, unanswered calls, blank and reused things need a change to be valid: they are not here; nor
# are empty results, which `Player._answers` makes where the last number of 16 is 15
WHOLE = steps(("user", "assistant", "exchange", "image", "thinking", "loop", "repeat", "unknown", "system"), max_size=14).map(
    lambda program: [(kind, a, b - (b % 16 == 15)) for kind, a, b in program]
)


@PROPERTY
@given(scenarios(WHOLE, st.sampled_from(LENIENT)), st.booleans())
def test_07_a_session_changes_nothing_while_nothing_needs_to_change(scenario: Scenario, one_by_one: bool) -> None:
    said = Player(scenario, flavors=PLAIN_FLAVORS).play()
    history = list(said.history)
    said.close()
    wire = scenario.target.wire
    if not history or (wire == "anthropic" and history[0]["role"] != "user"):
        history.insert(0, {"role": "user", "content": "begin"})
    with Session.open(":memory:", "whole", settings=HUGE, target=scenario.target) as session:
        for message in history if one_by_one else ():
            session.record(message)
        if not one_by_one:
            session.record(*history)
        prompt = session.prompt()
        body = prompt.render()
        assert body.get("input" if wire == "openai_responses" else "messages") == history
        assert not prompt.left_out and not prompt.cuts
        assert "system" not in body and "instructions" not in body


# ---------------------------------------------------------------- 9


def _counts(session: Session) -> tuple[int, int]:
    """(entries, messages) in the ledger."""
    rows = session.store.load(session._key)
    return len(rows), sum(row.kind == "message" for row in rows)


@PROPERTY
@given(scenarios(steps(SAID, ("prompt", "model"), BESIDE, max_size=14)), st.integers(0, 11), st.booleans())
def test_09_a_resend_adds_nothing_and_a_record_adds_one(scenario: Scenario, seed: int, reopens: bool) -> None:
    player = Player(scenario).play()
    player._user(1, 1)  # system text alone is no history
    if reopens:
        player._reopen(0, 0)
    session, before = player.session, _counts(player.session)
    report = session.sync(list(player.history))
    assert (report.outcome, report.added) == ("same", 0)
    assert _counts(session) == before, "a history that was sent again byte for byte added entries"
    for turn in range(2):
        report = session.sync(resent(player.history, player.target.wire, seed + turn))
        assert (report.outcome, report.added) == ("same", 0), report
        assert _counts(session)[1] == before[1], "the same history in other words added messages"
    _check_growth(player)
    player.close()


def _check_growth(player: Player) -> None:
    session = player.session
    messages = _counts(session)[1]
    said = player.author.user("the same words")
    assert session.record(said).count == 1
    assert session.record(dict(said)).count == 1
    assert _counts(session)[1] == messages + 2, "equal text twice is two messages"
    report = session.sync([*player.history, said, said])
    assert (report.outcome, report.added) == ("same", 0)
    more = session.sync([*player.history, said, said, player.author.user("and more")])
    assert (more.outcome, more.added) == ("append", 1)
    assert _counts(session)[1] == messages + 3


@PROPERTY
@given(scenarios(steps(("user", "exchange", "assistant", "image"), max_size=12)), st.integers(0, 10))
def test_09_a_history_sent_whole_each_time_adds_only_what_is_new(scenario: Scenario, seed: int) -> None:
    """A client that only ever syncs, in other words each time, stores each message once."""
    said = Player(scenario).play()
    history = said.history or [said.author.user("hello")]
    said.close()
    settings = scenario.settings
    with Session.open(":memory:", "resent", settings=settings, target=scenario.target) as session:
        for end in range(1, len(history) + 1):
            report = session.sync(resent(history[:end], scenario.target.wire, seed + end))
            assert report.outcome in ("new", "append"), report
            assert report.added == 1
        assert _counts(session)[1] == len(history)
