"""Kinds, encodings, and what is refused with which words."""

from __future__ import annotations

import builtins
import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.recall.library.making import make_docx, make_pdf, paragraph
from trimtab.errors import DocumentError, DocumentTooLarge, MissingExtra, UnknownDocumentKind, UnreadableDocument
from trimtab.recall.library import docx, pdf, read_document, reading

SIMPLE = "这是一个简体中文的文件，里面有很多常用的汉字。价格是一百元。\n第二行"
TRADITIONAL = "這是一個繁體中文的文件，裡面有很多常用的漢字。價格是一百元。"
LATIN = "Café déjà vu — naïve “quotes”. Über straße."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((SIMPLE, encoding) for encoding in ("utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32")),
        (TRADITIONAL, "big5"),
        (TRADITIONAL, "utf-16-be"),
        (LATIN, "cp1252"),
        ("plain words", "utf-16-le"),
        ("plain words", "utf-16-be"),
    ],
)
def test_encodings_are_recognized(text: str, encoding: str) -> None:
    assert read_document(text.encode(encoding), "a.txt").text == text


def test_what_a_page_declares_comes_before_what_it_looks_like() -> None:
    page = '<html><head><meta charset="shift_jis"></head><body>日本語の文</body></html>'.encode("shift_jis")
    assert read_document(page, "a.html").text.strip() == "日本語の文"
    assert read_document(b'<meta charset="hex">caf\xe9', "a.html").text.strip() == "café"


def test_line_ends_are_one_kind() -> None:
    assert read_document(b"\xef\xbb\xbfa\r\nb\rc", "a.txt").text == "a\nb\nc"
    assert read_document("\ufeffa\r\nb", "a.txt").text == "a\nb"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.md", "x", "md"),
        ("A.HTM", "<p>x", "html"),
        ("a.rs", "x", "code"),
        ("a.tsv", "x", "tsv"),
        ("a", "<!DOCTYPE html><p>x", "html"),
        ("a", '{"a": 1}', "json"),
        ("a", "# One\n\ntext\n\n## Two\n", "md"),
        ("a", "import os\n\ndef f():\n    return 1\n", "code"),
        ("a", "id,name\n1,a\n2,b\n3,c\n", "csv"),
        ("a.xyz", "Just words.", "txt"),
        ("a.pdf", "Just words that another program extracted.", "txt"),
    ],
)
def test_kinds_by_name_and_by_content(name: str, text: str, kind: str) -> None:
    assert read_document(text, name).kind == kind


def test_the_first_bytes_of_a_file_outrank_its_name() -> None:
    assert read_document(make_docx(paragraph("words")), "a.txt").kind == "docx"
    assert read_document(make_pdf([[("words", 10)]]), "a").kind == "pdf"


def test_a_path_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# T\n\nwords", "utf-8")
    assert read_document(tmp_path / "a.md", "a.md").title == "T"
    with pytest.raises(UnreadableDocument, match=r"b\.md cannot be opened .*check the path"):
        read_document(tmp_path / "b.md", "b.md")


def big_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<a>" + b" " * 200_000)
    return packed.getvalue()


