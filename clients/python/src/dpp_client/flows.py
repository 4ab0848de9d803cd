"""What each call of a client does, as flows: `Client` and `AsyncClient` perform the same ones."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, TypedDict, cast
from urllib.parse import quote, urlencode
from uuid import uuid4

from dpp_client.errors import ApiProblem, DppError, NotVerified, StillRunning, UnexpectedAnswer
from dpp_client.exchange import Flow, Pause, Retries, Send, as_bytes, as_json, exchange
from dpp_client.models import (
    Artifact,
    Budget,
    Delivery,
    DeliveryList,
    KeyList,
    NewKey,
    PackList,
    Quote,
    Receipt,
    Run,
    RunInputs,
    RunList,
    Statement,
    Webhook,
    WebhookRequest,
    WebhookWithSecret,
)
from dpp_client.reasons import KeyNotFound, RunExpired, RunNotCancellable, WebhookNotFound
from dpp_client.results import RunResult
from dpp_client.verification import Jwks, check_sha256, key_id_of, public_keys, verify_envelope, verify_statement

ENDED = ("COMPLETED", "FAILED", "EXPIRED")
Amount = str | Decimal | int
OnProgress = Callable[[Run], None]

_LONGEST_WAIT_SEC = 25
_ANSWER_SEC = 30.0
_LEAST_BETWEEN_POLLS_SEC = 1.0
_UPLOAD_SEC = 300.0


class UploadedFile(TypedDict):
    """As an input of the ocr pack: `{"images": [file]}`."""

    kind: Literal["upload"]
    upload_id: str


def new_key() -> str:
    return f"dpp-{uuid4().hex}"


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is submitted or quoted. See `Client.run` for what each member means."""

    pack: str
    inputs: Mapping[str, object]
    max_cost: Amount
    timebox_sec: int | None = None
    min_reliability_score: float | None = None
    on_unmet: Literal["accept", "refund"] | None = None
    quote_id: str | None = None
    include_markdown: bool = False
    include_docx: bool = False
    tags: Mapping[str, str] | None = None

    def body(self) -> bytes:
        given = {
            "max_cost_usd": amount_text(self.max_cost),
            "timebox_sec": self.timebox_sec,
            "min_reliability_score": self.min_reliability_score,
            "on_unmet": self.on_unmet,
            "quote_id": self.quote_id,
        }
        document: dict[str, object] = {
            "pack_type": self.pack,
            "inputs": self.inputs,
            "reservation": {name: value for name, value in given.items() if value is not None},
        }
        if self.include_markdown or self.include_docx:
            document["artifacts"] = {
                "include_markdown": self.include_markdown,
                "include_docx": self.include_docx,
            }
        if self.tags:
            document["tags"] = dict(self.tags)
        return json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8")


def amount_text(amount: Amount) -> str:
    """US dollars as the API reads them. A float is no amount: 0.1 + 0.2 is not 0.3."""
    if isinstance(amount, bool) or not isinstance(amount, str | Decimal | int):
        raise TypeError(f"An amount is a str such as '0.50', a Decimal or an int, not {type(amount).__name__}.")
    return amount if isinstance(amount, str) else format(Decimal(amount), "f")


