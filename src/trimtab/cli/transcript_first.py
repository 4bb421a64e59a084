"""Rounds 1 to 17 of the demo: read, validate, merge, complete, score."""

from __future__ import annotations

from trimtab.cli import transcript_rows as rows
from trimtab.cli import transcript_say as say
from trimtab.cli.transcript_article import ARTICLE
from trimtab.cli.transcript_say import JsonObject

FACT = "LYN-DROP-7731"


def first_rounds() -> list[list[JsonObject]]:
    return [*_read(), *_validate(), *_merge(), *_complete(), *_score()]


def _read() -> list[list[JsonObject]]:
    """Rounds 1 to 4."""
    return [
        [
            say.user(
                "Hi Quill. I need the Q1 leads cleaned up: the CRM export, the list of the February webinar and the scans of the Parma "
                "trade show. Please read, de-duplicate, complete, score and grade them, and write the report for the regional leads. "
                "It has to be out on 2026-03-27. Before you start, tell me how you want to go about it."
            )
        ],
        [
            say.says(
                "Gladly. I would read all three sources first and change nothing, then validate, then search for duplicates in three passes "
                "(name and city, e-mail domain, telephone exchange). The merges I will show to you before I write them. After that I complete "
                "what is missing from the registers, score with the weights that you give me, grade, and draft the report. Is there anything "
                "that I should know about how the report has to look?"
            ),
            say.user(
                "就按这个顺序做。报告里的金额一律用美元，不要出现个人手机号。先从 CRM 导出开始读。\n"
                "(Our regional leads read English, so the report itself stays in English.)"
            ),
        ],
        say.answered(
            say.asks(2, "I start with the first page of the CRM export.", ("read_leads", {"source": "crm", "offset": 0, "limit": 40})),
            rows.page("crm", 0, 40, 139),
        ),
        say.answered(
            say.asks(
                3,
                "The CRM rows are plain. The webinar list and the trade show scans do not depend on each other, so I read both together.",
                ("read_leads", {"source": "webinar", "limit": 30}),
                ("read_leads", {"source": "tradeshow", "limit": 25}),
            ),
            rows.page("webinar", 0, 30, 88),
            rows.page("tradeshow", 0, 25, 41),
        ),
    ]


def _passes() -> list[JsonObject]:
    """The three searches for duplicates."""
    return [rows.pairs("name_city", 32, 0), rows.pairs("email_domain", 20, 31), rows.pairs("phone_exchange", 20, 64)]


def _validate() -> list[list[JsonObject]]:
    """Rounds 5 to 8."""
    passes = _passes()
    return [
        [
            say.says(
                "All three sources are read: 139 rows of the CRM, 88 of the webinar, 41 of the trade show, 268 in all. What stands out: about "
                "one row in six has no number of employees, one in four no tax number, one in nine only a shared mailbox. The estimated values "
                "are in two currencies. I have changed nothing so far. May I go on with the validation and the search for duplicates?"
            ),
            say.user(
                "Yes, go on. Two rules for the rest of this job. Never merge two records that have different tax numbers, even if name and "
                "street are the same; we burned our fingers with that last year. And always keep the source column in whatever you write, the "
                "regional leads ask for it every time."
            ),
        ],
        say.answered(
            say.asks(5, "First the validation, which only reads.", ("run_job", {"job": "validate", "options": {"tables": ["working"]}})),
            rows.job_result("validate", 60, 1, {"read": rows.RECORDS, "failed": 59, "passed": 209}),
        ),
        say.answered(
            say.asks(
                6,
                "59 rows fail, mostly for missing headcounts and shared mailboxes; I keep their numbers for the completion. Now the first "
                "pass over the duplicates.",
                ("find_duplicates", {"by": "name_city", "threshold": 0.65, "limit": 32}),
            ),
            passes[0],
        ),
        say.answered(
            say.asks(
                7,
                "The other two passes are independent of each other, I run them together.",
                ("find_duplicates", {"by": "email_domain", "threshold": 0.75, "limit": 20}),
                ("find_duplicates", {"by": "phone_exchange", "threshold": 0.75, "limit": 20}),
            ),
            *passes[1:],
        ),
    ]


