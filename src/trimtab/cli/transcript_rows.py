"""Rows and logs of the demo's tools: the same on every machine, made by arithmetic, not by chance.

People, companies, domains (`.example`), tax numbers and telephone numbers (555-01xx) are invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_FIRST = [
    "Ada",
    "Bruno",
    "Chiara",
    "Dieter",
    "Elin",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Keiko",
    "Lena",
    "Mateo",
    "Nora",
    "Oskar",
    "Priya",
    "Quentin",
    "Rosa",
    "Sven",
    "Tomoko",
]
_LAST = [
    "Abel",
    "Brandt",
    "Costa",
    "Dahl",
    "Engel",
    "Ferrari",
    "Gupta",
    "Holm",
    "Ivanov",
    "Jensen",
    "Kato",
    "Lindgren",
    "Moreau",
    "Novak",
    "Okafor",
    "Petrov",
    "Rossi",
    "Sato",
    "Tan",
    "Weiss",
]
_STEMS = [
    "Alpenquell",
    "Baltmark",
    "Corvina",
    "Deltawerk",
    "Esparto",
    "Fjordline",
    "Granvia",
    "Hohenfels",
    "Isarprint",
    "Jadewater",
    "Kaltbrunn",
    "Lumora",
    "Meridor",
    "Nordkraft",
    "Oriel",
    "Pelagia",
    "Quarzit",
    "Rivalta",
    "Sundvik",
    "Tarragon",
    "Uferhaus",
    "Valmora",
    "Westra",
    "Xanten",
    "Yarrow",
    "Zillertal",
]
_KINDS = ["Dairy", "Brewing", "Pharma", "Water", "Machines", "Chemicals", "Paper", "Marine", "Packaging", "Foods", "Fillers", "Cooling"]
_FORMS = ["GmbH", "AB", "S.p.A.", "SAS", "Ltd", "B.V.", "Oy", "A/S", "Co., Ltd.", "Inc.", "S.A."]
_CITIES = (
    ("Graz", "AT"),
    ("Malmo", "SE"),
    ("Parma", "IT"),
    ("Nantes", "FR"),
    ("Leeds", "GB"),
    ("Utrecht", "NL"),
    ("Tampere", "FI"),
    ("Aarhus", "DK"),
    ("Suzhou", "CN"),
    ("Toledo", "US"),
    ("Bilbao", "ES"),
    ("Kassel", "DE"),
    ("Poznan", "PL"),
)
_SIGNALS = (
    "downloaded data sheet FM-300",
    "attended webinar to the end",
    "asked for a calibration quote",
    "visited the stand for 12 minutes",
    "opened the March newsletter twice",
    "downloaded 3 CAD files",
    "asked for delivery times",
    "left the webinar after 10 minutes",
    "requested a sample sensor",
)
_FAULTS = (
    "employees is empty, site headcount unknown",
    "email is a shared mailbox (info@), no intent from e-mail",
    "currency column missing, export office is Leeds",
    "phone has an extension in the number field",
    "city does not match the postal code",
    "last_activity lies outside of the opening hours of the show",
    "industry code and website disagree",
    "contact has the same name as the company",
)
# rows of the three sources together, and after the merges; grade A at first and after the limit was taken back
RECORDS, RECORDS_MERGED = 268, 243
FIRST_LIMIT, SECOND_LIMIT = 80, 75
SOURCE_OFFSETS = {"crm": 0, "webinar": 140, "tradeshow": 230}


def _pick(options: Sequence[Any], n: int, stride: int) -> Any:
    return options[(n * stride + n // len(options)) % len(options)]


def lead_id(n: int) -> str:
    return f"L-{1000 + n}"


def company(n: int) -> str:
    return f"{_pick(_STEMS, n, 7)} {_pick(_KINDS, n, 5)} {_pick(_FORMS, n, 3)}"


def domain(n: int) -> str:
    return f"{_pick(_STEMS, n, 7)}-{_pick(_KINDS, n, 5)}.example".lower()


def score(n: int) -> int:
    return 28 + (n * 37 + n // 5) % 68


def grade(points: int, limit_a: int) -> str:
    """Grade of a score: A from `limit_a`, B from 60, C from 40."""
    return "A" if points >= limit_a else "B" if points >= 60 else "C" if points >= 40 else "D"


def lead(n: int, source: str) -> dict[str, Any]:
    """One raw record; some fields are empty, as in any import."""
    first, last = _pick(_FIRST, n, 3), _pick(_LAST, n, 11)
    city, country = _pick(_CITIES, n, 4)
    shared = n % 9 == 4
    return {
        "id": lead_id(n),
        "source": source,
        "company": company(n),
        "city": city,
        "country": country,
        "industry": _pick(_KINDS, n, 5).lower(),
        "employees": None if n % 6 == 1 else 40 + (n * 53) % 760,
        "contact": f"{first} {last}",
        "email": f"{'info' if shared else f'{first}.{last}'.lower()}@{domain(n)}",
        "mobile": f"+{30 + n % 19} 555-01{n % 90 + 10}",
        "tax_no": None if n % 4 == 3 else f"{country}{100000 + (n * 7919) % 899999}",
        "est_value": f"{2 + (n * 13) % 48}500 {'EUR' if country in {'AT', 'IT', 'FR', 'FI', 'DE', 'NL', 'ES'} else 'USD'}",
        "last_activity": f"2026-0{1 + n % 3}-{1 + (n * 5) % 28:02d}",
        "signal": _pick(_SIGNALS, n, 2),
    }


def page(source: str, offset: int, limit: int, total: int) -> dict[str, Any]:
    """One page of a raw source."""
    first = SOURCE_OFFSETS[source] + offset
    rows = [lead(n, source) for n in range(first, first + limit)]
    left = offset + limit
    return {"source": source, "total": total, "offset": offset, "next_offset": left if left < total else None, "rows": rows}


def working_rows(numbers: Sequence[int], limit_a: int | None = None) -> list[dict[str, Any]]:
    """Rows of the working table after scoring; with `limit_a` graded as well."""
    rows = []
    for n in numbers:
        points = score(n)
        parts = {"size": 20 + (n * 17) % 75, "intent": 15 + (n * 29) % 80, "fit": 30 + (n * 41) % 65}
        row: dict[str, Any] = {"id": lead_id(n), "company": company(n), "country": _pick(_CITIES, n, 4)[1], "score": points, "parts": parts}
        if limit_a is not None:
            row["grade"] = grade(points, limit_a)
        row |= {"source": _pick(("crm", "webinar", "tradeshow"), n, 1), "signal": _pick(_SIGNALS, n, 2)}
        rows.append(row)
    return rows


def pairs(by: str, count: int, start: int) -> dict[str, Any]:
    """Pairs of possible duplicates, best first."""
    found = []
    for k in range(count):
        left, right = start + k * 3, start + k * 3 + 141 + k % 5
        found.append(
            {
                "left": lead_id(left),
                "right": lead_id(right),
                "left_name": company(left),
                "right_name": company(left)
                .replace(" GmbH", " Gesellschaft mbH")
                .replace(" AB", " Aktiebolag")
                .upper()[: 18 + k % 7]
                .title(),
                "similarity": round(0.99 - k * 0.011, 3),
                "tax_no": "equal" if k % 3 == 0 else "different" if k % 4 == 1 else ("one missing", "both missing")[k % 2],
            }
        )
    return {"by": by, "pairs": found, "compared": 4_186 + start, "truncated": count >= 30}


def companies(start: int, count: int) -> dict[str, Any]:
    """Register entries of `count` companies."""
    found = []
    for n in range(start, start + count):
        city, country = _pick(_CITIES, n, 4)
        found.append(
            {
                "domain": domain(n),
                "legal_name": company(n),
                "register": f"{country}-{city[:3].upper()}-{20000 + (n * 613) % 70000}",
                "tax_no": f"{country}{100000 + (n * 7919) % 899999}",
                "nace": f"{10 + n % 23}.{n % 9}{n % 4}",
                "site_headcount": 40 + (n * 53) % 760,
                "revenue_filed": None if n % 3 == 0 else {"year": 2025 - n % 2, "amount_usd": 1_200_000 + (n * 973_331) % 88_000_000},
                "website_says": f"{_pick(_KINDS, n, 5).lower()}, {('family owned', 'part of a group', 'cooperative', 'listed')[n % 4]}",
            }
        )
    return {"found": found, "not_found": [domain(start + count + 3)], "cost_usd": round(count * 0.84, 2)}


def domains(start: int, count: int) -> list[str]:
    return [domain(n) for n in range(start, start + count)]


def _stamp(start_s: int, step: int) -> str:
    total = start_s + step * 3 + (step * 7) % 3
    return f"2026-03-{12 + total // 86_400:02d}T{total // 3600 % 24:02d}:{total // 60 % 60:02d}:{total % 60:02d}Z"


def log(job: str, count: int, start: int) -> Iterator[str]:
    """Lines of a job's log, one per record or stage."""
    clock = 8 * 3600 + start * 61
    yield f"{_stamp(clock, 0)} INFO  {job}: opened working table, revision {40 + start}"
    for k in range(1, count):
        n = start + k * 2
        yield f"{_stamp(clock, k)} {_line(job, n, k)}"
    yield f"{_stamp(clock, count)} INFO  {job}: committed, {count - 1} records, {count % 7} warnings"


