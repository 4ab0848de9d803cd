"""Fetching a run's URLs side by side, inside the timebox and the budget.

Threads fetch; the thread that runs the pack spends money, reports progress and notices that the run must
stop. The price of a fetch is set aside when it begins and charged by the caller once there is a page.
"""

import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from dpp_project.logging import fields
from dpp_project.prices import FETCH, FETCH_CACHED
from packs.base import BudgetCapReached, PackContext
from packs.cache import Documents, Fetched, Source, Uncached
from packs.fetch import FailedCode, FetchBlocked, FetchFailed
from packs.fetch.url import parse_url
from packs.url.discards import Discard, DiscardReason

FETCHES_AT_ONCE = 16
# What reading, gating and writing need at the end: this much, or this share of a short timebox.
RESERVE_SEC = 4.0
RESERVE_SHARE = 0.25
# How often a cancel is looked for while every fetch is slow.
LOOK_UP_EVERY_SEC = 2.0
# The part of the run's progress that fetching and reading take.
SHARE_OF_RUN = 0.8

Outcome = Fetched | FetchBlocked | FetchFailed


@dataclass(frozen=True)
class Gathered:
    url: str
    outcome: Outcome | Discard
    set_aside: str | None = None
    """The item whose price was set aside for it; none for what was never tried."""

    @property
    def source(self) -> Source:
        return self.outcome.source if isinstance(self.outcome, Fetched) else Source.MISS


def gather(
    urls: list[str],
    context: PackContext,
    *,
    timeout_sec: float,
    max_hops: int,
    ends_at: float,
    max_age_sec: int | None = None,
) -> Generator[Gathered, None, None]:
    """Each URL once, as they arrive. `ends_at` is on the monotonic clock: what is not there by then is
    given up."""
    documents: Documents = context.services.get("documents") or Uncached(context.services["fetcher"])
    tenant_id = context.tenant_id
    waiting = list(urls)
    running: dict[Future[Outcome], str] = {}
    pool = ThreadPoolExecutor(min(FETCHES_AT_ONCE, len(urls)), thread_name_prefix="url-fetch")

    def fetch(url: str) -> Outcome:
        try:
            seconds = min(timeout_sec, _left(ends_at))
            return documents.fetch(
                url, tenant_id=tenant_id, timeout_sec=seconds, max_hops=max_hops, max_age_sec=max_age_sec
            )
        except (FetchBlocked, FetchFailed) as error:
            return error
        except Exception:
            context.log.exception("fetch_crashed", extra=fields(tenant_id=tenant_id))
            return FetchFailed(FailedCode.BAD_RESPONSE, "The site's answer could not be handled.")

    try:
        while (waiting or running) and time.monotonic() < ends_at:
            while (url := _next(waiting, running, documents.at_once_per_host)) is not None:
                cached = documents.cached(url, tenant_id=tenant_id, max_hops=max_hops, max_age_sec=max_age_sec)
                try:
                    context.meter.set_aside(FETCH if cached is None else FETCH_CACHED)
                except BudgetCapReached:
                    yield from (Gathered(url, over_budget(url)) for url in waiting)
                    waiting.clear()
                    break
                waiting.remove(url)
                if cached is not None:
                    yield Gathered(url, cached, FETCH_CACHED)
                else:
                    running[pool.submit(fetch, url)] = url
            arrived = wait(running, min(LOOK_UP_EVERY_SEC, _left(ends_at)), FIRST_COMPLETED).done
            if not arrived:
                context.checkpoint("fetch", SHARE_OF_RUN * (1 - (len(waiting) + len(running)) / len(urls)))
            for done in arrived:
                yield Gathered(running.pop(done), done.result(), FETCH)
        for future, url in running.items():
            if future.done():
                yield Gathered(url, future.result(), FETCH)
            else:
                yield Gathered(url, _out_of_time(url), FETCH)
        yield from (Gathered(url, _out_of_time(url)) for url in waiting)
    finally:
        # A fetch under way ends by itself within its own budget; nobody waits for it.
        pool.shutdown(wait=False, cancel_futures=True)


def fetch_until(context: PackContext) -> float:
    """When fetching has to end so that the run can finish inside its timebox."""
    left = context.deadline.remaining_sec()
    return time.monotonic() + left - min(RESERVE_SEC, RESERVE_SHARE * left)


def _next(waiting: list[str], running: dict[Future[Outcome], str], at_once_per_host: int) -> str | None:
    """The first URL that can start now. One that would only wait for its own host lets others go first: its time
    begins when it does."""
    if len(running) >= FETCHES_AT_ONCE:
        return None
    busy = Counter(_host(url) for url in running.values())
    return next((url for url in waiting if busy[_host(url)] < at_once_per_host), None)


def _host(url: str) -> str:
    return parse_url(url).host.name


def over_budget(url: str) -> Discard:
    return Discard(url, DiscardReason.BUDGET_CAP_REACHED, "Another fetch would cost more than is left.")


def _out_of_time(url: str) -> Discard:
    return Discard(url, DiscardReason.ACCESS_TIMEOUT, "The run's time was up before the page arrived.")


def _left(ends_at: float) -> float:
    return max(0.001, ends_at - time.monotonic())
