"""The cache in Redis counts its own bytes and makes room among its own: the money beside it never notices."""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import redis

from budget import ledger
from dpp_project.cool_down import CoolDown
from dpp_project.redis import client
from packs.cache import CACHE, CacheEnvelope, CacheKey, CacheLimits, Seal
from packs.cache.limits import MIB
from runs.access import document_keys
from runs.documents.redis_level import RedisLevel
from tests.builders import Customer, fresh_key, micros, submitted
from tests.services import SessionServices

SEAL = Seal(b"ours")
NOW = datetime(2026, 11, 16, tzinfo=UTC)
SMALL = replace(CACHE, redis_total_max_bytes=2 * MIB)


def entry(number: int, size: int) -> tuple[CacheKey, CacheEnvelope]:
    key = CacheKey(f"{number:064x}", "acme")
    payload = {"body": os.urandom(size // 2).hex()}
    return key, SEAL.sealed(key.digest, payload, created_at=NOW, ttl_sec=900)


def level(limits: CacheLimits = SMALL) -> RedisLevel:
    return RedisLevel(SEAL, limits, CoolDown(limits.cool_down_sec))


def put(cache: RedisLevel, number: int, size: int, kept_sec: int = 900) -> bool:
    return cache.put(*entry(number, size), kept_sec=kept_sec)


def held(cache: RedisLevel, numbers: range) -> list[int]:
    return [number for number in numbers if cache.get(entry(number, 2)[0]) is not None]


def counted() -> int:
    return int(client().hget(document_keys.SIZES, "total") or 0)


@pytest.fixture
def short_of_memory(platform: SessionServices) -> Iterator[None]:
    yield
    client().config_set("maxmemory", 0)


def test_an_entry_above_256_kib_is_not_kept(platform: SessionServices) -> None:
    cache = level()
    assert put(cache, 1, CACHE.redis_entry_max_bytes - 1_000)
    assert not put(cache, 2, CACHE.redis_entry_max_bytes)
    assert held(cache, range(3)) == [1]


def test_the_oldest_entries_make_room(platform: SessionServices) -> None:
    cache = level()
    for number in range(30):
        assert put(cache, number, 100_000)
    assert held(cache, range(30)) == list(range(10, 30))
    assert counted() <= SMALL.redis_total_max_bytes


def test_what_is_counted_is_what_is_there(platform: SessionServices) -> None:
    """Given entries replaced and evicted, Expect the sum of the sizes in the total, and every
    key of the cache in its books."""
    cache = level()
    for number in range(60):
        put(cache, number % 25, 90_000 + number)
    sizes = {name: int(size) for name, size in client().hgetall(document_keys.SIZES).items()}
    total = sizes.pop("total")
    assert total == sum(sizes.values()) <= SMALL.redis_total_max_bytes
    present = set(client().scan_iter("cache:entry:*"))
    assert (
        present
        == set(sizes)
        == set(client().zrange(document_keys.AGES, 0, -1))
        == set(client().zrange(document_keys.ENDS, 0, -1))
    )
    assert sum(client().memory_usage(name) or 0 for name in present) <= total


def test_expired_entries_give_their_share_back(platform: SessionServices) -> None:
    cache = level()
    for number in range(5):
        put(cache, number, 100_000)
    # Their time is over, as far as the books are concerned.
    client().zadd(document_keys.ENDS, {document_keys.entry(entry(number, 2)[0]): 1 for number in range(5)})
    put(cache, 9, 1_000)
    assert held(cache, range(10)) == [9]
    assert counted() < 3_000


def test_a_flood_of_cache_does_not_stop_the_money(
    platform: SessionServices, acme: Customer, short_of_memory: None
) -> None:
    """Given a Redis whose memory is smaller than the cache's cap, When the cache is flooded, Expect that it stops
    below Redis's limit, and that money moves as before."""
    used = int(client().info("memory")["used_memory"])
    client().config_set("maxmemory", used + 8 * MIB)
    cache = level(replace(CACHE, redis_total_max_bytes=64 * MIB))
    kept = [put(cache, number, 200_000) for number in range(100)]
    assert kept[0]
    assert not all(kept)
    run = submitted(acme, key=fresh_key())
    assert ledger.known_balance(acme.id) == micros("9.5000")
    assert run.reservation_max_cost_usd_micros == micros("0.5000")


def test_a_cache_gives_back_when_redis_runs_out_of_memory(platform: SessionServices, short_of_memory: None) -> None:
    """Given a full Redis that refuses writes, When somebody wants to keep an entry, Expect that old ones go."""
    cache = level(replace(CACHE, redis_total_max_bytes=64 * MIB))
    for number in range(40):
        assert put(cache, number, 200_000)
    client().config_set("maxmemory", int(client().info("memory")["used_memory"]) - 4 * MIB)
    with pytest.raises(redis.OutOfMemoryError):
        client().set("anything", "else")
    before = counted()
    assert not put(cache, 99, 200_000)
    assert counted() < before - 1_500_000