def plain_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "x")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "error", "words"),
    [
        (b"", "a.txt", UnreadableDocument, "a.txt is empty"),
        (" \n", "a.txt", UnreadableDocument, "is empty"),
        (b"%PDF-1.4 rubbish", "a.pdf", UnreadableDocument, "is no readable PDF"),
        (b"just words", "a.pdf", UnreadableDocument, "is called .pdf but begins like text"),
        (b"just words", "a.docx", UnreadableDocument, "pass kind='txt'"),
        (make_pdf([[]]), "a.pdf", UnreadableDocument, "1 page.* without any text.*OCR"),
        (b"PK\x03\x04rubbish", "a.docx", UnreadableDocument, "is no readable DOCX"),
        (make_docx(paragraph("a"))[:-30], "a.docx", UnreadableDocument, "is no readable DOCX"),
        (plain_zip(), "a.zip", UnreadableDocument, "without word/document.xml"),
        (make_docx("<w:p>"), "a.docx", UnreadableDocument, "is no readable DOCX"),
        (make_docx(), "a.docx", UnreadableDocument, "has no text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.docx", UnreadableDocument, "encrypted, or of the old DOC form"),
        (b"\x89PNG\r\n\x1a\n", "a.png", UnknownDocumentKind, "of kind 'png'.*use one of: md, txt"),
        (bytes(range(256)) * 20, "a.bin", UnreadableDocument, "no encoding that is known|is binary"),
        (b"a\0" * 9 + b"\0\1\2" * 99, "a.bin", UnreadableDocument, "is binary"),
        ("<p> </p>", "a.html", UnreadableDocument, "has no text"),
        (b"a" * 20_000_001, "a.txt", DocumentTooLarge, "20,000,001 bytes, the most is 20,000,000; split it"),
    ],
)
def test_what_cannot_be_read_is_said(data: bytes | str, name: str, error: type[DocumentError], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        read_document(data, name)
    assert raised.value.document == name


def test_a_packed_kind_is_not_read_from_text() -> None:
    with pytest.raises(UnreadableDocument, match="given as text; pass the bytes"):
        read_document("words", "a", "pdf")


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UnknownDocumentKind, match="'xls'"):
        read_document("x", "a", "xls")


def test_a_zip_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx, "MOST_XML_BYTES", 100_000)
    with pytest.raises(DocumentTooLarge, match=r"in its word/document\.xml"):
        read_document(big_zip(), "bomb.docx")


def test_xml_that_declares_entities_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="declares entities"):
        read_document(make_docx(parts={"word/styles.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "a.docx")


def test_an_encrypted_pdf_is_refused() -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(make_pdf([[("secret", 10)]]))))
    writer.encrypt("word", algorithm="RC4-128")
    written = io.BytesIO()
    writer.write(written)
    with pytest.raises(UnreadableDocument, match="encrypted with a password; save it without"):
        read_document(written.getvalue(), "a.pdf")


def test_limits_of_a_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    content = make_pdf([[("words words", 10)]] * 3)
    monkeypatch.setattr(pdf, "MOST_CHARS", 15)
    with pytest.raises(DocumentTooLarge, match="characters"):
        read_document(content, "a.pdf")
    monkeypatch.setattr(pdf, "MOST_PAGES", 2)
    with pytest.raises(DocumentTooLarge, match="3 pages"):
        read_document(content, "a.pdf")


def test_a_page_that_cannot_be_read_is_told_and_the_others_are_kept() -> None:
    content = make_pdf([[("first words", 10)], [("second words", 10)]])
    broken = content.replace(b"/Contents 7 0 R", b"/Contents (a)  ")
    document = read_document(broken, "a.pdf")
    assert "first words" in document.text
    assert "second words" not in document.text


def test_a_missing_parser_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("pypdf"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'trimtab\[documents\]'"):
        read_document(make_pdf([[("words", 10)]]), "a.pdf")


@pytest.mark.parametrize("text", ["<!--", "<a ", "</", "<![CDATA[", '<a b="', "<?", "<svg>", "&#", "&#" + "9" * 5000])
def test_markup_that_never_ends_takes_no_longer_for_it(text: str) -> None:
    # quadratic time would be minutes here
    document = read_document("<p>kept</p>" + text * (400_000 // len(text)), "a.html")
    assert document.text.startswith("kept")


@pytest.mark.parametrize(
    "text", ["[", "]", '{"a":', '"\\"', 'a,"b\n', "(", "> ", "- ", "* a\n", "1.1 a\n", "fn <", "a = (b) ", "|", "a   "]
)
@pytest.mark.parametrize("kind", ["md", "txt", "json", "csv", "code"])
def test_odd_text_is_read_in_linear_time(text: str, kind: str) -> None:
    document = read_document(text * (60_000 // len(text)), "a", kind)
    assert sum(len("".join(piece.text.split())) for piece in document.pieces) == len("".join(document.text.split()))


def test_the_library_reads_without_its_extra() -> None:
    assert "pypdf" not in vars(reading) and "pypdf" not in vars(sys.modules[reading.__name__])
