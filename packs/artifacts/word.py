"""Document -> a Word file: real headings, lists and tables, fonts named for Korean, the same bytes every
time.
"""

import io
import unicodedata
import zipfile
from datetime import UTC, datetime
from typing import Any

import docx
from docx.document import Document as WordDocument
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor

from packs.artifacts.bar_picture import drawn_bar
from packs.artifacts.document import Bars, Block, Bullets, Document, Heading, Paragraph, Quote, Table, shown

LATIN_FONT = "Calibri"
# On every Windows and Mac Word; where it is missing, the system's Korean font stands in for it.
KOREAN_FONT = "Malgun Gothic"
AUTHOR = "DPP"
INK = RGBColor(0x1F, 0x2A, 0x44)
HEADER_SHADE = "E8ECF4"
MARGIN_CM = 2.2
TEXT_WIDTH_CM = 21 - 2 * MARGIN_CM
BAR_WIDTH_CM = 9.5
NARROWEST_CHARS, WIDEST_CHARS, LONGEST_WORD_CHARS = 9, 36, 22
CHAR_CM, PADDING_CM = 0.2, 0.5

_STYLES = (
    ("Normal", 10.5),
    ("Title", 22),
    ("Heading 1", 16),
    ("Heading 2", 13),
    ("Heading 3", 11.5),
    ("Heading 4", 10.5),
    ("List Bullet", 10.5),
    ("Quote", 10.5),
    ("Table Grid", 9.5),
)
# The earliest time a zip entry can carry.
_ZIP_EPOCH = datetime(1980, 1, 1, tzinfo=UTC)


def to_docx(document: Document) -> bytes:
    word = docx.Document()
    _page(word)
    _fonts(word, document.language)
    word.add_paragraph(_text(document.title), style="Title")
    for block in document.blocks:
        _add(word, block)
    _properties(word, document)
    return _packed(word, document.created_at)


def _text(text: str) -> str:
    return shown(text).strip("\n")


def _add(word: WordDocument, block: Block) -> None:
    match block:
        case Heading(level, text):
            word.add_heading(_text(text), level=level)
        case Paragraph(text):
            word.add_paragraph(_text(text))
        case Bullets(items):
            for item in items:
                word.add_paragraph(_text(item), style="List Bullet")
        case Quote(text, source):
            word.add_paragraph(_text(f"{text}\n— {source}" if source else text), style="Quote")
        case Table():
            _add_table(word, block)
        case Bars():
            _add_bars(word, block)


def _add_table(word: WordDocument, block: Table) -> None:
    table = word.add_table(rows=1, cols=len(block.header), style="Table Grid")
    for cell, text in zip(table.rows[0].cells, block.header, strict=True):
        cell.paragraphs[0].add_run(_text(text)).bold = True
        shade = OxmlElement("w:shd")
        shade.set(qn("w:val"), "clear")
        shade.set(qn("w:fill"), HEADER_SHADE)
        cell._tc.get_or_add_tcPr().append(shade)
    # The header is repeated on every page the table runs over.
    repeated = OxmlElement("w:tblHeader")
    repeated.set(qn("w:val"), "true")
    table.rows[0]._tr.get_or_add_trPr().append(repeated)
    for row in block.rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.paragraphs[0].add_run(_text(text))
    for column, width in zip(table.columns, _widths(block), strict=True):
        # Word reads the cells' widths, LibreOffice the column's.
        column.width = width
        for cell in column.cells:
            cell.width = width
    word.add_paragraph()


def _add_bars(word: WordDocument, block: Bars) -> None:
    """Names and values are text, so that every font and screen reader knows them; the bars are pictures."""
    caption = word.add_paragraph(_text(block.caption), style="Heading 2")
    caption.paragraph_format.keep_with_next = True
    table = word.add_table(rows=0, cols=3)
    widths = (Cm(TEXT_WIDTH_CM * 0.3), Cm(BAR_WIDTH_CM), Cm(TEXT_WIDTH_CM * 0.7 - BAR_WIDTH_CM))
    for bar in block.bars:
        name, drawn, value = table.add_row().cells
        name.paragraphs[0].add_run(_text(bar.name))
        picture = (
            drawn.paragraphs[0]
            .add_run()
            .add_picture(io.BytesIO(drawn_bar(bar.part, faded=bar.faded)), width=Cm(BAR_WIDTH_CM - 0.4))
        )
        picture._inline.docPr.set("descr", _text(f"{bar.name}: {bar.value}"))
        value.paragraphs[0].add_run(_text(bar.value))
        for paragraph in (name.paragraphs[0], drawn.paragraphs[0], value.paragraphs[0]):
            paragraph.paragraph_format.keep_with_next = bar is not block.bars[-1]
            paragraph.paragraph_format.space_after = Pt(3)
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
        for cell in column.cells:
            cell.width = width
    word.add_paragraph()


