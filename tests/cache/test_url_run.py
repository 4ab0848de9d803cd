"""Whole url runs over the caches: what is charged, what `meta.cache` says, how an old copy is marked."""

import time
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dpp_project.prices import FETCH, FETCH_CACHED
from dpp_project.redis import client
from packs.base import PackResult
from packs.cache import CACHE, Fetched
from packs.url import PACK
from packs.url.gather import gather
from runs.access import document_keys
from runs.documents.fetch_once import FetchOnce
from runs.management.commands import warm_documents
from runs.models import DocumentFlight
from runs.worker.pack_services import pack_services
from tests.cache.fleet import HOST, CountingSite
from tests.cache.office import PAGE, QUICK, SITE, Office, Offices
from tests.packs.fetch.zoo import Zoo, drip, page, redirect
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
    assert client().exists(document_keys.host_slots(HOST)) == 0


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


def test_a_busy_host_is_told_as_such_and_costs_nothing(office: Offices, zoo: Zoo) -> None:
    """Given a host without a free place, Expect its pages discarded as HOST_BUSY with a time to come back, or old
    copies that say why they stand there; neither costs anything, since nothing was downloaded."""
    here = office()
    url_run(here, "acme")
    here.later(QUICK.document_ttl_sec + 1)
    client().zadd(document_keys.host_slots(SITE), dict.fromkeys(("x/1", "y/2", "z/3"), (time.time() + 60) * 1000))
    result, meter = url_run(here, "acme", urls=[PAGE, f"{PAGE}/2"])
    kept, discarded = result.data["keep"][0], result.data["discard"][0]
    mark = {name: kept[name] for name in ("degraded", "degraded_reason", "retry_after_sec")}
    assert mark == {"degraded": True, "degraded_reason": "HOST_BUSY", "retry_after_sec": 15}
    assert (discarded["gate"], discarded["reason_code"], discarded["retry_after_sec"]) == ("ACCESS", "HOST_BUSY", 15)
    assert meter.bought == {}
    assert meter.waived == [(FETCH, "HOST_BUSY")] * 2


def test_a_site_that_refuses_says_when_to_come_back(office: Offices, zoo: Zoo) -> None:
    zoo.site("down.go.kr", page("", status=503))
    result, _ = url_run(office(), "acme", urls=[PAGE, "https://down.go.kr/"])
    discarded = result.data["discard"][0]
    assert (discarded["reason_code"], discarded["retry_after_sec"]) == ("ACCESS_HTTP_STATUS", 30)


def test_a_refresh_is_a_fetch_and_an_older_copy_may_be_asked_for(office: Offices, zoo: Zoo) -> None:
    here = office()
    url_run(here, "acme")
    _, refreshed = url_run(here, "acme", refresh=True)
    assert (refreshed.bought, len(zoo.record.requests)) == ({FETCH: 1}, 2)
    here.later(QUICK.document_ttl_sec + 100)
    result, lenient = url_run(here, "acme", max_age_sec=7_200)
    assert (lenient.bought, result.cache["hits"]) == ({FETCH_CACHED: 1}, 1)
    _, strict = url_run(here, "acme", max_age_sec=60)
    assert (strict.bought, len(zoo.record.requests)) == ({FETCH: 1}, 3)


def test_warm_documents_are_read_at_the_lower_price_by_everybody(
    office: Offices, zoo: Zoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = office()
    monkeypatch.setattr(warm_documents, "pack_services", lambda: here.services)
    hot = tmp_path / "hot.txt"
    hot.write_text(f"# law\n{PAGE}\n\n{PAGE}\nhttps://down.go.kr/\nhttps://127.0.0.1/\n")
    zoo.site("down.go.kr", page("", status=404))
    out = StringIO()
    with pytest.raises(CommandError, match="2 of 3 documents were not kept"):
        call_command("warm_documents", str(hot), stdout=out)
    assert "https://down.go.kr/: The site answered with status 404." in out.getvalue()
    assert "1 of 3 documents are warm." in out.getvalue()
    for tenant_id in ("acme", "rival"):
        result, meter = url_run(office(), tenant_id)
        assert (meter.bought, result.cache["hits"]) == ({FETCH_CACHED: 1}, 1)
    assert len(zoo.record.requests) == 2


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_list_warms_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "hot.txt").write_text(text)
    for path in ("hot.txt", "absent.txt"):
        with pytest.raises(CommandError):
            call_command("warm_documents", str(tmp_path / path))
