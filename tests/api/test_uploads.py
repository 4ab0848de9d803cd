"""POST /v1/uploads: a file that does not fit into a request, from its announcement to a paid run."""

import hashlib
import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now

from dpp_project.profile import PROFILE
from runs.exceptions import UploadQuotaReached
from runs.lifecycle.uploads import announce_upload
from runs.models import Run
from storage.models import Upload
from tests.api.caller import Caller, problem
from tests.builders import Customer, body, message
from tests.packs.ocr.documents import text_pdf
from tests.runs.worker.deliveries import deliver, ended, envelope

_WORDS = "Uploaded words"


def _announced(api: Caller, content: bytes, **changes: Any) -> dict[str, Any]:
    asked = {
        "name": "invoice.pdf",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "mime": "application/pdf",
    }
    answer = api.post("/v1/uploads", json.dumps(asked | changes))
    assert answer.status_code == 201, answer.content
    document: dict[str, Any] = json.loads(answer.content)
    return document


def _put(upload: dict[str, Any], content: bytes) -> int:
    request = urllib.request.Request(upload["url"], content, upload["headers"], method=upload["method"])
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def _ocr_run(api: Caller, *files: Any) -> Run:
    asked = body(pack_type="ocr", inputs={"images": list(files)}, reservation={"max_cost_usd": "0.1000"})
    accepted = api.submit(json.dumps(asked))
    assert accepted.status_code == 202, accepted.content
    run = Run.objects.get(pk=json.loads(accepted.content)["run_id"])
    assert message(run)
    deliver(run)
    return ended(run)


def _upload_input(upload: dict[str, Any]) -> dict[str, str]:
    return {"kind": "upload", "upload_id": upload["upload_id"]}


def test_an_uploaded_file_is_read_by_a_run(acme_api: Caller) -> None:
    # Larger than any request may be.
    content = text_pdf(_WORDS) + b"%" + b"x" * (17 * 1_048_576)
    upload = _announced(acme_api, content)

    assert _put(upload, content) == 200
    run = _ocr_run(acme_api, _upload_input(upload))

    assert run.status == "COMPLETED", run.last_error_detail
    assert _WORDS in json.dumps(envelope(run)["data"]["texts"])


def test_what_never_arrives_costs_nothing_by_itself(acme_api: Caller) -> None:
    upload = _announced(acme_api, b"never")
    run = _ocr_run(acme_api, _upload_input(upload))
    assert (run.status, run.last_error_reason_code) == ("FAILED", "NOTHING_DELIVERED")
    assert envelope(run)["data"]["files"][0]["reason_code"] == "OBJECT_NOT_FOUND"


def test_other_bytes_than_were_announced_are_not_read(acme_api: Caller) -> None:
    """Whether the server refuses them or not."""
    upload = _announced(acme_api, text_pdf(_WORDS))
    _put(upload, text_pdf("Something else"))
    assert _ocr_run(acme_api, _upload_input(upload)).last_error_reason_code == "NOTHING_DELIVERED"


def test_nobody_reads_another_tenants_upload(acme_api: Caller, rival_api: Caller) -> None:
    content = text_pdf(_WORDS)
    upload = _announced(acme_api, content)
    _put(upload, content)

    stolen = _ocr_run(rival_api, _upload_input(upload))
    invented = _ocr_run(rival_api, {"kind": "upload", "upload_id": str(uuid4())})

    assert stolen.last_error_reason_code == "NOTHING_DELIVERED"
    one, other = (envelope(run)["data"]["files"][0] for run in (stolen, invented))
    assert one["reason_detail"] == other["reason_detail"]


def test_an_upload_is_good_for_a_day(acme_api: Caller) -> None:
    content = text_pdf(_WORDS)
    upload = _announced(acme_api, content)
    _put(upload, content)
    Upload.objects.update(created_at=Now() - timedelta(seconds=PROFILE.upload_kept_sec + 1))
    assert _ocr_run(acme_api, _upload_input(upload)).last_error_reason_code == "NOTHING_DELIVERED"


def test_a_tenant_has_so_many_bytes_for_a_day(acme_api: Caller, acme: Customer) -> None:
    _announced(acme_api, b"first")
    Upload.objects.update(size=PROFILE.upload_bytes_per_tenant)
    refused = problem(
        acme_api.post("/v1/uploads", json.dumps({"name": "a", "size": 1, "sha256": "0" * 64, "mime": "image/png"})),
        413,
        "UPLOAD_QUOTA_REACHED",
    )
    assert refused["retryable"]


def test_announcements_at_the_same_moment_do_not_share_the_room_of_one(acme_api: Caller, acme: Customer) -> None:
    size = PROFILE.upload_max_bytes
    Upload.objects.create(
        upload_id=uuid4(),
        tenant=acme.tenant,
        name="a",
        sha256="0" * 64,
        mime="image/png",
        size=PROFILE.upload_bytes_per_tenant - size,
    )
    begin = threading.Barrier(8)

    def announce(_: int) -> bool:
        begin.wait(30)
        try:
            announce_upload(acme.tenant, name="b", size=size, sha256="1" * 64, mime="image/png")
        except UploadQuotaReached:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(announce, range(8))) == [False] * 7 + [True]


def test_a_tenant_has_so_many_files_for_a_day(acme_api: Caller, acme: Customer) -> None:
    kept = {"tenant": acme.tenant, "name": "a", "size": 1, "sha256": "0" * 64, "mime": "image/png"}
    Upload.objects.bulk_create([Upload(upload_id=uuid4(), **kept) for _ in range(PROFILE.uploads_per_tenant - 1)])
    asked = json.dumps({name: value for name, value in kept.items() if name != "tenant"})
    assert acme_api.post("/v1/uploads", asked).status_code == 201
    problem(acme_api.post("/v1/uploads", asked), 413, "UPLOAD_QUOTA_REACHED")


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"size": 0}, "/size"),
        ({"size": PROFILE.upload_max_bytes + 1}, "/size"),
        ({"sha256": "A" * 64}, "/sha256"),
        ({"mime": "text/html"}, "/mime"),
        ({"name": ""}, "/name"),
        ({"key": "dpp/rival/x"}, "/key"),
    ],
)
def test_a_wrong_announcement_is_refused(acme_api: Caller, changed: dict[str, Any], pointer: str) -> None:
    good = {"name": "a.png", "size": 1, "sha256": "0" * 64, "mime": "image/png"}
    refused = problem(acme_api.post("/v1/uploads", json.dumps(good | changed)), 400, "INVALID_PARAMS")
    assert [error["pointer"] for error in refused["errors"]] == [pointer]