def _widths(block: Table) -> list[Cm]:
    """Every column gets room for its longest word; what is left goes by the longest text, within limits: a column of
    reasons gets the room that a column of scores leaves.
    """
    words: list[int] = []
    texts: list[int] = []
    for index in range(len(block.header)):
        cells = [_text(line[index]) for line in (block.header, *block.rows)]
        word = max((_columns(word) for text in cells for word in text.split()), default=0)
        words.append(min(word, LONGEST_WORD_CHARS))
        texts.append(max(NARROWEST_CHARS, min(max(_columns(text) for text in cells), WIDEST_CHARS)))
    least = [PADDING_CM + CHAR_CM * word for word in words]
    left = max(TEXT_WIDTH_CM - sum(least), 0.0)
    wanted = [max(PADDING_CM + CHAR_CM * text - room, 0.1) for text, room in zip(texts, least, strict=True)]
    widths = [room + left * more / sum(wanted) for room, more in zip(least, wanted, strict=True)]
    return [Cm(TEXT_WIDTH_CM * width / sum(widths)) for width in widths]


def _columns(text: str) -> int:
    """Hangul is about twice as wide as a Latin letter."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _page(word: WordDocument) -> None:
    section = word.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(MARGIN_CM)
    section.top_margin = section.bottom_margin = Cm(2)
    footer = section.footer.paragraphs[0]
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    number = OxmlElement("w:fldSimple")
    number.set(qn("w:instr"), "PAGE")
    footer._p.append(number)


def _fonts(word: WordDocument, language: str) -> None:
    defaults = word.styles.element.find(qn("w:docDefaults"))
    for fonts in defaults.iter(qn("w:rFonts")):
        _name(fonts)
    for tongue in defaults.iter(qn("w:lang")):
        tongue.set(qn("w:val"), "ko-KR" if language == "ko" else "en-US")
        tongue.set(qn("w:eastAsia"), "ko-KR")
    for name, size in _STYLES:
        style: Any = word.styles[name]
        _name(style.element.get_or_add_rPr().get_or_add_rFonts())
        style.font.size = Pt(size)
        if name == "Normal":
            _keep_spacing(style)
        if name.startswith(("Heading", "Title")):
            style.font.color.rgb = INK


def _keep_spacing(style: Any) -> None:
    """Word puts a gap between digits and Korean letters by itself; 980,000원 shall look as it was given."""
    properties = style.element.get_or_add_pPr()
    for name in ("w:autoSpaceDE", "w:autoSpaceDN"):
        off = OxmlElement(name)
        off.set(qn("w:val"), "0")
        properties.append(off)


def _name(fonts: Any) -> None:
    """A font of the theme would win over a named one, and the theme names no Korean font."""
    for attribute in [key for key in fonts.attrib if key.endswith("Theme")]:
        del fonts.attrib[attribute]
    for slot in ("ascii", "hAnsi", "cs"):
        fonts.set(qn(f"w:{slot}"), LATIN_FONT)
    fonts.set(qn("w:eastAsia"), KOREAN_FONT)


def _properties(word: WordDocument, document: Document) -> None:
    made = document.created_at.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    core = word.core_properties
    core.title = _text(document.title)[:255]
    core.author = core.last_modified_by = AUTHOR
    core.comments = core.subject = core.keywords = core.category = ""
    core.language = "ko-KR" if document.language == "ko" else "en-US"
    core.created = core.modified = made
    core.revision = 1


def _packed(word: WordDocument, created_at: datetime) -> bytes:
    """Zip entries carry the time of writing; here they carry the report's, so that its hash is
    reproducible.
    """
    written = io.BytesIO()
    word.save(written)
    stamp = max(created_at.astimezone(UTC), _ZIP_EPOCH).timetuple()[:6]
    packed = io.BytesIO()
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, date_time=stamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))
    return packed.getvalue()
