"""The thin loop: prompt, ask, check, run, look, go on (REQUIREMENTS T1-T11 in their places). All it knows stands in the session."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from trimtab.core.messages import ToolCall
from trimtab.core.task import FINISHED, StepStatus, TaskState
from trimtab.errors import Blocked, ConfigError, Drifted, IllegalMove, ModelError, NoTask, OffStep
from trimtab.run.asking import ask
from trimtab.run.calling import INTERRUPTED, NOT_RUN, Answered, as_text, groups, result_messages
from trimtab.run.desk import RunDesk
from trimtab.run.endpoint import Endpoint, Replies, is_too_long
from trimtab.run.outcome import Event, EventKind, OnEvent, Outcome, Status
from trimtab.run.progress import Progress
from trimtab.run.words import CHINESE, ENGLISH, go_on_text
from trimtab.session import Session
from trimtab.session.prompt import Prompt
from trimtab.session.task import Answer, Task
from trimtab.settings import Budget, Settings
from trimtab.steer.proposals import proposals_in
from trimtab.steer.wording import is_chinese
from trimtab.wire import Reply

MOST_ROUNDS = 200
# of a model of the caller's own where no session says it
OWN_WINDOW_TOKENS = 32_000
# in a row: replies for another step than the one under way, and empty ones; requests that were too long
_MOST_OFF_STEP, _MOST_EMPTY, _MOST_TOO_LONG = 5, 3, 3


def run_task(  # noqa: PLR0913 - one call that says it all
    model: Endpoint | Replies,
    task: str | Task,
    tools: Sequence[Any] = (),
    *,
    session: Session | None = None,
    system: str = "",
    max_rounds: int = MOST_ROUNDS,
    on_event: OnEvent | None = None,
    show: bool = False,
) -> Outcome:
    """Let a model carry out a task with tools, until it is done.

    Called again with the same session, it goes on where the last call, or a process that crashed, stood: a task that is done
    returns at once; a call that was cut off is answered with one fixed text, or run again where its tool is `idempotent`.

    Args:
        model: an `Endpoint`, or an object with `reply(body)`, see `trimtab.run.Replies`.
        task: what `Session.task` returned, with its plan; or the goal, for a model that proposes its plan itself.
        tools: callables (their schema is made from signature and docstring), dicts with name and run, a `Toolset`.
        session: where the task is; one in memory by default, for a goal.
        system: the agent's own system text.
        max_rounds: replies in this call.
        on_event: is told what happens; a text that it returns is taken as a message of the user's.
        show: progress in the terminal.
    Raises:
        ModelError: the endpoint gave no answer. BudgetError: what must be in a prompt does not fit. BadSetting: a tool that
            cannot be offered. NoTask: the task is none of this session. What a model of your own raises.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        made = arun_task(model, task, tools, session=session, system=system, max_rounds=max_rounds, on_event=on_event, show=show)
        return asyncio.run(made)
    raise ConfigError("run_task was called where an event loop is running; await trimtab.run.arun_task(...) there")


async def arun_task(  # noqa: PLR0913 - as run_task
    model: Endpoint | Replies,
    task: str | Task,
    tools: Sequence[Any] = (),
    *,
    session: Session | None = None,
    system: str = "",
    max_rounds: int = MOST_ROUNDS,
    on_event: OnEvent | None = None,
    show: bool = False,
) -> Outcome:
    """`run_task` on the caller's event loop. Canceling it leaves the session as a crash would, so that it can be gone on with."""
    owned = session is None and isinstance(task, str)
    if session is None:
        session = _opened(model) if isinstance(task, str) else cast(Session, task._session)
    try:
        handle = session.task(task) if isinstance(task, str) else task
        with Progress(show) as progress:
            run = Run(model, handle, session, RunDesk(session, tools), [*([on_event] if on_event else []), *([progress] if show else [])])
            return await run.go(system, max_rounds)
    finally:
        if owned:
            session.close()


