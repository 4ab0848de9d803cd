"""Every hostile file ends in one clear entry, in time, in bounded memory, and costs its neighbours nothing."""

import os
import resource
import socket
import time
from pathlib import Path

import pytest
from PIL import ExifTags, Image

from packs.ocr.bounds import CHILD_MEMORY_BYTES
from packs.ocr.files import File
from packs.ocr.process import ReadingProcess
from packs.sandbox.templates import end_templates
from tests.packs.ocr import corpus
from tests.packs.ocr.desk import Desk, inline, text_of
from tests.packs.ocr.documents import text_pdf
from tests.packs.ocr.zoo import ZOO

ENTRY_WITHIN_SEC = 10.0
A_READER_HAS_AT_LEAST = 50 * 1_048_576


@pytest.mark.parametrize("name", ZOO)
def test_a_hostile_file_ends_in_a_clear_entry(name: str) -> None:
    make, reasons = ZOO[name]
    # Also of processes that other tests of this run started. And a child counts, until it becomes another program, what
    # its parent had: this process, which may have grown beyond a reader's limit.
    users = (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    largest_before = max(resource.getrusage(user).ru_maxrss * 1024 for user in users)
    body, desk, began = make(), Desk(), time.monotonic()

    result = desk.read(body)

    assert time.monotonic() - began < ENTRY_WITHIN_SEC
    [entry] = result.data["files"]
    assert entry["status"] == "FAILED"
    assert entry["reason_code"] in reasons
    assert entry["reason_detail"]
    assert result.data["texts"] == []
    assert result.reliability == 0
    assert result.discard_log[0]["reason_code"] == entry["reason_code"]
    # The largest of all processes that ended so far, in KiB; readers count when their template has ended.
    end_templates()
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert A_READER_HAS_AT_LEAST <= largest <= max(CHILD_MEMORY_BYTES, largest_before)


def test_the_pixel_bomb_is_one_to_the_byte() -> None:
    """Otherwise the tests above would be about something easier."""
    bomb = ZOO["pixel bomb"][0]()
    assert len(bomb) <= 1_024
    assert bomb[16:24] == (50_000).to_bytes(4) * 2


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_the_largest_picture_that_is_allowed_fits_into_the_memory(kind: str) -> None:
    """In colour, and noted as lying on its side: 600 dpi of A4 is about as much."""
    upright = corpus.page("table").image.resize((6_820, 5_500))
    noted = Image.Exif()
    noted[ExifTags.Base.Orientation] = 6
    body = corpus.encoded(upright.rotate(90, expand=True).convert("RGB"), kind, exif=noted)

    result = Desk().read(body)

    [entry] = result.data["files"]
    assert entry["status"] == "READ", entry
    assert (result.data["texts"][0]["width"], result.data["texts"][0]["height"]) == (6_820, 5_500)
    assert "8,817,800" in text_of(result)


def test_a_bomb_does_not_harm_its_neighbours() -> None:
    good = corpus.page("table").png()
    bombs = [ZOO[name][0]() for name in ("chained filters", "pixel bomb", "truncated PNG", "password")]

    result = Desk().read(bombs[0], good, *bombs[1:])

    assert [entry["status"] for entry in result.data["files"]] == ["FAILED", "READ", "FAILED", "FAILED", "FAILED"]
    assert "8,817,800" in text_of(result)


def test_a_pdf_with_scripts_and_links_opens_no_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = b"http://127.0.0.1:%d/" % listener.getsockname()[1]
        script = b"<< /S /JavaScript /JS (app.launchURL\\('%s'\\); this.submitForm\\('%s'\\)) >>" % (address, address)
        catalogue = b"/OpenAction 6 0 R /AA << /WC 7 0 R >> /URI << /Base (%s) >>" % address
        body = text_pdf(
            "Nothing of this page leads anywhere",
            catalogue=catalogue,
            more=(script, b"<< /S /URI /URI (%s) >>" % address, b"<< /S /Launch /F (%s) >>" % address),
        )
        result = Desk().read(body)
        listener.settimeout(0.2)
        with pytest.raises(TimeoutError):
            listener.accept()
    assert text_of(result) == "Nothing of this page leads anywhere"


def test_the_secrets_of_the_worker_are_not_in_the_reading_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPP_SECRET_KEY", "not for strangers")
    process = ReadingProcess()
    try:
        process.contents(File("images/0", text_pdf("One page of text that can be read."), ""), most_pages=1)
        pid = process.pid
        assert pid is not None
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        limits = Path(f"/proc/{pid}/limits").read_text()
        assert os.getpgid(pid) == pid != os.getpgid(0)
    finally:
        process.end()
    assert b"not for strangers" not in environment
    assert str(CHILD_MEMORY_BYTES) in limits
    assert not Path(f"/proc/{pid}").exists()


def test_names_do_not_decide_what_a_file_is() -> None:
    body = corpus.encoded(corpus.page("table").image, "JPEG", quality=95)

    result = Desk().run({"input_files": [inline(body, name="table.pdf")], "ocr_profile": "P1"})

    assert result.data["files"][0]["kind"] == "jpeg"
    assert result.data["files"][0]["source"] == result.data["texts"][0]["source"] == "table.pdf"
    assert "2,496,000" in text_of(result)
