"""The thin loop: prompt, ask, check, run, look, go on (REQUIREMENTS T1-T11 in their places). All it knows stands in the session."""

from __future__ import annotations

import asyncio
import re

import msgspec

from trimtab.core.messages import ToolCall
from trimtab.core.task import FINISHED, TaskState
from trimtab.errors import Blocked, Drifted, OffStep, PinnedOverflow
from trimtab.run.calling import MOST_CALLS, NOT_RUN, Answered, groups
from trimtab.run.judging import Judging
from trimtab.run.meanwhile import keep, take_in
from trimtab.run.outcome import Outcome
from trimtab.run.standing import (
    answer_open_calls,
    checkpoint_name,
    is_exchange_newest,
    last_reply,
    since_newest,
    to_go_back,
    too_large,
    user_spoke_last,
)
from trimtab.run.words import go_on_text
from trimtab.run.work import Work
from trimtab.session.prompt import Prompt
from trimtab.session.task import Answer
from trimtab.steer.proposals import proposals_in
from trimtab.wire import Reply

# in a row: replies for another step than the one under way, and empty ones; requests that were too long; ways back to a
# checkpoint without a step that was finished since; exchanges that did not fit
_MOST_OFF_STEP, _MOST_EMPTY, _MOST_TOO_LONG, _MOST_BACK, _MOST_LEFT_OUT = 5, 3, 3, 3, 3

# what an answer to `update_task` says of what comes next, which is begun already
_NEXT = re.compile(r" (?:Next: |Under way: |Every step is finished|No step may begin yet)")


