"""The one frozen Settings, built at the edge. Later sources win: preset < TOML < environment < flag < code."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from trimtab.errors import BadSetting, UnknownSetting

Mode: TypeAlias = Literal["none", "window", "compact", "retrieval", "hierarchical", "auto"]
Layout: TypeAlias = Literal["state_first", "cache_first"]
TailMode: TypeAlias = Literal["auto", "replace", "append"]
Durability: TypeAlias = Literal["process", "power"]
Interface: TypeAlias = Literal["openai_chat", "anthropic"]
Maintain: TypeAlias = Literal["call", "inline", "thread"]
RecallScope: TypeAlias = Literal["lane", "session", "project"]
OnConflict: TypeAlias = Literal["block", "show"]
Sharing: TypeAlias = Literal["own", "session"]
Assertion: TypeAlias = Literal["off", "line", "argument"]
OnFlag: TypeAlias = Literal["warn", "reanchor", "rollback", "stop"]
DETECTORS = ("looping", "tunnel", "goal_lost", "identity_lost", "format_lost", "early_finish")
MODES: tuple[Mode, ...] = get_args(Mode)
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
ENVIRONMENT_PREFIX = "TRIMTAB_"
# names with our prefix that tests and benchmarks use
NOT_SETTINGS = frozenset({"data", "require_data"})


class Budget(Struct, frozen=True, kw_only=True):
    """What the user sets. A value of None takes the default of REQUIREMENTS B1.

    Attributes:
        window_tokens: the model's limit; 0 to take it from the model's name.
        safety_ratio: share of the window that is used at all (0.6; 0.85 for windows up to 16k that are counted
            exactly). Above 0.8 a warning is reported with each request.
        reserve_tokens: for the reply. The request's own maximum output, thinking included, goes before it.
        splice_ratio: buffer for the joints between pieces (0.05, at most 0.10).
        trigger_ratio, target_ratio: of the history budget; compaction fires at the one and cuts to the other.
        stable_tokens: absolute cap on the whole prompt, or None.
    """

    window_tokens: int = 0
    safety_ratio: float | None = None
    reserve_tokens: int | None = None
    splice_ratio: float = 0.05
    trigger_ratio: float = 0.7
    target_ratio: float = 0.25
    stable_tokens: int | None = None

    def __post_init__(self) -> None:
        checks: tuple[tuple[str, object, bool, str], ...] = (
            ("window_tokens", self.window_tokens, self.window_tokens >= 0, "0 or more"),
            ("safety_ratio", self.safety_ratio, self.safety_ratio is None or 0 < self.safety_ratio <= 1, "above 0 and at most 1"),
            ("reserve_tokens", self.reserve_tokens, self.reserve_tokens is None or self.reserve_tokens >= 0, "0 or more"),
            ("splice_ratio", self.splice_ratio, 0 <= self.splice_ratio <= 0.10, "from 0 to 0.10"),
            ("trigger_ratio", self.trigger_ratio, 0 < self.trigger_ratio <= 1, "above 0 and at most 1"),
            ("target_ratio", self.target_ratio, 0 < self.target_ratio < self.trigger_ratio, "above 0 and below trigger_ratio"),
            ("stable_tokens", self.stable_tokens, self.stable_tokens is None or self.stable_tokens > 0, "above 0, or None"),
        )
        for key, value, good, allowed in checks:
            if not good:
                raise BadSetting(f"budget.{key}", value, allowed)


class Summarizer(Struct, frozen=True, kw_only=True):
    """The language model that distills history in `maintain()`; never asked while a prompt is made [S5].

    Its key is not a setting: it is read from the environment at each call, and never stored or logged.

    Attributes:
        base_url: of the endpoint, as its own client libraries take it ("https://api.example.com/v1"). May be ""
            where `Session.open(summarizer=...)` gets a model object; the limits below hold for that too.
        model: its name at the endpoint.
        interface: which of the two forms the endpoint speaks.
        api_key_env: name of the environment variable that holds the key; "" for an endpoint without one.
        window_tokens: what the model takes, its answer included. A longer stretch is read in parts.
        max_output_tokens: of one answer.
        timeout_s: seconds after which one request is given up.
        least_tokens: it is not asked for less than this much new history.
        input_price, output_price: per million tokens, in a currency of your own.
    """

    base_url: str = ""
    model: str = ""
    interface: Interface = "openai_chat"
    api_key_env: str = ""
    window_tokens: int = 32_000
    max_output_tokens: int = 2_000
    timeout_s: float = 60.0
    least_tokens: int = 2_000
    input_price: float = 0.0
    output_price: float = 0.0

    def __post_init__(self) -> None:
        url = self.base_url
        checks: tuple[tuple[str, object, bool, str], ...] = (
            ("base_url", url, not url or url.startswith(("http://", "https://")), "a URL that begins with http:// or https://"),
            ("base_url", "...", "@" not in url.partition("://")[2].partition("/")[0], "a URL without a name or password; set api_key_env"),
            ("interface", self.interface, self.interface in get_args(Interface), "one of " + ", ".join(get_args(Interface))),
            ("window_tokens", self.window_tokens, self.window_tokens >= 4_000, "4,000 or more"),
            (
                "max_output_tokens",
                self.max_output_tokens,
                0 < self.max_output_tokens <= self.window_tokens // 2,
                "above 0 and at most half of summarizer.window_tokens",
            ),
            ("timeout_s", self.timeout_s, self.timeout_s > 0, "above 0"),
            ("least_tokens", self.least_tokens, self.least_tokens >= 0, "0 or more"),
            ("input_price", self.input_price, self.input_price >= 0, "0 or more"),
            ("output_price", self.output_price, self.output_price >= 0, "0 or more"),
        )
        for key, value, good, allowed in checks:
            if not good:
                raise BadSetting(f"summarizer.{key}", value, allowed)


# below this a state block says nothing any more
LEAST_TASK_TOKENS = 40


class Steering(Struct, frozen=True, kw_only=True):
    """Which techniques keep a task on course; each is a switch of its own [T11]. All of them need a task, see `session.task`.

    Attributes:
        state: the state block stands in every prompt of a task [T3].
        plan: the plan stands there too, and what is proposed outside it is refused [T4].
        checkpoints: a checkpoint is made when a milestone is done [T5].
        assertion: whether the model must say which step it is on: `line`, in the first line of each reply; `argument`, in
            a required argument of each tool call [T6].
        milestones: every so many finished steps the three questions are put to the verifier's model; 0 for never [T7].
        verifier: whether a second model, where one is configured, judges finished steps and `verifier` conditions [T8].
        detectors: which kinds of drift are looked for [T9].
        on_flag: what is done at the act tier: `warn` says it in the state block, `reanchor` states goal, plan and rules
            again right before the input, `rollback` goes back to the last checkpoint, `stop` raises `Drifted` [T9].
        interruptions: whether a message off the task is told apart from input for it [T10].
        state_max_tokens, plan_max_tokens: caps of the two blocks; in a small window each takes a fifth of what the client's own
            system text and tools leave.
    """

    state: bool = True
    plan: bool = True
    checkpoints: bool = True
    assertion: Assertion = "off"
    milestones: int = 0
    verifier: bool = True
    detectors: tuple[str, ...] = DETECTORS
    on_flag: OnFlag = "warn"
    interruptions: bool = True
    state_max_tokens: int = 500
    plan_max_tokens: int = 700

    def __post_init__(self) -> None:
        checks: tuple[tuple[str, object, bool, str], ...] = (
            ("assertion", self.assertion, self.assertion in get_args(Assertion), "one of " + ", ".join(get_args(Assertion))),
            ("on_flag", self.on_flag, self.on_flag in get_args(OnFlag), "one of " + ", ".join(get_args(OnFlag))),
            ("milestones", self.milestones, self.milestones >= 0, "0 or more"),
            ("detectors", self.detectors, set(self.detectors) <= set(DETECTORS), "some of " + ", ".join(DETECTORS)),
            ("state_max_tokens", self.state_max_tokens, self.state_max_tokens >= LEAST_TASK_TOKENS, f"{LEAST_TASK_TOKENS} or more"),
            ("plan_max_tokens", self.plan_max_tokens, self.plan_max_tokens >= LEAST_TASK_TOKENS, f"{LEAST_TASK_TOKENS} or more"),
        )
        for key, value, good, allowed in checks:
            if not good:
                raise BadSetting(f"steering.{key}", value, allowed)


class Settings(Struct, frozen=True, kw_only=True):
    """How prompts are made. Every value can be changed; the defaults' sources are the row numbers in brackets.

    Attributes:
        mode: which policy decides [C1-C6]: one of MODES, or an installed policy's name.
        layout: where changing sections stand [P1].
        budget: the token budget [B1].
        window_rounds: rounds that `window` keeps; None for 5 where tools are called and 20 in a chat [C2].
        hot_rounds: rounds that `hierarchical` keeps verbatim [C5].
        overlap_rounds: rounds that stay verbatim while a summary is laid over them in `auto` [C6].
        recent_rounds: rounds kept beside recall in `retrieval`.
        recall: whether older turns are recalled; None to let the mode decide [C7].
        recall_limit: turns recalled a request [C4].
        recall_max_ratio: share of the history budget that recalled turns may take.
        on_conflict: what `prompt` does where a recalled fragment says other than a confirmed decision: `block` raises
            `Blocked` until that is settled, `show` sends both, the decision standing [R5].
        sharing: whether this lane takes in what other lanes of its session know: `own` no, `session` before each prompt
            and in `maintain` [M9].
        recall_scope: where recall looks: in this `lane` alone, in all lanes of the `session` that are not private, or in the
            whole `project` [M9].
        recall_deadline_ms: a request's recall goes on by words alone where the question's vector takes longer [R3].
        embedder: what makes vectors of turns and questions: "auto" for the one of `trimtab[local]` where it is installed,
            "" for none, or an installed embedder's name [R3].
        clear_results: whether tool results leave once the model has used them [M2].
        clear_keep_rounds: newest rounds whose results are not yet eligible to be cleared.
        clear_at_least_tokens: eligible tokens at which they leave between two compactions; None for a twentieth
            of the history budget, at least 500 [M2].
        stub_result_ratio: a tool result above this share of the history budget is stubbed on first insertion [M2].
        summary_max_tokens: cap of the summary, constraints not counted [S4].
        rules_max_tokens, rules_max_items: above these the rule block is reported as over-long [M2, S3].
        inject_notes: note keys whose values stand in the prompt [M5].
        meta_notes_max_tokens: cap of all meta notes together [M6].
        offload_result_tokens: a tool result above this becomes a variable when it comes in, and a stub in the prompt;
            0 for none but what `stub_result_ratio` already stubs [M7].
        reads_max_ratio: share of the history budget that the variables of the current step may take; what is longer
            is shortened, with the way to the rest [M7].
        tail_mode: whether changing content replaces the last or is appended (`auto`: by the target) [P1].
        durability: `process` survives kill -9, `power` also loss of power.
        summarizer: a language model that distills history besides the extraction by code; None for none [S5].
        steering: which techniques keep a task on course [T1-T11].
        verifier: the language model that judges steps and milestones; None for the checks by code alone [T7, T8].
        maintain: when it is asked: `call` only by `maintain()`, `inline` at the end of recording a reply, `thread`
            then in a thread of its own.
    """

    mode: str = "auto"
    layout: Layout = "state_first"
    budget: Budget = Budget()
    window_rounds: int | None = None
    hot_rounds: int = 10
    overlap_rounds: int = 6
    recent_rounds: int = 3
    recall: bool | None = None
    recall_limit: int = 5
    recall_max_ratio: float = 0.2
    recall_scope: RecallScope = "session"
    recall_deadline_ms: int = 40
    embedder: str = "auto"
    on_conflict: OnConflict = "block"
    sharing: Sharing = "own"
    clear_results: bool = True
    clear_keep_rounds: int = 2
    clear_at_least_tokens: int | None = None
    stub_result_ratio: float = 0.25
    summary_max_tokens: int = 1_100
    rules_max_tokens: int = 2_000
    rules_max_items: int = 30
    inject_notes: tuple[str, ...] = ()
    meta_notes_max_tokens: int = 1_000
    offload_result_tokens: int = 0
    reads_max_ratio: float = 0.5
    tail_mode: TailMode = "auto"
    durability: Durability = "process"
    summarizer: Summarizer | None = None
    steering: Steering = Steering()
    verifier: Summarizer | None = None
    maintain: Maintain = "call"

    def __post_init__(self) -> None:
        for key in ("hot_rounds", "overlap_rounds", "recent_rounds", "summary_max_tokens", "rules_max_tokens", "rules_max_items"):
            if getattr(self, key) < 1:
                raise BadSetting(key, getattr(self, key), "1 or more")
        for key in ("recall_limit", "recall_deadline_ms", "clear_keep_rounds", "meta_notes_max_tokens", "offload_result_tokens"):
            if getattr(self, key) < 0:
                raise BadSetting(key, getattr(self, key), "0 or more")
        if self.window_rounds is not None and self.window_rounds < 1:
            raise BadSetting("window_rounds", self.window_rounds, "1 or more, or None")
        if self.clear_at_least_tokens is not None and self.clear_at_least_tokens < 0:
            raise BadSetting("clear_at_least_tokens", self.clear_at_least_tokens, "0 or more, or None")
        for key in ("recall_max_ratio", "stub_result_ratio", "reads_max_ratio"):
            if not 0 < getattr(self, key) <= 1:
                raise BadSetting(key, getattr(self, key), "above 0 and at most 1")
        for key, value, allowed in (
            ("layout", self.layout, LAYOUTS),
            ("tail_mode", self.tail_mode, get_args(TailMode)),
            ("durability", self.durability, get_args(Durability)),
            ("maintain", self.maintain, get_args(Maintain)),
            ("recall_scope", self.recall_scope, get_args(RecallScope)),
            ("on_conflict", self.on_conflict, get_args(OnConflict)),
            ("sharing", self.sharing, get_args(Sharing)),
        ):
            if value not in allowed:
                raise BadSetting(key, value, "one of " + ", ".join(allowed))

    def merged(self, **changes: Any) -> Settings:
        """The same settings with some values changed."""
        return msgspec.structs.replace(self, **changes)


# settings that are values of their own, set one by one
_NESTED: Mapping[str, type[Struct]] = {"budget": Budget, "summarizer": Summarizer, "steering": Steering, "verifier": Summarizer}


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _known() -> dict[str, Any]:
    fields = {name: Settings.__annotations__[name] for name in Settings.__struct_fields__ if name not in _NESTED}
    for outer, kind in _NESTED.items():
        fields |= {f"{outer}.{name}": kind.__annotations__[name] for name in kind.__struct_fields__}
    return fields


class ResolvedSettings(Struct, frozen=True):
    """Settings together with where each value that is not a default came from."""

    settings: Settings
    origins: dict[str, str]


def load_settings(
    *,
    preset: Mapping[str, Any] | None = None,
    toml_path: Path | str | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    code: Mapping[str, Any] | None = None,
) -> ResolvedSettings:
    """Build the settings from all sources; a later argument wins over an earlier one.

    Keys are flat (`mode`, `budget.window_tokens`) or nested mappings. The environment's names are
    `TRIMTAB_MODE`, `TRIMTAB_BUDGET__WINDOW_TOKENS`; values there and in flags may be text.

    Raises:
        UnknownSetting, BadSetting: with the source that the value came from.
    """
    layers: list[tuple[str, dict[str, Any]]] = [("preset", _flat(preset or {}))]
    if toml_path is not None:
        layers.append((str(toml_path), _flat(tomllib.loads(Path(toml_path).read_text("utf-8")).get("trimtab", {}))))
    env = os.environ if environment is None else environment
    named = {
        key[len(ENVIRONMENT_PREFIX) :].lower().replace("__", "."): value for key, value in env.items() if key.startswith(ENVIRONMENT_PREFIX)
    }
    layers.append(("environment", {key: value for key, value in named.items() if key not in NOT_SETTINGS}))
    layers.append(("flag", {key: value for key, value in _flat(flags or {}).items() if value is not None}))
    layers.append(("code", _flat(code or {})))
    return _resolve(layers)


def _resolve(layers: list[tuple[str, dict[str, Any]]]) -> ResolvedSettings:
    known = _known()
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in layers:
        for key, value in layer.items():
            if key not in known:
                raise UnknownSetting(key, tuple(known), origin)
            values[key], origins[key] = value, origin
    top = {key: value for key, value in values.items() if "." not in key}
    nested: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        outer, dot, name = key.partition(".")
        if dot:
            nested.setdefault(outer, {})[name] = value
    try:
        settings = msgspec.convert({**top, **nested}, Settings, strict=False)
    except BadSetting as error:
        raise BadSetting(error.key, error.value, error.allowed, origins.get(error.key, error.origin)) from None
    except msgspec.ValidationError as error:
        key = str(error).rpartition("$.")[2].strip("`")
        raise BadSetting(key, values.get(key), str(error).partition(" - at")[0], origins.get(key, "code")) from None
    return ResolvedSettings(settings, origins)
