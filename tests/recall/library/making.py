"""Documents made by hand: PDF with pages, sizes of letters, an outline; DOCX with styles, numbers, tables."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def make_pdf(pages: Sequence[Sequence[tuple[str, int]]], outline: Sequence[tuple[str, int]] = ()) -> bytes:
    """Pages of (line, size of its letters); `outline` of (title, page from 0). Latin text only."""
    count = len(pages)
    first_page, first_mark = 4, 4 + 2 * count
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R" + (f" /Outlines {first_mark} 0 R" if outline else "") + " >>",
        2: f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{first_page + 2 * at} 0 R' for at in range(count))}] >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for at, lines in enumerate(pages):
        number = first_page + 2 * at
        drawn, height = [], 780
        for line, size in lines:
            words = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            drawn.append(f"BT /F1 {size} Tf 50 {height} Td ({words}) Tj ET")
            height -= 2 * size
        stream = "\n".join(drawn)
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents {number + 1} 0 R >>"
        )
        objects[number + 1] = f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"
    if outline:
        last = first_mark + len(outline)
        objects[first_mark] = f"<< /Type /Outlines /First {first_mark + 1} 0 R /Last {last} 0 R /Count {len(outline)} >>"
        for at, (title, page) in enumerate(outline, first_mark + 1):
            near = (f" /Next {at + 1} 0 R" if at < last else "") + (f" /Prev {at - 1} 0 R" if at > first_mark + 1 else "")
            objects[at] = f"<< /Title ({title}) /Parent {first_mark} 0 R /Dest [{first_page + 2 * page} 0 R /Fit]{near} >>"
    written = b"%PDF-1.4\n"
    places = {}
    for number in sorted(objects):
        places[number] = len(written)
        written += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("cp1252")
    table = "".join(f"{places[number]:010d} 00000 n \n" for number in sorted(objects))
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return written + end.encode("ascii")


def paragraph(text: str, style: str = "", numbered: tuple[int, int] | None = None) -> str:
    shape = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered:
        shape += f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
    return f'<w:p><w:pPr>{shape}</w:pPr><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def table(rows: Sequence[Sequence[str]]) -> str:
    written = ("<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>" for row in rows)
    return f"<w:tbl><w:tblPr/>{''.join(written)}</w:tbl>"


STYLES = (
    f'<w:styles {W}><w:style w:type="paragraph" w:styleId="Kop1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Kop2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Our section"/><w:basedOn w:val="Kop2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style></w:styles>'
)


def levels(*shapes: tuple[str, str]) -> str:
    return "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate(shapes)
    )


NUMBERING = (
    f'<w:numbering {W}><w:abstractNum w:abstractNumId="7">{levels(("decimal", "%1."), ("decimal", "%1.%2"))}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="8">{levels(("chineseCounting", "第%1条"), ("lowerRoman", "(%2)"))}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="9">{levels(("bullet", "•"))}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="9"/></w:num></w:numbering>'
)


def make_docx(*body: str, parts: dict[str, str] | None = None) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<?xml version="1.0"?><w:document {W}><w:body>{"".join(body)}</w:body></w:document>')
        for name, text in ({"word/styles.xml": STYLES, "word/numbering.xml": NUMBERING} | (parts or {})).items():
            archive.writestr(name, text)
    return packed.getvalue()
