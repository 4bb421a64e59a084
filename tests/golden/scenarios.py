"""Two short pieces of work, as a client would record them: cleaning leads in English, a monthly report in Chinese.

Each has a system text, two rules, a preference, a decision and its reversal, a table, a call that fails, a to-do,
a note and a variable, and goes on until history is cut once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.failures.shapes import Json, Talk, settings, target
from trimtab import Session

SAY = Talk("openai_chat")
_REGIONS = ("Berlin", "Hamburg", "", "Bayern", "Hessen", "Sachsen")
_COMPANIES = ("Halden Optik", "Norda Papier", "Brandt & Sohn", "Kessler Bau", "Lumen AG", "Alpenhof", "Weiss Druck")
_CONTACTS = ("Ida Holm", "Jan Peters", "Mia Vogt", "Tom Brandt", "Eva Lind", "Ole Sander")
_STORES = ("南京路店", "徐汇店", "浦东店", "虹口店", "静安店")
_CATEGORIES = ("护肤", "彩妆", "香水", "洗护")


def leads_table() -> str:
    rows = [
        f"L-{1000 + n},{_COMPANIES[n % 7]},{_CONTACTS[n % 6]},lead{n}@{_COMPANIES[n % 7].split()[0].lower()}.example,{_phone(n)},"
        f"{_REGIONS[n % 6]},{(n * 37) % 100}"
        for n in range(1, 13)
    ]
    return "\n".join(["id,company,contact,email,phone,region,score", *rows])


def _phone(number: int) -> str:
    return "030 44x07" if number == 7 else f"030 44{number:03}"


def sales_table() -> str:
    rows = [
        {"单号": f"S{20250300 + n}", "门店": _STORES[n % 5], "品类": _CATEGORIES[n % 4], "数量": n % 9 + 1, "金额": (n * 137) % 900 + 45}
        for n in range(1, 13)
    ]
    return json.dumps(rows, ensure_ascii=False)


def _called(call_id: str, name: str, answer: Any, **arguments: Any) -> list[Json]:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return [*SAY.calls(call_id, name=name, **arguments), *SAY.results({call_id: text})]


class Scenario:
    """What is told once the session is open, and the rounds: the user's words, then what the assistant does."""

    def __init__(self, system: str, begin: Callable[[Session], object], rounds: list[list[Json]], table: tuple[str, str, str]) -> None:
        """`table`: the call whose result becomes a variable, the variable's name, and the step it belongs to."""
        self.system, self.begin, self.rounds, self.table = system, begin, rounds, table


def _begin_en(session: Session) -> None:
    session.brief("Clean the leads of the first quarter and hand them to sales.")
    session.write_note("handover", {"to": "Dana Whitfield", "due": "2025-04-11"})


def _begin_zh(session: Session) -> None:
    session.brief("做好三月的门店销售报表，交给财务。")
    session.write_note("交付", {"收件人": "周敏", "截止": "2025-04-08"})


