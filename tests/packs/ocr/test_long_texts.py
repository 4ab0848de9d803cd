"""Files that are small and say much: the result of a run is bounded, and what is left out is listed."""

import zlib
from contextlib import AbstractContextManager, nullcontext

import pytest

from packs.base import JsonObject
from packs.cache.envelope import Source
from packs.cache.pages import CachedPage
from packs.ocr import process
from packs.ocr.bounds import BLOCK_CHARS, MAX_BLOCKS, MAX_RESULT_CHARS
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.files import File
from packs.ocr.process import ReadingProcess
from packs.ocr.profiles import PROFILES
from tests.packs.ocr.desk import Desk, text_of
from tests.packs.ocr.documents import one_page, stream, text_pages, text_pdf

WORDS = "The supplier shall deliver within fourteen days"


def scattered_pdf(words: int) -> bytes:
    """Each word above the one before it: every one is a block."""
    shown = b"".join(b"1 0 0 1 9 %d Tm (word%d) Tj " % (2 * number, number) for number in range(words))
    content = stream(zlib.compress(b"BT /F1 1 Tf " + shown + b"ET", 9), b"/Filter /FlateDecode")
    return one_page(content, box=b"0 0 595 14400")


def test_a_page_of_too_many_blocks_tells_the_last_ones_as_one() -> None:
    words = MAX_BLOCKS + 1_000

    result = Desk().read(scattered_pdf(words))

    [text] = result.data["texts"]
    assert len(text["blocks"]) == MAX_BLOCKS
    assert text_of(result).split() == [f"word{number}" for number in range(words)]
    _, top, _, bottom = text["blocks"][-1]["bbox"]
    assert bottom - top >= 2_000
    (warning,) = result.data["meta"]["warnings"]
    assert f"{words} blocks" in warning


class LongPages:
    """A page cache in which every page is found, and is long."""

    page: JsonObject = {
        "source_type": "TEXT",
        "width": 595,
        "height": 842,
        "blocks": [{"text": "x" * 1_000_000, "confidence": 1.0, "bbox": [0, 0, 9, 9], "pass": "text"}],
        "doubts": [],
        "low_confidence": 0,
        "preflight": {},
        "warnings": [],
        "is_partial": False,
        "passes": 1,
        "engine": None,
    }

    def find(self, content: str, *, tenant_id: str) -> CachedPage | None:
        return CachedPage(self.page, Source.L1)

    def put(self, content: str, page: JsonObject, *, tenant_id: str) -> None: ...

    def working_on(self, content: str, *, tenant_id: str) -> AbstractContextManager[bool]:
        return nullcontext(True)


def test_pages_beyond_the_length_of_a_result_are_listed_and_not_paid_for() -> None:
    fitting = MAX_RESULT_CHARS // (1_000_000 + BLOCK_CHARS)
    desk = Desk(services={"page_cache": LongPages()})

    result = desk.read(text_pages(*[WORDS] * (fitting + 3)))

    [entry] = result.data["files"]
    assert (entry["status"], entry["pages_read"]) == ("PARTIAL", fitting)
    assert [text["page"] for text in result.data["texts"]] == list(range(1, fitting + 1))
    [left_out] = entry["left_out"]
    assert (left_out["pages"], left_out["reason_code"]) == (f"{fitting + 1}-{fitting + 3}", "RESULT_TOO_LARGE")
    # The one that did not fit was there already; those after it were not asked for.
    assert sum(desk.meter.bought.values()) == fitting + 1


def test_an_answer_that_is_too_long_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_ANSWER_BYTES", 200)
    reading = ReadingProcess()
    try:
        with pytest.raises(Unreadable) as caught:
            reading.page(File("a.pdf", text_pdf(*[WORDS] * 9), "sha"), 0, PROFILES["P1"], "eng")
    finally:
        reading.end()
    assert caught.value.reason is FailureReason.RESULT_TOO_LARGE
