"""docs/redis.md lists every key in Redis: those whose names stand in the code, and those that runs leave."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.test import Client

from dpp_project.redis import Store, client
from packs.cache import CACHE, CacheKey
from packs.fetch.deadline import FetchDeadline
from runs.access import document_keys
from runs.documents.leases import lease
from runs.documents.slots import HostSlots
from runs.events.event import DOMAINS
from tests import redis_clients
from tests.api.caller import Caller
from tests.builders import Customer, submitted
from tests.cache.office import PAGE, Office
from tests.packs.fetch.zoo import open_zoo, page
from tests.packs.url.articles import korean
from tests.processes import CLONE
from tests.runs.worker.deliveries import deliver, probe
from tests.services import SessionServices

ROW = re.compile(r"^\| `([^`]+)` \| ([a-z]+) \| ([a-z ]+) \| [^|]+ \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)
UNITS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}
KINDS = {"string", "set", "hash", "sorted set", "stream"}
# Names of other things that look like keys: routes of the admin, references of the journal, keys of Django's own cache.
NOT_KEYS = {"admin:*", "admin:runs_tenant_change", "operate:spend:*", "poll:*:", "seed:*"}


def table() -> dict[str, tuple[str, str, int | None]]:
    """Name -> store, kind, and how long it lives at most in seconds."""
    text = (CLONE / "docs" / "redis.md").read_text(encoding="utf-8")
    rows = {name: (store, kind, _seconds(life.strip())) for name, store, kind, life in ROW.findall(text)}
    assert len(rows) == len(ROW.findall(text)), "a key stands there twice"
    assert {kind for _, kind, _ in rows.values()} <= KINDS
    assert {store for store, _, _ in rows.values()} == {*Store, "every"}
    return rows


def _seconds(life: str) -> int | None:
    if life == "–":
        return None
    number, unit = life.split()
    return int(number) * UNITS[unit]


def names_in_code() -> set[str]:
    """Texts of the modules that speak of Redis which are built like its keys: `word:word`, `word:{id}:word`."""
    found = set()
    for root in ("runs", "budget", "dpp_project", "packs", "storage"):
        for path in (CLONE / root).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            if "redis" in source.lower() and "migrations" not in path.parts:
                found |= {text for text in _texts(ast.parse(source)) if re.fullmatch(r"[a-z_]+:[a-z_*:]+", text)}
    for domain in DOMAINS.values():
        found |= {f"{domain.name}:events:*", f"{domain.name}:state:*"}
    return found


def _texts(tree: ast.Module) -> Iterator[str]:
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def test_the_table_names_every_key_of_the_code_and_no_other() -> None:
    # A bucket of submits is one of the tenant's buckets, in another store.
    assert names_in_code() - NOT_KEYS == set(table()) - {"limit:*:submits"}


@pytest.fixture
def four_servers(platform: SessionServices, settings: Any) -> Iterator[None]:
    """A number of its own for each store, in one server: as far apart for a client as two servers are."""
    before = settings.REDIS_URLS_APART
    assert urlsplit(settings.REDIS_URL).path in ("", "/0")
    address = settings.REDIS_URL.removesuffix("/0")
    settings.REDIS_URLS_APART = {store: f"{address}/{number}" for number, store in enumerate(before, start=1)}
    redis_clients.forget()
    yield
    settings.REDIS_URLS_APART = before
    redis_clients.forget()


def test_what_runs_leave_in_redis_is_as_the_table_says(four_servers: None, acme: Customer, api: Client) -> None:
    """Given a run from submit to its end, a poll, a download, a slot and a lease, Expect every key in the table, of its
    kind, in the server of its store, and living no longer than it says."""
    with open_zoo() as zoo:
        zoo.site("www.me.go.kr", page(korean()))
        office = Office(zoo)
        run = probe(acme, "checkpoint:0.5")
        assert Caller(api, acme).get(f"/v1/runs/{submitted(acme).pk}").status_code == 200
        deliver(run)
        probe(acme)
        office.fetch("acme", f"{PAGE}/{uuid4()}")
        with HostSlots(CACHE).walk("acme", FetchDeadline(5)) as walk, lease("ocr-page", "ab" * 32):
            walk.enter("www.me.go.kr")
            keys = {(store, str(name)): _kind_and_life(store, name) for store in Store for name in _names(store)}
    rows = table()
    used = set()
    for (store, name), (kind, seconds) in keys.items():
        matching = [pattern for pattern in rows if fnmatchcase(name, pattern)]
        assert matching, f"{name} is in no row"
        pattern = max(matching, key=len)
        used.add(pattern)
        expected_store, expected_kind, life = rows[pattern]
        assert expected_store in (store, "every"), name
        assert {"zset": "sorted set"}.get(kind, kind) == expected_kind, name
        assert (seconds == -1) if life is None else (0 <= seconds <= life), (name, seconds)
    assert {"budget:*:holds", "receipt:*", "idem:*:*", "cache:entry:*", "slots:*", "lock:*:*", "run:state:*"} <= used


def _names(store: Store) -> list[str]:
    return [str(name) for name in client(store).scan_iter()]


def _kind_and_life(store: Store, name: str) -> tuple[str, int]:
    return str(client(store).type(name)), int(client(store).ttl(name))


def test_each_server_is_asked_for_its_health(four_servers: None, api: Client) -> None:
    assert {store.server.name for store in Store} == {"redis", "redis_events", "redis_cache", "redis_limits"}
    assert {store for store in Store if store.is_apart} == {Store.EVENTS, Store.CACHE, Store.LIMITS}


def test_the_table_finds_a_key_that_nobody_wrote_down() -> None:
    """Planted."""
    assert "forgotten:*" in set(_texts(ast.parse('name = f"forgotten:{run}"')))
    assert document_keys.entry(CacheKey("ab", "acme")) == "cache:entry:ab"
    assert Path(CLONE / "docs" / "redis.md").exists()
