"""PDF, through PDFium: pages that carry real text are read as text, the others are drawn and read as pictures.

PDFium runs no scripts here (none is compiled in) and opens no connections; links and attached files stay closed.
"""

import ctypes
import math
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
from PIL import Image

from packs.ocr.bounds import ABSURD_PAGES, LEAST_PDF_DPI, WORK_PIXELS
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.reading.boxes import Box, hull
from packs.ocr.reading.images import check_size
from packs.ocr.reading.marks import UNKNOWN_LETTER
from packs.ocr.reading.pdf_extras import Extra, extras_of, rules_of
from packs.ocr.reading.plausible_text import is_plausible
from packs.ocr.reading.ruled_tables import Grid, grids_of

POINTS_PER_INCH = 72
# Fewer letters than this are a page number under a scan, not the page's text.
LEAST_LETTERS = 12
# More than this share of letters that no font explains: the text cannot be trusted.
MOST_UNKNOWN = 0.1
# A picture of this share of the page may hold text of its own.
LEAST_PICTURE = 0.02
MOST_OBJECTS = 20_000
# PDFium's own sign for a hyphen that ends a line; it stands for the line's break too.
HYPHEN_AT_LINE_END = "\x02"
SOFT_HYPHEN = "\xad"
# A glyph lower than this, in points, shows nothing: a blank, or a break that PDFium put in.
LEAST_INK = 0.01
# A gap of this many heights of a letter parts a line.
APART = 1.8
BOLD_FROM = 600
# In sizes of type: the height of a letter, and of what is none.
LETTER, LOW = 0.7, 0.4
# A narrower gap shows no blank.
NO_BLANK = 0.15
# Word processors set the marks of lists in the fonts Symbol and Wingdings, whose signs they map to this private range.
_LIST_SIGNS = {
    "\uf0b7": "•",
    "\uf0a7": "▪",
    "\uf0a8": "◦",
    "\uf0d8": "➢",
    "\uf076": "❖",
    "\uf0fc": "✓",
    "\uf06f": "□",
    "\uf0e0": "→",
    "\uf02d": "–",
}


class Source(StrEnum):
    """How a page is read."""

    TEXT = "TEXT"
    MIXED = "MIXED"
    OCR = "OCR"
    HTML = "HTML"


@dataclass(frozen=True)
class TextLine:
    text: str
    box: Box
    """In points from the page's upper left corner."""
    size: float = 0.0
    """Of its type, in points."""
    is_bold: bool = False
    words: tuple[tuple[Box, str], ...] = ()


@dataclass(frozen=True)
class PdfPage:
    width: int
    height: int
    source: Source
    lines: tuple[TextLine, ...]
    pictures: tuple[Box, ...]
    grids: tuple[Grid, ...] = ()
    extras: tuple[Extra, ...] = ()


@contextmanager
def opened(body: bytes) -> Iterator[pypdfium2.PdfDocument]:
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD or "assword" in str(error):
            raise Unreadable(FailureReason.ENCRYPTED, "The PDF asks for a password.") from error
        raise Unreadable(FailureReason.BROKEN_FILE, "The PDF is damaged or incomplete.") from error
    try:
        yield document
    except pypdfium2.PdfiumError as error:
        raise Unreadable(FailureReason.BROKEN_FILE, "The page cannot be opened: the PDF is damaged.") from error
    finally:
        document.close()


def count_pages(document: pypdfium2.PdfDocument) -> int:
    pages = len(document)
    if pages > ABSURD_PAGES:
        raise Unreadable(FailureReason.TOO_MANY_PAGES, f"The PDF has more than {ABSURD_PAGES} pages.")
    if pages < 1:
        raise Unreadable(FailureReason.BROKEN_FILE, "The PDF has no pages.")
    return pages


def look_at(page: pypdfium2.PdfPage) -> PdfPage:
    """What the page says of itself, without drawing it."""
    width, height = (max(1, round(side)) for side in page.get_size())
    lines = tuple(_text_lines(page, height))
    pictures = tuple(_pictures(page, width, height))
    extras = tuple(extras_of(page, height))
    if not _is_believed(page, lines):
        return PdfPage(width, height, Source.OCR, (), pictures, extras=extras)
    grids = tuple(grids_of(*rules_of(page, height)))
    source = Source.MIXED if pictures else Source.TEXT
    return PdfPage(width, height, source, lines, pictures, grids, extras)


