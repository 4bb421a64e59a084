"""Each technique is a switch of its own; with all of them off, a session is a window of the newest rounds and the user's rules."""

from __future__ import annotations

from trimtab import Budget, Settings
from trimtab.settings import DETECTORS, Steering

WINDOW_TOKENS = 8_000
# rounds that a plain loop keeps, as common chat memories do; a session lets them leave in blocks, so it holds three to six
WINDOW_ROUNDS, SESSION_ROUNDS = 5, 3
# in the order in which REQUIREMENTS T11 names them; then the rest
SWITCHES = ("state", "summary", "retrieval", "meta", "plan", "assertion", "detectors", "products", "checks")
ALL = frozenset(SWITCHES)
NONE: frozenset[str] = frozenset()
_MODES = {(True, True): "auto", (True, False): "compact", (False, True): "retrieval", (False, False): "window"}


def settings_for(switches: frozenset[str]) -> Settings:
    """The settings with these switches on and all others off. `meta`, `products` and `checks` are no settings: see `running`."""
    steering = Steering(
        state="state" in switches,
        plan="plan" in switches,
        checkpoints="state" in switches,
        assertion="line" if "assertion" in switches else "off",
        verifier=False,
        detectors=DETECTORS if "detectors" in switches else (),
        on_flag="reanchor",
        interruptions=False,
    )
    return Settings(
        mode=_MODES["summary" in switches, "retrieval" in switches],
        budget=Budget(window_tokens=WINDOW_TOKENS),
        window_rounds=SESSION_ROUNDS,
        recall="retrieval" in switches,
        embedder="",
        steering=steering,
    )