def _merge() -> list[list[JsonObject]]:
    """Rounds 9 to 11."""
    found = [pair for one in _passes() for pair in one["pairs"]]
    merges = [{"op": "merge", "ids": [pair["left"], pair["right"]]} for pair in found if pair["tax_no"] == "equal"]
    apart = sum(pair["tax_no"] == "different" for pair in found)
    too_many = {
        "error": "batch_too_large",
        "message": f"{len(merges)} changes in one batch, 20 are allowed. Nothing was written. Split the batch and send it again.",
        "allowed": 20,
    }
    reason = "equal tax numbers, approved by the process owner"
    return [
        [
            say.says(
                f"Three passes, {len(found)} pairs. In {len(merges)} of them both records carry the same tax number, and I propose to merge "
                f"those. In {apart} the tax numbers differ; these stay apart. The remaining {len(found) - len(merges) - apart} lack a tax "
                "number on one side or on both; I would leave them as open pairs and look at them again after the completion. Do you approve "
                f"the {len(merges)} merges?"
            ),
            say.user(
                f"The {len(merges)} are fine, go ahead and merge them. While I think of it: the final file for the Lyon office goes into the drop folder "
                f"{FACT}, Amelie's people collect it there on Friday evening. The open pairs can wait until we have the register entries."
            ),
        ],
        say.answered(
            say.asks(9, "Noted. I write the approved merges in one batch.", ("update_leads", {"changes": merges, "reason": reason})),
            too_many,
        ),
        say.answered(
            say.asks(
                10,
                "The batch was over the limit and nothing was written. I send the same merges in two batches.",
                ("update_leads", {"changes": merges[:12], "reason": f"{reason} (1 of 2)"}),
                ("update_leads", {"changes": merges[12:], "reason": f"{reason} (2 of 2)"}),
            ),
            {"written": 12, "revision": 44, "kept": [{"survivor": m["ids"][0], "absorbed": m["ids"][1]} for m in merges[:12]]},
            {
                "written": len(merges) - 12,
                "revision": 45,
                "kept": [{"survivor": m["ids"][0], "absorbed": m["ids"][1]} for m in merges[12:]],
            },
        ),
    ]


def _complete() -> list[list[JsonObject]]:
    """Rounds 12 to 14."""
    return [
        say.answered(
            say.asks(
                11,
                "Both batches are in: 25 merges, 243 records left. Now the completion. 47 records lack a headcount or a tax number; the "
                "registers take 25 domains a call.",
                ("lookup_companies", {"domains": rows.domains(1, 25)}),
            ),
            rows.companies(1, 25),
        ),
        say.answered(
            say.asks(12, "The second part of the look-up.", ("lookup_companies", {"domains": rows.domains(30, 22)})),
            rows.companies(30, 22),
        ),
        [
            say.says(
                "The registers gave 45 of 47 headcounts and 39 tax numbers, at a cost of 39.48 USD. For about a third no revenue was filed. "
                "With the new tax numbers, 6 of the 33 open pairs turned out to be different companies, the other 27 stay open. Two questions: "
                "shall I leave missing revenue empty, or estimate it from the headcount? And which weights and limits shall I use for the score?"
            ),
            say.user(
                "Leave it empty, no estimates. For the score we agreed in the Monday meeting: 40 % size, 35 % intent and 25 % fit, and for now "
                "grade A from 80 points, B from 60, C from 40. That is confirmed by Katrin as process owner. Have a look at the scoring guide "
                "before you run it, section 3 above all."
            ),
        ],
    ]


def _score() -> list[list[JsonObject]]:
    """Rounds 15 to 17."""
    weights = {"weights": {"size": 0.4, "intent": 0.35, "fit": 0.25}, "limits": {"A": rows.FIRST_LIMIT, "B": 60, "C": 40}}
    return [
        say.answered(say.asks(14, "I read the guide first.", ("fetch_document", {"name": "lead-scoring-guide"})), ARTICLE),
        say.answered(
            say.asks(
                15,
                "What I take from the guide: titles, followers and competitors stay out of the score; headcount is that of the site; signals "
                "lose half of their weight in sixty days, in marine a year; tenants of chemical parks belong to the operator. I run the score "
                "with the confirmed weights.",
                ("run_job", {"job": "score", "options": weights}),
            ),
            rows.job_result("score", 60, 12, {"scored": 243, "without_headcount": 2, "estimated_site": 31}),
        ),
        say.answered(
            say.asks(
                16,
                "The score ran through. I check a page of the working table before I report.",
                (
                    "read_leads",
                    {"source": "working", "fields": ["id", "company", "country", "score", "parts", "source", "signal"], "limit": 50},
                ),
            ),
            {"source": "working", "total": 243, "next_offset": 50, "rows": rows.working_rows(range(0, 150, 3))},
        ),
    ]
