"""API keys: format, look-ups that are cached for a moment, revocation, rotation, and the commands for it."""

import json
import time
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dpp_project import clock
from runs.access import api_keys
from runs.models import ApiKey
from tests.api.caller import Caller, problem
from tests.builders import Customer
from tests.database_time import database_says
from tests.http import Api
from tests.processes import ApiProcess


def command(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*arguments, "--json", stdout=out)
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


def status(caller: Caller) -> int:
    return caller.get("/v1/budget").status_code


def test_a_key_has_160_random_bits_and_a_checksum_and_is_kept_as_a_hash(acme: Customer) -> None:
    text = acme.api_key
    assert text.startswith("dpp_sk_")
    assert len(text) == 7 + 27 + 6
    assert 62**27 >= 2**160
    stored = ApiKey.objects.get(tenant=acme.tenant)
    assert text[15:] not in "".join(str(value) for value in vars(stored).values())


def test_a_wrong_checksum_never_reaches_the_database(acme_api: Caller, acme: Customer) -> None:
    acme_api.owner = Customer(acme.tenant, acme.api_key[:-6] + "000000")
    clock.now()  # a process asks for the database's time once
    with CaptureQueriesContext(connection) as queries:
        problem(acme_api.get("/v1/budget"), 401, "AUTH_INVALID")
    assert len(queries) == 0


def test_keys_that_share_a_prefix_are_told_apart(acme: Customer, rival: Customer) -> None:
    prefix = api_keys.prefix_of(acme.api_key)
    ApiKey.objects.filter(tenant=rival.tenant).update(prefix=prefix)
    found = api_keys.find(acme.api_key, now=timezone.now())
    assert found is not None
    assert found.tenant_id == acme.id


def test_an_expired_key_is_refused_though_it_is_cached(acme_api: Caller, acme: Customer) -> None:
    with database_says(timezone.now()) as clock:
        _, text = api_keys.issue(acme.tenant, expires_at=timezone.now() + timedelta(seconds=1))
        acme_api.owner = Customer(acme.tenant, text)
        assert status(acme_api) == 200
        clock.tick(1.1)
        assert api_keys._cache.fresh(api_keys.prefix_of(text)), "no longer cached"
        problem(acme_api.get("/v1/budget"), 401, "AUTH_INVALID")


def test_use_is_noted_at_most_once_a_minute(acme_api: Caller, acme: Customer) -> None:
    began = timezone.now()
    with database_says(began) as clock:
        for seconds in (0, 30, 59):
            clock.move_to(began + timedelta(seconds=seconds))
            assert status(acme_api) == 200
            assert ApiKey.objects.get(tenant=acme.tenant).last_used_at == began
        clock.move_to(began + timedelta(seconds=60))
        status(acme_api)
        assert ApiKey.objects.get(tenant=acme.tenant).last_used_at == began + timedelta(seconds=60)


def test_a_revoked_key_is_refused_by_every_process_within_five_seconds(live_api: ApiProcess, acme: Customer) -> None:
    api = Api(live_api.url, acme)
    assert api.get("/v1/budget").status == 200
    revoked = command("revoke_key", api_keys.prefix_of(acme.api_key))
    ends = time.monotonic() + 5
    assert revoked["revoked_now"] is True

    asked_at = time.monotonic()
    while (answer := api.get("/v1/budget")).status == 200:
        assert asked_at < ends, "still accepted 5 s after the revocation"
        time.sleep(0.2)
        asked_at = time.monotonic()

    assert (answer.status, answer.json["reason_code"]) == (401, "AUTH_INVALID")
    assert command("revoke_key", revoked["key_id"])["revoked_now"] is False


def test_a_rotated_key_works_on_for_the_overlap(acme_api: Caller, acme: Customer) -> None:
    issued = command("issue_key", acme.id, "--replace", api_keys.prefix_of(acme.api_key), "--overlap-hours", "2")
    new = Caller(acme_api.client, Customer(acme.tenant, issued["api_key"]))

    assert issued["replaced"]["expires_at"]
    assert (status(acme_api), status(new)) == (200, 200)
    with database_says(timezone.now() + timedelta(hours=2, seconds=10)):
        assert (status(acme_api), status(new)) == (401, 200)


def test_a_second_rotation_never_gives_the_old_key_more_time(acme: Customer) -> None:
    old = ApiKey.objects.get(tenant=acme.tenant)
    now = timezone.now()
    api_keys.rotate(old, overlap=timedelta(hours=1), now=now)
    api_keys.rotate(ApiKey.objects.get(pk=old.pk), overlap=timedelta(hours=9), now=now)
    assert ApiKey.objects.get(pk=old.pk).expires_at == now + timedelta(hours=1)


def test_an_issued_key_works_at_once_and_is_shown_once(acme_api: Caller, acme: Customer) -> None:
    out = StringIO()
    call_command("issue_key", acme.id, "--label", "importer", "--expires-in-days", "7", stdout=out)
    text = out.getvalue().split()[-1]
    assert status(Caller(acme_api.client, Customer(acme.tenant, text))) == 200
    key = ApiKey.objects.get(label="importer")
    assert key.expires_at is not None
    assert abs(key.expires_at - timezone.now() - timedelta(days=7)) < timedelta(minutes=1)


def test_commands_refuse_what_they_cannot_mean(acme: Customer, rival: Customer) -> None:
    for arguments in (
        ("issue_key", "nobody"),
        ("issue_key", acme.id, "--expires-in-days", "0"),
        ("issue_key", acme.id, "--overlap-hours", "-1"),
        ("issue_key", acme.id, "--replace", api_keys.prefix_of(rival.api_key)),
        ("revoke_key", "dpp_sk_nothing00"),
    ):
        with pytest.raises(CommandError):
            call_command(*arguments)
