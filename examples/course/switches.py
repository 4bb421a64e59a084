"""Each technique is a switch of its own; with all of them off, a session is a window of the newest rounds and the user's rules."""

from __future__ import annotations

from trimtab import Budget, Settings
from trimtab.settings import DETECTORS, OnFlag, Steering

WINDOW_TOKENS = 8_000
# rounds that a plain loop keeps, as common chat memories do; a session lets them leave in blocks, so it holds three to six
WINDOW_ROUNDS, SESSION_ROUNDS = 5, 3
# in the order in which REQUIREMENTS T11 names them; then the rest
SWITCHES = (
    "state",
    "summary",
    "retrieval",
    "meta",
    "plan",
    "assertion",
    "detectors",
    "products",
    "checks",
    "verifier",
    "milestones",
    "interruptions",
    "rollback",
    "stop",
)
ALL = frozenset(SWITCHES)
NONE: frozenset[str] = frozenset()
# finished steps from one milestone to the next
MILESTONE_STEPS = 4
_MODES = {(True, True): "auto", (True, False): "compact", (False, True): "retrieval", (False, False): "window"}


def settings_for(switches: frozenset[str]) -> Settings:
    """The settings with these switches on and all others off. `meta`, `products` and `checks` are no settings: see `running`.

    `detectors`, `rollback` and `stop` are three answers to the same findings; of several the last is given.
    """
    on_flag: OnFlag = "stop" if "stop" in switches else "rollback" if "rollback" in switches else "reanchor"
    steering = Steering(
        state="state" in switches,
        plan="plan" in switches,
        checkpoints=bool(switches & {"state", "rollback"}),
        assertion="line" if "assertion" in switches else "off",
        milestones=MILESTONE_STEPS if "milestones" in switches else 0,
        verifier="verifier" in switches,
        detectors=DETECTORS if switches & {"detectors", "rollback", "stop"} else (),
        on_flag=on_flag,
        interruptions="interruptions" in switches,
    )
    return Settings(
        mode=_MODES["summary" in switches, "retrieval" in switches],
        budget=Budget(window_tokens=WINDOW_TOKENS),
        window_rounds=SESSION_ROUNDS,
        recall="retrieval" in switches,
        embedder="",
        steering=steering,
    )
