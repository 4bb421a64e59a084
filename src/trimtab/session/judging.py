"""A second model judges the work (REQUIREMENTS T7, T8): off the request path, with no lock held while it is asked."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Literal

from msgspec import Struct

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
# questions that one call of `maintain` puts at most; the next call puts those that are left
_MOST_DUE = 8
_GRAVITY = ("none", "continue", "correct", "terminate")
_OBJECTIONS = frozenset(["correct", "terminate"])


class Due(Struct, frozen=True, order=True):
    """A question that is to be put: about the step that an entry finished, or the three of the milestone that it is."""

    seq: int
    kind: Literal["milestone", "verifier"]
    step: str

    def is_answered_by(self, seq: int, judged: e.Judged) -> bool:
        return seq > self.seq and judged.kind == self.kind and (self.kind == "milestone" or judged.step == self.step)


class JudgingPart(MaintainPart):
    """verify, self_check, and their forms to await."""

    _verifier: ChatModel | None = None
    _verifier_limits: Summarizer = Summarizer()
    # what this session object has asked, by the entry that finished the step: also where nothing could be entered of it
    _asked_of: set[Due]

    def _use_verifier(self, model: ChatModel | None) -> None:
        """Called once, as the session is opened. Raises BadSetting for what is no chat model."""
        if model is not None and not (isinstance(model.name, str) and isinstance(model.window_tokens, int)):
            raise BadSetting("verifier", model, "an object with name, window_tokens and complete(), see trimtab.llm.ChatModel")
        self._asked_of = set()
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
        judged, task = await self._verified(step)
        return await self._entered(judged, task)

    def self_check(self) -> e.Judged:
        """Put the three questions of a milestone to the verifier's model, about the last steps and the whole; the step and the
        product that are shown are of the one finished last, if there is one. Raises as `verify`."""
        return self._waited(self.aself_check())

    async def aself_check(self) -> e.Judged:
        """`self_check` on the caller's event loop."""
        judged, task = await self._taken_stock("")
        return await self._entered(judged, task)

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
        """Each finished step is judged once, in the order in which they were finished, and the three questions are put at every
        so many; where one of the answers objects, what is left waits until a step moves."""
        if self._verifier is None:
            return
        due = await asyncio.to_thread(self._due)
        left = list(due)
        try:
            for _, rows in groupby(due, lambda row: row.seq):
                said = []
                for row in rows:
                    said.append(await (self._taken_stock(row.step) if row.kind == "milestone" else self._verified(row.step)))
                    left.remove(row)
                # one of them stands in the state: the gravest, of equals the one on the step
                for judged, task in sorted(said, key=lambda answer: _GRAVITY.index(answer[0].verdict)):
                    await self._entered(judged, task)
                if any(judged.verdict in _OBJECTIONS for judged, _ in said):
                    return
        finally:
            self._asked_of.difference_update(left)

    def _due(self) -> list[Due]:
        """What is to be asked, by the ledger and by what was asked here: the newest few, which count as asked from now on.
        Nothing while an objection stands."""
        with self._open_lock():
            self._lane.catch_up()
            state, steering = self._lane.state, self.settings.steering
            task = state.task
            if task is None or task.ended or (state.judged is not None and state.judged.verdict in _OBJECTIONS):
                return []
            done = sorted((record.seq, name) for name, record in task.records.items() if record.status == "done")
            stage = milestones.last_stage(task, steering.milestones)
            due = [Due(seq, "milestone", name) for seq, name in done if seq == stage]
            due += [Due(seq, "verifier", name) for seq, name in done] if steering.verifier else []
            due = [row for row in due if row not in self._asked_of]
            spoken = self._judged_since(min(row.seq for row in due)) if due else []
            due = sorted(row for row in due if not any(row.is_answered_by(seq, entry) for seq, entry in spoken))[-_MOST_DUE:]
            self._asked_of.update(due)
        return due

    def _judged_since(self, seq: int) -> list[tuple[int, e.Judged]]:
        """What was entered on this branch since an entry."""
        rows = [row for row in self._store.load(self._key, seq) if row.kind == "judged" and self._lane.state.contains(row.seq)]
        entries = [(row.seq, self._lane.decoded(row)) for row in rows]
        return [(at, entry) for at, entry in entries if isinstance(entry, e.Judged)]

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

    async def _verified(self, step: str) -> tuple[e.Judged, TaskState]:
        """The verdict on a step, and the task as it was asked about. Nothing is entered."""
        case, task = await asyncio.to_thread(self._case, step)
        asker, spoken = self._asker(), None
        if asker is not None:
            spoken = await asker.ask(verdicts.verifier_texts(case, self._fence_key), verdicts.SCHEMA, verdicts.parse_verdict)
        return _judged_of("verifier", case.step.name if case.step is not None else "", asker, spoken), task

    async def _taken_stock(self, step: str) -> tuple[e.Judged, TaskState]:
        """The same of the three questions; `step` is the finished one that is shown, the last by default."""
        case, task = await asyncio.to_thread(self._case, step, finished=True)
        asker, spoken, last = self._asker(), None, milestones.last_steps(task)
        if asker is not None:
            texts = milestones.milestone_texts(case, last, self._fence_key)
            stock = await asker.ask(texts, milestones.SCHEMA, lambda text: milestones.parse_stock(text, last))
            spoken = None if stock is None else milestones.verdict_of(stock)
        return _judged_of("milestone", "", asker, spoken), task

    def _asker(self) -> Asker | None:
        return None if self._verifier is None else Asker(self._verifier, self._verifier_limits)

    async def _entered(self, judged: e.Judged, task: TaskState) -> e.Judged:
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

    def _case(self, step: str, *, finished: bool = False) -> tuple[Case, TaskState]:
        """What is shown about a step: by default the one under way, else the one finished last, with `finished` the other way
        round."""
        with self._open_lock():
            self._lane.catch_up()
            state = self._lane.state
            if state.task is None:
                raise NoTask(tuple(state.parked))
            task = state.task
            last = [task.step(name) for name in milestones.last_steps(task)[-1:]]
            near = [*last, task.active] if finished else [task.active, *last]
            found = task.step(step) if step else next((row for row in near if row is not None), None)
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


def _judged_of(kind: Literal["milestone", "verifier"], step: str, asker: Asker | None, spoken: Spoken | None) -> e.Judged:
    if asker is None:
        return e.Judged(kind=kind, verdict="none", step=step, reason="no verifier is set")
    said = spoken or Spoken("continue", asker.problem)
    verdict = "none" if spoken is None else said.verdict
    return e.Judged(kind, verdict, asker.model.name, step, said.reason, said.corrections, calls=asker.calls)


def _words(message: object) -> list[str]:
    calls = [f"calls {call.name}({call.arguments})" for call in message.calls]  # type: ignore[attr-defined]
    results = [result.text for result in message.results]  # type: ignore[attr-defined]
    return [" ".join(text[: _MOST_LINE_CHARS * 2].split()) for text in (message.text, *calls, *results) if text]  # type: ignore[attr-defined]


def _where(task: TaskState | None) -> str:
    if task is None:
        return ""
    rows = [(step, task.records[step.name]) for step in task.steps if step.name in task.records]
    return "\n".join(f"- {step.name}: {record.status}" + (f" ({record.line})" if record.line else "") for step, record in rows)
