"""Calls of the client against the real API and object store: results, failures, events, lists."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dpp_client import (
    AsyncClient,
    Client,
    NotAFile,
    NotConfigured,
    NotVerified,
    Order,
    Retries,
    StillRunning,
    reasons,
)
from dpp_client.event_stream import EventStream
from dpp_client.models import RunEventData
from runs.models import Run
from storage.models import Upload
from tests.api.ended_runs import completed_run
from tests.builders import QUESTION, Customer, processing, submitted
from tests.packs.ocr.documents import text_pdf
from tests.processes import ApiProcess
from tests.runs.worker.deliveries import deliver

_QUICK = Retries(first_pause_sec=0.01)


@pytest.fixture
def client(live_api: ApiProcess, acme: Customer) -> Iterator[Client]:
    with Client(live_api.url, acme.api_key, retries=_QUICK) as client:
        yield client


def test_the_result_of_a_run_is_verified_and_typed(client: Client, acme: Customer) -> None:
    run = completed_run(acme)
    result = client.result(str(run.pk))
    assert (result.run_id, result.used_usd, result.artifacts) == (str(run.pk), "0.0500", [])
    assert result.reliability["met"] is True
    assert result.data["answer_text"].startswith("Recommendation: Beta")
    assert client.verify(result.content) == result.envelope


def test_a_link_that_has_aged_is_asked_for_again(client: Client, acme: Customer) -> None:
    run = client.get(str(completed_run(acme).pk))
    run["result"]["presigned_url"] = run["result"]["presigned_url"].replace("Signature=", "Signature=0")
    assert client._drive(client._service.result_of(run)).run_id == run["run_id"]


def test_a_result_of_other_bytes_or_of_another_run_is_refused(client: Client, acme: Customer) -> None:
    run, other = (client.get(str(completed_run(acme).pk)) for _ in range(2))
    with pytest.raises(NotVerified, match="SHA-256"):
        client._drive(client._service.result_of({**run, "result": {**run["result"], "sha256": "0" * 64}}))
    with pytest.raises(NotVerified, match="of the run"):
        client._drive(client._service.result_of({**run, "result": other["result"]}))


def test_a_failed_run_raises_the_class_of_its_reason_with_the_run(client: Client, acme: Customer) -> None:
    run_id = str(submitted(acme).pk)
    assert client.cancel(run_id)["status"] == "FAILED"
    with pytest.raises(reasons.RunCancelled) as cancelled:
        client.result(run_id)
    assert cancelled.value.run is not None
    assert (cancelled.value.run["run_id"], cancelled.value.retry_with) == (run_id, "none")


def test_a_run_that_has_not_ended_in_time_is_told_with_its_id(client: Client, acme: Customer) -> None:
    run_id = str(processing(acme).pk)
    seen: list[str] = []
    with pytest.raises(StillRunning) as running:
        client.wait(run_id, wait_sec=0.5, on_progress=lambda run: seen.append(run["status"]))
    assert (running.value.run_id, set(seen)) == (run_id, {"PROCESSING"})
    with pytest.raises(StillRunning):
        client.result(run_id)


def test_foreign_and_unknown_runs_are_not_found(client: Client, rival: Customer) -> None:
    for run_id in (str(submitted(rival).pk), "x?wait=1", "no id"):
        with pytest.raises(reasons.RunNotFoundStealth):
            client.get(run_id)
    with pytest.raises(reasons.RouteNotFound):
        client.get("../budget")


def test_all_runs_are_listed_page_by_page(client: Client, acme: Customer) -> None:
    runs = [str(submitted(acme).pk) for _ in range(3)]
    assert [run["run_id"] for run in client.every_run(status="QUEUED", pack="decision")] == runs[::-1]
    page = client.list_runs(limit=2)
    assert page["next_cursor"]
    assert [run["run_id"] for run in client.list_runs(limit=2, cursor=page["next_cursor"])["runs"]] == runs[:1]


def test_a_quote_keeps_its_prices_and_costs_nothing(client: Client) -> None:
    order = Order(pack="decision", inputs=QUESTION, max_cost=Decimal("0.50"))
    quote = client.quote(order)
    assert quote["likely_usd"] == "0.0500"
    assert client.budget()["balance_usd"] == "10.0000"
    accepted = client.submit(Order(pack="decision", inputs=QUESTION, max_cost="0.5", quote_id=quote["quote_id"]))
    assert accepted["reservation"]["max_cost_usd"] == "0.5000"


def test_a_submit_that_is_wrong_says_where(client: Client) -> None:
    with pytest.raises(reasons.SchemaValidationFailed) as refused:
        client.run("decision", {"question": "A or B?", "options": ["A"]}, max_cost="0.5", key="my-own-key")
    assert [error.get("pointer") for error in refused.value.errors] == ["/inputs/options"]
    assert refused.value.idempotency_key == "my-own-key"


@pytest.mark.parametrize("amount", [0.5, True, None])
def test_a_float_is_no_amount(amount: Any) -> None:
    with pytest.raises(TypeError):
        Order(pack="decision", inputs=QUESTION, max_cost=amount).body()


def test_the_asynchronous_client_makes_the_same_calls(live_api: ApiProcess, acme: Customer) -> None:
    run_id = str(completed_run(acme).pk)

    async def calls() -> None:
        async with AsyncClient(live_api.url, acme.api_key, retries=_QUICK) as client:
            result, budget = await asyncio.gather(client.result(run_id), client.budget())
            assert (result.run_id, budget["balance_usd"]) == (run_id, "9.9500")
            assert [run["run_id"] async for run in client.every_run()] == [run_id]
            await client.delete(run_id)
            with pytest.raises(reasons.RunExpired):
                await client.get(run_id)

    asyncio.run(calls())


def test_both_clients_have_the_same_calls() -> None:
    def calls(kind: type) -> set[str]:
        return {name.replace("aclose", "close") for name in vars(kind) if not name.startswith("_")}

    assert calls(Client) == calls(AsyncClient)


def test_a_client_without_address_or_key_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DPP_API_KEY", raising=False)
    monkeypatch.delenv("DPP_API_URL", raising=False)
    with pytest.raises(NotConfigured, match="DPP_API_URL"):
        Client(api_key="dpp_sk_x")
    with pytest.raises(NotConfigured, match="DPP_API_KEY"):
        Client("http://127.0.0.1:1")


def test_the_key_stays_out_of_what_is_printed(client: Client, acme: Customer) -> None:
    assert acme.api_key not in repr(client._service)


def _event(seq: int) -> bytes:
    stage = "done" if seq == 5 else "execute"
    data = {"seq": seq, "stage": stage, "step": "줄\u2028바꿈"}
    return f"id: {seq}\r\nevent: {stage}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _seqs(events: list[RunEventData]) -> list[int]:
    return [event["seq"] for event in events]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_events_are_read_however_the_bytes_arrive(size: int) -> None:
    content = b"id: 0\nretry: 2000\n\n" + _event(1) + b": keep-alive\n\n" + _event(2) + _event(2) + _event(5)
    stream = EventStream(0, _QUICK)
    found = [event for at in range(0, len(content), size) for event in stream.take(content[at : at + size])]
    assert _seqs(found) == [1, 2, 5]
    assert stream.ended
    assert found[0]["step"] == "줄\u2028바꿈"


@contextmanager
def _breaking_gateway() -> Iterator[str]:
    """Sends one whole event and a half, then hangs up."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            last = int(self.headers["Last-Event-ID"])
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(_event(last + 1) + _event(last + 2)[:30])

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_stream_that_breaks_goes_on_where_it_was() -> None:
    async def heard(url: str) -> list[RunEventData]:
        async with AsyncClient(url, "key", retries=_QUICK) as client:
            return [event async for event in client.events("run")]

    with _breaking_gateway() as url:
        with Client(url, "key", retries=_QUICK) as client:
            assert _seqs(list(client.events("run"))) == [1, 2, 3, 4, 5]
        assert _seqs(asyncio.run(heard(url))) == [1, 2, 3, 4, 5]


