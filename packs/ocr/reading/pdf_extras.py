"""What a PDF page shows beside its text: values of form fields, notes, and the rules that are drawn around tables."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from packs.ocr.reading.boxes import Box
from packs.ocr.reading.structure import ANNOTATION, FORM_FIELD

MOST_EXTRAS = 500
MOST_PATHS = 5_000
# In points: a thicker one is a bar, a shorter one a mark.
RULE_THICKNESS, LEAST_RULE = 2.5, 12
_TALKING = frozenset({pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP})
_OFF = frozenset({"", "Off"})


@dataclass(frozen=True)
class Extra:
    kind: str
    text: str
    box: Box


def extras_of(page: pypdfium2.PdfPage, height: int) -> Iterator[Extra]:
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), MOST_EXTRAS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, number)
        if not annotation:
            continue
        try:
            kind = int(pdfium.FPDFAnnot_GetSubtype(annotation))
            box = _box(annotation, height)
            text = _field(annotation) if kind == pdfium.FPDF_ANNOT_WIDGET else ""
            note = _said(annotation, b"Contents") if kind in _TALKING else ""
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
        if text:
            yield Extra(FORM_FIELD, text, box)
        elif note:
            yield Extra(ANNOTATION, note, box)


def rules_of(page: pypdfium2.PdfPage, height: int) -> tuple[list[Box], list[Box]]:
    """Level ones and upright ones. A rectangle is drawn by four of them."""
    level: list[Box] = []
    upright: list[Box] = []
    for number, found in enumerate(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=3)):
        if number == MOST_PATHS:
            break
        left, bottom, right, top = found.get_bounds()
        box = Box(round(left), round(height - top), round(right), round(height - bottom))
        if right - left >= LEAST_RULE and top - bottom <= RULE_THICKNESS:
            level.append(box)
        elif top - bottom >= LEAST_RULE / 2 and right - left <= RULE_THICKNESS:
            upright.append(box)
        elif right - left >= LEAST_RULE and top - bottom >= LEAST_RULE / 2:
            level += [Box(box.left, y, box.right, y) for y in (box.top, box.bottom)]
            upright += [Box(x, box.top, x, box.bottom) for x in (box.left, box.right)]
    return level, upright


def _field(annotation: object) -> str:
    name = _said(annotation, b"TU") or _said(annotation, b"T")
    value = _said(annotation, b"V") or _said(annotation, b"AS")
    if value in _OFF:
        return ""
    return f"{name}: {value}" if name else value


def _said(annotation: object, key: bytes) -> str:
    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAnnot_GetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), length)
    text = buffer.raw[: length - 2].decode("utf-16-le", "replace")
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def _box(annotation: object, height: int) -> Box:
    rect = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, rect)
    left, top = round(rect.left), round(height - rect.top)
    return Box(left, top, max(left + 1, round(rect.right)), max(top + 1, round(height - rect.bottom)))
