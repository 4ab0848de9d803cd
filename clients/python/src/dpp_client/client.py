"""The blocking client."""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import httpx

from dpp_client.errors import DppError
from dpp_client.event_stream import SILENCE_SEC, EventStream
from dpp_client.exchange import Flow, Pause, Retries, Send, no_answer, refusal
from dpp_client.flows import Amount, OnProgress, Order, UploadedFile, amount_text, new_key
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
    RunEventData,
    RunInputs,
    RunList,
    RunSummary,
    Statement,
    Webhook,
    WebhookWithSecret,
)
from dpp_client.results import RunResult
from dpp_client.settings import HEADERS, service, timeout
from dpp_client.uploads import read_file
from dpp_client.verification import Jwks
from dpp_client.webhooks import Event, webhook_request

T = TypeVar("T")


class Client:
    """Calls one service with one API key. Safe to share between threads; close it, or use it in a `with` statement.

    What may be repeated without paying twice is repeated by itself, as often as `retries` says.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        events_url: str | None = None,
        retries: Retries | None = None,
        jwks: Jwks | None = None,
    ) -> None:
        """What is not given is taken from DPP_API_URL, DPP_API_KEY and DPP_EVENTS_URL. `jwks`: keys to trust."""
        self._service = service(base_url, api_key, events_url=events_url, retries=retries, jwks=jwks)
        self._http = httpx.Client(headers=HEADERS, follow_redirects=False)

    def run(
        self,
        pack: str,
        inputs: Mapping[str, object],
        *,
        max_cost: Amount,
        key: str | None = None,
        wait_sec: float = 600,
        on_progress: OnProgress | None = None,
        timebox_sec: int | None = None,
        min_reliability_score: float | None = None,
        on_unmet: Literal["accept", "refund"] | None = None,
        quote_id: str | None = None,
        include_markdown: bool = False,
        include_docx: bool = False,
        tags: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Submit, wait until the run has ended, fetch and verify its result.

        `max_cost` is the most it may cost, in US dollars: a str such as "0.50", a Decimal or an int. `key` names the
        run: the same key and the same order are the same run, whoever repeats the call and however often, and it is
        paid once. Give one of your own (8 to 64 characters) to go on after a crash; otherwise one is made, and every
        error carries it as `idempotency_key`. A run that failed raises the class of its reason; StillRunning after
        `wait_sec`. `on_progress` is called with the run whenever it has moved.
        """
        order = Order(
            pack=pack,
            inputs=inputs,
            max_cost=max_cost,
            timebox_sec=timebox_sec,
            min_reliability_score=min_reliability_score,
            on_unmet=on_unmet,
            quote_id=quote_id,
            include_markdown=include_markdown,
            include_docx=include_docx,
            tags=tags,
        )
        return self.run_order(order, key=key, wait_sec=wait_sec, on_progress=on_progress)

    def run_order(
        self, order: Order, *, key: str | None = None, wait_sec: float = 600, on_progress: OnProgress | None = None
    ) -> RunResult:
        """As `run`, with the order as one value."""
        flow = self._service.run(order, key or new_key(), wait_sec=wait_sec, on_progress=on_progress)
        return self._drive(flow)

    def submit(self, order: Order, *, key: str | None = None, wait_sec: float = 0) -> Receipt:
        """The receipt alone. With `wait_sec` (at most 25) it carries `run`, as far as that has got."""
        return self._drive(self._service.submit(order, key or new_key(), wait_sec=wait_sec))

    def wait(self, run_id: str, *, wait_sec: float = 600, on_progress: OnProgress | None = None) -> Run:
        """The run, when it has ended."""
        return self._drive(self._service.wait(run_id, wait_sec=wait_sec, on_progress=on_progress))

    def get(self, run_id: str) -> Run:
        return self._drive(self._service.get(run_id))

    def result(self, run_id: str) -> RunResult:
        """The verified result of a run that has ended. Raises as `run` does."""
        return self._drive(self._service.result(run_id))

    def download(self, artifact: Artifact) -> bytes:
        """A report of a result, its hash checked."""
        return self._drive(self._service.artifact(artifact))

    def quote(self, order: Order) -> Quote:
        """What this order would cost: at least, likely, at worst. Costs nothing."""
        return self._drive(self._service.quote(order))

    def list_runs(
        self,
        *,
        status: str | None = None,
        pack: str | None = None,
        tag: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> RunList:
        """One page of your runs, newest first. `next_cursor` leads to the next."""
        filters = {
            "status": status,
            "pack_type": pack,
            "tag": tag,
            "created_after": created_after,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
        }
        return self._drive(self._service.list_runs(filters))

    def every_run(self, *, status: str | None = None, pack: str | None = None) -> Iterator[RunSummary]:
        """All your runs, newest first, page by page."""
        cursor: str | None = None
        while True:
            page = self.list_runs(status=status, pack=pack, limit=100, cursor=cursor)
            yield from page["runs"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def budget(self) -> Budget:
        return self._drive(self._service.budget())

    def packs(self) -> PackList:
        """What is on offer: schemas of inputs, and prices."""
        return self._drive(self._service.packs())

    def statement(
        self,
        month: str,
        *,
        tag: str | None = None,
        api_key_id: str | None = None,
        after: int | None = None,
        max_entries: int | None = None,
    ) -> Statement:
        """A page of the journal of a month such as "2026-11", its head verified. `next_after` leads to the next."""
        filters = {"tag": tag, "api_key_id": api_key_id, "after": after, "max_entries": max_entries}
        found = self._drive(self._service.statement(month, filters))
        self._drive(self._service.verified_statement(found))
        return found

    def make_key(
        self,
        *,
        label: str | None = None,
        max_total: Amount | None = None,
        max_per_run: Amount | None = None,
        packs: Sequence[str] | None = None,
        expires_at: str | None = None,
        read_only: bool | None = None,
        may_create_keys: bool | None = None,
    ) -> NewKey:
        """A key that may do and spend at most what this one may. Its text is in `api_key`, now and never again."""
        wanted = {
            "label": label,
            "max_total_usd": None if max_total is None else amount_text(max_total),
            "max_per_run_usd": None if max_per_run is None else amount_text(max_per_run),
            "packs": None if packs is None else list(packs),
            "expires_at": expires_at,
            "read_only": read_only,
            "may_create_keys": may_create_keys,
        }
        return self._drive(self._service.make_key(wanted))

    def list_keys(self) -> KeyList:
        """This key and those below it, with what each has spent and holds."""
        return self._drive(self._service.list_keys())

    def revoke_key(self, key_id: str) -> None:
        """With all keys that were made with it."""
        self._drive(self._service.revoke_key(key_id))

    def cancel(self, run_id: str) -> Run:
        """Queued: at once and for free. Running: at its next step, for the minimum fee."""
        return self._drive(self._service.cancel(run_id))

    def delete(self, run_id: str) -> None:
        """Inputs and result of a run that has ended, gone for good. What it cost stays in the books."""
        self._drive(self._service.delete(run_id))

    def upload(self, file: str | Path | bytes, *, name: str | None = None, mime: str | None = None) -> UploadedFile:
        """Put a file into the service, for a day; the answer stands for it in `inputs`. A path tells name and type."""
        content, called, kind = read_file(file, name, mime)
        return self._drive(self._service.upload(content, name=called, mime=kind))

    def create_webhook(
        self, url: str, events: Sequence[Event], *, budget_low_usd: str | None = None, description: str | None = None
    ) -> WebhookWithSecret:
        """Have events posted to an address. Keep `secret`: it is told this once."""
        request = webhook_request(url, events, budget_low_usd=budget_low_usd, description=description)
        return self._drive(self._service.create_webhook(request))

    def list_webhooks(self) -> list[Webhook]:
        return self._drive(self._service.list_webhooks())

    def rotate_webhook(self, webhook_id: str, *, overlap_sec: int | None = None) -> WebhookWithSecret:
        """New secrets; the old ones sign too for the overlap (a day, unless told)."""
        return self._drive(self._service.rotate_webhook(webhook_id, overlap_sec=overlap_sec))

    def enable_webhook(self, webhook_id: str) -> Webhook:
        return self._drive(self._service.enable_webhook(webhook_id))

    def test_webhook(self, webhook_id: str) -> Delivery:
        return self._drive(self._service.test_webhook(webhook_id))

    def deliveries(
        self, webhook_id: str, *, state: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> DeliveryList:
        """One page of a webhook's messages, newest first."""
        filters = {"state": state, "limit": limit, "cursor": cursor}
        return self._drive(self._service.deliveries(webhook_id, filters))

    def redeliver(self, webhook_id: str, delivery_id: str) -> Delivery:
        return self._drive(self._service.redeliver(webhook_id, delivery_id))

    def delete_webhook(self, webhook_id: str) -> None:
        self._drive(self._service.delete_webhook(webhook_id))

    def inputs(self, run_id: str) -> RunInputs:
        """What the run was asked, as it is stored: for `dpp verify --recompute`."""
        return self._drive(self._service.inputs(run_id))

    def published_keys(self) -> dict[str, Any]:
        """The keys that sign results (RFC 7517). Keep them to verify without the service."""
        return self._drive(self._service.published_keys())

    def verify(self, content: bytes) -> dict[str, Any]:
        """The envelope in these bytes, if this service signed it; otherwise NotVerified."""
        return self._drive(self._service.verified(content))

    def verify_statement(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The head of a statement, if this service signed it and every entry is as it says; otherwise NotVerified."""
        return self._drive(self._service.verified_statement(document))

    def events(self, run_id: str, *, last_seq: int = 0) -> Iterator[RunEventData]:
        """Every event of a run once, in order, to the last. Goes on by itself where a stream broke."""
        stream = EventStream(last_seq, self._service.retries)
        address = self._service.events_request(run_id)
        while not stream.ended:
            broken: DppError | None = None
            headers = {**self._service.authorization(), **stream.headers()}
            try:
                with self._http.stream("GET", address, headers=headers, timeout=timeout(SILENCE_SEC)) as answer:
                    if answer.status_code == 204:
                        return
                    if answer.status_code != 200:
                        answer.read()
                        broken = refusal(answer)
                    else:
                        for content in answer.iter_bytes():
                            yield from stream.take(content)
            except httpx.RequestError as error:
                broken = no_answer("GET", address, error)
            if not stream.ended:
                time.sleep(stream.pause_sec(broken))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _drive(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    answer = self._perform(step)
                except httpx.RequestError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(answer)
        except StopIteration as end:
            found: T = end.value
            return found

    def _perform(self, step: Send | Pause) -> httpx.Response | None:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        return self._http.request(
            step.method, step.url, headers=step.headers, content=step.body, timeout=timeout(step.read_sec)
        )
