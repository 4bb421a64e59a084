"""Steps of the task: which variables a step reads, and which messages a later step needs (REQUIREMENTS M2, M7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from trimtab.core import entries as e
from trimtab.core.state import SessionState
from trimtab.errors import BadSetting, NotFound
from trimtab.recall.needs import Need
from trimtab.session.base import SessionBase


class StepPart(SessionBase):
    """begin_step, end_step, need, release."""

    def begin_step(self, name: str, reads: str | Iterable[str] = (), needs: Iterable[str | Need | Mapping[str, Any]] = ()) -> None:
        """Another step begins: what the last one needed may leave from now on.

        The same step again, with the same variables, writes nothing.

        Args:
            name: the caller's own; not empty.
            reads: names of the variables whose values stand in the prompts of this step, within `reads_max_ratio` of
                the history budget. No other prompt holds them.
            needs: what recall is to bring for its prompts, from older turns and from documents: each in plain words or
                structured, see `trimtab.Need`. Once declared it takes the place of the raw question.
        Raises:
            NotFound: a variable that does not exist, with those that do.
            BadNeed: a need that says nothing, or cannot be read.
            BadSetting: an empty name.
        """
        asked = tuple(msgspec.json.encode(msgspec.structs.replace(Need.of(need), step=name)).decode() for need in needs)
        names = (reads,) if isinstance(reads, str) else tuple(reads)
        if not name.strip():
            raise BadSetting("step", name, "a name that is not empty")

        def make(state: SessionState) -> e.StepBegun | None:
            for variable in names:
                if variable not in state.variables:
                    raise NotFound("variable", variable, tuple(state.variables))
            return None if (state.step, state.reads, state.step_needs) == (name, names, asked) else e.StepBegun(name, names, asked)

        with self._open_lock():
            self._lane.catch_up()
            self._enter(make)

    def end_step(self) -> None:
        """The current step is over and no other has begun: nothing it read or needed is kept for it."""
        self._enter(lambda state: e.StepBegun("") if state.step else None)

    def need(self, *seqs: int, by: str) -> None:
        """These messages stay in the prompt, whole, until the step `by` has begun and another one follows it.

        The budget goes before it: where the prompt would not fit, needed messages leave like others.

        Args:
            seqs: numbers of messages, as `record` reported them; they add to what the step needs already.
            by: the name of a step, to come or under way. `release` ends the need of one that never begins.
        Raises:
            NotFound: no such message in the prompt (any more).
            BadSetting: no message, or an empty name.
        """
        if not by.strip() or not seqs:
            raise BadSetting("need", (seqs, by), "one message or more, and the name of a step")

        def make(state: SessionState) -> e.NeedDeclared:
            for seq in seqs:
                if seq not in state.nodes:
                    raise NotFound("message in the prompt", seq, tuple(state.nodes)[-20:])
            return e.NeedDeclared(by, tuple(sorted(set(seqs))))

        with self._open_lock():
            self._lane.catch_up()
            self._enter(make)

    def release(self, by: str) -> None:
        """The step `by` needs nothing any more. Raises NotFound, with the steps that do."""
        with self._open_lock():
            self._lane.catch_up()
            if by not in self._lane.state.needs:
                raise NotFound("need", by, tuple(self._lane.state.needs))
            self._enter(lambda state: e.NeedDeclared(by))