class Run:
    """One call of `run_task`."""

    def __init__(self, work: Work) -> None:
        self.work, self.judging = work, Judging(work)
        self.off_step = self.empty = self.back = self.left_out = 0
        # why the verifier wants no more of it
        self.stop = ""
        # results of the reply in which the newest checkpoint was made: a rollback leaves them behind
        self._beside_checkpoint: dict[str, Answered] = {}

    async def go(self, system: str, max_rounds: int) -> Outcome:
        work = self.work
        ended = await self._go_on_where_it_stood()
        while ended is None:
            ended = await take_in(work, system)
            if ended is None and work.telling.round >= max_rounds:
                ended = work.end("rounds", f"{max_rounds} rounds were not enough")
            ended = ended or await self._one_round(system)
        keep(work)
        return ended

    async def _go_on_where_it_stood(self) -> Outcome | None:
        """Calls that nobody answered are answered; a last reply that nobody heeded is heeded, if it is of this task."""
        work, session = self.work, self.work.session
        state, since = work.task.state, since_newest(session)
        if state.ended:
            return work.end("done" if state.ended == "done" else "given up", state.line)
        if self.judging.stopped:
            return work.end("stopped", self.judging.stopped)
        ruling = await self.judging.look()
        if ruling.stop:
            return work.end("stopped", ruling.stop)
        work.begin_next()
        await answer_open_calls(work, self._called, {})
        if self.stop:
            return work.end("stopped", self.stop)
        if since == "resumed":
            work.say(work.words.resumed.format(state.goal))
        elif not session.state.turn or (since == "begun" and not user_spoke_last(session)):
            session.record({"role": "user", "content": state.goal})
        said = last_reply(session)
        if ruling.text:
            work.say(ruling.text)
        work.reply = said
        return await self._without_calls(said) if said and not ruling.text else None

    async def _one_round(self, system: str) -> Outcome | None:
        work, session = self.work, self.work.session
        if work.task.task_id in session.state.parked:
            return work.end("parked", "another task was begun meanwhile")
        work.begin_next()
        try:
            reply = await self._asked(system)
        except Drifted as drifted:
            return work.end("drifted", str(drifted))
        except Blocked as blocked:
            return work.end("blocked", str(blocked))
        except PinnedOverflow as error:
            return work.end("stopped", too_large(session, error))
        work.telling.round += 1
        messages, flags = reply.messages, {flag.flag_id for flag in session.flags()}
        session.record(*messages)
        if reply.usage is not None:
            session.usage(reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens)
        text = "\n".join(message.text for message in messages if message.text)
        calls = [call for message in messages for call in message.calls]
        work.reply = text or work.reply
        work.tell("reply", text=text, value=tuple(calls))
        before = work.task.state
        ended = await self._answered(reply, text, calls)
        work.telling.tell_changes(before, flags)
        if _finished_count(work.task.state) > _finished_count(before):
            self.back = 0
        return ended or await self._ruled()

    async def _ruled(self) -> Outcome | None:
        """What the verifier said, and was not told in the result of a call."""
        ruling = await self.judging.look()
        if self.stop or ruling.stop:
            return self.work.end("stopped", self.stop or ruling.stop)
        if ruling.text:
            self.work.say(ruling.text)
        return None

    # ------------------------------------------------------------ asking

    async def _asked(self, system: str) -> Reply:
        """Raises ModelError, Drifted, Blocked, PinnedOverflow."""
        for left in reversed(range(_MOST_TOO_LONG)):
            reply = await self.work.ask(await self._fitting(system), again=left > 0)
            if reply is not None:
                return reply
        raise AssertionError("unreachable")

    async def _fitting(self, system: str) -> Prompt:
        """Where the newest exchange does not fit, a prompt without it, which says so. Raises PinnedOverflow where that is too
        large as well, or was not enough again and again."""
        work = self.work
        try:
            prompt = await self._prompt(system)
        except PinnedOverflow as error:
            if self.left_out == _MOST_LEFT_OUT or not is_exchange_newest(work.session):
                raise
            self.left_out += 1
            work.say(work.words.left_out)
            work.tell("retry", text=str(error))
            return await self._prompt(system)
        self.left_out = 0
        return prompt

    async def _prompt(self, system: str) -> Prompt:
        """Raises Drifted, also where the session went back again and again. What was begun after a checkpoint is begun anew."""
        work = self.work
        back = to_go_back(work.session)
        if not back:
            return await work.prompt(system)
        if self.back == _MOST_BACK:
            raise Drifted(back)
        await work.prompt(system)
        self.back += 1
        await answer_open_calls(work, self._called, self._beside_checkpoint)
        work.say(work.words.went_back.format(back[0].text))
        work.tell("rollback", name=checkpoint_name(work.session), text=back[0].text, value=back[0])
        work.begin_next()
        return await work.prompt(system)

    # ------------------------------------------------------------ what becomes of a reply

    async def _answered(self, reply: Reply, text: str, calls: list[ToolCall]) -> Outcome | None:
        work = self.work
        if not text.strip() and not calls:
            self.empty += 1
            work.say(work.words.empty)
            return work.end("stopped", "the model replied with nothing") if self.empty >= _MOST_EMPTY else None
        self.empty = 0
        if reply.status != "complete" and calls:
            work.record([Answered(call=call, text=NOT_RUN + work.words.broken, is_error=True) for call in calls])
            return None
        try:
            work.session.asserted(text, calls, work.desk.arguments(work.target.wire))
        except OffStep as off:
            return self._corrected(off, calls)
        self.off_step = 0
        if calls:
            await self._run(calls)
            return None
        return await self._without_calls(text)

    def _corrected(self, off: OffStep, calls: list[ToolCall]) -> Outcome | None:
        """Nothing is run; the correction stands where the results would, or where the user speaks."""
        work = self.work
        self.off_step += 1
        work.tell("correction", name=off.expected, text=off.correction)
        if calls:
            work.record([Answered(call=call, text=NOT_RUN + off.correction, is_error=True) for call in calls])
        else:
            work.say(off.correction)
        if self.off_step < _MOST_OFF_STEP:
            return None
        return work.end("stopped", f"{self.off_step} replies in a row were not for step {off.expected!r}")

    async def _run(self, calls: list[ToolCall]) -> None:
        """What ran is recorded also where a later call of the reply is cut off: only what had begun stays open."""
        work, done = self.work, list[Answered]()
        checkpoints = dict(work.session.state.checkpoints)
        try:
            for group in groups(work.desk.tools, calls[:MOST_CALLS]):
                for call in group:
                    work.tell("call", name=call.name, text=call.arguments, value=call)
                for row in await asyncio.gather(*(self._called(call) for call in group)):
                    done.append(row)
                    work.tell("result", name=row.call.name, text=row.text, value=row.is_error)
        except asyncio.CancelledError:
            # the Messages form takes one message for all results
            if work.target.wire != "anthropic" and done:
                work.record(done)
            raise
        for call in calls[MOST_CALLS:]:
            done.append(Answered(call=call, text=NOT_RUN + work.words.too_many, is_error=True))
            work.tell("result", name=call.name, text=done[-1].text, value=True)
        work.record(done)
        if work.session.state.checkpoints != checkpoints:
            self._beside_checkpoint = {row.call.call_id: row for row in done}

    async def _called(self, call: ToolCall) -> Answered:
        """What comes of a call. A step that it finished is judged before the next one begins."""
        work = self.work
        if self.stop:
            return Answered(call=call, text=NOT_RUN + work.words.stopped, is_error=True)
        named = work.session.settings.steering.assertion == "argument"
        answered = await work.desk.call(call, work.target.wire, names_step=named)
        if call.name != work.desk.update_task:
            return answered
        ruling = await self.judging.look()
        self.stop = ruling.stop
        if self.stop or not (work.begin_next() or ruling.text):
            return answered
        active = work.task.state.active
        head = _NEXT.split(answered.text, maxsplit=1)[0]
        text = f'{head} Under way: "{active.name}".' if active is not None else answered.text
        return msgspec.structs.replace(answered, text=f"{text}\n{ruling.text}" if ruling.text else text)

    async def _without_calls(self, text: str) -> Outcome | None:
        """The model hands over, proposes in words, or only talks."""
        work = self.work
        answers: list[tuple[str, str, Answer]] = []
        for proposed in proposals_in(text, work.task.state.steps):
            if work.task.state.status(proposed.step) != proposed.to:
                answer = await asyncio.to_thread(work.task.propose, proposed.step, proposed.to, proposed.because)
                answers.append((proposed.step, proposed.to, answer))
                ended = await self._ruled()
                if ended is not None:
                    return ended
        work.begin_next()
        state = work.task.state
        if state.ended:
            return work.end("done" if state.ended == "done" else "given up", state.line)
        if not state.steps:
            return work.end("answered")
        if state.finished and state.active is None:
            return self._handed_over(text)
        work.say(go_on_text(work.words, answers))
        return None

    def _handed_over(self, text: str) -> Outcome | None:
        """Every step is finished: the task is done, unless the verifier objects."""
        if self.judging.holds_up():
            return None
        objection = self.judging.objection
        self.work.task.end("done", text[:200])
        return self.work.end("done", objection)


def _finished_count(task: TaskState) -> int:
    return sum(record.status in FINISHED for record in task.records.values())
