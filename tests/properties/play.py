"""A player of the programs of `histories`: it records, asks, answers, goes back, and has every prompt checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tests.properties.authors import Author, calls_of, filler, picture
from tests.properties.histories import Scenario, Step
from trimtab import Prompt, Session
from trimtab.errors import NotFound, PinnedOverflow
from trimtab.stores import Store, open_store
from trimtab.testing import ScriptedReply, StrictUpstream, check_prompt
from trimtab.tokens import Counter
from trimtab.tokens.families import Family
from trimtab.tokens.framing import FramedCounter

TOOLS: dict[str, list[dict[str, Any]]] = {
    "openai_chat": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
    "openai_responses": [{"type": "function", "name": "look", "parameters": {"type": "object"}}],
    "anthropic": [{"name": "look", "input_schema": {"type": "object"}}],
}
# 2026-01-01T00:00:00Z: recalled turns are dated, and two sessions must not differ because a minute went by
FIXED_NS = 1_767_225_600 * 10**9
fixed_clock = patch("trimtab.session.clock.time", SimpleNamespace(time_ns=lambda: FIXED_NS))


class QuickCounter(FramedCounter):
    """A byte-pair-like size (four bytes a token, rounded up) under the product's own framing: quick and exact."""

    def __init__(self) -> None:
        super().__init__(Family("quick", ""))

    @property
    def exact(self) -> bool:
        return True

    def count_text(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // 4)


QUICK = QuickCounter()


class Sent:
    """A prompt and what the test needs to know of the moment it was made at."""

    def __init__(self, player: Player, prompt: Prompt, before: int) -> None:
        self.prompt, self.body = prompt, prompt.render()
        self.bytes = prompt.render_bytes()
        self.before = before
        self.pins, self.meta, self.brief = dict(player.pins), list(player.meta), player.brief
        self.segments = prompt.segments
        nodes = player.session.state.nodes
        # what answers an unanswered call is made from the message that calls; a result shown as text calls nothing
        self.repairs = {
            segment.segment_id
            for segment in prompt.segments
            if segment.action == "inject" and segment.place == "message" and nodes[segment.origin[0]].calls
        }

    @property
    def number(self) -> int:
        return self.prompt.number


class Player:
    """Plays one program on one session. `look` sees each new prompt, the session standing right after it."""

    def __init__(
        self,
        scenario: Scenario,
        store: Store | None = None,
        *,
        look: Callable[[Player, Sent], None] | None = None,
        counter: Counter = QUICK,
        reopens: bool = True,
        flavors: Sequence[int] = range(8),
    ) -> None:
        self.scenario, self.counter, self.look, self._reopens, self.flavors = scenario, counter, look, reopens, flavors
        self.store = store or open_store(":memory:")
        self.target = scenario.target
        self._answer = ScriptedReply(text="ok")
        self.upstream = StrictUpstream(
            script=lambda wire, body, number: self._answer,
            window_tokens=10**9,
            binding="error" if self.target.reasoning_bound else "none",
            strict_roles=self.target.strict_roles,
        )
        self.author = Author(self.target.wire, self.upstream)
        self.session = self._open()
        self.history: list[dict[str, Any]] = []
        self.waiting: list[str] = []
        self.answered: list[str] = []
        self.pins: dict[str, str] = {}
        self.meta: list[str] = []
        self.brief = ""
        self.saved: dict[str, tuple[Any, ...]] = {}
        self.sent: list[Sent] = []
        self.overflows: list[PinnedOverflow] = []
        self._texts = 0

    def _open(self) -> Session:
        return Session.open(self.store, "s", settings=self.scenario.settings, target=self.target, counter=self.counter)

    def close(self) -> None:
        self.session.close()
        self.store.close()

    def play(self, program: list[Step] | None = None) -> Player:
        for kind, a, b in self.scenario.program if program is None else program:
            getattr(self, f"_{kind}")(a, b)
        return self

    # ------------------------------------------------------------ what is said

    def text(self, a: int, b: int) -> str:
        """A text with a mark of its own, by which it is found again."""
        self._texts += 1
        return f"[m{self._texts}]{filler(self.flavors[b % len(self.flavors)], a)}"

    def say(self, messages: list[dict[str, Any]], b: int = 0) -> None:
        """Record messages, all at once or one by one."""
        if b % 2:
            self.session.record(*messages)
        else:
            for message in messages:
                self.session.record(message)
        self.history += messages

    def _user(self, a: int, b: int) -> None:
        self.say([self.author.user(self.text(a % 9, b))])

    def _huge(self, a: int, b: int) -> None:
        if a == 15 and b >= 60:
            self.say([self.author.user(self.text(0, b), image=picture(large=True))])
        elif a % 3:
            self.say([self.author.user(self.text(9, b))])
        else:
            self.say(self.author.assistant(self.text(9, b)))

    def _assistant(self, a: int, b: int) -> None:
        self.say(self.author.assistant(self.text(a % 9, b)), b)

    def _thinking(self, a: int, b: int) -> None:
        thinking = "" if self.target.reasoning_bound else f"thought {filler(b, a % 5)}"
        calls = [(self.author.call_id(), self.text(0, 0))] if a % 2 else []
        self.say(self.author.assistant(self.text(a % 5, b), calls, thinking), 1)
        if calls:
            self._answers([calls[0][0]], a, b)

    def _exchange(self, a: int, b: int) -> None:
        calls = [(self.author.call_id(), self.text(0, 0)) for _ in range(1 + b % 3)]
        self.say(self.author.assistant(self.text(1, b) if b % 4 == 0 else "", calls), b)
        self._answers([call_id for call_id, _ in calls], a, b)

    def _answers(self, ids: list[str], a: int, b: int) -> None:
        texts = ["" if b % 16 == 15 else self.text(a % 10, b) for _ in ids]
        said = self.text(1, b) if b % 8 == 7 and self.target.wire == "anthropic" else ""
        self.say(self.author.results(list(zip(ids, texts, strict=True)), said), b)
        self.answered += ids

    def _unanswered(self, a: int, b: int) -> None:
        calls = [(self.author.call_id(), self.text(0, 0)) for _ in range(1 + b % 3)]
        self.say(self.author.assistant("", calls), 1)
        ids = [call_id for call_id, _ in calls]
        if b % 3:
            self._answers([ids.pop()], a, b)
        self.waiting += ids

    def _late(self, a: int, b: int) -> None:
        if self.waiting:
            self._answers([self.waiting.pop(a % len(self.waiting))], b % 7, a)

    def _again(self, a: int, b: int) -> None:
        """A second result for a call that has one."""
        if self.answered:
            self.say(self.author.results([(self.answered[-1 - a % min(3, len(self.answered))], self.text(b % 6, b))]))

    def _image(self, a: int, b: int) -> None:
        self.say([self.author.user(self.text(a % 3, b), image=picture(large=False))])

    def _empty(self, a: int, b: int) -> None:
        if a % 2:
            self.say([self.author.user(["", " ", "\n\t"][b % 3])])
        else:
            self.say(self.author.assistant(""))

    def _system(self, a: int, b: int) -> None:
        self.say([self.author.system(self.text(a % 6, b))])

    def _repeat(self, a: int, b: int) -> None:
        said = [message for message in self.history if message.get("role") == "user" and isinstance(message["content"], str)]
        if said:
            self.say([dict(said[-1])])

    def _loop(self, a: int, b: int) -> None:
        for _ in range(2 + a):
            self._exchange(a % 7, b)

    def _reused(self, a: int, b: int) -> None:
        """A call with an id that was used before; not one of the mock's, which remembers what it thought before those."""
        used = [call_id for call_id in self.answered if call_id in self.author.call_ids]
        call_id = used[a % len(used)] if used else self.author.call_id()
        self.say(self.author.assistant("", [(call_id, self.text(0, 0))]), 1)
        self._answers([call_id], a, b)

    def _mixed(self, a: int, b: int) -> None:
        """A reply that was interrupted: a call, then the user speaks before its result."""
        self._unanswered(a, b)
        self._user(a, b)
        if b % 2:
            self._late(a, b)

    def _unknown(self, a: int, b: int) -> None:
        self.say([self.author.user(self.text(a % 3, b), more=[{"type": "hologram", "x-depth": b, "nested": [{"a": None}]}])])

    # ------------------------------------------------------------ requests

    def _prompt(self, a: int, b: int) -> None:
        self.ask(tools=TOOLS[self.target.wire])

    def _other_prompt(self, a: int, b: int) -> None:
        """Other tools, another system text, another maximum output."""
        tools = TOOLS[self.target.wire] * (a % 3) or None
        self.ask(tools=tools, system=f"You are number {b % 3}." if a % 2 else None, max_output_tokens=b * 8 if b % 2 else None)

    def _model(self, a: int, b: int) -> None:
        """The model answers, perhaps with calls; its reply is recorded as it came."""
        sent = self.ask(tools=TOOLS[self.target.wire])
        if sent is None:
            return
        calls = [("look", {"q": self.text(0, 0)}) for _ in range(b % 3)]
        thinking = f"hm {filler(b, a % 4)}" if b % 4 else None
        self._answer = ScriptedReply(text=self.text(a % 5, b) if a % 3 or not calls else "", calls=calls, thinking=thinking)
        reply = self.upstream.reply(self.target.wire, sent.body)
        messages = self.author.sent_back(reply)
        if a % 2:
            self.session.record(reply)
            self.history += messages
        else:
            self.say(messages, 1)
        ids = calls_of(messages)
        if ids and b % 8 == 5:
            self.waiting += ids
        elif ids:
            self._answers(ids, a, b)

    def ask(self, **named: Any) -> Sent | None:
        """One request, checked as every request is. None where it cannot fit, or where there is nothing to ask."""
        self._make_askable()
        last = self.session.state.last
        try:
            prompt = self.session.prompt(**named)
        except PinnedOverflow as error:
            assert error.needed_tokens > error.budget_tokens
            self.overflows.append(error)
            return None
        if self.sent and prompt.number == self.sent[-1].number:
            return self.sent[-1]
        sent = Sent(self, prompt, last.number if last else 0)
        check_prompt(sent.body, self.target.wire, self.target)
        dropped = self.upstream.dropped
        self.upstream.check(self.target.wire, sent.body)
        assert self.upstream.dropped == dropped, "reasoning was sent that the provider leaves out, its prefix having changed"
        self.sent.append(sent)
        if self.look is not None:
            self.look(self, sent)
        return sent

    def _make_askable(self) -> None:
        """A request without any message is none, and templates with strict roles want the user's word last."""
        units = self.session.state.units
        said = [unit for unit in units if any(self.session.state.nodes[seq].flags & 32 == 0 for seq in unit.nodes)]
        if not said or (self.target.strict_roles and said[-1].role == "assistant" and not said[-1].calls):
            self.say([self.author.user(f"{self.text(0, 0)} go on")])

    # ------------------------------------------------------------ beside the history

    def _pin(self, a: int, b: int) -> None:
        text = f"Pin {a}: 所有价格 <{b % 4}>"
        self.pins[self.session.pin(text, "never" if b % 2 else "must")] = text

    def _unpin(self, a: int, b: int) -> None:
        if self.pins:
            pin_id = list(self.pins)[a % len(self.pins)]
            self.session.unpin(pin_id)
            del self.pins[pin_id]

    def _note(self, a: int, b: int) -> None:
        self.session.write_note(f"k{a % 3}", {"value": filler(b, a % 4), "n": b})

    def _meta(self, a: int, b: int) -> None:
        never = [f"Never touch table {b}"] if b % 2 else []
        self.session.meta_context(f"Agent {a}", never, ["Rows are clean"])
        self.meta = [f"Agent {a}", *never, "Rows are clean"]

    def _brief(self, a: int, b: int) -> None:
        # one of sixteen is larger than a small budget
        self.brief = f"Brief {a}: clean the leads, 清理 {filler(0, 9 if a == 15 else 0)}".strip()
        self.session.brief(self.brief)

    # ------------------------------------------------------------ what leaves, and what stays for a step

    def _step(self, a: int, b: int) -> None:
        if b % 4:
            self.session.begin_step(f"step {a % 3}")
        else:
            self.session.end_step()

    def _need(self, a: int, b: int) -> None:
        live = list(self.session.state.nodes)
        if live:
            self.session.need(live[b % len(live)], by=f"step {a % 3}")

    def _drop(self, a: int, b: int) -> None:
        state = self.session.state
        live = list(state.nodes)
        if live:
            at = b % len(live)
            report = self.session.drop_history(first=live[at], last=live[min(len(live) - 1, at + a)], force=bool(a % 2))
            assert not set(report.dropped).intersection(row.seq for row in report.refused)

    def _scratchpad(self, a: int, b: int) -> None:
        self.session.clear_scratchpad()

    def _undo(self, a: int, b: int) -> None:
        try:
            self.session.undo_compaction()
        except NotFound:
            assert not [log for log in self.session.compactions() if not log.undone]

    # ------------------------------------------------------------ back and again

    def _checkpoint(self, a: int, b: int) -> None:
        name = f"c{a % 2}"
        self.session.checkpoint(name)
        kept = (list(self.history), list(self.waiting), list(self.answered), dict(self.pins), list(self.meta), self.brief)
        self.saved = self.saved | {name: (*kept, dict(self.saved))}

    def _rollback(self, a: int, b: int) -> None:
        name = f"c{a % 2}"
        if name not in self.saved:
            return
        self.session.rollback(name)
        self.history, self.waiting, self.answered, self.pins, self.meta, self.brief = (
            part.copy() if isinstance(part, list | dict) else part for part in self.saved[name][:6]
        )
        self.saved = self.saved[name][6] | {name: self.saved[name]}

    def _sync(self, a: int, b: int) -> None:
        self.session.sync(list(self.history))

    def _edit(self, a: int, b: int) -> None:
        """The client goes back to an earlier user message, writes it anew and sends the whole history."""
        places = [index for index, message in enumerate(self.history) if message.get("role") == "user" and not _has_results(message)]
        if not places:
            return
        place = places[-1 - a % min(3, len(places))]
        self.history = [*self.history[:place], self.author.user(self.text(b % 5, b))]
        self.waiting, self.answered = [], []
        # what stood at the point that was gone back to is the session's to know
        self.session.sync(list(self.history))
        self.pins = {pin.pin_id: pin.text for pin in self.session.state.pins.values()}
        meta = self.session.state.meta
        self.meta = [line for line in (meta.identity, *meta.never, *meta.done_when) if line]
        self.brief = self.session.state.brief
        self.saved = {name: value for name, value in self.saved.items() if name in self.session.state.checkpoints}

    def _reopen(self, a: int, b: int) -> None:
        if self._reopens:
            self.session.close()
            self.session = self._open()


def _has_results(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(block.get("type") == "tool_result" for block in content)
