"""The pack from its inputs to its data: every input kind, money, time, cache, and what is told of what was not read."""

import threading
import time
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from PIL import Image

from dpp_project.prices import FETCH, FETCH_CACHED, OCR_PAGE, OCR_PAGE_CACHED, OCR_PASS, OCR_TEXT_PAGE
from packs.artifacts import render
from packs.base import Cancelled
from packs.ocr import PACK, models
from packs.ocr.bounds import MAX_FILE_BYTES
from packs.ocr.failures import FailureReason, Unreadable
from packs.ocr.profiles import PROFILES, VERSION
from packs.ocr.reading.file import OpenFile
from packs.sandbox import templates
from runs.lifecycle.fetch_policy import url_refusal
from tests.packs.ocr import corpus, texts
from tests.packs.ocr.accuracy import error_rate, error_rate_with_spaces
from tests.packs.ocr.desk import NOW, Desk, PagesInMemory, SharedDocuments, Site, StoredObjects, inline, text_of
from tests.packs.ocr.documents import mixed_pdf, scanned_pdf, text_pdf
from tests.packs.url.desk import Checkpoints, CountingMeter

TABLE = corpus.page("table")
WORDS = "The supplier shall deliver within fourteen days"


def short_page(number: int) -> Image.Image:
    """One sentence, quickly read."""
    sheet = corpus.Sheet((1000, 140))
    sheet.line(texts.ENGLISH[number][:60], (40, 40), corpus.font(corpus.SANS, 26))
    return sheet.image


def reading_processes() -> list[int]:
    """Children of this process's templates: zombies, too, have a place there."""
    of_templates = {template.pid for template in templates._templates.values()}
    assert of_templates, "something has been read"
    parents = {int(entry.name): _parent(entry) for entry in Path("/proc").glob("[0-9]*")}
    return [pid for pid, parent in parents.items() if parent in of_templates]


def _parent(process: Path) -> int | None:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def test_a_page_is_read_and_told_as_the_contract_says() -> None:
    desk = Desk()

    result = desk.read(TABLE.png(), profile="P2A")

    [text] = result.data["texts"]
    assert (text["source"], text["page"], text["source_type"]) == ("images/0", 1, "OCR")
    for block in text["blocks"]:
        assert {"kind", "text", "confidence", "bbox", "pass", "lines"} <= set(block)
        assert "\n".join(line["text"] for line in block["lines"]) == block["text"]
        left, top, right, bottom = block["bbox"]
        assert 0 <= left < right <= text["width"]
        assert 0 <= top < bottom <= text["height"]
        assert block["pass"] in ("title", "body", "fine")
    assert error_rate_with_spaces(TABLE.text, text_of(result)) < 0.03
    assert result.data["text_blocks"] == [block["text"] for block in text["blocks"]]
    meta = result.data["meta"]
    assert meta["ocr_profile"] == "P2A"
    assert meta["passes"] in (1, 2)
    assert meta["engine"].startswith("tesseract 5.")
    assert meta["models"] == {name: models.SHA256[name] for name in ("kor", "eng", "text_detector", "line_recogniser")}
    assert (meta["profile_version"], meta["model_version"]) == (VERSION, models.VERSION)
    assert meta["warnings"] == []
    assert result.reliability > 0.85
    # A second pass is charged where it changed a line.
    assert +desk.meter.bought == +Counter({OCR_PAGE: 1, OCR_PASS: meta["passes"] - 1})
    assert desk.checkpoints.threads == {"MainThread"}
    assert reading_processes() == []


def test_the_same_inputs_give_the_same_data() -> None:
    body = corpus.encoded(short_page(2), "WEBP", lossless=True)
    assert Desk().read(body, profile="P2B").data == Desk().read(body, profile="P2B").data


def test_real_text_of_a_pdf_is_read_as_text() -> None:
    desk = Desk()

    result = desk.read(text_pdf(WORDS, "and not a day later."))

    [text] = result.data["texts"]
    assert text["source_type"] == "TEXT"
    assert [block["text"] for block in text["blocks"]] == [f"{WORDS}\nand not a day later."]
    assert text["blocks"][0]["pass"] == "text"
    assert text["blocks"][0]["confidence"] == 1.0
    assert desk.meter.bought == {OCR_TEXT_PAGE: 1}
    assert result.reliability == 1.0


def test_pictures_beside_real_text_are_read_too() -> None:
    result = Desk().read(mixed_pdf(TABLE.image, WORDS, "on the day of the order."))

    [text] = result.data["texts"]
    assert text["source_type"] == "MIXED"
    assert text["blocks"][0]["text"].startswith(WORDS)
    assert "8,817,800" in text_of(result)


