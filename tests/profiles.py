"""How many examples hypothesis tries. The environment variable HYPOTHESIS_PROFILE names the profile.

The properties of DESIGN §9 (tests/properties) carry `@PROPERTY` and get the full count. All other hypothesis
tests get at most 30 by default, so that CI stays quick.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = {"dev": 50, "ci": 1_000, "nightly": 50_000}
ELSEWHERE_AT_MOST = 30

name = os.environ.get("HYPOTHESIS_PROFILE", "dev")
if name not in EXAMPLES:
    raise ValueError(f"HYPOTHESIS_PROFILE is {name!r}; it must be one of {', '.join(EXAMPLES)}")

# `derandomize`: what CI tries is the same for the same test, so that a failure there is the change's; on a
# developer's machine and at night the examples are new each time, and what they find becomes a fixed test.
settings.register_profile(
    name,
    max_examples=min(EXAMPLES[name], ELSEWHERE_AT_MOST),
    deadline=None,
    derandomize=name == "ci",
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile(name)

PROPERTY = settings(max_examples=EXAMPLES[name])
# of programs that open a database of their own many times an example
SLOW_PROPERTY = settings(max_examples=max(EXAMPLES["dev"], EXAMPLES[name] // 8))
