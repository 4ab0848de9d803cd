"""Ledger, events, cache and limits in Redis servers of their own: a paid run goes through, and a server that is gone is
missed only by those who need it."""

from collections.abc import Callable, Iterator

import pytest

from dpp_project.redis import Store
from runs.reports.invariants import audit_ledger
from tests.builders import Customer, body, fresh_key
from tests.http import Api
from tests.processes import ApiProcess, WorkerProcess
from tests.services import SessionServices
from tests.torture.proxy import Proxy

APART = [Store.EVENTS, Store.CACHE, Store.LIMITS]


@pytest.fixture
def ways(platform: SessionServices) -> Iterator[dict[Store, Proxy]]:
    """A way of its own to each server, that can be closed."""
    proxies = {store: Proxy(platform.valkey.port) for store in APART}
    yield proxies
    for proxy in proxies.values():
        proxy.close()


@pytest.fixture
def addresses(platform: SessionServices, ways: dict[Store, Proxy]) -> dict[str, str]:
    own, url = platform.valkey.port, platform.valkey.url.removesuffix("/0")
    return {
        f"DPP_REDIS_{store.upper()}_URL": f"{url}/{number}".replace(f":{own}/", f":{proxy.port}/")
        for number, (store, proxy) in enumerate(ways.items(), start=1)
    }


def test_a_run_is_paid_whichever_server_beside_the_ledgers_is_gone(
    acme: Customer, addresses: dict[str, str], ways: dict[Store, Proxy], worker: Callable[..., WorkerProcess]
) -> None:
    process = worker(**addresses)
    with ApiProcess(addresses) as served:
        api = Api(served.url, acme)
        assert set(api.get("/readyz").json["checks"]) >= {"redis", "redis_events", "redis_cache", "redis_limits"}
        _pays_for_a_run(api, process)
        for store in APART:
            with ways[store].refusing():
                assert api.get("/readyz").json["down"] == [f"redis_{store}"]
                _pays_for_a_run(api, process)
    assert audit_ledger().is_clean


def _pays_for_a_run(api: Api, process: WorkerProcess) -> None:
    accepted = api.submit(body(), key=fresh_key())
    assert accepted.status == 202, accepted.text
    run = api.wait_until_ended(accepted.json["poll"]["href"], process)
    assert (run.json["status"], run.json["money_state"]) == ("COMPLETED", "SETTLED"), run.text