def test_text_laid_unseen_over_a_scan_is_not_believed() -> None:
    result = Desk().read(mixed_pdf(TABLE.image, "What another program took it for", mode=3))

    assert result.data["texts"][0]["source_type"] == "OCR"
    assert "another program" not in text_of(result)
    assert "8,817,800" in text_of(result)


def test_every_page_of_a_scan_and_of_a_tiff_is_read_in_its_order() -> None:
    first, second = short_page(0), short_page(1)
    tiff = corpus.encoded(first, "TIFF", save_all=True, append_images=[second])

    result = Desk().read(scanned_pdf(first, second), tiff)

    pages = [(text["source"], text["page"]) for text in result.data["texts"]]
    assert pages == [("images/0", 1), ("images/0", 2), ("images/1", 1), ("images/1", 2)]
    read = [" ".join(block["text"] for block in text["blocks"]) for text in result.data["texts"]]
    assert [error_rate(texts.ENGLISH[number][:60], read[number]) < 0.05 for number in (0, 1)] == [True, True]
    assert [error_rate(texts.ENGLISH[number - 2][:60], read[number]) < 0.05 for number in (2, 3)] == [True, True]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF", "PDF"])
def test_every_kind_is_told_by_its_content(kind: str) -> None:
    body = corpus.encoded(short_page(1), kind)

    result = Desk().run({"input_files": [inline(body, name="file.bin")], "ocr_profile": "P1"})

    [entry] = result.data["files"]
    assert (entry["kind"], entry["status"]) == (kind.lower(), "READ")
    assert error_rate(texts.ENGLISH[1][:60], text_of(result)) < 0.05


def test_progress_is_told_page_by_page() -> None:
    desk = Desk()

    desk.read(scanned_pdf(*[short_page(1)] * 3))

    told = [(progress, detail["done"]) for stage, progress, detail in desk.checkpoints.seen if stage == "read"]
    assert [progress for progress, _ in told] == sorted(progress for progress, _ in told)
    assert all(detail["total"] == 3 for stage, _, detail in desk.checkpoints.seen if stage == "read")
    assert told[-1][1] == 3


def test_files_beyond_the_size_of_all_are_not_opened() -> None:
    large = bytes(MAX_FILE_BYTES)
    stored = StoredObjects({f"dpp/acme/{number}": large for number in range(4)})
    given = [{"kind": "s3", "key": key} for key in stored.held]

    result = Desk(services={"objects": stored}).run({"images": [*given, inline(text_pdf(WORDS))]})

    reasons = [entry["reason_code"] for entry in result.data["files"]]
    assert reasons == [*["UNSUPPORTED_TYPE"] * 4, "TOTAL_TOO_LARGE"]


def test_pages_beyond_the_number_are_listed() -> None:
    body = scanned_pdf(*[short_page(1)] * 4)

    result = Desk().read(body, max_pages=2)

    [entry] = result.data["files"]
    assert (entry["status"], entry["pages"], entry["pages_read"]) == ("PARTIAL", 4, 2)
    assert [(out["pages"], out["reason_code"]) for out in entry["left_out"]] == [("3-4", "MAX_PAGES_REACHED")]
    assert any("3-4" in warning for warning in result.data["meta"]["warnings"])


def test_the_report_lists_what_was_not_read() -> None:
    given = [inline(b"no picture", "note.png"), inline(scanned_pdf(*[short_page(1)] * 3), "scan.pdf")]

    result = Desk().run({"images": given, "ocr_profile": "P1", "max_pages": 1})

    [report] = render("ocr", result.data, markdown=True, docx=False, title="Scan", created_at=NOW)
    told = report.body.decode()
    assert "| note.png | all | The type is not supported (UNSUPPORTED\\_TYPE) |" in told
    assert "| scan.pdf | 2-3 | Beyond the number of pages asked for (MAX\\_PAGES\\_REACHED) |" in told
    assert told.index("## Not read") < told.index("## Text") < told.index(texts.ENGLISH[1][:20])


def test_a_budget_that_ends_stops_the_run_and_returns_what_there_is() -> None:
    desk = Desk(meter=CountingMeter(reserved=5_000 + 5_000 + 1_000))

    result = desk.read(scanned_pdf(*[short_page(1)] * 3), profile="P2A")

    assert result.budget_cap_reached
    [entry] = result.data["files"]
    assert entry["pages_read"] == 2
    assert [(out["pages"], out["reason_code"]) for out in entry["left_out"]] == [("3", "BUDGET_CAP_REACHED")]
    # No second pass was needed, and none was charged; the second page could have paid for one pass only.
    assert desk.meter.bought == {OCR_PAGE: 2}
    assert any("page 2 was read in one pass" in warning for warning in result.data["meta"]["warnings"])


