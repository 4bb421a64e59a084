"""find: by words, and by exact strings over the whole ledger."""

from __future__ import annotations

import pytest

from tests.session.cases import call, opened, reply, result, round_of, settings, user
from trimtab.errors import BadSetting


def test_an_identifier_is_found_wherever_it_stands_however_long_ago() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("Look at the log."), call("c1", "logs", '{"host": "bk-eu-7"}'))
        s.record(result("c1", "INFO a\n" * 50 + "INFO trace 8f3a-77c1 done\n" + "INFO b\n" * 50), reply("Nothing special."))
        s.write_note("ticket", {"id": "OPS-4411"})
        for number in range(1, 20):
            s.record(*round_of("openai_chat", number, 60))
            prompt = s.prompt()
        assert "8f3a-77c1" not in prompt.render_bytes().decode()
        for query in ("8f3a-77c1", "what was trace 8f3a-77c1?", "8F3A-77C1"):
            hit = s.find(query)[0]
            assert hit.kind == "message" and "8f3a-77c1" in hit.text and hit.role == "tool"
        assert s.find("bk-eu-7", kinds=("message",))[0].role == "assistant"
        assert [(row.kind, row.ref) for row in s.find("OPS-4411")] == [("note", "ticket")]
        number = int(s.find("8f3a-77c1")[0].ref[1:])
        assert s.find(f"#{number}")[0].ref == f"#{number}"


def test_turns_are_found_by_words_and_items_with_their_status() -> None:
    with opened(settings=settings(8_000, mode="compact")) as s:
        s.record(user("The delivery of the blue sofa was planned for a morning in spring."), reply("Noted."))
        s.record(user("All amounts must be in euros."), reply("ok"))
        for number in range(1, 20):
            s.record(*round_of("openai_chat", number, 60))
            s.prompt()
        assert "sofa" in s.find("when was the sofa delivered", kinds=("turn",))[0].text
        item = next(item for item in s.state.items.values() if "euros" in item.text)
        s.withdraw(item.item_id)
        found = s.find("amounts in euros", kinds=("item",))[0]
        assert (found.ref, found.status) == (item.item_id, "done")


def test_chinese_is_found_by_its_words() -> None:
    with opened() as s:
        s.record(user("客户希望在周五之前收到报价单。"), reply("好的。"), user("还有别的吗"))
        assert "报价单" in s.find("报价单")[0].text
        assert "报价单" in s.find("什么时候收到报价")[0].text


def test_kinds_and_limits() -> None:
    with opened() as s:
        for number in range(8):
            s.record(user(f"apples and pears {number}"))
        assert len(s.find("apples", limit=3)) == 3
        assert s.find("apples", kinds=("note",)) == ()
        assert s.find("   ") == ()
        assert s.find("apples", limit=0) == ()
        with pytest.raises(BadSetting, match="kind"):
            s.find("apples", kinds=("everything",))  # type: ignore[arg-type]


def test_what_a_rollback_left_behind_is_not_found() -> None:
    with opened() as s:
        s.record(user("start"))
        s.checkpoint("c")
        s.record(user("the secret word is xylophone-42"))
        s.rollback("c")
        assert s.find("xylophone-42") == ()


def test_a_huge_query_is_no_reason_to_stand_still() -> None:
    with opened() as s:
        s.record(user("hello"))
        for query in ("x" * 200_000, "价格" * 100_000, "a.b" * 60_000, "1" * 100_000):
            assert s.find(query) == ()