def draw(page: pypdfium2.PdfPage, dpi: int) -> tuple[Image.Image, float]:
    """The page as a picture, and its pixels per point. A giant page is drawn smaller, if it can still be read."""
    width, height = page.get_size()
    area = max(width * height, 1.0)
    scale = min(dpi / POINTS_PER_INCH, (WORK_PIXELS / area) ** 0.5)
    if scale * POINTS_PER_INCH < LEAST_PDF_DPI:
        inches = f"{width / POINTS_PER_INCH:.0f} × {height / POINTS_PER_INCH:.0f}"
        raise Unreadable(
            FailureReason.PAGE_TOO_LARGE, f"A page of {inches} inches cannot be drawn so that it can be read."
        )
    bitmap = page.render(scale=scale, grayscale=True, may_draw_forms=False)
    return bitmap.to_pil().convert("L"), scale


def _text_lines(page: pypdfium2.PdfPage, height: int) -> Iterator[TextLine]:
    text_page = page.get_textpage()
    letters: list[str] = []
    boxes: list[Box] = []
    first = last = 0
    reached = 0.0
    shown = _shown(page)
    for number in range(text_page.count_chars()):
        left, bottom, right, top = text_page.get_charbox(number)
        if shown is not None:
            if not (shown[0] <= (left + right) / 2 <= shown[2] and shown[1] <= (bottom + top) / 2 <= shown[3]):
                # Cut away: nobody who looks at the page sees it.
                continue
            left, bottom, right, top = left - shown[0], bottom - shown[1], right - shown[0], top - shown[1]
        told = chr(pdfium.FPDFText_GetUnicode(text_page, number))
        is_broken_word = told == HYPHEN_AT_LINE_END and pdfium.FPDFText_IsHyphen(text_page, number) == 1
        letter = "-" if is_broken_word else _drawn(told) if top - bottom > LEAST_INK else told
        box = Box(round(left), round(height - top), max(round(right), round(left) + 1), round(height - bottom))
        if not letter.isspace():
            if boxes and _is_apart(boxes[-1], box, text_page, number):
                yield from _line(
                    letters, _upright(text_page, boxes, first, height, shown), _type(text_page, first, last)
                )
                letters, boxes = [], []
            if boxes and letters[-1] == " " and left - reached < NO_BLANK * _size(text_page, number):
                # Some files draw the blanks of a line elsewhere in it, and PDFium tells them where the font changes.
                letters.pop()
            first, last, reached = first if boxes else number, number, right
            boxes.append(box)
        letters.append(letter)
        if is_broken_word or letter in "\r\n":
            yield from _line(letters, _upright(text_page, boxes, first, height, shown), _type(text_page, first, last))
            letters, boxes = [], []
    yield from _line(letters, _upright(text_page, boxes, first, height, shown), _type(text_page, first, last))


def _is_apart(before: Box, box: Box, text_page: pypdfium2.PdfTextPage, number: int) -> bool:
    """PDFium tells what is level as one line, though it stands in two columns or two cells, and at times goes back to
    the left without a break."""
    height = max(before.height, box.height)
    blank = max(box.left - before.right, before.left - box.left)
    # Dots are low, and asking for the size of every letter is slow.
    return blank > APART * height and blank > APART * LETTER * _size(text_page, number)


def _drawn(told: str) -> str:
    """What shows on the page is no control character, though a font may say so of its ligatures."""
    if told == SOFT_HYPHEN:
        return "-"
    return UNKNOWN_LETTER if unicodedata.category(told) == "Cc" else told


def _shown(page: pypdfium2.PdfPage) -> tuple[float, float, float, float] | None:
    """The part of the page that is shown, where that is less than all of it; of a page that stands upright."""
    if page.get_rotation() or _ordered(page.get_cropbox()) == _ordered(page.get_mediabox()):
        return None
    return _ordered(page.get_cropbox())


def _ordered(box: Sequence[float]) -> tuple[float, float, float, float]:
    left, bottom, right, top = box
    return min(left, right), min(bottom, top), max(left, right), max(bottom, top)


def _type(text_page: pypdfium2.PdfTextPage, first: int, last: int) -> tuple[float, bool]:
    """Size and weight of a line: bold is one that begins and ends so."""
    return _size(text_page, first), _is_bold(text_page, first) and _is_bold(text_page, last)