def test_a_page_that_was_not_read_costs_nothing() -> None:
    desk = Desk()

    result = desk.read(corpus.encoded(short_page(1), "PNG")[:-400])

    assert [entry["status"] for entry in result.data["files"]] == ["FAILED"]
    assert desk.meter.spent == 0


def test_two_runs_never_read_the_same_page_at_the_same_time() -> None:
    """Another run reads the page: this one waits, and takes that run's answer at the price of a known page."""
    cache, body = PagesInMemory(), corpus.encoded(short_page(3), "PNG")
    desk = Desk(services={"page_cache": cache})
    desk.read(body)
    [key] = cache.held
    answer = cache.held.pop(key)
    cache.leased.add(key)
    later = threading.Timer(0.7, lambda: cache.held.update({key: answer}))
    later.start()

    waiting = Desk(services={"page_cache": cache})
    result = waiting.read(body)
    later.join()

    assert waiting.meter.bought == {OCR_PAGE_CACHED: 1}
    assert result.data["files"][0]["status"] == "READ"
    assert cache.leases[key] == 1


def test_no_money_at_all_reads_nothing() -> None:
    desk = Desk(meter=CountingMeter(reserved=0))
    result = desk.read(TABLE.png())
    assert result.budget_cap_reached
    assert result.data["files"][0]["reason_code"] == "BUDGET_CAP_REACHED"
    assert desk.meter.spent == 0


def test_what_is_finished_at_the_deadline_is_returned_and_the_rest_is_listed() -> None:
    heavy = [corpus.page("two_columns").image] * 12
    desk, began = Desk(timebox_sec=7), time.monotonic()

    result = desk.read(text_pdf(WORDS), scanned_pdf(*heavy), profile="P2B")

    assert time.monotonic() - began < 7
    assert WORDS in text_of(result)
    scan = result.data["files"][1]
    assert scan["pages_read"] < 12
    assert scan["left_out"][-1]["reason_code"] == "DEADLINE_REACHED"
    assert reading_processes() == []


def test_a_cancelled_run_leaves_no_process_behind() -> None:
    checkpoints = Checkpoints(stop_at=5, stop_with=Cancelled())
    with pytest.raises(Cancelled):
        Desk(checkpoints=checkpoints).read(*[corpus.page("two_columns").png()] * 2, profile="P2B")
    assert reading_processes() == []


def test_a_page_read_before_costs_less_and_never_crosses_tenants() -> None:
    cache, body = PagesInMemory(), corpus.encoded(short_page(3), "PNG")
    first, again, rival = (Desk(services={"page_cache": cache}, tenant_id=name) for name in ("acme", "acme", "rival"))

    once, twice = first.read(body), again.read(body)
    elsewhere = rival.read(body)

    assert once.data == twice.data == elsewhere.data
    assert (once.cache["hits"], once.cache["misses"], once.cache["levels"]) == (0, 1, {})
    assert (twice.cache["hits"], twice.cache["misses"], twice.cache["levels"]) == (1, 0, {"L1": 1})
    assert again.meter.bought == {OCR_PAGE_CACHED: 1}
    assert rival.meter.bought == first.meter.bought == {OCR_PAGE: 1}
    assert again.read(body, profile="P3").cache["misses"] == 1


def test_urls_and_stored_objects_are_read_and_paid_for() -> None:
    web = Site({"https://a.example/t.pdf": text_pdf(WORDS), "https://a.example/p.pdf": text_pdf(WORDS, WORDS)})
    stored = StoredObjects({"dpp/acme/uploads/a": text_pdf(WORDS), "dpp/rival/uploads/b": text_pdf(WORDS)})
    desk = Desk(services={"fetcher": web, "objects": stored})

    result = desk.run(
        {
            "images": [
                {"kind": "url", "url": "https://a.example/t.pdf"},
                {"kind": "url", "url": "https://inside.example/"},
                {"kind": "s3", "key": "dpp/acme/uploads/a"},
                {"kind": "s3", "key": "dpp/rival/uploads/b"},
                {"kind": "s3", "key": "dpp/acme/../rival/uploads/b"},
                {"kind": "s3", "key": "dpp/acme/uploads/none"},
                {"kind": "base64", "data": "%%%%"},
            ],
            "pdf_url": "https://a.example/p.pdf",
        }
    )

    told = {entry["source"]: entry.get("reason_code", "READ") for entry in result.data["files"]}
    assert told == {
        "images/0": "READ",
        "images/1": "FETCH_BLOCKED",
        "images/2": "READ",
        "images/3": "OBJECT_NOT_FOUND",
        "images/4": "OBJECT_NOT_FOUND",
        "images/5": "OBJECT_NOT_FOUND",
        "images/6": "BAD_BASE64",
        "pdf_url": "READ",
    }
    # A stranger's key is not even asked for, and is told in the words for a key that does not exist.
    assert stored.asked == ["dpp/acme/uploads/a", "dpp/acme/uploads/none"]
    assert len({entry["reason_detail"] for entry in result.data["files"][3:6]}) == 1
    assert desk.meter.bought == {FETCH: 2, OCR_TEXT_PAGE: 3}
    assert desk.meter.waived == [(FETCH, "FETCH_BLOCKED")]
    assert result.blocked_log[0]["url"] == "https://inside.example/"


