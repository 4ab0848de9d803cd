"""How old a copy may be is the caller's to say; documents of the platform's own list are everybody's."""

import os
import socket
import time
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from dpp_project.redis import client
from packs.cache import CACHE, Source
from packs.cache.limits import MIB
from packs.fetch import FetchBlocked, FetchPolicy
from runs.access import document_keys
from runs.documents.warm import warm
from tests.cache.office import PAGE, QUICK, SITE, STALE_SEC, Offices, downloads, slow
from tests.packs.fetch.zoo import Request, Zoo, page, respond
from tests.packs.url.articles import korean


def test_a_younger_copy_than_asked_for_is_used_and_an_older_one_is_not(office: Offices, zoo: Zoo) -> None:
    here = office()
    here.fetch("acme")
    here.later(100)
    assert here.hit("acme", max_age_sec=200) is Source.L2
    assert here.hit("acme", max_age_sec=50) is None
    here.later(STALE_SEC)
    assert here.hit("acme") is None
    assert here.hit("acme", max_age_sec=7_200) is Source.L2
    assert here.fetch("acme", max_age_sec=7_200).document.status_code == 200
    assert downloads(zoo) == 1


def test_a_refresh_asks_the_site_and_leaves_the_newer_copy(office: Offices, zoo: Zoo) -> None:
    here, there = office(), office()
    here.fetch("acme")
    assert there.hit("acme") is Source.L2
    zoo.site(SITE, page("<p>changed</p>"))
    assert here.fetch("acme", max_age_sec=0).document.body == b"<p>changed</p>"
    assert downloads(zoo) == 2
    assert here.hit("acme") is Source.L1
    # A process that still holds the old one in memory is asked for no older than now: it looks further.
    newest = there.documents.cached(PAGE, tenant_id="acme", max_hops=5, max_age_sec=3_000)
    assert newest is not None


def test_a_site_that_refuses_is_left_alone_for_thirty_seconds(office: Offices, zoo: Zoo) -> None:
    zoo.site(SITE, page("", status=503))
    here = office()
    first = here.fetch("acme").document
    assert (first.status_code, first.retry_after_sec) == (503, 30)
    zoo.site(SITE, page(korean()))
    here.later(20)
    there = office(ahead=here.ahead)
    again = there.fetch("acme").document
    assert again.status_code == 503
    assert again.retry_after_sec is not None
    assert 5 <= again.retry_after_sec <= 10
    # The same input only: neither another page of the site nor another tenant.
    assert there.fetch("acme", f"{PAGE}/2").document.status_code == 200
    assert there.fetch("rival").document.status_code == 200
    assert downloads(zoo) == 3
    there.later(11)
    assert there.fetch("acme").document.status_code == 200


@pytest.mark.parametrize(("said", "seconds"), [("120", 120), ("5", 30), ("99999", 99_999), ("soon", 30)])
def test_the_site_may_ask_for_more_time(office: Offices, zoo: Zoo, said: str, seconds: int) -> None:
    """What it said is told; it is left alone for at least 30 s and at most 15 minutes."""

    def busy(tls: socket.socket, _: Request) -> None:
        respond(tls, b"", status=429, headers=[("Retry-After", said)])

    zoo.site(SITE, busy)
    here = office()
    assert here.fetch("acme").document.retry_after_sec == min(seconds, 86_400)
    here.later(min(seconds, QUICK.refusal_cool_down_max_sec) - 1)
    here.fetch("acme")
    assert downloads(zoo) == 1
    here.later(2)
    here.fetch("acme")
    assert downloads(zoo) == 2


NOT_PAGES: list[tuple[str | bytes, dict[str, Any]]] = [
    ("<html><title>404 Not Found</title><p>gone", {}),
    ("<html><title>로그인 | 회원</title><p>로그인하세요", {}),
    ("<html><title>오류 안내</title><p>없음".encode("cp949"), {"content_type": "text/html; charset=euc-kr"}),
    ("<html><title>Before you continue to the news</title><p>cookies", {}),
    ("<html><title>News</title><script src='/cdn-cgi/challenge-platform/h/g/orchestrate/x'></script>", {}),
    ("<!doctype html><p>The file is behind a login", {"content_type": "application/pdf"}),
    ("not a picture", {"content_type": "image/png"}),
    ("<html>", {"content_type": "application/json"}),
    ("", {}),
]


