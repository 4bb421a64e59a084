"""What the user says while a run is on (REQUIREMENTS T10): taken in, answered beside it, or taken for another task."""

from __future__ import annotations

import asyncio

from trimtab.errors import BudgetError, ModelError, ParseError
from trimtab.run.asking import ask
from trimtab.run.outcome import Outcome
from trimtab.run.work import Work


async def take_in(work: Work, system: str) -> Outcome | None:
    """Everything that waits; the outcome where another task parks this one. What came with or after that is the other's."""
    waiting, work.telling.inbox = work.telling.inbox, []
    for place, text in enumerate(waiting):
        kind = "input"
        if work.session.settings.steering.interruptions:
            kind = (await asyncio.to_thread(work.session.sort_message, text)).kind
        if kind == "side_question":
            await _aside(work, system, text)
            continue
        work.session.record({"role": "user", "content": text})
        if kind == "new_task":
            work.task.park("the user began another task")
            work.telling.inbox = [*waiting[place + 1 :], *work.telling.inbox]
            return work.end("parked", text)
    return None


def keep(work: Work) -> None:
    """The run is over: what nobody took in any more stands in the session, for whoever goes on."""
    waiting, work.telling.inbox = work.telling.inbox, []
    for text in waiting:
        work.session.record({"role": "user", "content": text})


async def _aside(work: Work, system: str, text: str) -> None:
    """Answered on a lane of its own; the task's own line is not touched, also where no answer comes."""
    other = work.session.aside(text)
    try:
        prompt = await other.aprompt(system=system or None, target=work.target)
        reply = await ask(work.model, prompt.render(), work.target.wire, prompt.number, lambda _: None, lambda _: None)
        other.record(*reply.messages)
    except (ModelError, ParseError, BudgetError) as error:
        work.tell("aside", name=text, value=error)
        return
    finally:
        other.close()
    work.tell("aside", name=text, text="\n".join(message.text for message in reply.messages))