class Run:
    """One call of `run_task`."""

    def __init__(self, model: Endpoint | Replies, task: Task, session: Session, desk: RunDesk, tell: Sequence[OnEvent]) -> None:
        self.model, self.task, self.session, self.desk = model, task, session, desk
        self.target = model.target if isinstance(model, Endpoint) and not _fits(session, model) else session.target
        self.words = CHINESE if is_chinese(task.state.goal) else ENGLISH
        self.round, self.reply = 0, ""
        self.off_step = self.empty = 0
        self._listeners = tell
        self._inbox: list[str] = []

    async def go(self, system: str, max_rounds: int) -> Outcome:
        if self.task.task_id in self.session.state.parked:
            self.session.resume(self.task.task_id)
        state = self.task.state
        if state.ended:
            return self._end("done" if state.ended == "done" else "given up", state.line)
        if not self.session.state.turn:
            self.session.record({"role": "user", "content": state.goal})
        self._begin_next()
        ended = await self._go_on_where_it_stood()
        while ended is None and self.round < max_rounds:
            ended = await self._take_in(system) or await self._one_round(system)
        return ended or self._end("rounds", f"{max_rounds} rounds were not enough")

    async def _one_round(self, system: str) -> Outcome | None:
        self._begin_next()
        try:
            reply = await self._asked(system)
        except Drifted as drifted:
            return self._end("drifted", str(drifted))
        except Blocked as blocked:
            return self._end("blocked", str(blocked))
        self.round += 1
        messages, flags = reply.messages, {flag.flag_id for flag in self.session.flags()}
        self.session.record(*messages)
        if reply.usage is not None:
            self.session.usage(reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens)
        text = "\n".join(message.text for message in messages if message.text)
        calls = [call for message in messages for call in message.calls]
        self.reply = text or self.reply
        self._tell("reply", text=text, value=tuple(calls))
        before = self.task.state
        ended = await self._answered(reply, text, calls)
        self._tell_changes(before, flags)
        if ended is None and _finished_more(before, self.task.state):
            ended = await self._maintained()
        return ended

    # ------------------------------------------------------------ asking

    async def _asked(self, system: str) -> Reply:
        """Raises ModelError, Drifted, Blocked."""
        for tried in range(_MOST_TOO_LONG):
            prompt = await self._prompt(system)
            self._tell("request", value=prompt)
            try:
                return await ask(
                    self.model,
                    prompt.render(),
                    self.target.wire,
                    lambda text: self._tell("piece", text=text),
                    lambda why: self._tell("retry", text=why),
                )
            except ModelError as error:
                if not is_too_long(error) or tried + 1 == _MOST_TOO_LONG:
                    raise
                self.session.overflowed(error)
                self._tell("retry", text=str(error))
        raise AssertionError("unreachable")

    async def _prompt(self, system: str) -> Prompt:
        form = self.session.settings.steering.assertion
        own = self.words.rules.format(self.desk.update_task) if self.desk.update_task else ""
        texts = [text for text in (system, self.desk.usage_rules, own) if text]
        tools = self.desk.schemas(self.target.wire, in_argument=form == "argument")
        return await self.session.aprompt(tools=tools or None, system="\n\n".join(texts) or None, target=self.target)

    # ------------------------------------------------------------ what becomes of a reply

    async def _answered(self, reply: Reply, text: str, calls: list[ToolCall]) -> Outcome | None:
        if not text.strip() and not calls:
            self.empty += 1
            self._say(self.words.empty)
            return self._end("stopped", "the model replied with nothing") if self.empty >= _MOST_EMPTY else None
        self.empty = 0
        if reply.status != "complete" and calls:
            self._record([Answered(call=call, text=NOT_RUN + self.words.broken, is_error=True) for call in calls])
            return None
        try:
            self.session.asserted(text, calls, self.desk.arguments(self.target.wire))
        except OffStep as off:
            return self._corrected(off, calls)
        self.off_step = 0
        if calls:
            await self._run(calls)
            return None
        return self._without_calls(text)

    def _corrected(self, off: OffStep, calls: list[ToolCall]) -> Outcome | None:
        """Nothing is run; the correction stands where the results would, or where the user speaks."""
        self.off_step += 1
        self._tell("correction", name=off.expected, text=off.correction)
        if calls:
            self._record([Answered(call=call, text=NOT_RUN + off.correction, is_error=True) for call in calls])
        else:
            self._say(off.correction)
        if self.off_step < _MOST_OFF_STEP:
            return None
        return self._end("stopped", f"{self.off_step} replies in a row were not for step {off.expected!r}")

    async def _run(self, calls: list[ToolCall]) -> None:
        """What ran is recorded also where a later call of the reply is canceled: only what had begun stays open."""
        done: list[Answered] = []
        try:
            for group in groups(self.desk.tools, calls):
                for call in group:
                    self._tell("call", name=call.name, text=call.arguments, value=call)
                for row in await asyncio.gather(*(self._called(call) for call in group)):
                    done.append(row)
                    self._tell("result", name=row.call.name, text=row.text, value=row.is_error)
        except asyncio.CancelledError:
            # the Messages form takes one message for all results
            if self.target.wire != "anthropic" and done:
                self._record(done)
            raise
        self._record(done)

    async def _called(self, call: ToolCall) -> Answered:
        named = self.session.settings.steering.assertion == "argument"
        answered = await self.desk.call(call, self.target.wire, names_step=named)
        if call.name != self.desk.update_task or self.task.state.active is not None or not self._begin_next():
            return answered
        active = self.task.state.active
        head = answered.text.partition(" Next: ")[0]
        return Answered(call=call, text=f'{head} Under way: "{active.name if active else ""}".', is_error=answered.is_error)

    def _without_calls(self, text: str) -> Outcome | None:
        """The model hands over, proposes in words, or only talks."""
        state = self.task.state
        answers: list[tuple[str, str, Answer]] = []
        for proposed in proposals_in(text, state.steps):
            if self.task.state.status(proposed.step) != proposed.to:
                answers.append((proposed.step, proposed.to, self.task.propose(proposed.step, proposed.to, proposed.because)))
        self._begin_next()
        state = self.task.state
        if state.ended:
            return self._end("done" if state.ended == "done" else "given up", state.line)
        if not state.steps:
            return self._end("answered")
        if state.finished and state.active is None:
            self.task.end("done", text[:200])
            return self._end("done")
        self._say(go_on_text(self.words, answers))
        return None

    def _begin_next(self) -> bool:
        """Begin the next step, where none is under way and the model did not put one back."""
        state = self.task.state
        following = state.next
        if state.ended or state.active is not None or following is None or state.records[following.name].begun:
            return False
        try:
            self.task.begin(following.name)
        except IllegalMove:
            return False  # an input is not there: the state block says that no step is under way
        return True

    async def _maintained(self) -> Outcome | None:
        """A step was finished: the summarizer and the verifier have their turn."""
        await self.session.amaintain()
        judged = self.session.state.judged
        if judged is None:
            return None
        self._tell("verdict", name=judged.verdict, text=judged.reason)
        return self._end("stopped", judged.reason) if judged.verdict == "terminate" else None

    # ------------------------------------------------------------ where it stood

    async def _go_on_where_it_stood(self) -> Outcome | None:
        """Calls that nobody answered are answered; a last reply that nobody heeded is heeded."""
        calls = self.session.open_calls()
        if calls:
            again = [self.desk.may_run_again(call.name) for call in calls]
            rows = [await self._called(call) if may else _gone(call) for call, may in zip(calls, again, strict=True)]
            self._record(rows)
            return None
        said = self._last_reply()
        if not said:
            return None
        self.reply = said
        return self._without_calls(said)

    def _last_reply(self) -> str:
        """The text of the newest message, where it is a reply without a call that nothing followed; else ""."""
        unit = self.session.state.units[-1] if self.session.state.units else None
        if unit is None or unit.role != "assistant" or unit.calls:
            return ""
        return as_text(self.session.read(f"#{unit.nodes[-1]}"))

    # ------------------------------------------------------------ what the user says meanwhile

    async def _take_in(self, system: str) -> Outcome | None:
        waiting, self._inbox = self._inbox, []
        for text in waiting:
            kind = "input"
            if self.session.settings.steering.interruptions:
                kind = (await asyncio.to_thread(self.session.sort_message, text)).kind
            if kind == "side_question":
                await self._aside(system, text)
            else:
                self.session.record({"role": "user", "content": text})
            if kind == "new_task":
                self.task.park("the user began another task")
                return self._end("parked", text)
        return None

    async def _aside(self, system: str, text: str) -> None:
        """Answered on a lane of its own; the task's own line is not touched."""
        other = self.session.aside(text)
        try:
            prompt = await other.aprompt(system=system or None, target=self.target)
            reply = await ask(self.model, prompt.render(), self.target.wire, lambda _: None, lambda _: None)
            other.record(*reply.messages)
        finally:
            other.close()
        self._tell("aside", name=text, text="\n".join(message.text for message in reply.messages))

    # ------------------------------------------------------------ records and events

    def _record(self, rows: Sequence[Answered]) -> None:
        self.session.record(*result_messages(self.target.wire, rows))

    def _say(self, text: str) -> None:
        self.session.record({"role": "user", "content": text}, by_code=True)

    def _tell(self, kind: EventKind, *, name: str = "", text: str = "", value: Any = None) -> None:
        if not self._listeners:
            return
        task = self.session.state.task
        active = task.active if task is not None else None
        event = Event(kind=kind, round=self.round, step=active.name if active else "", name=name, text=text, value=value)
        for listener in self._listeners:
            said = listener(event)
            if said:
                self._inbox.append(said)

    def _tell_changes(self, before: TaskState, known: set[str]) -> None:
        try:
            state = self.task.state
        except NoTask:
            return
        for name, record in state.records.items():
            if record != before.records.get(name):
                self._tell("moved", name=name, text=record.status, value=record)
        for row in state.refused:
            if row not in before.refused:
                self._tell("refused", name=row.step, text=row.reason, value=row)
        for flag in self.session.flags():
            if flag.flag_id not in known:
                self._tell("flag", name=flag.kind, text=flag.text, value=flag)

    def _end(self, status: Status, why: str = "") -> Outcome:
        flags = self.session.flags()
        outcome = Outcome(status=status, reply=self.reply, rounds=self.round, task=self.task.state, flags=flags, why=why)
        self._tell("end", name=status, text=why, value=outcome)
        return outcome


def _opened(model: Endpoint | Replies) -> Session:
    """A session in memory, for a goal alone."""
    if isinstance(model, Endpoint):
        return Session.open(":memory:", "run", settings=Settings(budget=Budget(window_tokens=model.window_tokens)), target=model.target)
    return Session.open(":memory:", "run", settings=Settings(budget=Budget(window_tokens=OWN_WINDOW_TOKENS)))


def _gone(call: ToolCall) -> Answered:
    return Answered(call=call, text=INTERRUPTED, is_error=True)


def _fits(session: Session, model: Endpoint) -> bool:
    """Whether the session's own target is this endpoint already, perhaps said more closely."""
    return (session.target.model, session.target.wire) == (model.model, model.interface)


def _finished_more(before: TaskState, after: TaskState) -> bool:
    def finished(state: TaskState) -> frozenset[tuple[str, StepStatus]]:
        return frozenset((name, record.status) for name, record in state.records.items() if record.status in FINISHED)

    return bool(finished(after) - finished(before))
