"""The state block and the plan as they stand in a prompt (REQUIREMENTS T3, T4, C9), each within its cap, always.

Deterministic: no time, and no count that moves when nothing else does, so that what a cache holds stays. What is not
current gives way first: finished steps fold, lists shorten, lines are clipped, and last of all lines go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from trimtab.core.drift import Flag
from trimtab.core.state import SessionState
from trimtab.core.summary import PINNED_FIELDS
from trimtab.core.task import FINISHED, PlanStep, TaskState
from trimtab.core.task_words import Words, words_for
from trimtab.core.transitions import next_step
from trimtab.settings import Settings

Count = Callable[[str], int]
_MOST_EVIDENCE = 4
_LEAST_CLIP_CHARS = 8
# of a text that is looked at at all: no line is longer
_MOST_LINE_CHARS = 2_000


class Level(Struct, frozen=True, array_like=True):
    """How much is said.

    Attributes:
        chars: of a line.
        items: of a list.
        finished: steps that are finished, and in the plan as many that are not due yet, that have a line of their own.
        whole: the fixed sentences stand in their long form.
        details: steps of the plan that are not due yet are described, not only named.
        rank: blocks of a higher rank are left out.
    """

    chars: int
    items: int
    finished: int
    whole: bool = False
    details: bool = False
    rank: int = 9


LEVELS = (
    Level(300, 12, 60, True, True),
    Level(300, 12, 60, True),
    Level(300, 8, 20, True),
    Level(240, 5, 8, True),
    Level(200, 3, 4, True),
    Level(160, 2, 2, True, rank=3),
    Level(160, 2, 1, rank=3),
    Level(120, 1, 0, rank=3),
    Level(80, 1, 0, rank=3),
    Level(64, 1, 0, rank=2),
    Level(48, 1, 0, rank=2),
    Level(28, 1, 0, rank=1),
    Level(16, 1, 0, rank=1),
)


class Block(Struct, frozen=True, array_like=True):
    """Lines that stand together. `rank` 0 goes last where not even the shortest form fits."""

    rank: int
    lines: tuple[str, ...]


# ------------------------------------------------------------ the two texts


def state_text(state: SessionState, settings: Settings, count: Count) -> str:
    """The state block; "" where no task is under way or parked, or nothing is to be said of it.

    With `steering.state` off it still holds what other techniques have to say: refusals, flags, corrections.
    """
    task = state.task
    if task is None and not state.parked:
        return ""
    words = words_for(task.goal if task else next(reversed(state.parked.values())).goal)

    def blocks(level: Level) -> list[Block]:
        said = [] if task is None or task.ended else list(_said(state, task, words, level))
        if not settings.steering.state:
            return said
        told = [*_told(state, words, level)]
        if task is None or task.ended:
            return [*_ending(task, words, level), *told]
        return [*_course(task, words, level), *said, *_lists(state, task, words, level), *told]

    return fitted(blocks, settings.steering.state_max_tokens, count)


def plan_text(state: SessionState, settings: Settings, count: Count) -> str:
    """The plan, a line for each step; "" where there is none."""
    task = state.task
    if task is None or task.ended or not task.steps or not settings.steering.plan:
        return ""
    words = words_for(task.goal)

    def blocks(level: Level) -> list[Block]:
        head = [Block(1, (words.plan,))] if level.whole else []
        # the state block says it, where there is one
        rule = [] if settings.steering.state else [Block(1, (_priority(words, level),))]
        return [*rule, *head, *_plan_rows(task, words, level)]

    return fitted(blocks, settings.steering.plan_max_tokens, count)


def anchor_text(state: SessionState, settings: Settings, count: Count) -> str:
    """Goal, step under way and rules once more, where a flag asks for that; else "". What must not happen follows it in
    the prompt, as `sections.reminder_text` says it."""
    task = state.task
    if task is None or task.ended or not any(flag.answer == "reanchor" for flag in state.flags):
        return ""
    words = words_for(task.goal)
    must = [pin.text for pin in state.pins.values() if pin.polarity != "never"]
    must += [item.text for item in state.items.values() if item.field in PINNED_FIELDS and item.field != "negative"]

    def blocks(level: Level) -> list[Block]:
        rows = [
            Block(0, (words.anchor,)),
            Block(0, (clipped(words.goal.format(line(task.goal)), level.chars),)),
            *_current(task, words, level),
        ]
        return [*rows, *_listed(2, words.rules, list(map(line, must)), words, level)]

    return fitted(blocks, settings.steering.state_max_tokens, count)


# ------------------------------------------------------------ parts of the state block


def _course(task: TaskState, words: Words, level: Level) -> Iterator[Block]:
    """The goal, where the task stands, what was finished, what is under way and what comes next."""
    if level.whole:
        yield Block(4, (words.head,))
    yield Block(1, (_priority(words, level),))
    yield Block(0, (clipped(words.goal.format(line(task.goal)), level.chars),))
    if not task.steps:
        yield Block(0, (words.no_plan,))
        return
    if task.finished and task.active is None:
        yield Block(0, (words.all_finished.format(len(task.steps)),))
    finished = _finished(task, words, level)
    if finished:
        yield Block(2, (words.done, *finished))
    yield from _current(task, words, level)
    following = next_step(task)
    if following is not None:
        expected = [words.expected.format(following.output)] if following.output else []
        yield Block(1, (_joined(words.next.format(_numbered(task, following)), expected, words, level),))


def _current(task: TaskState, words: Words, level: Level) -> Iterator[Block]:
    step = task.active
    if step is None:
        if not task.finished:
            yield Block(0, (words.none_active,))
        return
    place = words.at_step.format(_number(task, step), len(task.steps))
    about = words.colon + line(step.about) if step.about else ""
    # the name goes last: without it nobody knows what "now" is
    yield Block(0, (words.now.format(f"{place}{words.separator}{clipped(f'{line(step.name)}{about}', level.chars)}"),))
    details = [words.inputs.format(", ".join(map(line, step.inputs)))] if step.inputs else []
    details += [words.product.format(line(step.output))] if step.output else []
    yield Block(1, tuple(f"- {clipped(row, level.chars)}" for row in details))
    shown = _done_when(step, words)
    if shown:
        yield Block(1, ("- " + clipped(words.done_when.format(_some(shown, words, level)), level.chars * 2),))


def _said(state: SessionState, task: TaskState, words: Words, level: Level) -> Iterator[Block]:
    """What was said of the last acts: refusals, flags, the newest verdict."""
    refused = [words.refused_row.format(line(row.step), row.to, line(row.reason)) for row in task.refused]
    yield from _listed(0, words.refused, refused, words, level)
    # those at the act tier last: the last stay longest
    flags = sorted(state.flags, key=lambda flag: flag.tier == "act")
    yield from _listed(0, words.flags, [_flag(flag, words) for flag in flags], words, level)
    verdict = state.judged
    if verdict is None or verdict.kind == "interruption":
        return
    if verdict.verdict == "terminate":
        yield Block(0, (clipped(words.stop.format(line(verdict.reason)).strip(), level.chars),))
    yield from _listed(0, words.corrections, list(map(line, verdict.corrections)), words, level)


def _flag(flag: Flag, words: Words) -> str:
    kind = flag.kind if flag.tier == "signal" else f"{flag.kind} ({words.act_now})"
    seen = ", ".join(f"#{seq}" for seq in flag.evidence[-_MOST_EVIDENCE:])
    # the evidence in front, so that no clipping takes it
    return f"{kind} [{words.evidence.format(seen)}]{words.colon}{line(flag.text)}"


def _lists(state: SessionState, task: TaskState, words: Words, level: Level) -> Iterator[Block]:
    """A step waits for others, and where none of them is left for what they did not make."""
    waiting = [
        words.waits_for.format(line(step.name), ", ".join(map(line, names[: level.items])))
        for step in task.steps
        if task.status(step.name) == "open"
        and (names := task.waits_for(step) or tuple(name for name in step.inputs if name not in state.variables))
    ]
    yield from _listed(4, words.waits, waiting, words, level, newest=False)
    yield from _listed(2, words.missing, list(map(line, task.missing)), words, level)
    yield from _listed(2, words.risks, list(map(line, task.risks)), words, level)


def _told(state: SessionState, words: Words, level: Level) -> Iterator[Block]:
    yield from _listed(1, words.tried, list(map(line, state.tried)), words, level)
    parked = [words.parked_row.format(line(task.goal), _finished_count(task), len(task.steps)) for task in state.parked.values()]
    yield from _listed(3, words.parked, parked, words, level)


def _ending(task: TaskState | None, words: Words, level: Level) -> Iterator[Block]:
    if task is None:
        return
    yield Block(0, (words.ended.format(task.ended), clipped(words.goal.format(line(task.goal)), level.chars)))


def _finished(task: TaskState, words: Words, level: Level) -> list[str]:
    """A line for each finished step, in the order of the plan; the first ones folded to their numbers."""
    rows = [(number, step) for number, step in enumerate(task.steps, 1) if task.status(step.name) in FINISHED]
    cut = max(0, len(rows) - level.finished)
    folded = []
    for status, text in (("done", words.steps_done), ("skipped", words.steps_skipped)):
        numbers = [number for number, step in rows[:cut] if task.status(step.name) == status]
        if numbers:
            folded.append("- " + text.format(_ranges(numbers)))
    return [*folded, *(f"- {clipped(_finished_row(task, number, step, words), level.chars)}" for number, step in rows[cut:])]


def _finished_row(task: TaskState, number: int, step: PlanStep, words: Words) -> str:
    record = task.records[step.name]
    rest = [words.skipped] if record.status == "skipped" else [words.product.format(line(step.output))] if step.output else []
    rest += [line(record.line)] if record.line else []
    return words.separator.join((f"{number} {line(step.name)}", *rest))


# ------------------------------------------------------------ parts of the plan


def _plan_rows(task: TaskState, words: Words, level: Level) -> Iterator[Block]:
    """Steps in their order; the first finished and the last open ones fold where there is no room for all."""
    marks = dict(zip(("open", "active", "done", "skipped"), words.marks, strict=True))
    following = next_step(task)
    current = {step.name for step in (task.active, following) if step is not None}
    finished = [step.name for step in task.steps if task.status(step.name) in FINISHED]
    opened = [step.name for step in task.steps if task.status(step.name) == "open" and step.name not in current]
    room = (level.finished or level.items) if level.rank > 1 else 0
    shown = {*current, *finished[max(0, len(finished) - level.finished) :], *opened[:room]}
    folded: list[int] = []
    for number, step in enumerate(task.steps, 1):
        if step.name not in shown:
            folded.append(number)
            continue
        yield from _fold_of(folded, task, words)
        folded = []
        due = step.name in current
        row = _described(task, step, words, level) if due or level.details else _named(step)
        yield Block(0 if due else 2, (clipped(f"{number}. [{marks[task.status(step.name)]}] {row}", level.chars * 2),))
    yield from _fold_of(folded, task, words)


def _fold_of(numbers: Sequence[int], task: TaskState, words: Words) -> Iterator[Block]:
    if not numbers:
        return
    done = all(task.status(task.steps[number - 1].name) == "done" for number in numbers)
    yield Block(1, (words.steps_done.format(_ranges(numbers)) if done else f"{_ranges(numbers)}. …",))


def _named(step: PlanStep) -> str:
    return f"{line(step.name)} -> {line(step.output)}" if step.output else line(step.name)


def _described(task: TaskState, step: PlanStep, words: Words, level: Level) -> str:
    name = line(step.name)
    if task.status(step.name) in FINISHED:
        return _named(step)
    inputs = f" ({', '.join(map(line, step.inputs))})" if step.inputs else ""
    output = f" -> {line(step.output)}" if step.output else ""
    parts = [f"{name}{inputs}{output}", *([words.optional] if step.optional else []), *([line(step.about)] if step.about else [])]
    waiting = task.waits_for(step)
    parts += [words.after.format(", ".join(map(line, waiting)))] if waiting else []
    shown = _done_when(step, words)
    parts += [words.done_when.format(_some(shown, words, level))] if shown else []
    return words.separator.join(parts)


# ------------------------------------------------------------ lines


def line(text: str) -> str:
    return " ".join(text[:_MOST_LINE_CHARS].split())


def clipped(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: max(0, chars - 1)] + "…"


def _priority(words: Words, level: Level) -> str:
    return words.priority if level.whole else words.priority_short


def _number(task: TaskState, step: PlanStep) -> int:
    return next(number for number, row in enumerate(task.steps, 1) if row.name == step.name)


def _numbered(task: TaskState, step: PlanStep) -> str:
    return f"{_number(task, step)} {line(step.name)}"


def _finished_count(task: TaskState) -> int:
    return sum(task.status(step.name) in FINISHED for step in task.steps)


def _done_when(step: PlanStep, words: Words) -> list[str]:
    schema = [words.fits_schema.format(line(step.output))] if step.schema else []
    return [*schema, *(line(condition.text) for condition in step.done_when)]


def _some(rows: Sequence[str], words: Words, level: Level) -> str:
    more = [words.more.format(len(rows) - level.items)] if len(rows) > level.items else []
    return words.separator.join([*more, *rows[: level.items]])


def _joined(head: str, rest: Iterable[str], words: Words, level: Level) -> str:
    return clipped(words.separator.join((head, *rest)), level.chars)


def _listed(rank: int, head: str, rows: Sequence[str], words: Words, level: Level, *, newest: bool = True) -> Iterator[Block]:
    """A list under its head; where it is too long its oldest rows go, or with `newest` off its last."""
    if not rows:
        return
    kept = rows[-level.items :] if newest else rows[: level.items]
    more = [words.more.format(len(rows) - len(kept))] if len(rows) > len(kept) else []
    yield Block(rank, (head, *(f"- {row}" for row in more), *(f"- {clipped(row, level.chars)}" for row in kept)))


def _ranges(numbers: Sequence[int]) -> str:
    """ "1-4, 6" for 1, 2, 3, 4, 6."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def fitted(blocks: Callable[[Level], Sequence[Block]], max_tokens: int, count: Count) -> str:
    """The longest form that fits; where none does, the shortest without its least important blocks."""
    rows: Sequence[Block] = ()
    for level in LEVELS:
        rows = [block for block in blocks(level) if block.lines and block.rank <= level.rank]
        text = _text(rows)
        if count(text) <= max_tokens:
            return text
    kept = list(rows)
    # of equally important ones the last goes first: the goal stays
    for place in sorted(range(len(rows)), key=lambda place: (-rows[place].rank, -place))[:-1]:
        kept.remove(rows[place])
        text = _text(kept)
        if count(text) <= max_tokens:
            return text
    chars = len(text := _text(kept))
    while text and count(text) > max_tokens:
        chars //= 2
        text = clipped(text, chars) if chars >= _LEAST_CLIP_CHARS else ""
    return text


def _text(blocks: Iterable[Block]) -> str:
    return "\n".join(row for block in blocks for row in block.lines)
