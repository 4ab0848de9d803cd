"""Slots of a host over the fleet, and leases that their owner renews."""

import threading
import time
from dataclasses import replace

import pytest

from dpp_project.redis import client
from packs.cache import CACHE, CacheLimits
from packs.cache.quiet import Quiet
from packs.fetch import FailedCode, FetchFailed
from packs.fetch.deadline import FetchDeadline
from runs.documents import keys
from runs.documents.leases import lease
from runs.documents.slots import HostSlots
from tests.services import SessionServices

QUICK = replace(CACHE, host_attempt_gap_sec=0.05)
HOST = "www.me.go.kr"


def slots(limits: CacheLimits = QUICK) -> HostSlots:
    return HostSlots(limits, Quiet(limits.quiet_sec))


def take_all(life_sec: float = 60) -> None:
    ends = (time.time() + life_sec) * 1000
    client().zadd(keys.host_slots(HOST), {f"other-{number}": ends for number in range(CACHE.host_slots)})


def test_three_downloads_at_once_and_no_more(platform: SessionServices) -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def download() -> None:
        nonlocal at_once, most
        with slots(replace(QUICK, host_attempts=200)).one_of(HOST, FetchDeadline(10)):
            with lock:
                at_once += 1
                most = max(most, at_once)
            time.sleep(0.05)
            with lock:
                at_once -= 1

    threads = [threading.Thread(target=download) for _ in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3
    assert client().exists(keys.host_slots(HOST)) == 0


def test_five_attempts_then_the_site_is_left_alone(platform: SessionServices) -> None:
    take_all()
    began = time.monotonic()
    with pytest.raises(FetchFailed) as failed, slots().one_of(HOST, FetchDeadline(10)):
        raise AssertionError("there was no slot")
    assert failed.value.code is FailedCode.TIMEOUT
    assert 4 * 0.05 <= time.monotonic() - began < 2


def test_waiting_for_a_slot_is_part_of_the_urls_time(platform: SessionServices) -> None:
    take_all()
    began = time.monotonic()
    with pytest.raises(FetchFailed), slots(CACHE).one_of(HOST, FetchDeadline(0.3)):
        raise AssertionError("there was no slot")
    assert time.monotonic() - began < 1


def test_slots_of_a_process_that_died_end_by_themselves(platform: SessionServices) -> None:
    take_all(life_sec=0.1)
    with slots().one_of(HOST, FetchDeadline(10)):
        assert client().zcard(keys.host_slots(HOST)) == 1
    assert 0 < CACHE.host_slot_ttl_sec <= 15


def test_another_host_has_its_own_slots(platform: SessionServices) -> None:
    take_all()
    with slots().one_of("www.korea.kr", FetchDeadline(10)):
        assert client().zcard(keys.host_slots("www.korea.kr")) == 1


def test_a_slot_is_given_back_after_a_failure(platform: SessionServices) -> None:
    with pytest.raises(FetchFailed), slots().one_of(HOST, FetchDeadline(10)):
        raise FetchFailed(FailedCode.CONNECT_FAILED, "no")
    assert client().exists(keys.host_slots(HOST)) == 0


# --- leases


def test_a_lease_has_one_owner(platform: SessionServices) -> None:
    with lease("ocr-page", "ab") as first, lease("ocr-page", "ab") as second, lease("ocr-page", "cd") as other:
        assert (first, second, other) == (True, False, True)
        assert 14_000 < client().pttl("lock:ocr-page:ab") <= 15_000
    assert client().exists("lock:ocr-page:ab", "lock:ocr-page:cd") == 0


def test_a_lease_is_renewed_while_its_owner_works(platform: SessionServices) -> None:
    with lease("ocr-page", "ab", ttl_sec=0.3):
        time.sleep(0.8)
        with lease("ocr-page", "ab", ttl_sec=0.3) as second:
            assert not second


def test_a_lease_that_ran_out_is_not_released_by_its_former_owner(platform: SessionServices) -> None:
    with lease("ocr-page", "ab"):
        client().set("lock:ocr-page:ab", "another's")
    assert client().get("lock:ocr-page:ab") == "another's"
