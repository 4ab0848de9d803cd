"""The asynchronous client: the calls of `Client`, to be awaited."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
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


class AsyncClient:
    """See `Client`."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        events_url: str | None = None,
        retries: Retries | None = None,
        jwks: Jwks | None = None,
    ) -> None:
        self._service = service(base_url, api_key, events_url=events_url, retries=retries, jwks=jwks)
        self._http = httpx.AsyncClient(headers=HEADERS, follow_redirects=False)

    async def run(
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
        return await self.run_order(order, key=key, wait_sec=wait_sec, on_progress=on_progress)

    async def run_order(
        self, order: Order, *, key: str | None = None, wait_sec: float = 600, on_progress: OnProgress | None = None
    ) -> RunResult:
        flow = self._service.run(order, key or new_key(), wait_sec=wait_sec, on_progress=on_progress)
        return await self._drive(flow)

    async def submit(self, order: Order, *, key: str | None = None, wait_sec: float = 0) -> Receipt:
        return await self._drive(self._service.submit(order, key or new_key(), wait_sec=wait_sec))

    async def wait(self, run_id: str, *, wait_sec: float = 600, on_progress: OnProgress | None = None) -> Run:
        return await self._drive(self._service.wait(run_id, wait_sec=wait_sec, on_progress=on_progress))

    async def get(self, run_id: str) -> Run:
        return await self._drive(self._service.get(run_id))

    async def result(self, run_id: str) -> RunResult:
        return await self._drive(self._service.result(run_id))

    async def download(self, artifact: Artifact) -> bytes:
        return await self._drive(self._service.artifact(artifact))

    async def quote(self, order: Order) -> Quote:
        return await self._drive(self._service.quote(order))

    async def list_runs(
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
        filters = {
            "status": status,
            "pack_type": pack,
            "tag": tag,
            "created_after": created_after,
            "created_before": created_before,
            "limit": limit,
            "cursor": cursor,
        }
        return await self._drive(self._service.list_runs(filters))

    async def every_run(self, *, status: str | None = None, pack: str | None = None) -> AsyncIterator[RunSummary]:
        cursor: str | None = None
        while True:
            page = await self.list_runs(status=status, pack=pack, limit=100, cursor=cursor)
            for run in page["runs"]:
                yield run
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def budget(self) -> Budget:
        return await self._drive(self._service.budget())

    async def packs(self) -> PackList:
        return await self._drive(self._service.packs())

    async def statement(
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
        found = await self._drive(self._service.statement(month, filters))
        await self._drive(self._service.verified_statement(found))
        return found

    async def make_key(
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
        return await self._drive(self._service.make_key(wanted))

    async def list_keys(self) -> KeyList:
        """This key and those below it, with what each has spent and holds."""
        return await self._drive(self._service.list_keys())

    async def revoke_key(self, key_id: str) -> None:
        """With all keys that were made with it."""
        await self._drive(self._service.revoke_key(key_id))

    async def cancel(self, run_id: str) -> Run:
        return await self._drive(self._service.cancel(run_id))

    async def delete(self, run_id: str) -> None:
        await self._drive(self._service.delete(run_id))

    async def upload(
        self, file: str | Path | bytes, *, name: str | None = None, mime: str | None = None
    ) -> UploadedFile:
        content, called, kind = read_file(file, name, mime)
        return await self._drive(self._service.upload(content, name=called, mime=kind))

    async def create_webhook(
        self, url: str, events: Sequence[Event], *, budget_low_usd: str | None = None, description: str | None = None
    ) -> WebhookWithSecret:
        request = webhook_request(url, events, budget_low_usd=budget_low_usd, description=description)
        return await self._drive(self._service.create_webhook(request))

    async def list_webhooks(self) -> list[Webhook]:
        return await self._drive(self._service.list_webhooks())

    async def rotate_webhook(self, webhook_id: str, *, overlap_sec: int | None = None) -> WebhookWithSecret:
        return await self._drive(self._service.rotate_webhook(webhook_id, overlap_sec=overlap_sec))

    async def enable_webhook(self, webhook_id: str) -> Webhook:
        return await self._drive(self._service.enable_webhook(webhook_id))

    async def test_webhook(self, webhook_id: str) -> Delivery:
        return await self._drive(self._service.test_webhook(webhook_id))

    async def deliveries(
        self, webhook_id: str, *, state: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> DeliveryList:
        filters = {"state": state, "limit": limit, "cursor": cursor}
        return await self._drive(self._service.deliveries(webhook_id, filters))

    async def redeliver(self, webhook_id: str, delivery_id: str) -> Delivery:
        return await self._drive(self._service.redeliver(webhook_id, delivery_id))

    async def delete_webhook(self, webhook_id: str) -> None:
        await self._drive(self._service.delete_webhook(webhook_id))

    async def inputs(self, run_id: str) -> RunInputs:
        """What the run was asked, as it is stored: for `dpp verify --recompute`."""
        return await self._drive(self._service.inputs(run_id))

    async def published_keys(self) -> dict[str, Any]:
        return await self._drive(self._service.published_keys())

    async def verify(self, content: bytes) -> dict[str, Any]:
        return await self._drive(self._service.verified(content))

    async def verify_statement(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The head of a statement, if this service signed it and every entry is as it says; otherwise NotVerified."""
        return await self._drive(self._service.verified_statement(document))

    async def events(self, run_id: str, *, last_seq: int = 0) -> AsyncIterator[RunEventData]:
        stream = EventStream(last_seq, self._service.retries)
        address = self._service.events_request(run_id)
        while not stream.ended:
            broken: DppError | None = None
            headers = {**self._service.authorization(), **stream.headers()}
            try:
                async with self._http.stream("GET", address, headers=headers, timeout=timeout(SILENCE_SEC)) as answer:
                    if answer.status_code == 204:
                        return
                    if answer.status_code != 200:
                        await answer.aread()
                        broken = refusal(answer)
                    else:
                        async for content in answer.aiter_bytes():
                            for event in stream.take(content):
                                yield event
            except httpx.RequestError as error:
                broken = no_answer("GET", address, error)
            if not stream.ended:
                await asyncio.sleep(stream.pause_sec(broken))

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _drive(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    answer = await self._perform(step)
                except httpx.RequestError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(answer)
        except StopIteration as end:
            found: T = end.value
            return found

    async def _perform(self, step: Send | Pause) -> httpx.Response | None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        return await self._http.request(
            step.method, step.url, headers=step.headers, content=step.body, timeout=timeout(step.read_sec)
        )
