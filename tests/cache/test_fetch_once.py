"""A document for a tenant: from which level, at which price."""

import json
import os
from dataclasses import replace

import pytest

from dpp_project.redis import client
from packs.cache import Source
from packs.cache.pages import CachedPage
from packs.fetch import FetchBlocked, FetchPolicy
from runs.documents import keys
from runs.models import DocumentFlight
from tests.cache.office import PAGE, QUICK, SITE, STALE_SEC, Offices, downloads
from tests.packs.fetch.zoo import Zoo, page, redirect


def test_the_second_time_it_comes_from_memory_and_in_another_process_from_redis(office: Offices, zoo: Zoo) -> None:
    first, second = office(), office()
    assert first.hit("acme") is None
    assert first.fetch("acme").source is Source.MISS
    assert first.hit("acme") is Source.L1
    assert second.hit("acme") is Source.L2
    assert second.hit("acme") is Source.L1
    assert downloads(zoo) == 1


def test_the_copy_is_the_document(office: Offices, zoo: Zoo) -> None:
    zoo.site(SITE, redirect(f"https://{SITE}/there"))
    zoo.site("x.go.kr", page(bytes(range(256)) * 20, content_type="application/pdf"))
    fetched = office().fetch("acme", "https://x.go.kr/a")
    found = office().documents.cached("https://x.go.kr/a/#part", tenant_id="acme", max_hops=5)
    assert found is not None
    assert found.document == replace(fetched.document, url="https://x.go.kr/a/#part")


def test_another_tenants_page_is_not_downloaded_again_and_yet_a_miss(office: Offices, zoo: Zoo) -> None:
    ours, theirs = office(), office()
    ours.fetch("acme")
    assert theirs.hit("rival") is None
    assert theirs.fetch("rival").source is Source.MISS
    assert downloads(zoo) == 1
    assert theirs.hit("rival") is Source.L2


def test_a_copy_that_somebody_else_renewed_is_a_miss(office: Offices, zoo: Zoo) -> None:
    """Given acme's page, too old, and a newer one that rival had fetched, Expect a miss for acme: a hit would tell."""
    us = office()
    us.fetch("acme")
    DocumentFlight.objects.update(settled_until="2020-01-01T00:00:00Z")
    us.later(STALE_SEC)
    with_clock = replace(zoo.fetcher(), now=us.now)
    us.documents._fetcher = with_clock
    us.fetch("rival")
    assert downloads(zoo) == 2
    assert us.hit("acme") is None
    assert us.hit("rival") is not None
    us.fetch("acme")
    assert downloads(zoo) == 2
    assert us.hit("acme") is not None


def test_a_url_with_a_query_is_fetched_for_each_tenant(office: Offices, zoo: Zoo) -> None:
    here = office()
    here.fetch("acme", f"{PAGE}?q=1")
    here.fetch("rival", f"{PAGE}?q=1")
    assert downloads(zoo) == 2
    assert office().hit("acme", f"{PAGE}?q=1") is Source.L2


def test_a_page_behind_redirects_is_not_given_to_a_run_that_allows_none(office: Offices, zoo: Zoo) -> None:
    zoo.site(SITE, redirect("https://x.go.kr/"))
    zoo.site("x.go.kr", page("<p>here</p>"))
    here = office()
    assert here.fetch("acme").document.hops == 1
    with pytest.raises(FetchBlocked):
        here.fetch("acme", max_hops=0)


def test_what_the_policy_refuses_is_not_served_from_a_cache(office: Offices, zoo: Zoo) -> None:
    office().fetch("acme")
    strict = office(policy=FetchPolicy(timeout_sec=3, deny_hosts=frozenset({SITE})))
    assert strict.hit("acme") is None
    with pytest.raises(FetchBlocked):
        strict.fetch("acme")


@pytest.mark.parametrize("url", ["no url", "https://127.0.0.1/", "https://user:secret@www.me.go.kr/"])
def test_what_is_no_url_for_us_is_blocked_in_the_fetchers_own_words(office: Offices, url: str) -> None:
    assert office().hit("acme", url) is None
    with pytest.raises(FetchBlocked):
        office().fetch("acme", url)


def test_a_wrong_signature_is_a_miss(office: Offices, zoo: Zoo) -> None:
    office().fetch("acme")
    name = keys.entry(office().key())
    entry = json.loads(str(client().get(name)))
    client().set(name, json.dumps({**entry, "payload": {**entry["payload"], "status_code": 201}}))
    assert office().hit("acme") is None
    assert office().fetch("acme").document.status_code == 200
    assert downloads(zoo) == 2


def test_an_absent_page_is_remembered_briefly_a_broken_site_not(office: Offices, zoo: Zoo) -> None:
    zoo.site(SITE, page("", status=404))
    zoo.site("broken.go.kr", page("", status=503))
    here, later = office(), office()
    for url in (PAGE, "https://broken.go.kr/"):
        here.fetch("acme", url)
        here.fetch("acme", url)
    assert [request.sni for request in zoo.record.requests].count(SITE) == 1
    assert [request.sni for request in zoo.record.requests].count("broken.go.kr") == 2
    later.later(QUICK.absent_ttl_sec + 1)
    assert later.hit("acme") is None


def test_pages_are_kept_in_object_storage_only_when_asked(office: Offices, zoo: Zoo) -> None:
    """Given a page that Redis does not take, Expect another process to find it in L3 where that is switched on."""
    zoo.site("large.go.kr", page(os.urandom(300_000), content_type="application/pdf"))
    office().fetch("acme", "https://large.go.kr/")
    assert office(keep_documents_in_l3=True).hit("acme", "https://large.go.kr/") is None
    office(keep_documents_in_l3=True).fetch("acme", "https://large.go.kr/")
    assert downloads(zoo) == 2
    assert office(keep_documents_in_l3=True).hit("acme", "https://large.go.kr/") is Source.L3
    assert office(keep_documents_in_l3=True).fetch("rival", "https://large.go.kr/").source is Source.MISS
    assert downloads(zoo) == 2


def test_ocr_pages_never_cross_tenants(office: Offices) -> None:
    here, there = office(), office()
    here.pages.put("ab", {"text": "가나다"}, tenant_id="acme")
    found = [there.pages.find("ab", tenant_id="acme") for _ in range(2)]
    assert found == [CachedPage({"text": "가나다"}, Source.L2), CachedPage({"text": "가나다"}, Source.L1)]
    assert there.pages.get("ab", tenant_id="rival") is None
    assert there.pages.get("cd", tenant_id="acme") is None


def test_an_ocr_page_outlives_redis(office: Offices) -> None:
    office().pages.put("ab", {"text": "가나다"}, tenant_id="acme")
    client().flushall()
    assert office().pages.find("ab", tenant_id="acme") == CachedPage({"text": "가나다"}, Source.L3)


def test_of_two_runs_with_the_same_page_one_is_told_to_read_it(office: Offices) -> None:
    with (
        office().pages.working_on("ab", tenant_id="acme") as ours,
        office().pages.working_on("ab", tenant_id="acme") as theirs,
        office().pages.working_on("ab", tenant_id="rival") as anothers,
    ):
        assert (ours, theirs, anothers) == (True, False, True)
