"""Whole url runs over the caches: what is charged, what `meta.cache` says, how an old copy is marked."""

import time
from dataclasses import replace
from typing import Any

from dpp_project.prices import FETCH, FETCH_CACHED
from dpp_project.redis import client
from packs.base import PackResult
from packs.cache import CACHE, Fetched
from packs.url import PACK
from packs.url.gather import gather
from runs.documents import redis_keys
from runs.documents.fetch_once import FetchOnce
from runs.models import DocumentFlight
from runs.worker.pack_services import pack_services
from tests.cache.fleet import HOST, CountingSite
from tests.cache.office import PAGE, QUICK, Office, Offices
from tests.packs.fetch.zoo import Zoo, drip, redirect
from tests.packs.url.desk import CountingMeter, Desk


def url_run(office: Office, tenant_id: str, **inputs: Any) -> tuple[PackResult, CountingMeter]:
    desk = Desk(office.services["fetcher"], services=office.services)
    context = replace(desk.context(), tenant_id=tenant_id)
    return PACK.execute({"urls": [PAGE], **inputs}, context), desk.meter


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_times(part) for name, part in value.items() if name not in ("fetched_at", "extracted_at")
        }
    return [_without_times(part) for part in value] if isinstance(value, list) else value


def test_a_run_pays_less_for_its_own_copy_and_nothing_less_for_anothers(office: Offices, zoo: Zoo) -> None:
    first, paid_first = url_run(office(), "acme")
    again, paid_again = url_run(office(), "acme")
    rival, paid_rival = url_run(office(), "rival")
    assert [paid_first.bought, paid_again.bought, paid_rival.bought] == [{FETCH: 1}, {FETCH_CACHED: 1}, {FETCH: 1}]
    assert first.cache == rival.cache
    assert first.cache["documents"] == [{"url": PAGE, "source": "MISS"}]
    assert again.cache == {"hits": 1, "misses": 0, "degraded": 0, "documents": [{"url": PAGE, "source": "L2"}]}
    assert first.data == again.data
    assert _without_times(first.data) == _without_times(rival.data)
    assert len(zoo.record.requests) == 2


def test_many_pages_of_one_site_wait_for_each_other_and_not_in_vain(office: Offices, zoo: Zoo) -> None:
    """Given twelve pages of one host, which gives a tenant two at once, Expect all of them, and none to spend its time
    or its attempts on waiting for its own run."""
    site = CountingSite()
    zoo.site(HOST, site)
    here = office(limits=CACHE)
    urls = [f"https://{HOST}/{number}" for number in range(12)]
    context = Desk(here.services["fetcher"], services=here.services).context()
    began = time.monotonic()
    gathered = list(gather(urls, context, timeout_sec=3, max_hops=5, ends_at=began + 30))
    assert {entry.url for entry in gathered if isinstance(entry.outcome, Fetched)} == set(urls)
    assert site.most_at_once == CACHE.host_slots_per_tenant
    assert time.monotonic() - began < 15


def test_redirects_take_a_slot_of_the_host_they_lead_to(office: Offices, zoo: Zoo) -> None:
    """Given nine sites that all send us on to one, Expect that one to see no more of us at once than its slots."""
    site = CountingSite()
    zoo.site(HOST, site)
    urls = [f"https://short{number}.go.kr/x" for number in range(9)]
    for number in range(len(urls)):
        zoo.site(f"short{number}.go.kr", redirect(f"https://{HOST}/act/{number}"))
    here = office(limits=replace(QUICK, host_attempts=40))
    context = Desk(here.services["fetcher"], services=here.services).context()
    gathered = list(gather(urls, context, timeout_sec=3, max_hops=5, ends_at=time.monotonic() + 30))
    assert {entry.url for entry in gathered if isinstance(entry.outcome, Fetched)} == set(urls)
    assert site.most_at_once == CACHE.host_slots_per_tenant
    assert client().exists(redis_keys.host_slots(HOST)) == 0


def test_an_old_copy_is_marked_wherever_it_is_used(office: Offices, zoo: Zoo) -> None:
    here = office()
    fresh, _ = url_run(here, "acme")
    DocumentFlight.objects.all().delete()
    zoo.site("www.me.go.kr", drip)
    here.later(QUICK.document_ttl_sec + 1)
    stale, _ = url_run(here, "acme", fetch_timeout_sec=1)
    assert [entry["degraded"] for entry in stale.data["results"] + stale.data["keep"]] == [True, True]
    assert stale.cache["degraded"] == 1
    assert not any("degraded" in entry for entry in fresh.data["results"] + fresh.data["keep"])
    assert stale.data["keep"][0]["extracted_at"] == fresh.data["keep"][0]["extracted_at"]


def test_a_worker_gives_its_packs_the_caches() -> None:
    services = pack_services()
    assert isinstance(services["documents"], FetchOnce)
    assert {"fetcher", "page_cache"} <= set(services)
