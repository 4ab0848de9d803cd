"""The Word file: opened and read back, not just written."""

import hashlib
import io
import zipfile
from datetime import UTC, datetime, timedelta, timezone
from xml.etree import ElementTree

import docx
import pytest
from docx.oxml.ns import qn

from packs.artifacts import Document, to_docx
from packs.artifacts.document import Bullets, Heading, Paragraph, Quote, Table

AT = datetime(2026, 11, 16, 9, 30, 12, tzinfo=UTC)
REPORT = Document(
    "클라우드 업체 선정",
    AT,
    "ko",
    (
        Heading(1, "답"),
        Paragraph("권고: 가온"),
        Heading(2, "이유"),
        Bullets(("하나", "둘")),
        Table(("기준", "점수"), (("월 비용", "81.7"), ("가동률", "100"))),
        Quote("기술 지원이 우수합니다.", "/options/0/description"),
    ),
)


def opened(document: Document) -> "docx.document.Document":
    return docx.Document(io.BytesIO(to_docx(document)))


def test_headings_lists_and_quotes_are_real() -> None:
    found = [(paragraph.style.name, paragraph.text) for paragraph in opened(REPORT).paragraphs if paragraph.style]
    assert ("Title", "클라우드 업체 선정") in found
    assert ("Heading 1", "답") in found
    assert ("Heading 2", "이유") in found
    assert ("List Bullet", "둘") in found
    assert ("Quote", "기술 지원이 우수합니다.\n— /options/0/description") in found


def test_tables_are_real_and_repeat_their_header() -> None:
    table = opened(REPORT).tables[0]
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["기준", "점수"],
        ["월 비용", "81.7"],
        ["가동률", "100"],
    ]
    assert table.rows[0]._tr.trPr is not None
    assert table.rows[0]._tr.trPr.find(qn("w:tblHeader")) is not None
    assert table.style is not None
    assert table.style.name == "Table Grid"


@pytest.mark.parametrize("name", ["Normal", "Title", "Heading 1", "Heading 2", "List Bullet", "Quote"])
def test_every_style_names_a_korean_font(name: str) -> None:
    fonts = opened(REPORT).styles[name].element.rPr.rFonts
    assert fonts.get(qn("w:eastAsia")) == "Malgun Gothic"
    assert [key for key in fonts.attrib if key.endswith("Theme")] == []


def test_the_same_report_has_the_same_bytes() -> None:
    assert to_docx(REPORT) == to_docx(REPORT)


def test_the_time_is_the_reports_not_the_clocks() -> None:
    body = to_docx(REPORT)
    with zipfile.ZipFile(io.BytesIO(body)) as parts:
        assert {entry.date_time for entry in parts.infolist()} == {(2026, 11, 16, 9, 30, 12)}
        assert parts.testzip() is None
    core = opened(REPORT).core_properties
    assert core.created == AT
    assert core.title == "클라우드 업체 선정"
    assert core.author == "DPP"
    elsewhere = AT.astimezone(timezone(timedelta(hours=9)))
    again = to_docx(Document(REPORT.title, elsewhere, REPORT.language, REPORT.blocks))
    assert hashlib.sha256(again).digest() == hashlib.sha256(body).digest()


def test_characters_that_xml_forbids_are_left_out() -> None:
    every = "".join(chr(code) for code in range(0x20)) + "\x7f\ud800\ufffe\uffff"
    hostile = f"a{every}b <w:p> & ]]> \u202e"
    word = opened(Document(hostile, AT, "en", (Paragraph(hostile), Table((hostile,), ((hostile,),)))))
    # Line feed, tab and carriage return are text; Word shows them as a break and a tab.
    assert word.paragraphs[1].text == "a\t\n\nb <w:p> & ]]> "
    with zipfile.ZipFile(io.BytesIO(to_docx(Document(hostile, AT, "en", (Paragraph(hostile),))))) as parts:
        for name in parts.namelist():
            if name.endswith(".xml"):
                ElementTree.fromstring(parts.read(name))


def test_a_time_before_zip_files_is_survived() -> None:
    assert to_docx(Document("x", datetime(1970, 1, 1, tzinfo=UTC), "en", ()))