@dataclass
class Service:
    """Where the API is, and what a client knows of it."""

    base_url: str
    api_key: str = field(repr=False)
    events_url: str
    retries: Retries
    jwks: Jwks | None = None

    def submit(self, order: Order, key: str, *, wait_sec: float = 0) -> Flow[Receipt]:
        """The key was made before: every attempt sends the same, so that no run is paid twice."""
        wait = _whole_wait(wait_sec)
        headers = {"Idempotency-Key": key} | ({"Prefer": f"wait={wait}"} if wait else {})
        try:
            receipt = yield from self._call("POST", "/v1/runs", headers, order.body(), wait)
        except DppError as error:
            error.idempotency_key = key
            raise
        return cast(Receipt, receipt)

    def get(self, run_id: str, *, wait_sec: float = 0, until_end: bool = True) -> Flow[Run]:
        wait = _whole_wait(wait_sec)
        query = f"?wait={wait}" + ("&until=end" if until_end else "") if wait else ""
        run = yield from self._call("GET", _run_path(run_id) + query, wait_sec=wait)
        return cast(Run, run)

    def wait(
        self, run_id: str, *, wait_sec: float, on_progress: OnProgress | None, seen: Run | None = None
    ) -> Flow[Run]:
        """The run when it has ended. Without `on_progress` the answers are held until then."""
        ends_at = time.monotonic() + wait_sec
        run = seen
        while run is None or run["status"] not in ENDED:
            asked_at = time.monotonic()
            if run is not None and asked_at >= ends_at:
                raise StillRunning(run)
            run = yield from self.get(run_id, wait_sec=ends_at - asked_at, until_end=on_progress is None)
            if on_progress is not None:
                on_progress(run)
            early_sec = _LEAST_BETWEEN_POLLS_SEC - (time.monotonic() - asked_at)
            if run["status"] not in ENDED and early_sec > 0:
                yield Pause(early_sec)  # a busy server does not hold the answer, and polls are counted
        return run

    def run(self, order: Order, key: str, *, wait_sec: float, on_progress: OnProgress | None) -> Flow[RunResult]:
        began = time.monotonic()
        receipt = yield from self.submit(order, key, wait_sec=0 if on_progress else wait_sec)
        try:
            left = wait_sec - (time.monotonic() - began)
            ended = yield from self.wait(
                receipt["run_id"], wait_sec=left, on_progress=on_progress, seen=receipt.get("run")
            )
            result = yield from self.result_of(ended)
        except DppError as error:
            error.idempotency_key = key
            raise
        return result

    def result(self, run_id: str) -> Flow[RunResult]:
        run = yield from self.get(run_id)
        if run["status"] not in ENDED:
            raise StillRunning(run)
        return (yield from self.result_of(run))

    def result_of(self, run: Run) -> Flow[RunResult]:
        """The verified envelope of a run that has ended; the error of one that failed."""
        if "error" in run:
            raise ApiProblem.of(cast(dict[str, Any], run["error"]["problem"]), run)
        try:
            content = yield from self._download(run["result"]["presigned_url"])
        except UnexpectedAnswer:
            # The link has aged. A GET gives a fresh one.
            run = yield from self.get(run["run_id"])
            content = yield from self._download(run["result"]["presigned_url"])
        check_sha256(content, run["result"]["sha256"])
        envelope = yield from self.verified(content)
        if envelope.get("run_id") != run["run_id"]:
            raise NotVerified(f"The envelope is of the run {envelope.get('run_id')}, not of {run['run_id']}.")
        return RunResult(run, envelope, content)

    def verified(self, content: bytes) -> Flow[dict[str, Any]]:
        """By the keys of this service, asked for again when one is not known yet."""
        if self.jwks is None or key_id_of(content) not in public_keys(self.jwks):
            self.jwks = yield from self.published_keys()
        return verify_envelope(content, self.jwks)

    def published_keys(self) -> Flow[dict[str, Any]]:
        keys = yield from exchange(Send("GET", f"{self.base_url}/.well-known/jwks.json"), self.retries, read=as_json)
        return cast(dict[str, Any], keys)

    def artifact(self, artifact: Artifact) -> Flow[bytes]:
        content = yield from self._download(artifact["presigned_url"])
        check_sha256(content, artifact["sha256"])
        return content

    def quote(self, order: Order) -> Flow[Quote]:
        answer = yield from self._call("POST", "/v1/quotes", body=order.body())
        return cast(Quote, answer)

    def upload(self, content: bytes, *, name: str, mime: str) -> Flow[UploadedFile]:
        """What was announced and never put costs nothing; a repeat of the PUT puts the same bytes."""
        announced = {"name": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "mime": mime}
        link = yield from self._call("POST", "/v1/uploads", body=json.dumps(announced).encode())
        put = Send(link["method"], link["url"], dict(link["headers"]), content, read_sec=_UPLOAD_SEC)
        yield from exchange(put, self.retries, read=as_bytes)
        return UploadedFile(kind="upload", upload_id=link["upload_id"])

    def create_webhook(self, request: WebhookRequest) -> Flow[WebhookWithSecret]:
        """Sent once: the secret of an answer that got lost is lost, too."""
        made = yield from self._call("POST", "/v1/webhooks", body=json.dumps(request).encode(), once=True)
        return cast(WebhookWithSecret, made)

    def list_webhooks(self) -> Flow[list[Webhook]]:
        found = yield from self._call("GET", "/v1/webhooks")
        return cast(list[Webhook], found["webhooks"])

    def rotate_webhook(self, webhook_id: str, *, overlap_sec: int | None) -> Flow[WebhookWithSecret]:
        """Sent once: a second rotation would end the overlap of the first."""
        body = json.dumps({} if overlap_sec is None else {"overlap_sec": overlap_sec}).encode()
        made = yield from self._call("POST", f"{_webhook_path(webhook_id)}/rotate", body=body, once=True)
        return cast(WebhookWithSecret, made)

    def enable_webhook(self, webhook_id: str) -> Flow[Webhook]:
        answer = yield from self._call("POST", f"{_webhook_path(webhook_id)}/enable")
        return cast(Webhook, answer)

    def test_webhook(self, webhook_id: str) -> Flow[Delivery]:
        answer = yield from self._call("POST", f"{_webhook_path(webhook_id)}/test")
        return cast(Delivery, answer)

    def deliveries(self, webhook_id: str, filters: Mapping[str, object | None]) -> Flow[DeliveryList]:
        query = urlencode({name: str(value) for name, value in filters.items() if value is not None})
        path = f"{_webhook_path(webhook_id)}/deliveries"
        page = yield from self._call("GET", f"{path}?{query}" if query else path)
        return cast(DeliveryList, page)

    def redeliver(self, webhook_id: str, delivery_id: str) -> Flow[Delivery]:
        path = f"{_webhook_path(webhook_id)}/deliveries/{quote(delivery_id, safe='')}/redeliver"
        answer = yield from self._call("POST", path)
        return cast(Delivery, answer)

    def delete_webhook(self, webhook_id: str) -> Flow[None]:
        yield from self._call("DELETE", _webhook_path(webhook_id), done_if_repeated=WebhookNotFound)

    def inputs(self, run_id: str) -> Flow[RunInputs]:
        answer = yield from self._call("GET", f"{_run_path(run_id)}/inputs")
        return cast(RunInputs, answer)

    def list_runs(self, filters: Mapping[str, object | None]) -> Flow[RunList]:
        query = urlencode({name: str(value) for name, value in filters.items() if value is not None})
        page = yield from self._call("GET", f"/v1/runs?{query}" if query else "/v1/runs")
        return cast(RunList, page)

    def budget(self) -> Flow[Budget]:
        answer = yield from self._call("GET", "/v1/budget")
        return cast(Budget, answer)

    def packs(self) -> Flow[PackList]:
        answer = yield from self._call("GET", "/v1/packs")
        return cast(PackList, answer)

    def statement(self, month: str, filters: Mapping[str, object | None]) -> Flow[Statement]:
        query = urlencode({name: str(value) for name, value in filters.items() if value is not None})
        path = f"/v1/statements/{quote(month, safe='')}"
        answer = yield from self._call("GET", f"{path}?{query}" if query else path)
        return cast(Statement, answer)

    def verified_statement(self, document: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        if self.jwks is None or document.get("signatures", {}).get("key_id") not in public_keys(self.jwks):
            self.jwks = yield from self.published_keys()
        return verify_statement(document, self.jwks)

    def make_key(self, wanted: Mapping[str, object | None]) -> Flow[NewKey]:
        """Sent once: the text of a key is in one answer only."""
        body = json.dumps({name: value for name, value in wanted.items() if value is not None}).encode("utf-8")
        answer = yield from self._call("POST", "/v1/keys", body=body, once=True)
        return cast(NewKey, answer)

    def list_keys(self) -> Flow[KeyList]:
        answer = yield from self._call("GET", "/v1/keys")
        return cast(KeyList, answer)

    def revoke_key(self, key_id: str) -> Flow[None]:
        yield from self._call("DELETE", f"/v1/keys/{quote(key_id, safe='')}", done_if_repeated=KeyNotFound)

    def cancel(self, run_id: str) -> Flow[Run]:
        """A repeat whose first attempt got through finds nothing left to cancel: that is done."""
        run = yield from self._call("POST", f"{_run_path(run_id)}/cancel", done_if_repeated=RunNotCancellable)
        if run is None:
            run = yield from self.get(run_id)
        return cast(Run, run)

    def delete(self, run_id: str) -> Flow[None]:
        yield from self._call("DELETE", _run_path(run_id), done_if_repeated=RunExpired)

    def events_request(self, run_id: str) -> str:
        return f"{self.events_url}{_run_path(run_id)}/events"

    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"}

    def _call(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        wait_sec: int = 0,
        done_if_repeated: type[ApiProblem] | None = None,
        once: bool = False,
    ) -> Flow[Any]:
        sent = {**self.authorization(), "Accept": "application/json", **(headers or {})}
        if body is not None:
            sent["Content-Type"] = "application/json"
        request = Send(method, self.base_url + path, sent, body, read_sec=_ANSWER_SEC + wait_sec)
        retries = replace(self.retries, attempts=1) if once else self.retries
        return (yield from exchange(request, retries, read=as_json, done_if_repeated=done_if_repeated))

    def _download(self, url: str) -> Flow[bytes]:
        """It goes without the API key: the address is of the object store."""
        content = yield from exchange(Send("GET", url), self.retries, read=as_bytes)
        return cast(bytes, content)


def _whole_wait(wait_sec: float) -> int:
    return max(0, min(_LONGEST_WAIT_SEC, int(wait_sec)))


def _webhook_path(webhook_id: str) -> str:
    return f"/v1/webhooks/{quote(webhook_id, safe='')}"


def _run_path(run_id: str) -> str:
    return f"/v1/runs/{quote(run_id, safe='')}"
