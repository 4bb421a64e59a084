"""No proposal takes a task where it may not be; the fold of what is entered is what a plain model says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from tests import profiles  # noqa: F401 - how many examples are tried
from trimtab.core import entries as e
from trimtab.core.fold import apply
from trimtab.core.plan_check import MOST_STEPS
from trimtab.core.state import SessionState
from trimtab.core.task import FINISHED, Condition, PlanStep, Proof, TaskState
from trimtab.core.transitions import moved, next_step, replanned, validated
from trimtab.errors import BadPlan, IllegalMove

NAMES = ("a", "b", "c", "d", "e", "f")
HOLDS = Condition("text", "it holds 'Total'", value="Total")
CHECKED = Condition("callable", "check rows", value="rows")
STATUSES = ("open", "active", "done", "skipped")
AUTHORS = st.sampled_from(("caller", "agent", "code"))


def begun(*steps: PlanStep, done: tuple[str, ...] = ()) -> TaskState:
    """A task of these steps, some of them done."""
    state = SessionState()
    apply(state, 1, e.TaskSet("t1", "sort the leads", steps))
    for name in done:
        for to in ("active", "done"):
            apply(state, state.seq + 1, e.StepMoved(name, to))
    assert state.task is not None
    return state.task


def problems(*steps: PlanStep, known: Any = ()) -> str:
    with pytest.raises(BadPlan) as caught:
        validated(steps, known)
    return "\n".join(caught.value.problems)


def refusal(task: TaskState, name: str, to: Any, **asked: Any) -> str:
    with pytest.raises(IllegalMove) as caught:
        moved(task, name, to, **{"variables": {}} | asked)
    return caught.value.reason


# ------------------------------------------------------------ plans


def test_a_plan_that_can_be_carried_out_has_no_problems() -> None:
    steps = (
        PlanStep(
            "collect",
            inputs=("source",),
            output="rows",
            schema='{"type": "array"}',
            done_when=(Condition("count", "20 rows", least=20, most=20),),
        ),
        PlanStep("grade", after=("collect",), inputs=("rows",), output="grades", done_when=(HOLDS,), rounds=3),
        PlanStep("report", after=("grade",), inputs=("rows", "grades"), optional=True),
    )
    validated(steps, {"source"})
    validated(steps, None)
    validated((), ())


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((PlanStep(" "),), "the name of step 1"),
        ((PlanStep("a\nb"),), "one printable line"),
        ((PlanStep("a" * 201),), "at most 200 characters"),
        ((PlanStep("a"), PlanStep("a")), "there twice"),
        ((PlanStep("a", after=("z",)),), "no step of the plan"),
        ((PlanStep("a", after=("a",)),), "waits for itself"),
        ((PlanStep("a", after=("b",)), PlanStep("b", after=("a",))), "'b' waits for itself"),
        ((PlanStep("a", inputs=("rows",)),), "which no step makes"),
        ((PlanStep("a", reads=("rows",)),), "which no step makes"),
        ((PlanStep("a", inputs=("x",), output="x"),), "makes itself"),
        ((PlanStep("a", output="x"), PlanStep("b", inputs=("x",))), "add that to its 'after'"),
        ((PlanStep("a", output="x"), PlanStep("b", output="x")), "both make 'x'"),
        ((PlanStep("a", output="x", schema="{"),), "is not JSON"),
        ((PlanStep("a", output="x", schema="[]"),), "must be a JSON object"),
        ((PlanStep("a", output="x", schema='{"type": "liste"}'),), "has the type 'liste'"),
        ((PlanStep("a", schema="{}"),), "a schema and no output"),
        ((PlanStep("a", rounds=-1),), "rounds is -1"),
        ((PlanStep("a", done_when=(HOLDS,)),), "the step has none"),
        ((PlanStep("a", done_when=(Condition("command", "tests pass"),)),), "does not say which"),
        ((PlanStep("a", done_when=(Condition("verifier", " ", value="?"),)),), "has no words"),
        ((PlanStep("a", output="x", done_when=(Condition("count", "rows"),)),), "it counts from 0 to 0"),
        ((PlanStep("a", output="x", done_when=(Condition("count", "rows", least=3, most=2),)),), "it counts from 3 to 2"),
        ((PlanStep("a", done_when=(Condition("command", "x", value="x", timeout_s=0),)),), "time limit"),
        ((PlanStep("a", done_when=(Condition("guess", "x", value="x"),)),), "its kind is 'guess'"),  # type: ignore[arg-type]
        ((PlanStep("a", done_when=(Condition("text", "x", of="a\nb", value="x"),)),), "it looks at 'a\\nb'"),
        (tuple(PlanStep(f"s{n}") for n in range(MOST_STEPS + 1)), "has 61 steps"),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(steps: tuple[PlanStep, ...], said: str) -> None:
    assert said in problems(*steps)


def test_all_that_is_wrong_is_said_at_once() -> None:
    said = problems(PlanStep("a", after=("z",), inputs=("x",)), PlanStep("a", output="o", schema="{"), PlanStep(""))
    assert len(said.splitlines()) == 5


# ------------------------------------------------------------ moves


def test_reasons_say_what_to_do() -> None:
    a, b = PlanStep("a", output="x", done_when=(HOLDS,), schema="{}"), PlanStep("b", after=("a",), inputs=("x",))
    task = begun(a, b)
    assert "finish that first" in refusal(task, "b", "active")
    assert "begin it before" in refusal(task, "a", "done")
    assert "its steps are: 'a', 'b'" in refusal(task, "z", "active")
    assert "ask the user to skip" in refusal(task, "a", "skipped", author="agent")
    assert moved(task, "a", "skipped", author="caller", variables={}).to == "skipped"
    active = begun_active(a, b)
    assert "finish it or put it back" in refusal(active, "a", "skipped", author="caller")
    assert "'x' is not there" in refusal(active, "a", "done")
    assert "nobody has checked: it holds 'Total'" in refusal(active, "a", "done", variables={"x": 1})
    assert "against its schema" in refusal(active, "a", "done", variables={"x": 1}, proofs=[Proof(HOLDS.text, True)])
    fits = Proof("x fits its schema", True)
    unproven = refusal(active, "a", "done", variables={"x": 1}, proofs=[fits, Proof(HOLDS.text, None, "no verifier is set")])
    assert unproven == f"{HOLDS.text!r} is not proven: no verifier is set"
    false = refusal(active, "a", "done", variables={"x": 1}, proofs=[fits, Proof(HOLDS.text, False, "no such words")])
    assert false == f"{HOLDS.text!r} does not hold: no such words"
    entry = moved(active, "a", "done", why=" all\nthere ", variables={"x": 4}, proofs=[fits, Proof(HOLDS.text, True)], at_ms=7)
    assert (entry.version, entry.why, entry.at_ms, len(entry.proofs)) == (4, "all there", 7, 2)


def begun_active(*steps: PlanStep, done: tuple[str, ...] = ()) -> TaskState:
    """As `begun`, with the first open step under way."""
    task = begun(*steps, done=done)
    opened = next(step.name for step in steps if task.status(step.name) == "open")
    return replace(task, records=task.records | {opened: replace(task.records[opened], status="active")})


def test_an_input_that_is_gone_names_the_step_that_makes_it() -> None:
    task = begun(PlanStep("a", output="x"), PlanStep("b", after=("a",), inputs=("x", "y")), done=("a",))
    assert "'x' (made by step 'a': reopen that), 'y'" in refusal(task, "b", "active")
    assert moved(task, "b", "active", variables={"x": 1, "y": 2}).to == "active"


def test_reopening_takes_along_what_stands_on_it() -> None:
    steps = (PlanStep("a"), PlanStep("b", after=("a",), optional=True), PlanStep("c", after=("b",)), PlanStep("d"))
    task = begun(*steps, done=("a", "c", "d"))
    task = replace(task, records=task.records | {"b": replace(task.records["b"], status="skipped")})
    assert "say why" in refusal(task, "a", "open")
    assert "reopen it first" in refusal(task, "a", "active")
    assert moved(task, "a", "open", why="rows were missing", variables={}).also == ("c",)
    under_way = replace(task, records=task.records | {"c": replace(task.records["c"], status="active")})
    assert "put that back first" in refusal(under_way, "a", "open", why="rows were missing")


def test_what_is_skipped_lets_nothing_begin_early() -> None:
    steps = (PlanStep("a"), PlanStep("b", after=("a",), optional=True), PlanStep("c", after=("b",)))
    task = begun(*steps)
    task = replace(task, records=task.records | {"b": replace(task.records["b"], status="skipped")})
    assert task.waits_for(steps[2]) == ("a",)
    assert "waits for 'a'" in refusal(task, "c", "active")
    following = next_step(task)
    assert following is not None
    assert following.name == "a"


def test_a_task_that_has_ended_does_not_move() -> None:
    task = replace(begun(PlanStep("a")), ended="given up")
    assert "given up" in refusal(task, "a", "active")
    with pytest.raises(IllegalMove):
        replanned(task, (PlanStep("a"),))


# ------------------------------------------------------------ another plan


def replan_problem(task: TaskState, *steps: PlanStep, author: Any = "agent") -> str:
    with pytest.raises(BadPlan) as caught:
        replanned(task, steps, author)
    return "\n".join(caught.value.problems)


def test_what_is_done_or_under_way_stays_as_it_is() -> None:
    a = PlanStep("a", output="x", done_when=(HOLDS,))
    task = begun_active(a, PlanStep("b", after=("a",)), PlanStep("c", after=("b",), optional=True), done=("a",))
    assert "keep it in the plan" in replan_problem(task, PlanStep("a"), PlanStep("z"))
    assert "'a' is done; keep it" in replan_problem(task, PlanStep("b"))
    assert "cannot have another output" in replan_problem(task, PlanStep("a", output="y"), PlanStep("b"))
    problem = replan_problem(task, PlanStep("a"), PlanStep("b", schema="{}", output="y"), author="caller")
    assert "'b' is under way and cannot have another output, schema; put it back first" in problem
    assert "under way and cannot have another about" in replan_problem(task, PlanStep("a"), PlanStep("b", about="else"))
    reworded = replanned(task, (PlanStep("a", about="as before", rounds=3), PlanStep("b", about="else"), PlanStep("c")), "caller")
    assert reworded.steps[0] == replace(a, about="as before", rounds=3) and reworded.steps[1].about == "else"
    entry = replanned(task, (PlanStep("a"), PlanStep("b"), PlanStep("z", after=("b",))), "agent", why="c is not needed")
    assert entry.steps[0] == a
    assert [step.name for step in entry.steps] == ["a", "b", "z"]
    dropped = replanned(task, (PlanStep("b"), PlanStep("z", after=("b",))), "caller")
    assert dropped.steps[0] == PlanStep("b")


def test_an_agent_loosens_nothing_that_proves_a_step() -> None:
    task = begun(PlanStep("a", output="x", schema="{}", done_when=(CHECKED,)), PlanStep("b"))
    assert "cannot become optional" in replan_problem(task, PlanStep("a"), PlanStep("b", optional=True))
    assert "'a' is needed; keep it" in replan_problem(task, PlanStep("b"))
    entry = replanned(task, (PlanStep("a", done_when=(HOLDS,)), PlanStep("b"), PlanStep("z")), "agent")
    assert entry.steps[0] == PlanStep("a", output="x", schema="{}", done_when=(CHECKED, HOLDS))
    assert replanned(task, (PlanStep("b"),), "caller").steps == (PlanStep("b"),)
    assert "which no step makes" in _unknown_input(task)


def test_an_agent_drops_no_step_of_the_callers_and_what_it_says_of_one_only_adds() -> None:
    a = PlanStep("a", output="x", rounds=4)
    b = PlanStep("b", after=("a",), inputs=("x",), reads=("x",), milestone=True)
    task = begun(a, b, PlanStep("c", optional=True))
    assert "'b' is needed; keep it in the plan, under this name" in replan_problem(task, a, PlanStep("B"))
    worded = PlanStep("b", after=(), batch=True, rounds=999, about="carefully", inputs=())
    made = replanned(task, (PlanStep("a", rounds=1_000), worded), "agent").steps
    assert made[0].rounds == 4
    assert made[1] == PlanStep("b", after=("a",), inputs=("x",), reads=("x",), milestone=True, rounds=999, about="carefully")


def test_its_own_steps_an_agent_may_drop_unless_the_caller_takes_them_over() -> None:
    state = SessionState()
    apply(state, 1, e.TaskSet("t1", "goal", ()))
    apply(state, 2, e.PlanChanged((PlanStep("mine"), PlanStep("other")), author="agent"))
    assert state.task is not None and not state.task.callers
    assert replanned(state.task, (PlanStep("other"),), "agent").steps == (PlanStep("other"),)
    apply(state, 3, e.PlanChanged((PlanStep("mine"),), author="caller"))
    assert "'mine' is needed" in replan_problem(state.task, PlanStep("other"))


def test_an_optional_step_is_not_skipped_by_an_agent_where_a_later_one_takes_its_product() -> None:
    task = begun(PlanStep("a", output="x", optional=True), PlanStep("b", after=("a",), inputs=("x",)))
    with pytest.raises(IllegalMove, match="'b' needs its product 'x'"):
        moved(task, "a", "skipped", author="agent", variables={})
    assert moved(task, "a", "skipped", author="agent", variables={"x": 1}).to == "skipped"
    assert moved(task, "a", "skipped", author="caller", variables={}).to == "skipped"


def test_a_move_without_a_name_says_why_there_is_none() -> None:
    for task, reason in (
        (begun_active(PlanStep("a"), PlanStep("b")), "'a' is under way"),
        (TaskState("t", "g"), "no plan yet"),
    ):
        with pytest.raises(IllegalMove, match=reason) as caught:
            moved(task, "", "active", variables={})
        assert "step ''" not in str(caught.value)


def _unknown_input(task: TaskState) -> str:
    with pytest.raises(BadPlan) as caught:
        replanned(task, (PlanStep("z", inputs=("q",)),), known_variables=())
    return str(caught.value)


# ------------------------------------------------------------ any sequence of proposals


@st.composite
def plans(draw: st.DrawFn) -> tuple[PlanStep, ...]:
    """Plans that can be carried out: each step after some of those before it, and taking what these make."""
    steps: list[PlanStep] = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True)):
        after = tuple(draw(st.lists(st.sampled_from([row.name for row in steps]), unique=True, max_size=2))) if steps else ()
        makers = [row for row in steps if row.name in after and row.output]
        output = f"{name}-made" if draw(st.booleans()) else ""
        conditions = (HOLDS, CHECKED) if output and draw(st.booleans()) else ()
        inputs = tuple(row.output for row in makers if draw(st.booleans()))
        schema = "{}" if output and draw(st.booleans()) else ""
        steps.append(PlanStep(name, after, inputs, output, schema, done_when=conditions, optional=draw(st.booleans())))
    return tuple(steps)


class Proposals(RuleBasedStateMachine):
    """Anything is proposed; what is accepted goes through the fold, and through a model that is a dict of words."""

    def __init__(self) -> None:
        super().__init__()
        self.state = SessionState()
        self.variables: dict[str, int] = {}
        # of each name the newest version that ever was
        self.newest: dict[str, int] = {}
        self.status: dict[str, str] = {}
        self.begun: dict[str, int] = {}
        self.versions: dict[str, int] = {}
        self.ms = 0

    @initialize(steps=plans())
    def begin(self, steps: tuple[PlanStep, ...]) -> None:
        validated(steps, ())
        self.enter(e.TaskSet("t1", "goal", steps))
        self.status = {step.name: "open" for step in steps}
        self.begun = dict.fromkeys(self.status, 0)
        self.versions = dict.fromkeys(self.status, 0)

    def enter(self, entry: e.Entry) -> None:
        apply(self.state, self.state.seq + 1, entry)

    @property
    def task(self) -> TaskState:
        assert self.state.task is not None
        return self.state.task

    @rule(name=st.sampled_from(NAMES), there=st.booleans())
    def store(self, name: str, there: bool) -> None:
        key = f"{name}-made"
        if there:
            self.variables[key] = self.variables.get(key, 0) + 1
        else:
            self.variables.pop(key, None)

    @rule(
        name=st.sampled_from((*NAMES, "no such step")),
        to=st.sampled_from(STATUSES),
        author=AUTHORS,
        why=st.sampled_from(("", " ", "because")),
        verdicts=st.lists(st.sampled_from((True, True, True, False, None)), max_size=3),
    )
    def propose(self, name: str, to: Any, author: Any, why: str, verdicts: list[bool | None]) -> None:
        before = self.state.task
        words = ("fits", HOLDS.text, CHECKED.text)[3 - len(verdicts) :]
        self.moved(name, to, author, why, [Proof(text, ok) for text, ok in zip(words, verdicts, strict=True)], before)

    @rule(flaw=st.sampled_from(("", "", "", "no product", "false", "unproven", "unchecked")))
    def go_on(self, flaw: str) -> None:
        """The next thing that may be done, so that plans do get far; what is claimed of it may have a flaw."""
        step = self.task.active or next_step(self.task)
        if step is None:
            return
        if self.task.active is None:
            self.moved(step.name, "active", "agent", "", [], self.state.task)
            return
        if step.output and flaw != "no product":
            self.newest[step.output] = self.variables[step.output] = self.newest.get(step.output, 0) + 1
        if flaw == "no product":
            self.variables.pop(step.output, None)
        words = ["fits", HOLDS.text, CHECKED.text][: 2 if flaw == "unchecked" else 3]
        verdicts = {"false": False, "unproven": None}
        proofs = [Proof(text, verdicts.get(flaw, True)) for text in words]
        self.moved(step.name, "done", "agent", "made", proofs, self.state.task)

    @rule(data=st.data(), to=st.sampled_from(("open", "skipped", "active")))
    def go_elsewhere(self, data: st.DataObject, to: Any) -> None:
        """Reopen or put back what was begun; skip or begin what is open, whether its turn has come or not."""
        fitting = [name for name, status in self.status.items() if (status == "open") == (to != "open")]
        if fitting:
            name = data.draw(st.sampled_from(fitting))
            self.moved(name, to, data.draw(AUTHORS), "because", [], self.state.task)

    def moved(self, name: str, to: Any, author: Any, why: str, proofs: list[Proof], before: TaskState | None) -> None:
        self.ms += 5
        try:
            entry = moved(self.task, name, to, author=author, why=why, variables=self.variables, proofs=proofs, at_ms=self.ms)
        except IllegalMove as error:
            assert error.reason.strip()
            assert self.state.task is before
            self.enter(e.ProposalRefused(name, to, error.reason))
            return
        self.accepted(entry, why, proofs)

    def accepted(self, entry: e.StepMoved, why: str, proofs: list[Proof]) -> None:
        """What must have held for it, said anew without the code under test; then it is entered."""
        step = next(row for row in self.task.steps if row.name == entry.step)
        was = self.status[step.name]
        if entry.to == "active":
            assert was == "open"
            assert "active" not in self.status.values()
            assert all(self.status[name] in FINISHED for name in step.after)
            assert all(self.variables.get(name, 0) > 0 for name in step.inputs)
            self.versions[step.name] = self.versions[step.name] if self.begun[step.name] else self.variables.get(step.output, 0)
            self.begun[step.name] += 1
        elif entry.to == "done":
            assert was == "active"
            assert not step.output or self.variables.get(step.output, 0) > self.versions[step.name], "made since it began"
            assert all(self.variables.get(name, 0) > 0 for name in step.inputs)
            self.versions[step.name] = self.variables.get(step.output, 0)
            assert all(proof.ok for proof in proofs)
            assert {condition.text for condition in step.done_when} <= {proof.text for proof in proofs}
            assert len(proofs) >= len(step.done_when) + bool(step.schema)
        elif entry.to == "skipped":
            assert was == "open"
            assert step.optional or entry.author == "caller"
            self.versions[step.name] = 0
        else:
            assert was in ("active", "done", "skipped")
            assert was == "active" or why.strip()
        self.status[step.name] = entry.to
        for name in entry.also:
            assert self.status[name] == "done"
            self.status[name] = "open"
        finished = self.finished
        self.enter(entry)
        assert finished <= self.finished or entry.to == "open"
        assert self.finished - finished <= {entry.step}

    @property
    def finished(self) -> set[str]:
        return {name for name, record in self.task.records.items() if record.status in FINISHED}

    @rule(steps=plans(), author=AUTHORS)
    def replan(self, steps: tuple[PlanStep, ...], author: Any) -> None:
        old = self.task
        try:
            entry = replanned(old, steps, author, known_variables=self.variables)
        except BadPlan as error:
            assert error.problems
            return
        names = [step.name for step in entry.steps]
        kept = {step.name: step for step in entry.steps}
        for step in old.steps:
            if self.status[step.name] in ("done", "active"):
                assert author != "agent" or step.name in kept
                worded = replace(kept.get(step.name, step), after=step.after)
                same = (
                    {}
                    if author == "agent"
                    else {key: getattr(step, key) for key in ("about", "rounds", "reads", "needs", "optional", "batch", "milestone")}
                )
                assert replace(worded, **same) == step
        self.status = {name: self.status.get(name, "open") for name in names}
        self.begun = {name: self.begun.get(name, 0) for name in names}
        self.versions = {name: self.versions.get(name, 0) for name in names}
        self.enter(entry)

    @invariant()
    def the_fold_is_the_model(self) -> None:
        if self.state.task is None:
            return
        records = self.task.records
        assert {name: record.status for name, record in records.items()} == self.status
        assert {name: record.begun for name, record in records.items()} == self.begun
        assert {name: record.version for name, record in records.items() if record.status in FINISHED} == {
            name: version for name, version in self.versions.items() if self.status[name] in FINISHED
        }

    @invariant()
    def the_state_is_legal(self) -> None:
        if self.state.task is None:
            return
        assert list(self.status.values()).count("active") <= 1
        by_name = {step.name: step for step in self.task.steps}
        for name, status in self.status.items():
            if status in ("done", "active"):
                # nothing needed was passed over
                assert all(self.status[before] in FINISHED for before in by_name[name].after)
                assert self.begun[name] > 0
                assert self._deep(by_name, name)

    def _deep(self, by_name: dict[str, PlanStep], name: str) -> bool:
        """Whether all that it stands on is finished, by way of what was skipped too."""
        return all(
            self.status[before] == "done" or (self.status[before] == "skipped" and self._deep(by_name, before))
            for before in by_name[name].after
        )


TestProposals = Proposals.TestCase
