"""A second model judges the work (REQUIREMENTS T7, T8): off the request path, with no lock held while it is asked."""

from __future__ import annotations

import asyncio

from trimtab.core import entries as e
from trimtab.core.sections import pinned_items
from trimtab.core.state import SessionState
from trimtab.core.task import Condition, PlanStep, Proof, TaskState
from trimtab.errors import BadSetting, NoTask, SessionClosed
from trimtab.llm import ChatModel
from trimtab.session import background
from trimtab.session.asking import Asker
from trimtab.session.maintain import MaintainPart
from trimtab.session.outcomes import MaintainReport
from trimtab.session.reading import variable_text
from trimtab.settings import Summarizer
from trimtab.steer import milestones, verdicts
from trimtab.steer.verdicts import Case, Spoken

_MOST_RECENT, _MOST_LINE_CHARS = 12, 400


class JudgingPart(MaintainPart):
    """verify, self_check, and their forms to await."""

    _verifier: ChatModel | None = None
    _verifier_limits: Summarizer = Summarizer()
    # finished steps that this session object has had judged, by the entry that finished them
    _judged_seq = 0

    def _use_verifier(self, model: ChatModel | None) -> None:
        """Called once, as the session is opened. Raises BadSetting for what is no chat model."""
        if model is not None and not (isinstance(model.name, str) and isinstance(model.window_tokens, int)):
            raise BadSetting("verifier", model, "an object with name, window_tokens and complete(), see trimtab.llm.ChatModel")
        self._verifier = model
        self._verifier_limits = self.settings.verifier or Summarizer()

    # ------------------------------------------------------------ by call

    def verify(self, step: str = "") -> e.Judged:
        """Ask the verifier whether the work may go on: about a step, by default the one under way, else the one finished last.

        Returns:
            what was entered; its verdict is "none" where no verifier is set or its answer is none.
        Raises:
            NoTask; SessionClosed, before anything was asked. What the model does never raises.
        """
        return self._waited(self.averify(step))

    async def averify(self, step: str = "") -> e.Judged:
        """`verify` on the caller's event loop."""
        case, task = await asyncio.to_thread(self._case, step)
        name = case.step.name if case.step is not None else ""
        texts = verdicts.verifier_texts(case, self._fence_key)
        return await self._judge("verifier", name, task, texts)

    def self_check(self) -> e.Judged:
        """Put the three questions of a milestone to the verifier's model. Raises as `verify`."""
        return self._waited(self.aself_check())

    async def aself_check(self) -> e.Judged:
        """`self_check` on the caller's event loop."""
        case, task = await asyncio.to_thread(self._case, "")
        texts = milestones.milestone_texts(case, milestones.last_steps(task), self._fence_key)
        return await self._judge("milestone", "", task, texts)

    def prove_by_verifier(self, step: PlanStep, condition: Condition, product: str) -> Proof:
        """What the verifier says to the question of one condition; `ok` None where it gives no verdict. Enters nothing.

        Ask without holding the session's lock.
        """
        if self._verifier is None or not self.settings.steering.verifier:
            return Proof(condition.text, None, "no verifier is set")
        case = self._case_of(self._lane.state, step, product)
        asker = Asker(self._verifier, self._verifier_limits)
        texts = verdicts.condition_texts(condition.value or condition.text, case, self._fence_key)
        if background.is_inside():
            return Proof(condition.text, None, "asked from inside of a model's answer")
        held = background.submit(asker.ask(texts, verdicts.CONDITION_SCHEMA, verdicts.parse_held)).result()
        return Proof(condition.text, None, asker.problem) if held is None else Proof(condition.text, held.holds, held.reason)

    # ------------------------------------------------------------ in maintenance

    def maintain(self) -> MaintainReport:
        """What `MaintainPart.maintain` does; then what is due of the verifier and of the milestones."""
        report = super().maintain()
        if self._model is None and not background.is_inside():
            background.submit(self._judge_due()).result()
        return report

    async def amaintain(self) -> MaintainReport:
        """`maintain` on the caller's event loop."""
        report = await super().amaintain()
        await self._judge_due()
        return report

    async def _judge_due(self) -> None:
        """A finished step is judged once; the three questions are put after every so many."""
        task, steering = self._lane.state.task, self.settings.steering
        if self._verifier is None or task is None or task.ended:
            return
        done = [(record.seq, name) for name, record in task.records.items() if record.status == "done"]
        newest = max(done, default=(0, ""))
        if newest[0] <= self._judged_seq or self._lane.state.judged is not None:
            return
        self._judged_seq = newest[0]
        if steering.milestones and milestones.is_due(task, steering.milestones):
            await self.aself_check()
        elif steering.verifier:
            await self.averify(newest[1])

    # ------------------------------------------------------------ the question

    def _waited(self, asking: object) -> e.Judged:
        if background.is_inside():
            asking.close()  # type: ignore[attr-defined]
            raise BadSetting("verify", "called from inside a model's answer", "await averify() or aself_check() there")
        future = background.submit(asking)  # type: ignore[arg-type,var-annotated]
        try:
            judged: e.Judged = future.result()
            return judged
        finally:
            future.cancel()  # where the wait was broken off; of one that is over this does nothing

    async def _judge(self, kind: str, step: str, task: TaskState, texts: tuple[str, str]) -> e.Judged:
        asker = None if self._verifier is None else Asker(self._verifier, self._verifier_limits)
        spoken: Spoken | None = None
        if asker is not None and kind == "milestone":
            last = milestones.last_steps(task)
            stock = await asker.ask(texts, milestones.SCHEMA, lambda text: milestones.parse_stock(text, last))
            spoken = None if stock is None else milestones.verdict_of(stock)
        elif asker is not None:
            spoken = await asker.ask(texts, verdicts.SCHEMA, verdicts.parse_verdict)
        judged = e.Judged(
            kind="milestone" if kind == "milestone" else "verifier",
            verdict=spoken.verdict if spoken is not None else "none",
            model=asker.model.name if asker is not None else "",
            step=step,
            reason=spoken.reason if spoken is not None else asker.problem if asker is not None else "no verifier is set",
            corrections=spoken.corrections if spoken is not None else (),
            calls=asker.calls if asker is not None else 0,
        )
        await asyncio.to_thread(self._enter_judged, judged, task)
        return judged

    def _enter_judged(self, judged: e.Judged, task: TaskState) -> None:
        """Nothing is entered of a question that was never asked, or about what has moved on meanwhile."""
        if not judged.calls:
            return
        try:
            self._enter(lambda state: judged if state.task is not None and state.task.records == task.records else None)
        except SessionClosed:
            return

    def _case(self, step: str) -> tuple[Case, TaskState]:
        with self._open_lock():
            self._lane.catch_up()
            state = self._lane.state
            if state.task is None:
                raise NoTask(tuple(state.parked))
            task = state.task
            done = sorted((record.seq, name) for name, record in task.records.items() if record.status == "done")
            found = task.step(step) if step else task.active or (task.step(done[-1][1]) if done else None)
            variable = state.variables.get(found.output) if found is not None else None
            product = variable_text(self._lane, self._bodies, variable) if variable is not None else ""
            return self._case_of(state, found, product), task

    def _case_of(self, state: SessionState, step: PlanStep | None, product: str) -> Case:
        task = state.task
        rules = [pin.text for pin in state.pins.values()] + [item.text for item in pinned_items(state)]
        nodes = [node for _, node in sorted(state.nodes.items())][-_MOST_RECENT:]
        said = [(node, self._message_or_none(node)) for node in nodes]
        lines = [
            f"#{node.seq} {node.role}: {' '.join(_words(message))[:_MOST_LINE_CHARS]}" for node, message in said if message is not None
        ]
        return Case(
            goal=task.goal if task is not None else "",
            meta=state.meta,
            state_text=_where(task),
            rules=tuple(rules),
            recent=tuple(lines),
            step=step,
            product=product,
        )


def _words(message: object) -> list[str]:
    calls = [f"calls {call.name}({call.arguments})" for call in message.calls]  # type: ignore[attr-defined]
    results = [result.text for result in message.results]  # type: ignore[attr-defined]
    return [" ".join(text[: _MOST_LINE_CHARS * 2].split()) for text in (message.text, *calls, *results) if text]  # type: ignore[attr-defined]


def _where(task: TaskState | None) -> str:
    if task is None:
        return ""
    rows = [(step, task.records[step.name]) for step in task.steps if step.name in task.records]
    return "\n".join(f"- {step.name}: {record.status}" + (f" ({record.line})" if record.line else "") for step, record in rows)
