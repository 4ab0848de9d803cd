"""Slots of a host over the fleet, and leases that their owner renews."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from dpp_project.redis import client
from packs.cache import CACHE, CacheLimits
from packs.fetch import FailedCode, FetchFailed
from packs.fetch.deadline import FetchDeadline
from runs.access import document_keys
from runs.documents.leases import lease
from runs.documents.slots import HostSlots, Walk
from tests.services import SessionServices

QUICK = replace(CACHE, host_attempt_gap_sec=0.05)
HOST = "www.me.go.kr"


@contextmanager
def at(host: str, limits: CacheLimits = QUICK, *, tenant_id: str = "acme", seconds: float = 10) -> Iterator[Walk]:
    with HostSlots(limits).walk(tenant_id, FetchDeadline(seconds)) as walk:
        walk.enter(host)
        yield walk


def take_all(life_sec: float = 60) -> None:
    ends = (time.time() + life_sec) * 1000
    client().zadd(document_keys.host_slots(HOST), {f"other-{number}/x": ends for number in range(CACHE.host_slots)})


def test_three_downloads_at_once_and_no_more(platform: SessionServices) -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def download(tenant_id: str) -> None:
        nonlocal at_once, most
        with at(HOST, replace(QUICK, host_attempts=200), tenant_id=tenant_id):
            with lock:
                at_once += 1
                most = max(most, at_once)
            time.sleep(0.3)
            with lock:
                at_once -= 1

    threads = [threading.Thread(target=download, args=(f"tenant-{number}",)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3
    assert client().exists(document_keys.host_slots(HOST)) == 0


def test_one_tenant_cannot_hold_all_slots_of_a_host(platform: SessionServices) -> None:
    """Given a tenant that wants every slot of a host, for as long as it can, Expect one left for the next tenant."""
    with at(HOST), at(HOST):
        with pytest.raises(FetchFailed), at(HOST):
            raise AssertionError("a third slot for the same tenant")
        with at(HOST, tenant_id="rival"):
            assert client().zcard(document_keys.host_slots(HOST)) == CACHE.host_slots


def test_a_tenant_whose_name_begins_like_anothers_has_slots_of_its_own(platform: SessionServices) -> None:
    with at(HOST, tenant_id="acme"), at(HOST, tenant_id="acme"), at(HOST, tenant_id="acme-2"):
        assert client().zcard(document_keys.host_slots(HOST)) == 3


def test_a_host_with_one_slot_gives_it_to_anybody(platform: SessionServices) -> None:
    with at(HOST, replace(QUICK, host_slots=1)):
        assert client().zcard(document_keys.host_slots(HOST)) == 1


def test_five_attempts_then_the_site_is_left_alone(platform: SessionServices) -> None:
    take_all()
    began = time.monotonic()
    with pytest.raises(FetchFailed) as failed, at(HOST):
        raise AssertionError("there was no slot")
    assert failed.value.code is FailedCode.HOST_BUSY
    assert (failed.value.began, failed.value.retry_after_sec) == (False, 15)
    assert 4 * 0.05 <= time.monotonic() - began < 5


def test_waiting_for_a_slot_is_part_of_the_urls_time(platform: SessionServices) -> None:
    take_all()
    began = time.monotonic()
    with pytest.raises(FetchFailed) as failed, at(HOST, CACHE, seconds=0.3):
        raise AssertionError("there was no slot")
    assert failed.value.code is FailedCode.HOST_BUSY
    assert time.monotonic() - began < 3  # five attempts would take four


def test_slots_of_a_process_that_died_end_by_themselves(platform: SessionServices) -> None:
    take_all(life_sec=0.1)
    with at(HOST):
        assert client().zcard(document_keys.host_slots(HOST)) == 1
    assert 0 < CACHE.host_slot_ttl_sec <= 15


def test_another_host_has_its_own_slots(platform: SessionServices) -> None:
    take_all()
    with at("www.korea.kr"):
        assert client().zcard(document_keys.host_slots("www.korea.kr")) == 1


def test_a_slot_is_given_back_after_a_failure(platform: SessionServices) -> None:
    with pytest.raises(FetchFailed), at(HOST):
        raise FetchFailed(FailedCode.CONNECT_FAILED, "no")
    assert client().exists(document_keys.host_slots(HOST)) == 0


def test_a_walk_holds_one_slot_the_one_of_the_host_it_is_at(platform: SessionServices) -> None:
    with at(HOST) as walk:
        walk.enter(HOST)
        assert client().zcard(document_keys.host_slots(HOST)) == 1
        walk.enter("www.korea.kr")
        assert client().exists(document_keys.host_slots(HOST)) == 0
        assert client().zcard(document_keys.host_slots("www.korea.kr")) == 1
    assert client().exists(document_keys.host_slots("www.korea.kr")) == 0


def test_no_slot_is_held_while_waiting_for_another(platform: SessionServices) -> None:
    """Given a host without a free slot, When downloads are redirected to it, Expect the host they came from to be
    free: two sites that redirect to each other would otherwise lock the fleet out of both."""
    take_all()
    with at("www.korea.kr") as walk:
        with pytest.raises(FetchFailed):
            walk.enter(HOST)
        assert client().exists(document_keys.host_slots("www.korea.kr")) == 0
    assert client().zcard(document_keys.host_slots(HOST)) == CACHE.host_slots


# --- leases


def test_a_lease_has_one_owner(platform: SessionServices) -> None:
    with lease("ocr-page", "ab") as first, lease("ocr-page", "ab") as second, lease("ocr-page", "cd") as other:
        assert (first, second, other) == (True, False, True)
        assert 10_000 < client().pttl("lock:ocr-page:ab") <= 15_000
    assert client().exists("lock:ocr-page:ab", "lock:ocr-page:cd") == 0


def test_a_lease_is_renewed_while_its_owner_works(platform: SessionServices) -> None:
    with lease("ocr-page", "ab", ttl_sec=2):
        time.sleep(3)
        with lease("ocr-page", "ab", ttl_sec=2) as second:
            assert not second


def test_a_lease_that_ran_out_is_not_released_by_its_former_owner(platform: SessionServices) -> None:
    with lease("ocr-page", "ab"):
        client().set("lock:ocr-page:ab", "another's")
    assert client().get("lock:ocr-page:ab") == "another's"