@pytest.mark.parametrize(("body", "options"), NOT_PAGES)
def test_what_is_not_the_page_is_not_kept(
    office: Offices, zoo: Zoo, body: str | bytes, options: dict[str, Any]
) -> None:
    zoo.site(SITE, page(body, **options))
    here = office()
    assert here.fetch("acme").document.status_code == 200
    assert here.hit("acme") is None


@pytest.mark.parametrize(
    ("body", "options"),
    [
        ("<html><title>Logging in to two-factor systems: a study</title><p>text", {}),
        ("<html><title>The history of error 404</title><p>text", {}),
        ("<html><title>News</title><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>", {}),
        ("<html><title>오늘의 소식</title><p>글".encode("cp949"), {"content_type": "text/html"}),
        (b"\n%PDF-1.4\n...", {"content_type": "application/pdf"}),
        ("plain text", {"content_type": "text/plain"}),
        ('{"a": 1}', {"content_type": "application/json; charset=utf-8"}),
    ],
)
def test_what_is_the_page_is_kept(office: Offices, zoo: Zoo, body: str | bytes, options: dict[str, Any]) -> None:
    zoo.site(SITE, page(body, **options))
    here = office()
    here.fetch("acme")
    assert here.hit("acme") is Source.L1


def test_a_pinned_document_is_everybodys_without_a_database(office: Offices, zoo: Zoo) -> None:
    office().documents.pin(PAGE, timeout_sec=3, max_hops=5)
    there = office()
    with connection.execute_wrapper(_no_query):
        assert there.hit("acme") is Source.L2
        assert there.hit("rival") is Source.L1
    assert downloads(zoo) == 1
    there.later(STALE_SEC)
    assert there.hit("acme") is Source.L2
    assert there.hit("acme", max_age_sec=60) is None
    there.later(CACHE.pinned_ttl_sec)
    assert there.hit("acme") is None


def _no_query(*_: Any) -> None:
    raise AssertionError("a database was asked")


def test_many_documents_of_one_site_are_warmed_without_competing(office: Offices, zoo: Zoo) -> None:
    """Given a list of one site's documents, which each take longer than a place is waited for, Expect all of them."""
    zoo.site(SITE, slow(2 * QUICK.host_attempts * QUICK.host_attempt_gap_sec))
    urls = [f"https://{SITE}/{number}" for number in range(6)]
    assert [each.problem for each in warm(office().documents, urls)] == [None] * 6


def test_a_list_is_warmed_though_others_keep_the_site_busy_for_a_moment(office: Offices, zoo: Zoo) -> None:
    ends = (time.time() + 3 * QUICK.host_attempts * QUICK.host_attempt_gap_sec / 2) * 1000
    client().zadd(document_keys.host_slots(SITE), dict.fromkeys(("one/a", "two/b", "two/c"), ends))
    assert [each.problem for each in warm(office().documents, [PAGE])] == [None]


def test_a_line_that_is_no_url_does_not_stop_the_list(office: Offices, zoo: Zoo) -> None:
    wrong, warmed = warm(office().documents, ["ftp:/nowhere at all", PAGE])
    assert (wrong.problem is None, warmed.problem) == (False, None)


def test_a_pinned_document_makes_no_room_for_others(office: Offices, zoo: Zoo) -> None:
    limits = replace(QUICK, redis_total_max_bytes=MIB)
    office(limits=limits).documents.pin(PAGE, timeout_sec=3, max_hops=5)
    zoo.site("flood.go.kr", page(os.urandom(100_000).hex()))
    here = office(limits=limits)
    for number in range(15):
        here.fetch("acme", f"https://flood.go.kr/{number}")
    assert office().hit("acme", "https://flood.go.kr/0") is None
    assert office().hit("rival") is Source.L2
    assert int(client().hget("cache:sizes", "total") or 0) <= MIB


def test_the_policy_is_asked_before_a_pinned_document_is_served(office: Offices, zoo: Zoo) -> None:
    office().documents.pin(PAGE, timeout_sec=3, max_hops=5)
    strict = office(policy=FetchPolicy(timeout_sec=3, deny_hosts=frozenset({SITE})))
    assert strict.hit("acme") is None
    with pytest.raises(FetchBlocked):
        strict.documents.pin(PAGE, timeout_sec=3, max_hops=5)
