"""Rounds 18 to 30 of the demo: a question off the topic, grades taken back, the report, a fact asked for."""

from __future__ import annotations

from collections import Counter

from trimtab.cli import transcript_rows as rows
from trimtab.cli import transcript_say as say
from trimtab.cli.transcript_article import MARKET_NOTE
from trimtab.cli.transcript_first import FACT
from trimtab.cli.transcript_say import JsonObject


def second_rounds() -> list[list[JsonObject]]:
    return [*_grade(), *_assign(), *_report()]


def _counts(limit_a: int) -> Counter[str]:
    return Counter(rows.grade(rows.score(n), limit_a) for n in range(rows.RECORDS_MERGED))


def _graded(letter: str, count: int) -> list[int]:
    return [n for n in range(rows.RECORDS_MERGED) if rows.grade(rows.score(n), rows.SECOND_LIMIT) == letter][:count]


def _grade() -> list[list[JsonObject]]:
    """Rounds 18 to 22."""
    first, second = _counts(rows.FIRST_LIMIT), _counts(rows.SECOND_LIMIT)
    return [
        [
            say.says(
                "243 records are scored. The mean is 61 points; intent moves most records, since many signals are younger than sixty days. "
                "I looked at fifty rows by hand and found nothing odd, apart from two records without any headcount, which got no size points. "
                "Shall I grade now?"
            ),
            say.user(
                "Something else, while I wait for my coffee: my daughter asked me why the sky turns red at sunset. Do you have two sentences for her?"
            ),
        ],
        [
            say.says(
                "When the sun is low, its light takes a much longer way through the air, and on that way the blue part is scattered to the sides "
                "until mostly orange and red are left. That is also why sunsets after a dusty day are often the most colorful ones. - Back to the "
                "leads: the next step would be the grading."
            ),
            say.user("She liked that, thanks. Yes, back to work: please grade them all and tell me how many we get of each."),
        ],
        say.answered(
            say.asks(
                19, "I grade with the limits of Monday.", ("run_job", {"job": "grade", "options": {"limits": {"A": 80, "B": 60, "C": 40}}})
            ),
            rows.job_result("grade", 60, 24, {"A": first["A"], "B": first["B"], "C": first["C"], "D": first["D"]}),
        ),
        [
            say.says(
                f"The grades: {first['A']} A, {first['B']} B, {first['C']} C and {first['D']} D. The capacity for first calls is 80 this quarter, "
                "so the A list would leave part of it unused. The guide says in section 6 that the limit should follow the capacity; that is for "
                "you to decide."
            ),
            say.user(
                "You are right, that is too few. I take the limit back: from now on grade A starts at 75 points instead, B and C stay where they "
                "are. Katrin agrees. Grade again, and then assign the best twenty to the four regional leads in turn."
            ),
        ],
        say.answered(
            say.asks(
                21, "I grade again with the new limit.", ("run_job", {"job": "grade", "options": {"limits": {"A": 75, "B": 60, "C": 40}}})
            ),
            rows.job_result("grade", 60, 36, {"A": second["A"], "B": second["B"], "C": second["C"], "D": second["D"]}),
        ),
    ]


def _assign() -> list[list[JsonObject]]:
    """Rounds 23 to 24."""
    assigned = _graded("A", 20)
    owners = ("k.brandt", "o.holm", "c.ferrari", "m.tan")
    changes = [{"op": "assign", "ids": [rows.lead_id(n)], "field": "owner", "value": owners[k % 4]} for k, n in enumerate(assigned)]
    written = [{"id": rows.lead_id(n), "owner": owners[k % 4], "due": f"2026-03-{20 + k % 5}"} for k, n in enumerate(assigned)]
    return [
        say.answered(
            say.asks(
                22,
                f"{_counts(rows.SECOND_LIMIT)['A']} A now. Before I assign, I read the two lists at the limit.",
                ("read_leads", {"source": "working", "grade": "A", "limit": 28}),
                ("read_leads", {"source": "working", "grade": "B", "limit": 24}),
            ),
            {"source": "working", "grade": "A", "rows": rows.working_rows(_graded("A", 28), rows.SECOND_LIMIT)},
            {"source": "working", "grade": "B", "rows": rows.working_rows(_graded("B", 24), rows.SECOND_LIMIT)},
        ),
        say.answered(
            say.asks(
                23,
                "The lists are consistent. I assign the first twenty in turn.",
                ("update_leads", {"changes": changes, "reason": "first twenty of grade A, in turn, asked for by the process owner"}),
            ),
            {"written": 20, "revision": 61, "assigned": written},
        ),
    ]


def _report() -> list[list[JsonObject]]:
    """Rounds 25 to 30."""
    draft = rows.working_rows(_graded("A", 30), rows.SECOND_LIMIT)
    report = rows.job_result("report", 40, 48, {"sections": 9, "rows": 30}) | {"draft": draft}
    return [
        [
            say.says(
                "The twenty are assigned, five to each of the four, and the audit trail has the reason. Open are: 27 pairs without a tax number, "
                "two records without a headcount, and 31 whose site headcount is an estimate. Next would be the report."
            ),
            say.user("好的。写报告之前，请先看一下《华东与华南跟进要点》那份市场资料，苏州那几家的摘要按里面的写法来。然后生成报告草稿。"),
        ],
        say.answered(say.asks(25, "我先读这份市场资料。", ("fetch_document", {"name": "market-note-cn"})), MARKET_NOTE),
        say.answered(
            say.asks(
                26,
                "资料读完了：每家不超过两行，先写公司、行业、厂区规模和得分，再写最近一次有效动作和下一步。现在生成草稿。",
                ("run_job", {"job": "report", "options": {"form": "draft", "language": "en", "rows": 30, "summaries_cn": ["Suzhou"]}}),
            ),
            report,
        ),
        [
            say.says(
                "The draft is there: nine sections, thirty rows of grade A, and the short summaries for Suzhou in the form of the note. Section 2 "
                "names the weights and both limits with the date of the change, section 7 lists the open pairs, and section 9 what could not be "
                "decided. Converted amounts use the rate of the export day. Would you like to change anything?"
            ),
            say.user(
                "Looks good, no changes. I am writing the cover note for Lyon right now. Which drop folder do they pick the final file up from? "
                "I told you some time ago and can't find it any more."
            ),
        ],
        [
            say.says(
                f"You gave it to me when you approved the merges: the final file for Lyon goes into {FACT}, and Amelie's people collect it."
            ),
            say.user(
                "Perfect. Then run the final export, and put a line on top of it with the weights that we agreed on, the limit for grade A that "
                "holds now, and the day on which the report has to be out."
            ),
        ],
        say.answered(
            say.asks(
                29,
                "I run the export with that line on top.",
                (
                    "run_job",
                    {"job": "export", "options": {"form": "csv", "columns": ["id", "company", "grade", "score", "source"], "header": True}},
                ),
            ),
            rows.job_result("export", 60, 60, {"rows": 243, "parts": 59}),
        ),
    ]
