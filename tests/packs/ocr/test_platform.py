"""Hostile files through the whole platform: API process, real queue, real worker process, object storage."""

import base64
from collections.abc import Callable
from typing import Any

from runs.lifecycle.envelope import signature_is_valid
from runs.models import Run
from storage import store
from tests.builders import Customer, body, fresh_key
from tests.http import Api
from tests.packs.ocr import corpus
from tests.packs.ocr.documents import text_pages, text_pdf
from tests.packs.ocr.zoo import ZOO
from tests.processes import ApiProcess, WorkerProcess

HOSTILE = (
    "pixel bomb",
    "100,000 frames, TIFF",
    "chained filters",
    "100,000 pages",
    "page tree loop",
    "giant media box",
    "password",
    "picture and PDF at once",
    "truncated PDF",
)
WORDS = "The supplier shall deliver within fourteen days"


def stored(owner: Customer, name: str, content: bytes) -> dict[str, str]:
    key = f"dpp/{owner.id}/2026/01/01/uploads/{fresh_key()}"
    store.put(key, content, mime="application/octet-stream")
    return {"kind": "s3", "key": key, "name": name}


def inline(content: bytes) -> dict[str, str]:
    return {"kind": "base64", "data": base64.b64encode(content).decode()}


def read(api: Api, process: WorkerProcess, images: list[dict[str, str]], **changes: Any) -> dict[str, Any]:
    inputs = {"images": images, "ocr_profile": "P1"}
    accepted = api.submit(body(pack_type="ocr", inputs=inputs, options={"inline": 1}, **changes), key=fresh_key())
    assert accepted.status == 202, accepted.text
    ended = api.wait_until_ended(accepted.json["poll"]["href"], process, seconds=90)
    assert (ended.json["status"], ended.json["money_state"]) == ("COMPLETED", "SETTLED"), ended.text
    envelope: dict[str, Any] = ended.json["result"]["inline"]
    assert signature_is_valid(envelope)
    return envelope


def test_a_worker_outlives_hostile_files_and_reads_their_neighbours(
    live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    process, api = worker(), Api(live_api.url, acme)
    good = [stored(acme, "table", corpus.page("table").png()), stored(acme, "letter", text_pages(WORDS, WORDS))]
    hostile = [stored(acme, name, ZOO[name][0]()) for name in HOSTILE]

    envelope = read(api, process, [*hostile[:5], *good, *hostile[5:]], artifacts={"include_markdown": True})

    told = {entry["source"]: entry for entry in envelope["data"]["files"]}
    for name in HOSTILE:
        assert told[name]["status"] == "FAILED"
        assert told[name]["reason_code"] in ZOO[name][1]
    assert (told["table"]["status"], told["letter"]["status"]) == ("READ", "READ")
    text = "\n".join(envelope["data"]["text_blocks"])
    assert "8,817,800" in text
    assert text.count(WORDS) == 2
    meta = envelope["data"]["meta"]
    assert meta["engine"].startswith("tesseract ")
    assert meta["model_version"]
    assert meta["profile_version"]
    # The report keeps the pages apart, in their order.
    run = Run.objects.get(pk=envelope["run_id"])
    kept = run.objects_stored.get(name="report.md")
    report = store.read(kept.key, sha256=kept.sha256).decode()
    headings = [line.split() for line in report.splitlines() if line.startswith("### ")]
    assert [(heading[1], heading[-1]) for heading in headings] == [("table", "1"), ("letter", "1"), ("letter", "2")]

    # The same worker, after all that.
    assert read(api, process, [inline(text_pdf(WORDS))])["data"]["text_blocks"] == [WORDS]