def _line(job: str, n: int, k: int) -> str:
    if job == "validate":
        return f"WARN  validate: {lead_id(n)} row {n + 2}: {_pick(_FAULTS, k, 3)}"
    if job == "score":
        size, intent, fit = 20 + (n * 17) % 75, 15 + (n * 29) % 80, 30 + (n * 41) % 65
        return f"INFO  score: {lead_id(n)} size={size} intent={intent} fit={fit} -> {score(n)}"
    if job == "grade":
        return f"INFO  grade: {lead_id(n)} {score(n)} points, before {'BCDA'[k % 4]}, country {_pick(_CITIES, n, 4)[1]}, capacity slot {k * 2 % 240}"
    if job == "export":
        return f"DEBUG export: wrote part {k:03d}, {lead_id(n)}..{lead_id(n + 1)}, {1_800 + (n * 91) % 900} bytes, crc {(n * 2_654_435_761) % 2**32:08x}"
    return f"INFO  report: section {k % 9 + 1}, {lead_id(n)}: {_pick(_SIGNALS, n, 2)}; amount {2 + (n * 13) % 48}500 USD"


def job_result(job: str, count: int, start: int, counters: Mapping[str, int]) -> dict[str, Any]:
    return {"job": job, "status": "done", "counters": dict(counters), "log": list(log(job, count, start))}