EN = Scenario(
    "You are a data assistant of Norvik Trading. You clean lists of leads before they go into the CRM.",
    _begin_en,
    [
        [
            *SAY.user(
                "Hi! Please help me to clean leads_q1.csv before it goes into the CRM. Never delete a row, mark it as a duplicate instead. "
                "All phone numbers must have the form +49 30 1234567. I'd rather have short answers."
            ),
            *SAY.says("Understood. Shall I read the file first?"),
        ],
        [
            *SAY.user("Yes please. Let's go with the email address as the key for duplicates."),
            *_called("c1", "read_file", leads_table(), path="leads_q1.csv"),
            *SAY.says("12 leads with 7 columns. No email address is there twice; 2 rows have no region."),
        ],
        [
            *SAY.user("Actually, use company plus phone as the key, not the email address. Two people at Halden Optik share a mailbox."),
            *_called("c2", "mark_duplicates", {"ok": True, "marked": 2, "ids": ["L-1009", "L-1011"]}, key=["company", "phone"]),
            *SAY.says("Two rows are marked as duplicates: L-1009 and L-1011."),
        ],
        [
            *SAY.user("Good. Now the phone numbers."),
            *_called("c3", "normalize_phones", "exit code: 1\nerror: cannot parse '030 44x07' in row 7 (L-1007)", mode="strict"),
            *SAY.says("The strict way fails at L-1007, whose number is '030 44x07'. I try the lenient one."),
            *_called("c4", "normalize_phones", {"ok": True, "changed": 11, "left": ["L-1007"]}, mode="lenient"),
            *SAY.says("11 numbers have the right form now. L-1007 is left as it is."),
        ],
        [
            *SAY.user("I still have to ask Petra Lindqvist about L-1007. Her number is +46 8 555 1234. What about the regions?"),
            *_called("c5", "fill_regions", {"ok": True, "filled": 1, "missing": ["L-1008"]}, source="postal_codes_2025.csv"),
            *SAY.says("One region came from postal_codes_2025.csv. L-1008 has no postal code, so its region stays empty."),
        ],
        [
            *SAY.user("Which leads score above 50? Sales wants those first, they have a call on 9 April at 10:00."),
            *_called("c6", "query", {"count": 5, "ids": ["L-1002", "L-1005", "L-1007", "L-1008", "L-1010"]}, where="score > 50"),
            *SAY.says("Five leads: L-1002, L-1005, L-1007, L-1008 and L-1010. The best is L-1008 with 96."),
        ],
        [
            *SAY.user("Let's use 50 as the threshold then. Write them to out/hot_leads.csv, without the duplicates."),
            *_called("c7", "write_file", {"ok": True, "rows": 5, "bytes": 431}, path="out/hot_leads.csv"),
            *SAY.says(
                "out/hot_leads.csv is written: 5 rows, 431 bytes.\n\nNext steps:\n- [ ] ask Petra about L-1007\n- [ ] import into the CRM\n"
                "- [x] write the hot leads"
            ),
        ],
        [
            *SAY.user("How does the import work? I have never done one in this CRM."),
            *_called(
                "c8",
                "read_page",
                "Importing leads. Files are taken as CSV with a header. You must always map every column before the first import. "
                "The limit is 5,000 rows a file. Rows with the same external id overwrite each other.\n"
                "Errors are listed under Admin > Imports > Log and stay there for 30 days.",
                url="https://help.example.com/import",
            ),
            *SAY.says(
                "A CSV file with a header, at most 5,000 rows; each column is mapped once. Rows with the same external id overwrite each "
                "other, so the id column should be the external id. Errors are under Admin > Imports > Log."
            ),
        ],
        [
            *SAY.user("Fine, take the id as the external id. Is there a test system?"),
            *SAY.says("Yes: https://crm-test.example.com, project NV-204. I would import the five hot leads there first."),
        ],
        [
            *SAY.user("Do that."),
            *_called("c9", "import_leads", {"ok": True, "imported": 5, "batch": "IMP-88213"}, file="out/hot_leads.csv", system="test"),
            *SAY.says("All five are in the test system, batch IMP-88213, without an error."),
        ],
        [*SAY.user("Great. And when is the handover again?")],
    ],
    ("c1", "leads_q1", "clean"),
)

