"""A Chinese conversation from the first message to the last, in every mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.session.cases import TARGETS, ask, bodies_of, call, opened, reply, result, settings, text_of, user
from trimtab.core.messages import WIRES, WireName
from trimtab.settings import LAYOUTS, MODES
from trimtab.tokens import counter_for

RULE = "所有价格必须用美元报价。"
NEVER = "不要给客户发送合同原件。"
FACT = "客户王芳的订单编号是 QX-7731,收货地址在成都市锦江区。"
FILLER = "我们继续核对第{n}批线索,逐条检查公司名称、联系人和电话号码,并把重复的记录合并到一起。"


def play(session: Any, rounds: int = 30) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    def say(*messages: dict[str, Any]) -> None:
        session.record(*messages)
        sent.extend(messages)

    for number in range(1, rounds + 1):
        question = FILLER.format(n=number) * 2
        if number == 2:
            question = f"请记住:{RULE}另外,{NEVER}"
        if number == 4:
            question = FACT
        say(user(question), call(f"c{number}", "search", '{"关键词":"线索"}'), result(f"c{number}", "结果:" + FILLER.format(n=number) * 4))
        prompt = ask(session)
        assert FILLER.format(n=number)[:10] in text_of(prompt)
        say(reply(f"第{number}批已经核对完毕,没有发现问题。"))
    return sent


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "none"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_rules_said_in_chinese_outlive_every_compaction(mode: str, layout: str, tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", settings=settings(6_000, mode=mode, layout=layout)) as s:
        s.pin("回答要用简体中文")
        sent = play(s)
        assert s.state.epoch > 0
        s.record(user("王芳的订单编号是多少?"))
        prompt = ask(s)
        text = text_of(prompt)
        assert "回答要用简体中文" in text
        assert "美元" in text
        assert "合同原件" in text
        if mode in ("retrieval", "hierarchical", "auto"):
            assert "QX-7731" in text
        assert [len(body) > 0 for body in bodies_of(s.store)] == [True] * (len(sent) + 1)
    with opened(tmp_path / "a.db", settings=settings(6_000, mode=mode, layout=layout)) as s:
        assert ask(s).render_bytes() == prompt.render_bytes()


def test_chinese_is_never_cut_inside_a_character() -> None:
    """Shortened texts are valid: no half surrogate pair, no replacement character."""
    long = "漢字🚀" * 20_000
    with opened(settings=settings(4_000)) as s:
        s.record(user(long))
        text = text_of(ask(s))
        text.encode("utf-8")
        assert "\ufffd" not in text
        s.record(call("c1"), result("c1", long))
        text = text_of(ask(s))
        assert "\ufffd" not in text
        assert "漢字" in text


@pytest.mark.parametrize("wire", WIRES)
def test_chinese_is_counted_by_the_models_own_tokens(wire: WireName) -> None:
    with opened(target=TARGETS[wire]) as s:
        s.record(user(RULE * 100))
        counter = counter_for(TARGETS[wire].model)
        counted = counter.count_text(RULE * 100)
        assert counted <= ask(s).tokens <= counted * (1.0 if counter.exact else 1.1) + 60


def test_a_chinese_history_is_recognized_when_it_is_sent_again() -> None:
    history = [user("你好"), reply("您好!请问有什么可以帮您?"), user(RULE)]
    with opened() as s:
        s.sync(history)
        number = ask(s).number
        assert s.sync([dict(message) for message in history]).outcome == "same"
        assert ask(s).number == number
        assert s.sync([*history, reply("好的")]).added == 1
        assert s.sync([user("你好"), reply("您好!请问有什么可以帮您?"), user(RULE + "谢谢")]).outcome == "branch"


def test_names_and_keys_may_be_chinese(tmp_path: Path) -> None:
    with opened(tmp_path / "数据.db", "会话一", tenant="租户", project="项目") as s:
        s.write_note("进度", {"已完成": 3})
        s.checkpoint("开始")
        s.record(user("你好"), key="键")
        ask(s)
        s.rollback("开始")
    with opened(tmp_path / "数据.db", "会话一", tenant="租户", project="项目") as s:
        assert s.read_note("进度") == {"已完成": 3}
        assert s.state.messages == 0
        assert "你好" in str(s.request(1).render())
