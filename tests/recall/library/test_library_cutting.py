"""Where documents are cut, and that nothing of them is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recall.library.making import make_docx, make_pdf, paragraph, table
from trimtab.recall.library import Document, read_document
from trimtab.recall.library.numbering import follows, numbered
from trimtab.recall.library.spans import LIMIT, weigh

ALLOWED = LIMIT * 5 // 4


def assert_whole(document: Document) -> None:
    """The pieces hold every character that is not white space, once and in order."""
    at = 0
    for number, piece in enumerate(document.pieces):
        assert piece.number == number
        assert piece.text == document.text[piece.start : piece.end] == piece.text.strip()
        assert piece.text
        assert at <= piece.start < piece.end
        assert not document.text[at : piece.start].strip()
        at = piece.end
    assert not document.text[at:].strip()


LINES = st.sampled_from(
    [
        *(
            "# One",
            "## Two",
            "=====",
            "-----",
            "",
            "",
            "```",
            "| a | b |",
            "|---|---|",
            "- item",
            "1. first",
            "1.1 Scope",
            "1.2 第二",
            "> said",
        ),
        *(
            "第一章 总则",
            "第一条 甲方应当付款。",
            "一、目标",
            "（一）原则",
            "INTRODUCTION",
            "Plain words that end here.",
            "没有标点的一行",
            "\u3000\u3000段首缩进。",
        ),
        *(
            "def f(x):",
            "    return x",
            "class A:",
            "@d",
            "# note",
            "function g() {",
            "}",
            '{"a": [1, "b"]}',
            'x,"y',
            "a\tb\tc",
            "<p>one",
            "<h2>Two</h2>",
            "<tr><td>1",
        ),
        *("word " * 60 + ".", "长句子，没有结尾" * 40, "x" * 700),
    ]
)


@given(st.lists(LINES, max_size=40), st.sampled_from(["md", "txt", "html", "csv", "tsv", "json", "jsonl", "code"]))
def test_nothing_is_lost_and_nothing_stands_twice(lines: list[str], kind: str) -> None:
    text = "kept\n" + "\n".join(lines)
    document = read_document(text, "a.py", kind)
    assert_whole(document)
    assert max(weigh(piece.text) for piece in document.pieces) <= ALLOWED
    if kind != "html":
        assert document.text == text


@given(st.text(min_size=1, max_size=300), st.sampled_from(["md", "txt", "html", "csv", "json", "code"]))
def test_any_text_is_whole(text: str, kind: str) -> None:
    assert_whole(read_document("kept " + text, "a", kind))


def test_sections_of_markdown_stand_under_their_headings() -> None:
    text = (
        "# Guide\n\nWords.\n\n## Install\n\n### Linux\n\n"
        + "Run it. " * 40
        + "\n\n### Mac\n\n"
        + "Brew it. " * 40
        + "\n\n```sh\n# no heading\n"
        + "x\n" * 9
        + "```\n"
    )
    document = read_document(text, "guide.md")
    assert_whole(document)
    assert document.title == "Guide"
    assert [(piece.kind, piece.where) for piece in document.pieces] == [
        ("prose", "guide.md, Guide"),
        ("prose", "guide.md, Guide > Install > Linux"),
        ("prose", "guide.md, Guide > Install > Mac"),
        ("code", "guide.md, Guide > Install > Mac"),
    ]
    assert document.pieces[1].text.startswith("## Install\n\n### Linux")


def test_small_sections_of_one_parent_are_joined() -> None:
    text = "# Terms\n\n" + "\n\n".join(f"## Term {number}\n\nMeans {number}." for number in range(5))
    assert [piece.path for piece in read_document(text, "t.md").pieces] == [("Terms",)]


@pytest.mark.parametrize("name", ["t.md", "t.html", "t.docx", "t.csv"])
def test_a_long_table_is_cut_by_rows_under_its_head(name: str) -> None:
    rows = [[str(number), f"name of {number} that is rather long"] for number in range(100)]
    cells = [["id", "name"], *rows]
    documents: dict[str, bytes | str] = {
        "t.md": "\n".join(["| id | name |", "|--|--|", *(f"| {one} | {two} |" for one, two in rows)]),
        "t.html": "<p>x</p><table>" + "".join(f"<tr><td>{one}</td><td>{two}</td></tr>" for one, two in cells) + "</table>",
        "t.docx": make_docx(table(cells)),
        "t.csv": "\n".join(",".join(row) for row in cells),
    }
    document = read_document(documents[name], name)
    assert_whole(document)
    parts = [piece for piece in document.pieces if piece.kind == "table"]
    assert len(parts) > 2
    assert parts[0].header == ""
    assert all("id" in piece.header and piece.shown.startswith(piece.header + "\n") for piece in parts[1:])
    assert sum(piece.text.count("name of") for piece in parts) == 100
    assert all(line.count("name of") <= 1 and "long" in line for piece in parts[1:] for line in piece.text.split("\n"))


def test_chinese_articles_stand_under_their_chapters() -> None:
    text = (
        "某某管理条例\n\n第一章 总则\n第一条 "
        + "为了规范行为，制定本条例。" * 20
        + "\n第二条 "
        + "本条例适用于本市。" * 30
        + "\n第二章 罚则\n第三条 按照第一条的规定处理。\n"
    )
    document = read_document(text, "条例.txt")
    assert_whole(document)
    assert document.title == "某某管理条例"
    assert [piece.path for piece in document.pieces] == [
        (),
        ("第一章 总则", "第一条"),
        ("第一章 总则", "第二条"),
        ("第二章 罚则", "第三条"),
    ]


def test_long_chinese_is_cut_at_ends_of_sentences() -> None:
    document = read_document("水泵每周检查两次，记录在表。" * 200, "a.txt")
    assert_whole(document)
    assert all(piece.text.endswith("。") and len(piece.text) <= 750 for piece in document.pieces)


def test_numbered_clauses_and_numbers_that_are_none() -> None:
    text = (
        "AGREEMENT\n\n1. Definitions\n\n1.1 Goods means "
        + "what is sold " * 20
        + "for about\n3.14 million in all.\n1.2 Price means "
        + "the sum " * 40
        + "of it.\n"
    )
    document = read_document(text, "a.txt")
    assert [piece.path for piece in document.pieces] == [("AGREEMENT", "1. Definitions", "1.1"), ("AGREEMENT", "1. Definitions", "1.2")]


@pytest.mark.parametrize(
    ("line", "level", "title"),
    [
        ("第三条 甲方应当付款。", 4, "第三条"),
        ("第十二章　附则", 2, "第十二章　附则"),
        ("一、总体要求", 6, "一、总体要求"),
        ("（二）基本原则", 7, "（二）基本原则"),
        ("Chapter 3: The sea", 2, "Chapter 3: The sea"),
        ("Article 5 - Fees", 3, "Article 5 - Fees"),
        ("3.2 Results", 11, "3.2 Results"),
        ("3.2.1 The supplier pays.", 12, "3.2.1"),
    ],
)
def test_numbers_of_headings(line: str, level: int, title: str) -> None:
    found = numbered(line)
    assert found is not None
    assert (found.level, found.title) == (level, title)


@pytest.mark.parametrize(
    "line", ["3.2 Results ........ 12", "第三条的规定适用。", "第三方", "article five is long", "12:30 lunch", "", "第一章 总则……3"]
)
def test_lines_that_are_no_headings(line: str) -> None:
    assert numbered(line) is None


def test_which_number_follows() -> None:
    assert follows((), (1,)) and follows((1,), (2,)) and follows((1, 2), (1, 3)) and follows((1, 2), (2,)) and follows((2,), (2, 1))
    assert not follows((1, 2), (3, 14)) and not follows((), (7,)) and not follows((3,), (2,))


PYTHON = '"""Doc."""\nimport os\n\n\n# the store\n@dataclass\nclass Cache(Base):\n    """Keeps."""\n\n' + "".join(
    f'    def get{number}(self):\n        """{"Gets it. " * 40}"""\n        return {number}\n\n' for number in range(4)
)


def test_python_is_cut_at_its_definitions() -> None:
    document = read_document(PYTHON + "\ndef main() -> None:\n" + "    run()\n" * 40, "app.py")
    assert_whole(document)
    assert [(piece.kind, piece.where) for piece in document.pieces] == [
        ("code", "app.py line 1"),
        ("class", "app.py line 5, class Cache"),
        *(("function", f"app.py line {11 + 4 * number - 1}, class Cache > def get{number}") for number in range(4)),
        ("function", "app.py line 27, def main"),
    ]
    assert document.pieces[1].text.startswith("# the store\n@dataclass\nclass Cache")


def test_other_languages_and_broken_python_are_cut_by_their_words() -> None:
    body = '\tfmt.Println("x")\n' * 30
    go = read_document(
        f"package main\n\n// Add adds.\nfunc Add(a int) int {{\n{body}}}\n\nfunc (c *Cache) Get(k string) string {{\n{body}}}\n", "m.go"
    )
    assert_whole(go)
    assert [piece.where for piece in go.pieces] == ["m.go line 1", "m.go line 3, func Add", "m.go line 37, func Get"]
    broken = read_document(PYTHON + "\ndef bad(:\n" + "    run()\n" * 40, "app.py")
    assert_whole(broken)
    assert [piece.path[-1:] for piece in broken.pieces][-1] == ("def bad",)


def test_c_is_cut_at_its_functions_with_the_comments_above() -> None:
    body = "    if (a) {\n        struct ind *me = b;\n    }\n" * 12
    text = f"#include <a.h>\n\nstruct ind {{\n    int infile;\n}};\n\n/* Reads\n   one block. */\nlocal int in(void *desc,\n             char *buf)\n{{\n{body}}}\n"
    document = read_document(text, "gun.c")
    assert_whole(document)
    assert [piece.where for piece in document.pieces] == ["gun.c line 1", "gun.c line 3, struct ind", "gun.c line 7, in()"]
    assert document.pieces[2].text.startswith("/* Reads\n   one block. */\nlocal int in(")


def test_json_is_cut_between_its_members() -> None:
    value = {"users": [{"id": number, "tags": ["a", "b"]} for number in range(90)], "meta": {"count": 90}}
    document = read_document(json.dumps(value, indent=1), "u.json")
    assert_whole(document)
    assert len(document.pieces) > 2
    assert all(piece.path[0] == "users" and piece.text.startswith("{") for piece in document.pieces[1:])
    lines = read_document("\n".join(json.dumps(row) for row in value["users"]), "u.jsonl")
    assert all(json.loads(line) for piece in lines.pieces for line in piece.text.split("\n"))


def test_a_row_of_csv_is_never_cut_in_its_quotes() -> None:
    text = "id,note\n" + "".join(f'{number},"one line\nand another, {number}"\n' for number in range(100))
    document = read_document(text, "n.csv")
    assert_whole(document)
    assert all(piece.text.count('"') % 2 == 0 for piece in document.pieces)


def test_pages_of_a_pdf_with_headings_by_size() -> None:
    body = [("The pump is checked twice a week (see below).", 10)] * 6
    pages = [
        [("ACME 2026", 8), *head, *body, (f"Page {number}", 8)]
        for number, head in enumerate([[("Annual Report", 20)], [("Results", 14)], [], [("Outlook", 14)]], 1)
    ]
    document = read_document(make_pdf(pages), "report.pdf")
    assert_whole(document)
    assert document.title == "Annual Report"
    assert [piece.where for piece in document.pieces[1:]] == [
        "report.pdf p. 1, Annual Report",
        "report.pdf p. 2, Annual Report > Results",
        "report.pdf p. 4, Annual Report > Outlook",
    ]
    assert document.text.count("ACME 2026") == 1
    assert document.text.count("The pump") == 24


def test_a_page_head_is_no_heading() -> None:
    body = [("The pump is checked twice a week.", 10)] * 9
    pages = [[("Results", 10), *body], *([(f"Chapter 1: Results {number}", 10), *body] for number in range(2, 4))]
    document = read_document(make_pdf(pages, [("Results", 0)]), "o.pdf")
    assert_whole(document)
    assert {piece.path for piece in document.pieces} == {("Results",)}


def test_headings_of_a_pdf_by_its_outline() -> None:
    body = [("The pump is checked twice a week.", 10)] * 9
    pdf = make_pdf([[("Intro", 10), *body], [("Results", 10), *body]], [("Intro", 0), ("Results", 1)])
    assert [piece.where for piece in read_document(pdf, "o.pdf").pieces] == ["o.pdf p. 1, Intro", "o.pdf p. 2, Results"]


def test_docx_with_styles_numbers_and_tables() -> None:
    document = read_document(
        make_docx(
            paragraph("The plan", "T"),
            paragraph("Scope", "Kop1"),
            paragraph("All of it. " * 30),
            paragraph("Cost", "Own"),
            table([["item", "price"], ["a", "1"]]),
            *(
                paragraph(text, numbered=place)
                for text, place in [("x", (1, 0)), ("y", (1, 1)), ("z", (1, 1)), ("w", (1, 0)), ("dot", (3, 0))]
            ),
            *(paragraph(text, numbered=place) for text, place in [("甲方付款。", (2, 0)), ("inner", (2, 1)), ("乙方交货。", (2, 0))]),
            "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>",
        ),
        "plan.docx",
    )
    assert_whole(document)
    assert document.title == "The plan"
    assert "gone" not in document.text and document.text.endswith("new\n\n")
    assert "item | price\na | 1" in document.text
    listed = [line for line in document.text.split("\n") if line][-9:-1]
    assert listed == ["1. x", "1.1 y", "1.2 z", "2. w", "- dot", "第一条 甲方付款。", "(i) inner", "第二条 乙方交货。"]
    assert [(piece.kind, piece.path) for piece in document.pieces][1:3] == [("prose", ("Scope",)), ("table", ("Scope", "Cost"))]


def test_docx_without_styles_is_read_by_its_numbers() -> None:
    long = "付款细节如下所示。" * 40
    document = read_document(
        make_docx(
            paragraph("某某合同"),
            paragraph("第一章 总则"),
            paragraph("第一条 甲方付款。" + long),
            table([["1.1 甲", "1"]]),
            paragraph("第二条 乙方。" + long),
        ),
        "合同.docx",
    )
    assert_whole(document)
    assert [piece.path for piece in document.pieces] == [(), *[("第一章 总则", "第一条")] * 2, ("第一章 总则", "第二条")]


def test_html_keeps_what_people_read() -> None:
    page = (
        "<!doctype html><html><head><title>My &amp; page</title><style>p{}</style><script>var a = '<p>no</p>'</script></head><body><h1>Guide</h1>"
        "<p>Some <b>bold</b> text<br>next<!-- not this --><p>Second &lt;x&gt;<h2 title='a>b'>Install</h2><ul><li><p>One</p><li>Two</ul>"
        "<pre>def f():\n    return 1</pre><table><tr><th>id<th>name<tr><td>1<td><p>Bob\nLee</p></table>after"
    )
    document = read_document(page, "page.html")
    assert_whole(document)
    assert document.title == "My & page"
    assert "Some bold text\nnext" in document.text and "Second <x>" in document.text and "- One\n- Two\n" in document.text
    assert "no" not in document.text.split() and "not this" not in document.text
    assert "id | name\n1 | Bob Lee\n" in document.text
    assert [(piece.kind, piece.path) for piece in document.pieces] == [
        ("prose", ("Guide",)),
        ("list", ("Guide", "Install")),
        ("code", ("Guide", "Install")),
        ("table", ("Guide", "Install")),
        ("prose", ("Guide", "Install")),
    ]
