"""What a run works with: its session, task, tools and model, and the small acts that all its parts share."""

from __future__ import annotations

from collections.abc import Sequence

from trimtab.errors import IllegalMove, ModelError
from trimtab.run.asking import ask
from trimtab.run.calling import Answered, result_messages
from trimtab.run.desk import RunDesk
from trimtab.run.endpoint import Endpoint, Replies, is_too_long
from trimtab.run.outcome import OnEvent, Outcome, Status
from trimtab.run.telling import Telling
from trimtab.run.words import CHINESE, ENGLISH
from trimtab.session import Session
from trimtab.session.prompt import Prompt
from trimtab.session.task import Task
from trimtab.steer.wording import is_chinese
from trimtab.wire import Reply


class Work:
    """One call of `run_task`, as its parts hold it. `reply` is the model's last text."""

    def __init__(self, model: Endpoint | Replies, task: Task, session: Session, desk: RunDesk, listeners: Sequence[OnEvent]) -> None:
        self.model, self.task, self.session, self.desk = model, task, session, desk
        self.target = model.target if isinstance(model, Endpoint) and not _fits(session, model) else session.target
        self.words = CHINESE if is_chinese(task.state.goal) else ENGLISH
        self.telling = Telling(session, task, listeners)
        self.tell = self.telling.tell
        self.reply = ""

    # ------------------------------------------------------------ asking

    async def prompt(self, system: str) -> Prompt:
        """Raises Drifted, Blocked, BudgetError."""
        form = self.session.settings.steering.assertion
        own = self.words.rules.format(self.desk.update_task) if self.desk.update_task else ""
        texts = [text for text in (system, self.desk.usage_rules, own) if text]
        tools = self.desk.schemas(self.target.wire, in_argument=form == "argument")
        return await self.session.aprompt(tools=tools or None, system="\n\n".join(texts) or None, target=self.target)

    async def ask(self, prompt: Prompt, *, again: bool) -> Reply | None:
        """None where it was too long, which the session has learned from, and may be made again. Raises ModelError."""
        self.tell("request", value=prompt)
        try:
            return await ask(
                self.model,
                prompt.render(),
                self.target.wire,
                prompt.number,
                lambda text: self.tell("piece", text=text),
                lambda why: self.tell("retry", text=why),
            )
        except ModelError as error:
            if not again or not is_too_long(error):
                raise
            self.session.overflowed(error)
            self.tell("retry", text=str(error))
            return None

    # ------------------------------------------------------------ acts

    def begin_next(self) -> bool:
        """Begin the next step, where none is under way and the model did not put one back."""
        state = self.task.state
        following = state.next
        if (
            self.task.task_id in self.session.state.parked
            or state.ended
            or state.active is not None
            or following is None
            or state.records[following.name].begun
        ):
            return False
        try:
            self.task.begin(following.name)
        except IllegalMove:
            return False  # an input is not there: the state block says that no step is under way
        return True

    def record(self, rows: Sequence[Answered]) -> None:
        self.session.record(*result_messages(self.target.wire, rows))

    def say(self, text: str) -> None:
        """In the user's place: no rule comes of it."""
        self.session.record({"role": "user", "content": text}, by_code=True)

    def end(self, status: Status, why: str = "") -> Outcome:
        flags, rounds = self.session.flags(), self.telling.round
        outcome = Outcome(status=status, reply=self.reply, rounds=rounds, task=self.task.state, flags=flags, why=why)
        self.tell("end", name=status, text=why, value=outcome)
        return outcome


def _fits(session: Session, model: Endpoint) -> bool:
    """Whether the session's own target is this endpoint already, perhaps said more closely."""
    return (session.target.model, session.target.wire) == (model.model, model.interface)
