"""A stranger's file inside the reading process: what it holds, and one page of it at a time."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from PIL import Image

from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.kinds import Kind, kind_of
from packs.ocr.models import missing
from packs.ocr.profiles import PROFILES, OcrProfile
from packs.ocr.reading import images, pdfs
from packs.ocr.reading.bounded import bounded
from packs.ocr.reading.engine import engine_version
from packs.ocr.reading.pdf_page import read_mixed, read_text, with_extras
from packs.ocr.reading.pdfs import PdfPage, Source
from packs.ocr.reading.read_page import Block, ReadLine, ReadPage, read_image
from packs.ocr.reading.web_page import read_html

DECODED = {"decoded": True}


class OpenFile:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def contents(self, most_pages: int) -> dict[str, Any]:
        """How many pages there are, and how each of the first ones will be read."""
        kind = kind_of(self._body)
        if kind is Kind.HTML:
            return {"kind": kind, "pages": 1, "sources": [Source.HTML]}
        if kind is not Kind.PDF:
            frames = images.count_frames(self._body, kind)
            return {"kind": kind, "pages": frames, "sources": [Source.OCR] * min(frames, most_pages)}
        with pdfs.opened(self._body) as document:
            pages = pdfs.count_pages(document)
            sources = [pdfs.look_at(document[number]).source for number in range(min(pages, most_pages))]
        return {"kind": kind, "pages": pages, "sources": sources}

    def page(self, number: int, profile_name: str, languages: str) -> Iterator[dict[str, Any]]:
        """First that it is decoded, then its text: the two have time limits of their own."""
        profile = PROFILES[profile_name]
        kind = kind_of(self._body)
        if kind is Kind.PDF:
            yield from self._pdf_page(number, profile, languages)
        elif kind is Kind.HTML:
            yield _as_json(read_html(self._body), Source.HTML)
        else:
            picture = images.read_frame(self._body, kind, number)
            yield DECODED
            _require_models(languages)
            yield _as_json(read_image(picture, profile, languages), Source.OCR)

    def _pdf_page(self, number: int, profile: OcrProfile, languages: str) -> Iterator[dict[str, Any]]:
        with pdfs.opened(self._body) as document:
            page = document[number]
            seen = pdfs.look_at(page)
            if seen.source is Source.TEXT:
                yield DECODED
                yield _as_json(read_text(seen), seen.source)
                return
            drawn, scale = pdfs.draw(page, profile.pdf_dpi)
            yield DECODED
            _require_models(languages)
            if seen.source is Source.MIXED:
                read = read_mixed(seen, drawn, scale, profile, languages)
            else:
                read = with_extras(read_image(drawn, profile, languages), seen, scale)
            yield _as_json(replace(read, warnings=[*read.warnings, *_undrawn(seen, drawn, scale)]), seen.source)


def _undrawn(page: PdfPage, drawn: Image.Image, scale: float) -> Iterator[str]:
    """Pictures that the page names and that came out as nothing: damaged ones, mostly."""
    for picture in page.pictures:
        low, high = drawn.crop(picture.scaled(scale).as_tuple()).getextrema()
        if low == high:
            yield "A picture of the page shows nothing: it is plain, or damaged."


def _require_models(languages: str) -> None:
    absent = missing(languages)
    if absent:
        detail = f"The language model of {' and '.join(absent)} is missing or damaged in this installation."
        raise Unreadable(FailureReason.MODEL_MISSING, detail)


def _as_json(read: ReadPage, source: Source) -> dict[str, Any]:
    page = bounded(read)
    return {
        "page": {
            "source_type": source,
            "width": page.width,
            "height": page.height,
            "blocks": [_block_as_json(block) for block in page.blocks],
            "doubts": page.doubts,
            "low_confidence": page.low_confidence,
            "preflight": page.preflight,
            "warnings": page.warnings if page.blocks else [*page.warnings, "No text was found on the page."],
            "is_partial": page.is_partial,
            "passes": page.passes,
            "engine": None if source in (Source.TEXT, Source.HTML) else engine_version(),
        }
    }


def _block_as_json(block: Block) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": block.kind,
        "text": block.text,
        "confidence": block.confidence,
        "bbox": block.box.as_tuple(),
        "pass": block.name,
        "lines": [_line_as_json(line) for line in block.lines],
    }
    if block.level is not None:
        told["level"] = block.level
    if block.cells:
        told["cells"] = [asdict(cell) for cell in block.cells]
    return told


def _line_as_json(line: ReadLine) -> dict[str, Any]:
    words = [{"text": word.text, "confidence": word.confidence} for word in line.words]
    return {"text": line.text, "confidence": line.confidence, "bbox": line.box.as_tuple(), "words": words}
