"""Guessing keys: counted per address, stopped before the database, and no harm to customers behind the same address."""

import pytest
from django.db import connection
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext

from dpp_project.profile import PROFILE
from runs.access import api_keys
from runs.api.client_address import UNKNOWN, client_address
from runs.models import Tenant
from tests.api.caller import Caller, problem
from tests.builders import Customer


@pytest.fixture(autouse=True)
def _forget_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot of another test's keys."""
    api_keys._prefixes.clear()


def test_500_bad_keys_are_stopped_before_the_database(api: Client, acme: Customer) -> None:
    statuses = []
    with CaptureQueriesContext(connection) as queries:
        for _ in range(500):
            answer = api.get("/v1/budget", headers={"Authorization": f"Bearer {api_keys.new_text()}"})
            statuses.append(answer.status_code)
    limit = PROFILE.auth_failure_rate_per_min
    assert statuses[:limit] == [401] * limit
    assert statuses.count(429) >= 500 - 2 * limit
    # A look at each of the first, and now and then at the list of prefixes.
    assert len(queries) <= 3 * limit

    problem(answer, 429, "RATE_LIMITED")
    assert answer.headers["Retry-After"] == "30"
    # A customer behind the same address gets in, at the first use of the key.
    assert Caller(api, acme).get("/v1/budget").status_code == 200


def test_malformed_keys_are_limited_without_any_query(api: Client, acme: Customer) -> None:
    with CaptureQueriesContext(connection) as queries:
        statuses = [
            api.get("/v1/budget", headers={"Authorization": f"Bearer dpp_sk_{number}"}).status_code
            for number in range(PROFILE.auth_failure_rate_per_min + 5)
        ]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert len(queries) == 0


def test_another_address_is_not_touched(api: Client, acme: Customer) -> None:
    for _ in range(PROFILE.auth_failure_rate_per_min + 1):
        api.get("/v1/budget")
    assert api.get("/v1/budget").status_code == 429
    assert api.get("/v1/budget", REMOTE_ADDR="192.0.2.7").status_code == 401


@override_settings(TRUSTED_PROXIES=0)
def test_a_forwarded_address_is_not_believed(api: Client, acme: Customer) -> None:
    statuses = [
        api.get("/v1/budget", headers={"X-Forwarded-For": f"198.51.100.{number}"}).status_code
        for number in range(PROFILE.auth_failure_rate_per_min + 5)
    ]
    assert statuses[-1] == 429


_HOPS = [
    (0, "203.0.113.9", "10.0.0.1", "10.0.0.1"),
    (1, "203.0.113.9", "10.0.0.1", "203.0.113.9"),
    (1, "1.2.3.4, 203.0.113.9", "10.0.0.1", "203.0.113.9"),
    (2, "1.2.3.4, 203.0.113.9, 10.0.0.2", "10.0.0.1", "203.0.113.9"),
    (2, "203.0.113.9", "10.0.0.1", "203.0.113.9"),
    (1, "", "10.0.0.1", UNKNOWN),
    (1, "evil", "10.0.0.1", UNKNOWN),
    (0, "", "", UNKNOWN),
    (0, "", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    (0, "", "::ffff:192.0.2.1", "192.0.2.1"),
]


@pytest.mark.parametrize(("proxies", "forwarded", "peer", "address"), _HOPS)
def test_the_address_is_the_last_one_nobody_could_invent(proxies: int, forwarded: str, peer: str, address: str) -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded}, REMOTE_ADDR=peer)
    with override_settings(TRUSTED_PROXIES=proxies):
        assert client_address(request) == address


def test_a_revoked_key_is_one_of_the_bad_ones(api: Client, acme: Customer) -> None:
    key, text = api_keys.issue(acme.tenant)
    api_keys.revoke(key)
    problem(Caller(api, Customer(acme.tenant, text)).get("/v1/budget"), 401, "AUTH_INVALID")
    assert Tenant.objects.count() == 1
