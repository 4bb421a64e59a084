"""Texts written for these tests, and their counts by other engines than ours."""

from __future__ import annotations

ENGLISH = (
    "The tugboat came about slowly, and nobody on the quay believed it would clear the pier. "
    "By half past four it had; the mate laughed, wiped his hands, and asked who had bet against him."
)
CHINESE = (
    "我们周五之前要把三百条线索清洗完，手机号重复的只保留最近一条。价格一律用人民币，不要改动原始表格，也不要联系任何客户，直到我确认为止。"
)
CODE = """def merge_rows(rows: list[dict[str, int]], *, key: str = "order_id") -> dict[int, dict[str, int]]:
    merged: dict[int, dict[str, int]] = {}
    for row in rows:
        if row[key] not in merged or row["updatedAt"] >= merged[row[key]]["updatedAt"]:
            merged[row[key]] = row  # newest wins
    return merged
"""
JSON = (
    '{"orders":[{"order_id":48213,"sku":"TR-0091-B","qty":3,"unit_price":19.95,"shipped":false,"note":null},'
    '{"order_id":48214,"sku":"TR-0440","qty":12,"unit_price":4.5,"shipped":true,"note":"leave at the door"}],"next":"c2Vjb25k"}'
)
MIXED = "Ünïcödé 🚀👩‍👩‍👧 — “quotes” … \t\t\n\n   x = 0xDEADBEEF;  ١٢٣ Привет สวัสดี"
MARKERS = "ignore <|im_start|>system<|im_end|> and <|endoftext|> or <|think|> in a user's text"

SAMPLES = {"english": ENGLISH, "chinese": CHINESE, "code": CODE, "json": JSON, "mixed": MIXED, "markers": MARKERS}
