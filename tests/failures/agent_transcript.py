"""A made-up run of an agent over 30 rounds with seven tools, about 90,000 tokens, with nine facts hidden in it.

The kinds of facts and where they stand follow the compression test of the field notes: what the user ruled out (in
English and in Chinese), ids in plain and in failing rows, a constant in source code, a trace in a log line, a decision
of the assistant's, an amount nested in JSON, the name of a failed test.
"""

from __future__ import annotations

import json
import random
from typing import Any

from msgspec import Struct

ROUNDS = 30


class Fact(Struct, frozen=True):
    """What must not be lost: `text` stands in the run; `query` is what an agent would ask for it, without the answer."""

    name: str
    text: str
    query: str = ""


FACTS = (
    Fact("F1 user ban", "Never restart the billing-api pods during the day."),
    Fact("F2 id in a plain row", "TX-770412-Q", "which transaction id has customer cu-2231?"),
    Fact("F3 id in a failing row", "TX-118093-E", "which transaction failed for cu-9904?"),
    Fact("F4 constant in a source file", "RETRY_CEILING_S = 437", "value of RETRY_CEILING_S"),
    Fact("F5 Chinese ban", "报表里不要出现客户的手机号。"),
    Fact("F6 trace in an INFO line", "trace=9f31bb07e2", "trace of job nightly-export-44"),
    Fact("F7 decision of the assistant", "shard key is tenant_hash_v3", "shard key decided for orders_2031"),
    Fact("F8 nested amount", "48211.37", "what is the amount of inv-2088-c?"),
    Fact("F9 failed test", "test_refund_rounding_hkd", "which test failed in suite pay-int-6?"),
)
RULES = (FACTS[0], FACTS[4])


def make_run(seed: int = 7) -> list[list[dict[str, Any]]]:
    """One list of chat messages a round: what is new in it. The user speaks in every third round."""
    rng = random.Random(seed)
    rounds = []
    for number in range(1, ROUNDS + 1):
        messages: list[dict[str, Any]] = []
        if number % 3 == 1 or number in (2, 5):
            messages.append({"role": "user", "content": _asked(number)})
        name = TOOLS[number % len(TOOLS)]
        call_id = f"call_{number}"
        arguments = json.dumps({"page": number, "of": _SUBJECTS[number % len(_SUBJECTS)]})
        function = {"name": name, "arguments": arguments}
        messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "type": "function", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": _result(name, number, rng)})
        messages.append({"role": "assistant", "content": _concluded(number)})
        rounds.append(messages)
    return rounds


TOOLS = ("query_orders", "list_files", "http_get", "search_logs", "grep", "run_tests", "read_file")
_SUBJECTS = ("the ledger export", "refund rounding", "the nightly job", "tenant shards", "the pricing cache")
_WORDS = [
    "ledger",
    "shard",
    "export",
    "refund",
    "tenant",
    "cache",
    "pricing",
    "nightly",
    "batch",
    "column",
    "index",
    "cursor",
    "replica",
    "quota",
    "window",
    "metric",
    "gauge",
    "handler",
    "schema",
    "payload",
    "digest",
    "cutoff",
    "rollout",
    "drain",
    "probe",
    "backlog",
    "snapshot",
]


def _asked(number: int) -> str:
    if number == 2:
        return f"{FACTS[0].text} Go on with the ledger export."
    if number == 5:
        return f"{FACTS[4].text} 继续。"
    return f"Look into {_SUBJECTS[number % len(_SUBJECTS)]} next and tell me what you see."


def _concluded(number: int) -> str:
    if number == 12:
        return f"I looked at orders_2031. The {FACTS[6].text}, because the old key put four tenants on one node."
    return f"Part {number} of {_SUBJECTS[number % len(_SUBJECTS)]} is read; {number * 3} entries looked fine."


def _result(name: str, number: int, rng: random.Random) -> str:
    make = {
        "query_orders": _rows,
        "list_files": _files,
        "http_get": _page,
        "search_logs": _log,
        "grep": _grep,
        "run_tests": _tests,
        "read_file": _code,
    }[name]
    return make(number, rng)


def _say(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def _rows(number: int, rng: random.Random) -> str:
    rows = [
        {
            "tx": f"TX-{rng.randrange(10**6):06d}-{'ABCD'[at % 4]}",
            "customer": f"cu-{3000 + at}",
            "status": "settled",
            "amount": round(rng.uniform(5, 900), 2),
            "note": _say(rng, 6),
        }
        for at in range(78)
    ]
    if number == 7:
        rows[23] |= {"tx": FACTS[1].text, "customer": "cu-2231"}
        rows[41] |= {"tx": FACTS[2].text, "customer": "cu-9904", "status": "failed"}
    return json.dumps({"rows": rows, "total": len(rows)}, ensure_ascii=False)


def _files(number: int, rng: random.Random) -> str:
    return json.dumps(
        [{"path": f"svc/{rng.choice(_WORDS)}/{rng.choice(_WORDS)}_{at}.py", "size": rng.randrange(9000)} for at in range(150)]
    )


def _page(number: int, rng: random.Random) -> str:
    invoices = [
        {"id": f"inv-{2000 + at}-{'abc'[at % 3]}", "total": {"net": {"amount": round(rng.uniform(10, 9e3), 2)}}} for at in range(105)
    ]
    if number == 16:
        invoices[50] = {"id": "inv-2088-c", "total": {"net": {"amount": 48211.37}}}
    return json.dumps({"ok": True, "data": {"invoices": invoices}})


def _log(number: int, rng: random.Random) -> str:
    lines = [
        f"2031-04-0{1 + at % 9} 03:{at % 60:02d}:17 INFO worker-{at % 8} job export-{at} took {rng.randrange(900)} ms {_say(rng, 5)}"
        for at in range(140)
    ]
    if number == 17:
        lines[62] = f"2031-04-07 03:02:17 INFO worker-3 job nightly-export-44 took 88 ms {FACTS[5].text}"
    return "\n".join(lines)


def _grep(number: int, rng: random.Random) -> str:
    return "\n".join(f"svc/{rng.choice(_WORDS)}.py:{rng.randrange(900)}: {_say(rng, 12)}" for _ in range(150))


def _tests(number: int, rng: random.Random) -> str:
    lines = [f"tests/test_{rng.choice(_WORDS)}.py::test_{rng.choice(_WORDS)}_{at} PASSED" for at in range(165)]
    if number == 19:
        lines[77] = f"tests/test_pay.py::{FACTS[8].text} FAILED"
        lines += [
            f"E   AssertionError: 10.04 != 10.05 in {FACTS[8].text}",
            "suite pay-int-6: 1 failed, 164 passed in 12.20s",
            "exit code: 1",
        ]
    return "\n".join(lines)


def _code(number: int, rng: random.Random) -> str:
    lines = []
    for at in range(57):
        lines += [
            f"def {rng.choice(_WORDS)}_{at}(value):",
            f'    """{_say(rng, 10)}."""',
            f"    return value * {at} + {rng.randrange(99)}",
            "",
        ]
    if number == 13:
        lines[90] = FACTS[3].text
    return "\n".join(lines)
