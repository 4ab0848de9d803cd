"""A document for a tenant: from which level, at which price."""

import json
import socket
from dataclasses import replace
from uuid import uuid4

import pytest

from dpp_project.redis import client
from packs.cache import Source
from packs.cache.pages import CachedPage
from packs.fetch import FetchBlocked, FetchPolicy
from runs.access import document_keys
from tests.cache.office import PAGE, SITE, Offices, downloads
from tests.packs.fetch.zoo import Request, Zoo, page, redirect, respond


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
    zoo.site("x.go.kr", page(b"%PDF-1.7" + bytes(range(256)) * 20, content_type="application/pdf"))
    fetched = office().fetch("acme", "https://x.go.kr/a")
    found = office().documents.cached("https://x.go.kr/a#part", tenant_id="acme", max_hops=5)
    assert found is not None
    assert found.document == replace(fetched.document, url="https://x.go.kr/a#part")


def test_no_tenant_is_served_what_another_had_fetched(office: Offices, zoo: Zoo) -> None:
    """Given a page that changes, Expect each tenant to see the one it asked for itself: an older text would tell that
    somebody else was there before."""
    here = office()
    here.fetch("acme")
    zoo.site(SITE, page("<p>changed</p>"))
    assert here.hit("rival") is None
    assert here.fetch("rival").document.body == b"<p>changed</p>"
    assert here.hit("acme") is Source.L1
    assert downloads(zoo) == 2


def test_two_spellings_are_two_documents(office: Offices, zoo: Zoo) -> None:
    def by_path(tls: socket.socket, request: Request) -> None:
        respond(tls, request.path.encode(), status=404 if request.path.endswith("/") else 200)

    zoo.site(SITE, by_path)
    here = office()
    assert here.fetch("acme", f"{PAGE}/").document.status_code == 404
    fetched = here.fetch("acme", PAGE)
    assert (fetched.document.status_code, fetched.document.body) == (200, b"/notice")


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
    name = document_keys.entry(office().key())
    entry = json.loads(str(client().get(name)))
    client().set(name, json.dumps({**entry, "payload": {**entry["payload"], "status_code": 201}}))
    assert office().hit("acme") is None
    assert office().fetch("acme").document.status_code == 200
    assert downloads(zoo) == 2


@pytest.mark.parametrize("status", [404, 410])
def test_an_error_is_asked_for_anew_each_time(office: Offices, zoo: Zoo, status: int) -> None:
    zoo.site(SITE, page("", status=status))
    here = office()
    assert here.fetch("acme").document.status_code == status
    assert here.hit("acme") is None
    zoo.site(SITE, page("<p>back</p>"))
    assert here.fetch("acme").document.status_code == 200
    assert downloads(zoo) == 2


def test_pages_are_kept_as_snapshots_only_when_asked(office: Offices, zoo: Zoo) -> None:
    """Given a Redis that has forgotten, Expect another process to find the page in L3 where that is switched on."""
    url = f"{PAGE}/{uuid4()}"
    office().fetch("acme", url)
    client().flushall()
    assert office(keep_documents_in_l3=True).hit("acme", url) is None
    office(keep_documents_in_l3=True).fetch("acme", url)
    client().flushall()
    assert downloads(zoo) == 2
    assert office(keep_documents_in_l3=True).hit("acme", url) is Source.L3
    assert office(keep_documents_in_l3=True).hit("rival", url) is None


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