ZH = Scenario(
    "你是诺维贸易公司的数据助理，负责整理门店销售报表。",
    _begin_zh,
    [
        [
            *SAY.user("你好，帮我做三月的销售报表。报表里的列名必须一直用中文。不要改动原始文件。我更喜欢先看结论再看明细。"),
            *SAY.says("好的。要我先读取三月的明细吗？"),
        ],
        [
            *SAY.user("先读吧。我们决定按品类汇总。"),
            *_called("c1", "read_file", sales_table(), path="sales_2025_03.json"),
            *SAY.says("共12行，5个字段：单号、门店、品类、数量、金额。"),
        ],
        [
            *SAY.user("还是改成按门店汇总吧，不按品类了，财务要看门店。"),
            *_called("c2", "summarize", {"ok": True, "门店数": 5, "总金额": 5826}, by="门店"),
            *SAY.says("已按门店汇总：5家门店，总金额5,826元，徐汇店最高。"),
        ],
        [
            *SAY.user("环比也算一下，二月的数据在 sales_2025_02.json。"),
            *_called("c3", "read_file", "错误：文件不存在 sales_2025_02.json", path="sales_2025_02.json"),
            *SAY.says("读取失败：找不到 sales_2025_02.json。我去归档目录看看。"),
            *_called("c4", "read_file", {"ok": True, "行数": 11, "总金额": 5296}, path="archive/sales_2025_02.json"),
            *SAY.says("在 archive/ 下找到了，二月共11行，总金额5,296元，三月环比增长10.0%。"),
        ],
        [
            *SAY.user("徐汇店有三笔退款还没核对，先记着。负责人是李航，电话 13800138000。"),
            *SAY.says("记下了：徐汇店三笔退款待核对，联系李航。"),
        ],
        [
            *SAY.user("金额超过700的单子有哪些？4月3日开会要用。"),
            *_called("c5", "query", {"count": 3, "单号": ["S20250305", "S20250306", "S20250312"]}, where="金额 > 700"),
            *SAY.says("有3笔：S20250305、S20250306、S20250312，在南京路店、徐汇店和浦东店。"),
        ],
        [
            *SAY.user("那就以700元作为大单标准。结果写到 out/三月报表.xlsx。"),
            *_called("c6", "write_file", {"ok": True, "rows": 5, "bytes": 9216}, path="out/三月报表.xlsx"),
            *SAY.says("已写入 out/三月报表.xlsx，共5行。\n\n待办：\n- [ ] 核对徐汇店退款\n- [ ] 发给财务\n- [x] 生成报表"),
        ],
        [
            *SAY.user("财务的上传要求是什么？我没传过。"),
            *_called(
                "c7",
                "read_page",
                "上传说明：文件须为 xlsx，大小不超过 20MB。必须先填写成本中心编号，否则退回。每月8日18:00截止。编号可在 OA 系统的“成本中心”页查询。",
                url="https://oa.example.cn/help/upload",
            ),
            *SAY.says("要求：xlsx 格式、不超过20MB、先填成本中心编号，每月8日18:00截止。"),
        ],
        [*SAY.user("成本中心编号是 CC-3307。你觉得要附上明细吗？"), *SAY.says("建议附上，财务上月追问过两次明细。")],
        [
            *SAY.user("好，附上明细，但不要包含顾客姓名。"),
            *SAY.says("好的，明细写到 out/三月明细.xlsx，共12行，不含顾客姓名。"),
        ],
        [*SAY.user("截止时间是哪天来着？")],
    ],
    ("c1", "三月明细", "整理"),
)
SCENARIOS = {"en": EN, "zh": ZH}


@contextmanager
def opened(scenario: Scenario, layout: str) -> Iterator[Session]:
    # cut by rounds and not by tokens, so that the cut falls at the same place whatever stands in the rule block
    chosen = settings(
        "hierarchical", 16_000, layout=layout, hot_rounds=HOT_ROUNDS[scenario], recall=False, inject_notes=("handover", "交付")
    )
    with Session.open(":memory:", "golden", settings=chosen, target=target("openai_chat")) as session:
        scenario.begin(session)
        yield session


# so that history is cut with the last message
HOT_ROUNDS = {EN: 9, ZH: 8}


def bodies(scenario: Scenario, layout: str) -> Iterator[tuple[Json, bool]]:
    """Every request of the scenario, and whether history was cut for it. A request follows each message that is not
    the assistant's."""
    call_id, name, step = scenario.table
    with opened(scenario, layout) as session:
        session.begin_step(step)
        for messages in scenario.rounds:
            for message in messages:
                seq = session.record(message).last_seq
                if message.get("tool_call_id") == call_id:
                    session.offload(name, f"#{seq}")
                if message["role"] != "assistant":
                    prompt = session.prompt(system=scenario.system, max_output_tokens=500)
                    yield prompt.render(), "compaction" in prompt.cuts