def test_a_url_goes_through_the_shared_documents() -> None:
    """One download for all who want it, a share of its host's slots; the tenant's own copy costs less."""
    web = Site({"https://a.example/t.pdf": text_pdf(WORDS), "https://a.example/old.pdf": text_pdf(WORDS)})
    shared = SharedDocuments(web, owned={"https://a.example/t.pdf"}, stale={"https://a.example/old.pdf"})
    desk = Desk(services={"fetcher": web, "documents": shared})

    result = desk.run({"images": [{"kind": "url", "url": url} for url in sorted(web.documents)]})

    assert [entry["status"] for entry in result.data["files"]] == ["READ", "READ"]
    assert shared.asked == [("https://a.example/old.pdf", "acme")]
    assert (result.cache["downloads"], result.cache["degraded"]) == (1, 1)
    assert desk.meter.bought == {FETCH: 1, FETCH_CACHED: 1, OCR_TEXT_PAGE: 2}
    (warning,) = result.data["meta"]["warnings"]
    assert "old.pdf" in warning
    assert "older copy" in warning


def test_a_truncated_or_oversized_file_is_not_half_read() -> None:
    web = Site({"https://a.example/t.pdf": text_pdf(WORDS)}, truncated=True)
    stored = StoredObjects({"dpp/acme/large": bytes(MAX_FILE_BYTES + 1)})
    desk = Desk(services={"fetcher": web, "objects": stored})
    given = [{"kind": "url", "url": "https://a.example/t.pdf"}, {"kind": "s3", "key": "dpp/acme/large"}]

    result = desk.run({"images": [*given, inline(b"\0" * (MAX_FILE_BYTES + 3))]})

    assert [entry["reason_code"] for entry in result.data["files"]] == ["FILE_TOO_LARGE"] * 3


def test_forbidden_urls_are_refused_at_submit() -> None:
    assert PACK.refuse is not None
    inputs = {"images": [{"kind": "url", "url": "http://a.example/"}], "pdf_url": "ftp://a.example/"}
    errors = PACK.refuse(inputs, url_refusal)
    assert [error.pointer for error in errors] == ["/inputs/images/0/url", "/inputs/pdf_url"]


@pytest.mark.parametrize(
    "inputs",
    [
        {},
        {"images": []},
        {"images": [{"kind": "ftp", "url": "https://a.example/"}]},
        {"images": [{"kind": "base64"}]},
        {"images": [{"kind": "s3", "key": "dpp/acme/a", "bucket": 1}]},
        {"pdf_url": "https://a.example/", "ocr_profile": "P9"},
        {"pdf_url": "https://a.example/", "max_pages": 51},
        {"pdf_url": "https://a.example/", "language": "jpn"},
    ],
)
def test_inputs_that_do_not_fit_are_refused(inputs: dict[str, object]) -> None:
    assert list(jsonschema.Draft202012Validator(PACK.input_schema).iter_errors(inputs))


def test_the_schema_is_one_and_its_examples_fit() -> None:
    jsonschema.Draft202012Validator.check_schema(PACK.input_schema)
    validator = jsonschema.Draft202012Validator(PACK.input_schema)
    for example in PACK.input_schema["examples"]:
        validator.validate(example)
    validator.validate({"images": [inline(b"x", name="a.png"), {"kind": "s3", "key": "dpp/acme/a"}]})


def test_a_missing_model_is_told_for_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("text_detector.onnx", "line_recogniser.onnx", "eng.traineddata"):
        (tmp_path / name).write_bytes((models.MODELS / name).read_bytes())
    (tmp_path / "kor.traineddata").write_bytes((models.MODELS / "kor.traineddata").read_bytes()[:1_000])
    monkeypatch.setattr(models, "MODELS", tmp_path)

    with pytest.raises(Unreadable) as caught:
        list(OpenFile(TABLE.png()).page(0, "P1", "kor+eng"))

    assert caught.value.reason is FailureReason.MODEL_MISSING
    assert "kor is missing" in caught.value.detail


def test_the_models_are_those_that_were_shipped() -> None:
    assert models.missing("kor+eng") == []


def test_only_a_profile_that_reads_again_can_cost_more() -> None:
    assert [profile.name for profile in PROFILES.values() if (profile.crops == 0) != (profile.passes == 1)] == []