def _size(text_page: pypdfium2.PdfTextPage, number: int) -> float:
    """As it is shown: a page may be written in other units than points."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text_page, number, matrix)
    stretched = math.hypot(matrix.c, matrix.d)
    return float(pdfium.FPDFText_GetFontSize(text_page, number)) * (stretched or 1.0)


def _is_bold(text_page: pypdfium2.PdfTextPage, number: int) -> bool:
    weight = int(pdfium.FPDFText_GetFontWeight(text_page, number))
    return weight >= BOLD_FROM or "bold" in _font_name(text_page, number).lower()


def _font_name(text_page: pypdfium2.PdfTextPage, number: int) -> str:
    buffer = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(text_page, number, buffer, len(buffer), flags)
    return buffer.raw[: max(0, length - 1)].decode("utf-8", "replace") if length <= len(buffer) else ""


def _upright(
    text_page: pypdfium2.PdfTextPage, boxes: list[Box], first: int, height: int, shown: Sequence[float] | None
) -> list[Box]:
    """A line of nothing but dots or dashes is as high as its letters would be: it stands in a row with others."""
    size = _size(text_page, first) if boxes else 0.0
    if not boxes or max(box.height for box in boxes) > LOW * size:
        return boxes
    _, bottom, _, top = text_page.get_charbox(first, loose=True)
    lower = shown[1] if shown is not None else 0
    under = round(height - bottom + lower)
    upper = round(min(height - top + lower, under - LETTER * size))
    return [Box(box.left, min(upper, box.top), box.right, max(under, box.bottom)) for box in boxes]


def _line(letters: list[str], boxes: list[Box], type_: tuple[float, bool]) -> Iterator[TextLine]:
    if boxes and "".join(letters).strip():
        yield TextLine(_cleaned(letters), hull(boxes), *type_, tuple(_words(letters, boxes)))


def _words(letters: list[str], boxes: list[Box]) -> Iterator[tuple[Box, str]]:
    """Only letters that are seen have a box."""
    seen = iter(boxes)
    for is_blank, group in groupby(letters, str.isspace):
        if not is_blank:
            told = list(group)
            places = [next(seen) for _ in told]
            text = _cleaned(told)
            if text:
                yield hull(places), text


def _cleaned(letters: list[str]) -> str:
    """Letters beyond the first plane arrive in halves; control characters are none; a letter that no font explains
    keeps its place."""
    whole = "".join(letters).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    told = (_LIST_SIGNS.get(letter, letter) for letter in whole)
    known = (UNKNOWN_LETTER if unicodedata.category(letter) in ("Co", "Cn") else letter for letter in told)
    return "".join(
        " " if letter.isspace() else letter for letter in known if letter.isprintable() or letter.isspace()
    ).strip()


def _is_real(letters: str) -> bool:
    seen = [letter for letter in letters if not letter.isspace()]
    return len(seen) >= LEAST_LETTERS and seen.count(UNKNOWN_LETTER) <= MOST_UNKNOWN * len(seen)


def _is_believed(page: pypdfium2.PdfPage, lines: Sequence[TextLine]) -> bool:
    text = " ".join(line.text for line in lines)
    return _is_real(text) and is_plausible(text) and not _is_invisible(page)


def _is_invisible(page: pypdfium2.PdfPage) -> bool:
    """Text laid unseen over a scan is somebody else's OCR: we read the scan."""
    modes = [int(pdfium.FPDFTextObj_GetTextRenderMode(found.raw)) for found in _objects(page, pdfium.FPDF_PAGEOBJ_TEXT)]
    return 2 * modes.count(int(pdfium.FPDF_TEXTRENDERMODE_INVISIBLE)) > len(modes)


def _pictures(page: pypdfium2.PdfPage, width: int, height: int) -> Iterator[Box]:
    for found in _objects(page, pdfium.FPDF_PAGEOBJ_IMAGE):
        left, bottom, right, top = found.get_bounds()
        box = Box(
            max(0, round(left)),
            max(0, round(height - top)),
            min(width, round(right)),
            min(height, round(height - bottom)),
        )
        if box.width > 0 and box.height > 0 and box.area >= LEAST_PICTURE * width * height:
            check_size(found.get_px_size())
            yield box


def _objects(page: pypdfium2.PdfPage, kind: int) -> Iterator[pypdfium2.PdfObject]:
    for number, found in enumerate(page.get_objects(filter=[kind], max_depth=4)):
        if number == MOST_OBJECTS:
            return
        yield found
