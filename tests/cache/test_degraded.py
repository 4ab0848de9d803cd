"""Old copies stand in for a site that is busy, slow, away or broken, and for nothing else."""

import socket
import time

import pytest

from dpp_project.redis import client
from packs.cache import DegradedReason, Source, StandIn
from packs.fetch import FailedCode, FetchFailed
from runs.access import document_keys
from runs.models import DocumentFlight
from tests.cache.office import QUICK, SITE, STALE_SEC, Offices, downloads
from tests.packs.fetch.zoo import Request, Zoo, drip, page


def hang_up(tls: socket.socket, _: Request) -> None:
    """Closes the connection without a word."""


def test_a_site_that_does_not_answer_in_time_is_stood_in_for_by_the_old_copy(office: Offices, zoo: Zoo) -> None:
    here = office()
    fresh = here.fetch("acme")
    DocumentFlight.objects.all().delete()
    zoo.site(SITE, drip)
    here.later(STALE_SEC)
    began = time.monotonic()
    stale = here.fetch("acme", timeout_sec=1)
    assert time.monotonic() - began < 4  # the whole page would take eight
    assert (stale.degraded, stale.source) == (True, Source.MISS)
    assert stale.document == fresh.document
    assert here.hit("acme") is None
    assert DocumentFlight.objects.count() == 0


def test_without_an_old_copy_the_reason_is_the_time(office: Offices, zoo: Zoo) -> None:
    zoo.site(SITE, drip)
    with pytest.raises(FetchFailed) as failed:
        office().fetch("acme", timeout_sec=0.5)
    assert failed.value.code is FailedCode.TIMEOUT


def test_a_copy_that_is_too_old_is_no_copy(office: Offices, zoo: Zoo) -> None:
    here = office(keep_documents_in_l3=True)
    here.fetch("acme")
    DocumentFlight.objects.all().delete()
    zoo.site(SITE, drip)
    here.later(QUICK.document_kept_sec + 1)
    with pytest.raises(FetchFailed):
        here.fetch("acme", timeout_sec=0.5)


def test_a_host_over_its_limit_is_stood_in_for_by_the_old_copy(office: Offices, zoo: Zoo) -> None:
    here = office()
    here.fetch("acme")
    DocumentFlight.objects.all().delete()
    here.later(STALE_SEC)
    ends = (time.time() + 60) * 1000
    client().zadd(document_keys.host_slots(SITE), dict.fromkeys(("one/a", "two/b", "two/c"), ends))
    old = here.fetch("acme")
    assert old.stand_in == StandIn(DegradedReason.HOST_BUSY, retry_after_sec=15, began=False)
    with pytest.raises(FetchFailed) as failed:
        here.fetch("acme", f"https://{SITE}/other")
    assert (failed.value.code, failed.value.began, failed.value.retry_after_sec) == (FailedCode.HOST_BUSY, False, 15)
    assert downloads(zoo) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_old_copy_stands_in_for_a_site_that_has_an_error(office: Offices, zoo: Zoo, status: int) -> None:
    here = office()
    fresh = here.fetch("acme")
    zoo.site(SITE, page("broken", status=status))
    here.later(STALE_SEC)
    old = here.fetch("acme")
    assert old.document == fresh.document
    assert old.stand_in == StandIn(DegradedReason.SITE_ERROR, retry_after_sec=30, began=True)
    again = here.fetch("acme")
    assert again.document == fresh.document
    assert again.stand_in is not None
    assert (again.stand_in.reason, again.stand_in.began) == (DegradedReason.SITE_ERROR, False)
    assert downloads(zoo) == 2


def test_an_old_copy_stands_in_for_a_site_that_is_gone(office: Offices, zoo: Zoo) -> None:
    here = office()
    fresh = here.fetch("acme")
    zoo.site(SITE, hang_up)
    here.later(STALE_SEC)
    old = here.fetch("acme")
    assert old.document == fresh.document
    assert old.stand_in == StandIn(DegradedReason.UNREACHABLE)


@pytest.mark.parametrize("status", [403, 404, 410])
def test_what_a_site_takes_back_is_not_served_from_an_old_copy(office: Offices, zoo: Zoo, status: int) -> None:
    here = office()
    here.fetch("acme")
    zoo.site(SITE, page("no", status=status))
    here.later(STALE_SEC)
    answer = here.fetch("acme")
    assert (answer.document.status_code, answer.degraded) == (status, False)


def test_a_bad_certificate_is_not_covered_up_by_an_old_copy(office: Offices, zoo: Zoo) -> None:
    here = office()
    here.fetch("acme")
    DocumentFlight.objects.all().delete()
    zoo.site(SITE, page("x"), certificate="expired")
    here.later(STALE_SEC)
    with pytest.raises(FetchFailed) as failed:
        here.fetch("acme")
    assert failed.value.code is FailedCode.TLS_INVALID