def test_a_stream_that_is_refused_raises_the_reason(client: Client) -> None:
    """The API process does not stream; its answer is a problem as any other."""
    with pytest.raises(reasons.RouteNotFound):
        next(client.events("0b0f0000-0000-4000-8000-000000000000"))


def test_an_uploaded_file_is_named_in_inputs(client: Client, acme: Customer, tmp_path: Path) -> None:
    content = text_pdf("Uploaded by the client")
    path = tmp_path / "note.pdf"
    path.write_bytes(content)

    named = client.upload(path)
    run_id = client.submit(Order(pack="ocr", inputs={"images": [named]}, max_cost="0.50"))["run_id"]
    run = Run.objects.get(pk=run_id)
    deliver(run)

    assert Upload.objects.get(pk=named["upload_id"]).name == "note.pdf"
    assert "Uploaded by the client" in json.dumps(client.result(run_id).data["texts"])


def test_what_cannot_be_uploaded_is_said_before_anything_is_sent(client: Client, tmp_path: Path) -> None:
    unknown = tmp_path / "note"
    unknown.write_bytes(b"x")
    for file in (tmp_path / "missing.pdf", unknown, b"bytes"):
        with pytest.raises(NotAFile):
            client.upload(file)
    assert Upload.objects.count() == 0
    with pytest.raises(reasons.InvalidParams):
        client.upload(b"<html>", mime="text/html")


def test_webhooks_are_made_looked_at_and_deleted(client: Client) -> None:
    made = client.create_webhook("https://hooks.example.org/in", ["run.failed"], description="orders")
    webhook_id = made["webhook_id"]
    assert made["secret"].startswith("whsec_")
    assert [one["webhook_id"] for one in client.list_webhooks()] == [webhook_id]
    assert client.rotate_webhook(webhook_id, overlap_sec=0)["secret"] != made["secret"]
    sent = client.test_webhook(webhook_id)
    assert [one["delivery_id"] for one in client.deliveries(webhook_id)["deliveries"]] == [sent["delivery_id"]]
    assert client.redeliver(webhook_id, sent["delivery_id"])["state"] == "PENDING"
    assert client.enable_webhook(webhook_id)["status"] == "ACTIVE"
    client.delete_webhook(webhook_id)
    with pytest.raises(reasons.WebhookNotFound):
        client.delete_webhook(webhook_id)


def test_the_asynchronous_client_uploads_and_has_webhooks(live_api: ApiProcess, acme: Customer) -> None:
    async def both() -> tuple[str, str]:
        async with AsyncClient(live_api.url, acme.api_key, retries=_QUICK) as client:
            file = await client.upload(b"%PDF-1.4", mime="application/pdf", name="a.pdf")
            made = await client.create_webhook("https://hooks.example.org/", ["budget.low"], budget_low_usd="1.0000")
            return file["kind"], made["budget_low_usd"]

    assert asyncio.run(both()) == ("upload", "1.0000")
