"""One way in: bytes, text or a file become a `Document`. What kind it is, what is too large, which reader reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePath

from trimtab.distill.grids import delimited
from trimtab.distill.textkinds import code_language
from trimtab.errors import DocumentTooLarge, UnknownDocumentKind, UnreadableDocument
from trimtab.recall.library.cutting import cut
from trimtab.recall.library.decoding import decode
from trimtab.recall.library.document import Document, Extract
from trimtab.recall.library.docx import read_docx
from trimtab.recall.library.markup import read_markdown
from trimtab.recall.library.pdf import read_pdf
from trimtab.recall.library.plain import read_plain
from trimtab.recall.library.programs import read_program
from trimtab.recall.library.rows import read_json, read_rows
from trimtab.recall.library.webpage import read_html

KINDS = ("md", "txt", "html", "pdf", "docx", "csv", "tsv", "json", "jsonl", "code")
MOST_TEXT_BYTES = 20_000_000
MOST_PACKED_BYTES = 100_000_000
_SAMPLE_CHARS = 20_000

_PROGRAMS = (
    *("py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "svelte", "java", "kt", "kts", "scala", "groovy", "dart", "cs", "swift"),
    *("c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm", "go", "rs", "rb", "php", "pl", "lua", "r", "jl", "sql", "proto", "css", "scss"),
    *("sh", "bash", "zsh", "ps1", "ex", "exs", "erl", "hs", "ml", "clj"),
)
_SUFFIXES = {
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mdx", "qmd"), "md"),
    **dict.fromkeys(
        ("txt", "text", "log", "rst", "org", "adoc", "tex", "srt", "vtt", "ini", "cfg", "conf", "toml", "yaml", "yml", "properties"), "txt"
    ),
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    **dict.fromkeys(("jsonl", "ndjson"), "jsonl"),
    **dict.fromkeys(("pdf", "docx", "csv", "tsv", "json"), ""),
    **dict.fromkeys(_PROGRAMS, "code"),
}
# what these bytes begin is known, and is no document that is read here
_FOREIGN = (
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\x1f\x8b", "gzip"),
    (b"Rar!", "rar"),
    (b"7z\xbc\xaf", "7z"),
    (b"SQLite format 3", "sqlite"),
    (b"{\\rtf", "rtf"),
    (b"%!PS", "postscript"),
)
_HTML = re.compile(r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)?<(?:!doctype html|html|head|body)\b", re.I | re.S)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|\|.*\|[ \t]*\n\|[ :|-]+\||(?:[-*+]|\d+\.) \[[^\]]*\]\()", re.M)


def read_document(data: bytes | str | Path, name: str, kind: str = "") -> Document:
    """Reads a document and cuts it at its structural borders.

    Args:
        data: the file's bytes, or its text (that of a PDF too, if another program extracted it), or the path of the file.
        name: as people know it ("report.pdf"); it stands in every piece's `where` and tells the kind.
        kind: one of `KINDS`; "": by the content's first bytes, then by the name, then by what the text looks like.

    Raises:
        UnknownDocumentKind, UnreadableDocument (damaged, encrypted, binary, empty), DocumentTooLarge, MissingExtra.
    """
    if kind and kind not in KINDS:
        raise UnknownDocumentKind(name, kind, KINDS)
    content = _loaded(data, name) if isinstance(data, Path) else data
    if not content.strip():
        raise UnreadableDocument(name, "is empty", "check where it came from")
    packed = kind or (_packed(content, name) if isinstance(content, bytes) else "")
    if packed in ("pdf", "docx"):
        return _read_packed(content, name, packed)
    if len(content) > MOST_TEXT_BYTES:
        raise DocumentTooLarge(name, len(content), MOST_TEXT_BYTES, "bytes" if isinstance(content, bytes) else "characters")
    text = decode(content, name) if isinstance(content, bytes) else content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    kind = kind or _kind_of(name, text)
    return _cut(_READERS[kind](text) if kind != "code" else read_program(text, _is_python(name, text)), name, kind)


def _loaded(path: Path, name: str) -> bytes:
    try:
        size = path.stat().st_size
        if size > MOST_PACKED_BYTES:
            raise DocumentTooLarge(name, size, MOST_PACKED_BYTES)
        return path.read_bytes()
    except OSError as error:
        raise UnreadableDocument(name, f"cannot be opened ({error.strerror or error})", f"check the path {str(path)!r}") from error


def _packed(content: bytes, name: str) -> str:
    """ "pdf" or "docx" by the first bytes, "" for what may be text."""
    start = content[:1_024].lstrip(b"\xef\xbb\xbf\0 \t\r\n")
    if start.startswith(b"%PDF-") or (b"%PDF-" in content[:1_024] and _suffix(name) == "pdf"):
        return "pdf"
    suffix = _suffix(name)
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return "docx"
    for mark, foreign in _FOREIGN:
        if content.startswith(mark) and (mark != b"MZ" or b"\0" in content[:200]):
            raise UnknownDocumentKind(name, foreign, KINDS)
    if suffix in ("pdf", "docx"):
        looks = "text" if b"\0" not in content[:1_024] else "something else"
        raise UnreadableDocument(
            name, f"is called .{suffix} but begins like {looks}", "pass kind='txt' if it is text, else check where it came from"
        )
    return ""


def _read_packed(content: bytes | str, name: str, kind: str) -> Document:
    if isinstance(content, str):
        raise UnreadableDocument(name, f"is of kind {kind!r} but was given as text", "pass the bytes of the file")
    if len(content) > MOST_PACKED_BYTES:
        raise DocumentTooLarge(name, len(content), MOST_PACKED_BYTES)
    return _cut(read_pdf(content, name) if kind == "pdf" else read_docx(content, name), name, kind)


def _cut(extract: Extract, name: str, kind: str) -> Document:
    if not extract.text.strip():
        raise UnreadableDocument(name, "has no text in it", "check where it came from")
    return Document(name, kind, extract.title, cut(extract, name, kind), extract.text, extract.warnings)


def _suffix(name: str) -> str:
    return PurePath(name).suffix.removeprefix(".").casefold()


def _kind_of(name: str, text: str) -> str:
    suffix = _suffix(name)
    if suffix in _SUFFIXES and suffix not in ("pdf", "docx"):
        return _SUFFIXES[suffix] or suffix
    sample = text[:_SAMPLE_CHARS]
    if _HTML.match(sample):
        return "html"
    begins = sample.lstrip()[:1]
    if begins in ("{", "[") and text.rstrip()[-1:] in ("}", "]") and '"' in sample:
        return "json"
    if len(_MARKDOWN.findall(sample)) >= 2:
        return "md"
    if code_language(sample):
        return "code"
    grid = delimited(sample[: sample.rfind("\n") + 1] if len(text) > _SAMPLE_CHARS else sample, 0)
    return "txt" if grid is None else "tsv" if grid.kind == "TSV" else "csv"


def _is_python(name: str, text: str) -> bool:
    suffix = _suffix(name)
    return suffix in ("py", "pyi") or (suffix not in _SUFFIXES and code_language(text) == "Python")


_READERS: dict[str, Callable[[str], Extract]] = {
    "md": read_markdown,
    "txt": read_plain,
    "html": read_html,
    "csv": read_rows,
    "tsv": read_rows,
    "json": read_json,
    "jsonl": read_json,
}
