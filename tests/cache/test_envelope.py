"""Entries, their names, and the process's own memory: everything that needs no server."""

import json
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from packs.cache import CACHE, CacheEnvelope, Seal, Source
from packs.cache.entry_keys import CacheKey, document_key, page_key, policy_flags
from packs.cache.memory import Memory
from packs.cache.payload import to_document, to_payload
from packs.fetch import Document, FetchPolicy
from packs.fetch.url import parse_url

NOW = datetime(2026, 11, 16, 9, 0, 0, 123_456, tzinfo=UTC)
SEAL = Seal(b"ours")
POLICY = policy_flags(FetchPolicy())


def sealed(key: str = "k1", **payload: str) -> CacheEnvelope:
    return SEAL.sealed(key, payload or {"text": "가"}, created_at=NOW, ttl_sec=60)


def test_an_entry_comes_back_as_it_was_written() -> None:
    written = SEAL.write(sealed())
    read = SEAL.read(written, cache_key="k1", source=Source.L2)
    assert read == replace(sealed(), source=Source.L2)
    assert set(json.loads(written)) == {"cache_key", "created_at", "ttl_sec", "payload", "source", "signatures"}


def changed(**changes: object) -> bytes:
    return json.dumps({**json.loads(SEAL.write(sealed())), **changes}).encode()


@pytest.mark.parametrize(
    "data",
    [
        changed(payload={"text": "나"}),
        changed(ttl_sec=61),
        changed(created_at=(NOW + timedelta(days=1)).isoformat()),
        changed(cache_key="k2"),
        changed(signatures={}),
        changed(signatures={"hmac_sha256": "0" * 64}),
        changed(signatures={"hmac_sha256": 7}),
        changed(signatures={"hmac_sha256": "é"}),
        Seal(b"theirs").write(Seal(b"theirs").sealed("k1", {"text": "가"}, created_at=NOW, ttl_sec=60)),
        SEAL.write(sealed("k2")),
        b"",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_whatever_is_not_exactly_ours_under_this_key_is_a_miss(data: bytes) -> None:
    assert SEAL.read(data, cache_key="k1", source=Source.L2) is None


def test_an_entry_is_fresh_until_its_time_is_over() -> None:
    assert sealed().is_fresh(NOW + timedelta(seconds=59))
    assert not sealed().is_fresh(NOW + timedelta(seconds=60))


def test_an_entry_from_the_future_does_not_live_longer() -> None:
    assert sealed().age_sec(NOW - timedelta(minutes=10)) == 0


def document(body: bytes = b"\x00\xffpage") -> Document:
    return Document("https://a.example/x", "https://a.example/y", 200, "text/html", body, False, NOW, hops=1)


def test_a_document_comes_back_under_the_url_that_was_asked_for() -> None:
    envelope = SEAL.sealed("k", to_payload(document()), created_at=NOW, ttl_sec=60)
    assert to_document(envelope, url="https://a.example/x/") == replace(document(), url="https://a.example/x/")


def test_a_payload_of_another_version_is_a_miss() -> None:
    assert to_document(sealed(), url="https://a.example/") is None


# --- names


def key(url: str, tenant_id: str = "acme", *, max_hops: int = 5, policy: FetchPolicy | None = None) -> CacheKey:
    flags = policy_flags(policy or FetchPolicy())
    return document_key(parse_url(url), tenant_id=tenant_id, max_hops=max_hops, policy=flags)


def test_what_is_requested_alike_has_one_name() -> None:
    assert key("https://A.example:443/x") == key("https://a.example/x#part")


def test_everything_that_changes_the_answer_changes_the_name() -> None:
    names = [
        key("https://a.example/x"),
        key("https://a.example/y"),
        key("https://b.example/x"),
        key("http://a.example/x"),
        key("https://a.example/x", max_hops=0),
        key("https://a.example/x", policy=FetchPolicy(deny_hosts=frozenset({"b.example"}))),
        key("https://a.example/x", policy=FetchPolicy(allow_hosts=frozenset({"a.example"}))),
        key("https://a.example/x", policy=FetchPolicy(max_body_bytes=1_000)),
        key("https://a.example/x?q=1"),
        key("https://a.example/x?q=2"),
        key("https://a.example/x?"),
        key("https://a.example/x/"),
        key("https://a.example/X"),
        key("https://a.example:8443/x"),
        key("https://a.example/x", "rival"),
    ]
    assert len({name.digest for name in names}) == len(names)


def test_an_ocr_page_is_the_tenants_own() -> None:
    names = [page_key(content, tenant_id=tenant_id) for content in ("ab", "cd") for tenant_id in ("acme", "rival")]
    assert len({name.digest for name in names}) == 4
    assert [name.tenant_id for name in names] == ["acme", "rival"] * 2


# --- memory


def test_memory_forgets_after_seconds() -> None:
    memory = Memory(CACHE)
    memory.put("a", sealed(), NOW)
    assert memory.get("a", NOW + timedelta(seconds=CACHE.memory_ttl_sec)) == sealed()
    assert memory.get("a", NOW + timedelta(seconds=CACHE.memory_ttl_sec + 1)) is None
    assert memory.bytes_held == 0


def test_memory_set_back_by_a_clock_does_not_live_on() -> None:
    memory = Memory(CACHE)
    memory.put("a", sealed(), NOW)
    assert memory.get("a", NOW - timedelta(hours=1)) is None


def test_memory_is_bounded_and_keeps_what_is_asked_for() -> None:
    one = Memory(CACHE)
    one.put("a", sealed(text="x" * 100), NOW)
    room_for_three = 3 * one.bytes_held
    memory = Memory(replace(CACHE, memory_max_bytes=room_for_three))
    for name in ("a", "b", "c"):
        memory.put(name, sealed(text="x" * 100), NOW)
    memory.get("a", NOW)
    memory.put("d", sealed(text="x" * 100), NOW)
    assert [name for name in "abcd" if memory.get(name, NOW)] == ["a", "c", "d"]
    memory.put("huge", sealed(text="x" * room_for_three), NOW)
    assert memory.get("huge", NOW) is None
    assert memory.bytes_held <= room_for_three


def test_memory_counts_what_lies_deep_in_an_entry() -> None:
    """An OCR page is lists of blocks."""
    memory = Memory(CACHE)
    page = {"blocks": [{"text": "x" * 100, "confidence": 0.5, "bbox": [0, 0, 600, 12]} for _ in range(100)]}
    tracemalloc.start()
    held = json.loads(json.dumps(page))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    memory.put("page", SEAL.sealed("k1", held, created_at=NOW, ttl_sec=60), NOW)

    assert taken / 2 < memory.bytes_held < 2 * taken


def test_memory_lets_go_of_what_nobody_asks_for_again() -> None:
    memory = Memory(CACHE)
    memory.put("a", sealed(), NOW)
    memory.get("a", NOW + timedelta(seconds=1))
    memory.put("b", sealed(), NOW + timedelta(seconds=2))
    alone = memory.bytes_held / 2

    memory.put("c", sealed(), NOW + timedelta(seconds=CACHE.memory_ttl_sec + 3))

    assert memory.bytes_held == alone
