"""Old copies stand in for a site that could not be asked in time, and for nothing else."""

import time

import pytest

from dpp_project.redis import client
from packs.cache import Source
from packs.fetch import FailedCode, FetchFailed
from packs.fetch.deadline import NOT_IN_TIME
from runs.documents import redis_keys
from runs.models import DocumentFlight
from tests.cache.office import QUICK, SITE, STALE_SEC, Offices, downloads
from tests.packs.fetch.zoo import Zoo, drip, page


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
    client().zadd(redis_keys.host_slots(SITE), dict.fromkeys(("one/a", "two/b", "two/c"), ends))
    assert here.fetch("acme").degraded
    with pytest.raises(FetchFailed) as failed:
        here.fetch("acme", f"https://{SITE}/other")
    assert failed.value.detail == NOT_IN_TIME
    assert downloads(zoo) == 1


def test_a_bad_certificate_is_not_covered_up_by_an_old_copy(office: Offices, zoo: Zoo) -> None:
    here = office()
    here.fetch("acme")
    DocumentFlight.objects.all().delete()
    zoo.site(SITE, page("x"), certificate="expired")
    here.later(STALE_SEC)
    with pytest.raises(FetchFailed) as failed:
        here.fetch("acme")
    assert failed.value.code is FailedCode.TLS_INVALID
