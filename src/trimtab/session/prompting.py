"""The request path: fix the inputs, recall by words, plan, commit. No language model is called here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from trimtab.core.budget import compute_budget, reserve_for
from trimtab.core.conflicts import Conflict, conflict_line
from trimtab.core.draft import PromptPlan
from trimtab.core.entries import Compacted, ConflictFound, CounterChanged, Entry, Node, Recalled
from trimtab.core.ids import Hasher
from trimtab.core.inputs import PlanInputs
from trimtab.core.messages import Message, encode_wire
from trimtab.core.notes import Variable
from trimtab.core.plan import Segment
from trimtab.core.planner import plan
from trimtab.core.sections import Fragment
from trimtab.core.state import SessionState
from trimtab.core.target import Target
from trimtab.errors import Blocked
from trimtab.policies import policy_for
from trimtab.session.bodies import Bodies
from trimtab.session.editor import SessionEditor
from trimtab.session.incoming import Intake
from trimtab.session.indexing import turn_rows
from trimtab.session.lane import WRITE_TRIES, Lane, Write
from trimtab.session.reading import variable_text
from trimtab.session.recalling import Recaller
from trimtab.session.settlements import Flagged, flag
from trimtab.session.shorten import clamp_text
from trimtab.settings import Settings
from trimtab.steer.assertion import instruction_text
from trimtab.stores import Body, Count
from trimtab.tokens import Counter, window_for

RENDERER_VERSION = 1


class Ask(Struct, frozen=True, kw_only=True):
    """What one call of `prompt` named."""

    target: Target
    tools: list[Any] | None = None
    max_output_tokens: int | None = None
    bare: bool = False
    system: tuple[Message, ...] | None = None
    despite_conflicts: bool = False


class Requester:
    """Plans and commits the requests of one lane for one target and counter."""

    def __init__(  # noqa: PLR0913 - what a lane stands on, handed over once
        self, lane: Lane, settings: Settings, counter: Counter, hasher: Hasher, bodies: Bodies, fence_key: str, recaller: Recaller
    ) -> None:
        self.recaller = recaller
        self.lane, self.settings, self.counter = lane, settings, counter
        self.hasher, self.bodies, self.fence_key = hasher, bodies, fence_key
        self.policy = policy_for(settings.mode)
        self.settings_hash = hasher.digest(msgspec.json.encode(settings))
        self._editors: dict[Target, SessionEditor] = {}
        self._tools: dict[bytes, tuple[str, int]] = {}
        # parameters and tools that this process has stored already; storing them again would only cost time
        self._stored: set[str] = set()
        self._fragments: dict[tuple[Recalled, int], tuple[Fragment, ...]] = {}
        self._variables: dict[tuple[tuple[Variable, ...], int], str] = {}
        self._notes: dict[tuple[tuple[str, str], ...], str] = {}
        self._blocking: tuple[Conflict, ...] = ()

    def editor_for(self, target: Target) -> SessionEditor:
        if target not in self._editors:
            self._editors[target] = SessionEditor(target, self.counter, self.hasher, self.bodies, self.fence_key)
        return self._editors[target]

    # ------------------------------------------------------------ one request

    def request(self, ask: Ask) -> PromptPlan | None:
        """Plan and commit; None where the last request is still the answer (same state, same inputs). Raises Blocked."""
        planned: list[PromptPlan] = []
        overtaken = True

        def build(state: SessionState, next_seq: int) -> Write | None:
            nonlocal overtaken
            planned.clear()
            self._blocking = ()
            overtaken = self._unready(state, ask)
            if overtaken:
                return None
            write, prompt_plan = self._build(state, ask)
            if prompt_plan is not None:
                planned.append(prompt_plan)
            return write

        for _ in range(WRITE_TRIES):
            # another writer may set another system text between this and the plan's commit: then once more
            if self._unready(self.lane.state, ask):
                self.use_counter()
                if ask.system is not None:
                    self.set_instructions(ask.system)
            self.lane.write(build)
            if not overtaken:
                break
        if self._blocking:
            raise Blocked(self._blocking, [conflict_line(conflict) for conflict in self._blocking])
        if not planned:
            return None
        request = planned[0].request
        self.editor_for(ask.target).stored(_segment_ids(planned[0]))
        self._stored.update((request.tools_id, request.params_id))
        return planned[0]

    def _unready(self, state: SessionState, ask: Ask) -> bool:
        """Whether the counter or the client's system text must be entered before a plan can be made."""
        if state.counter_id != self.counter.counter_id:
            return True
        if ask.system is None:
            return False
        given = [self.hasher.body_id(message.wire_format, message.wire) for message in ask.system]
        return given != [node.body_id for node in state.instructions]

    def _build(self, state: SessionState, ask: Ask) -> tuple[Write | None, PromptPlan | None]:
        tools_id, tools_tokens, tools_bytes = self._tools_of(ask.tools)
        params = encode_wire(params_of(ask, self._reserve_tokens(state, ask)))
        params_id = self.hasher.body_id("params", params)
        system = self._system(state, ask.target)
        fingerprint = self.hasher.digest(
            msgspec.json.encode(
                (
                    self.settings_hash,
                    ask.target,
                    ask.max_output_tokens,
                    tools_id,
                    params_id,
                    self.counter.counter_id,
                    [row.segment_id for row in system],
                )
            )
        )
        same = state.last is not None and not state.dirty and state.last.fingerprint == fingerprint
        blocks = self.settings.on_conflict == "block" and not (ask.despite_conflicts or ask.bare)
        if same and not (blocks and state.conflicts):
            return None, None
        recalled, fragments = self._recalled(state)
        flagged = Flagged(fragments) if ask.bare else flag(state, fragments)
        found = [ConflictFound(flagged.found, recalled.for_seq if recalled is not None else 0)] if flagged.found else []
        if blocks and flagged.open:
            self._blocking = flagged.open
            fresh = [recalled] if recalled is not None and recalled != state.recalled else []
            return Write(entries=[*fresh, *found]) if fresh or found else None, None
        if same:
            return None, None
        editor = self.editor_for(ask.target)
        inputs = PlanInputs(
            settings=self.settings,
            target=ask.target,
            counter_id=self.counter.counter_id,
            exact=self.counter.exact,
            window_tokens=window_for(ask.target.model),
            max_output_tokens=ask.max_output_tokens,
            system=system,
            filler_tokens=editor.filler_tokens,
            tools_tokens=tools_tokens,
            tools_id=tools_id,
            params_id=params_id,
            notes=self._note_text(state),
            variables=self._variable_text(state, ask, tools_tokens + sum(row.tokens for row in system)),
            fragments=flagged.fragments,
            asserting=instruction_text(state.task, self.settings.steering.assertion) if state.task is not None else "",
            fence_key=self.fence_key,
            bare=ask.bare,
            settings_hash=self.settings_hash,
            fingerprint=fingerprint,
            renderer_version=RENDERER_VERSION,
        )
        made = plan(state, inputs, self.policy, editor)
        made = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, number=self.lane.last_request + 1))
        write = self._write(state, made, recalled, editor, [(tools_id, tools_bytes), (params_id, params)])
        write.entries = [*found, *write.entries]
        return write, made

    def _write(
        self, state: SessionState, made: PromptPlan, recalled: Recalled | None, editor: SessionEditor, extra: Sequence[tuple[str, bytes]]
    ) -> Write:
        entries: list[Entry] = [recalled] if recalled is not None and recalled != state.recalled else []
        write = Write()
        if made.break_entry is not None:
            entries.append(made.break_entry)
            if isinstance(made.break_entry, Compacted):
                write.turns = turn_rows(state, made.break_entry.cut_seq, self.bodies, state.dropped)
        entries += [*made.repairs, made.request]
        write.entries = entries
        fresh = editor.fresh_of(_segment_ids(made))
        write.bodies = [Body(body_id, payload) for body_id, payload in fresh]
        write.bodies += [Body(body_id, payload) for body_id, payload in extra if body_id and body_id not in self._stored]
        for body_id, payload in extra:
            self.bodies.remember(body_id, payload)
        return write

    # ------------------------------------------------------------ inputs

    def _tools_of(self, tools: list[Any] | None) -> tuple[str, int, bytes]:
        if not tools:
            return "", 0, b""
        payload = encode_wire(tools)
        known = self._tools.get(payload)
        if known is None:
            known = (self.hasher.body_id("tools", payload), self.counter.count_tools(tools))
            self._tools = {payload: known}
        self.bodies.remember(known[0], payload)
        return known[0], known[1], payload

    def _reserve_tokens(self, state: SessionState, ask: Ask) -> int:
        window = self.settings.budget.window_tokens or window_for(ask.target.model) or 0
        learned = state.learned_windows.get(ask.target.place, 0)
        window = min(window or learned, learned or window)
        return reserve_for(self.settings.budget, window, ask.max_output_tokens)

    def _system(self, state: SessionState, target: Target) -> tuple[Segment, ...]:
        editor = self.editor_for(target)
        segments = []
        for node in state.instructions:
            made = editor.client_system(node)
            segments.append(Segment(made.segment_id, "client_system", "client", made.tokens, reason="instructions", pinned=True))
        return tuple(segments)

    def _recalled(self, state: SessionState) -> tuple[Recalled | None, tuple[Fragment, ...]]:
        """What recall brings, turns that are not in the prompt and pieces of documents: where a step declares a need, or for the
        question where the mode recalls."""
        recalls = self.policy.recalls(self.settings, state.last.level if state.last else 0)
        if not (state.step_needs or recalls) or self.settings.recall is False:
            return None, ()
        recalled = self.recaller.recall(state)
        if recalled is None:
            return None, ()
        history = state.last.history_budget_tokens if state.last else self.settings.budget.window_tokens // 2
        share = int(history * min(self.settings.recall_max_ratio, self.settings.budget.trigger_ratio / 4))
        if (recalled, share) not in self._fragments:
            self._fragments = {(recalled, share): self.recaller.fragments(recalled, self.counter, share)}
        return recalled, self._fragments[recalled, share]

    def _note_text(self, state: SessionState) -> str:
        rows = tuple(
            (key, state.notes[key].body_id) for key in self.settings.inject_notes if key in state.notes and state.notes[key].body_id
        )
        if rows not in self._notes:
            self._notes = {rows: "\n".join(f"{key}: {self.bodies.get(body_id).decode()}" for key, body_id in rows)}
        return self._notes[rows]

    def _variable_text(self, state: SessionState, ask: Ask, given_tokens: int) -> str:
        """The values of the variables that the current step reads, each within its share."""
        read = [state.variables[name] for name in state.reads if name in state.variables]
        if not read:
            return ""
        history = state.last.history_budget_tokens if state.last else self._first_history_tokens(ask, given_tokens)
        left = int(history * self.settings.reads_max_ratio)
        key = (tuple(read), left)
        if key not in self._variables:
            blocks = []
            for index, variable in enumerate(read):
                text = variable_text(self.lane, self.bodies, variable)
                short = clamp_text(text, left // (len(read) - index), self.counter.count_text, variable.name)
                left -= self.counter.count_text(short)
                blocks.append(f"{variable.name} ({variable.line}):\n{short}")
            self._variables = {key: "\n\n".join(blocks)}
        return self._variables[key]

    def _first_history_tokens(self, ask: Ask, given_tokens: int) -> int:
        """The history budget of a first request, as far as it is known before the plan."""
        settings = self.settings.budget
        window = settings.window_tokens or window_for(ask.target.model) or 0
        report = compute_budget(
            msgspec.structs.replace(settings, window_tokens=window),
            given_tokens,
            exact=self.counter.exact,
            max_output_tokens=ask.max_output_tokens,
            model=ask.target.model,
        )
        return report.history_budget_tokens

    # ------------------------------------------------------------ changes that come before a request

    def use_counter(self) -> None:
        """Another tokenizer than the state's: what is live is counted anew, from stored counts where there are any."""

        def build(state: SessionState, next_seq: int) -> Write | None:
            if state.counter_id == self.counter.counter_id:
                return None
            nodes = [*state.nodes.values(), *state.instructions]
            if not state.counter_id or not nodes:
                return Write(entries=[CounterChanged(self.counter.counter_id, ())])
            stored = self.lane.store.counts(self.lane.key.tenant_id, {node.body_id for node in nodes}, self.counter.counter_id)
            counted = {node.seq: stored.get(node.body_id) or self.counter.count_message(self.bodies.message(node)) for node in nodes}
            rows = tuple((node.seq, counted[node.seq], _scaled(node, counted[node.seq])) for node in nodes)
            counts = [Count(node.body_id, self.counter.counter_id, counted[node.seq]) for node in nodes if node.body_id not in stored]
            return Write(entries=[CounterChanged(self.counter.counter_id, rows)], counts=counts)

        self.lane.write(build)

    def set_instructions(self, messages: Sequence[Message]) -> None:
        """The client's own system text, where it changed."""

        def build(state: SessionState, next_seq: int) -> Write | None:
            intake = Intake(state, next_seq, self.hasher, self.counter, self.bodies)
            intake.instruct(messages)
            return intake.write

        self.lane.write(build)


def _segment_ids(made: PromptPlan) -> set[str]:
    return {segment.segment_id for segment in (*made.segments, *made.request.tail)}


def _scaled(node: Node, tokens: int) -> int:
    """The result's share of a new count, in the proportion of the old one."""
    return tokens * node.result_tokens // max(1, node.tokens)


_OUTPUT_KEYS: Mapping[str, str] = {
    "openai_chat": "max_completion_tokens",
    "openai_responses": "max_output_tokens",
    "anthropic": "max_tokens",
}


def params_of(ask: Ask, reserve_tokens: int) -> dict[str, Any]:
    """The parameters of the request body that a prompt fixes: model and maximum output. Anthropic's interface
    requires the latter: what the budget reserves, where the caller names none."""
    params: dict[str, Any] = {"model": ask.target.model} if ask.target.model else {}
    output = ask.max_output_tokens
    if output is None and ask.target.wire == "anthropic":
        output = max(1, reserve_tokens)
    if output is not None:
        params[_OUTPUT_KEYS[ask.target.wire]] = output
    return params
