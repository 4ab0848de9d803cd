"""Profiles: money's rules stand in them, and versions are served side by side."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import ROUND_HALF_UP
from typing import Any

import pytest

from dpp_project.money import DISPLAY_PLACES, MICROS_PER_USD, Micros, format_usd
from dpp_project.money_rules import MoneyRules
from dpp_project.profile import LOCKED, PROFILE, PROFILES, by_name, load_further_profiles, profile_of
from runs.models import Run
from tests.builders import Customer, body, fresh_key
from tests.http import Api
from tests.processes import ApiProcess, WorkerProcess

_NEXT = {
    "version": "PROFILE_DPP_TEST_NEXT",
    "version_aliases": ["vNext"],
    "envelope_schema_version": "0.5",
    "retention_days": 7,
    "minimum_fee_floor": 20_000,
    "poll_recommended_interval_ms": 900,
}
_BOTH = {"DPP_FURTHER_PROFILES": json.dumps([_NEXT])}


def test_the_profile_says_how_money_is_counted() -> None:
    assert MoneyRules("USD", scale=6, display_places=4, rounding=ROUND_HALF_UP) == PROFILE.money
    assert (MICROS_PER_USD, DISPLAY_PLACES) == (1_000_000, 4)
    assert format_usd(Micros(50)) == "0.0001"


def test_a_version_is_found_by_each_of_its_names() -> None:
    further = load_further_profiles(_BOTH)
    profiles = by_name([LOCKED, *further])
    assert profiles["vNext"] is profiles["PROFILE_DPP_TEST_NEXT"] is further[0]
    assert profiles["v0.4.2.2"] is LOCKED
    assert profile_of(PROFILE.version) is PROFILE
    assert set(PROFILES) == set(PROFILE.names)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "another"},  # with an alias that is taken
        {
            "version": "another",
            "version_aliases": (),
            "money": MoneyRules("USD", scale=6, display_places=2, rounding=ROUND_HALF_UP),
        },
    ],
)
def test_two_profiles_share_no_name_and_count_money_alike(changes: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        by_name([LOCKED, replace(LOCKED, **changes)])


@pytest.fixture
def api_of_both(acme: Customer) -> Iterator[Api]:
    with ApiProcess(_BOTH) as process:
        yield Api(process.url, acme)


def test_a_second_version_is_served_beside_the_first(api_of_both: Api, worker: Callable[..., WorkerProcess]) -> None:
    older = _submitted(api_of_both, body(options={"inline": 1}))
    newer = _submitted(api_of_both, body(options={"inline": 1}, meta={"profile_version": "vNext"}))

    assert (older.profile_version, newer.profile_version) == (PROFILE.version, _NEXT["version"])
    assert (older.retention_until - older.created_at).days == 30
    assert (newer.retention_until - newer.created_at).days == 7
    assert (older.minimum_fee_usd_micros, newer.minimum_fee_usd_micros) == (10_000, 20_000)

    process = worker(**_BOTH)
    envelopes = [
        api_of_both.wait_until_ended(f"/v1/runs/{run.pk}", process).json["result"]["inline"] for run in (older, newer)
    ]
    assert [envelope["schema_version"] for envelope in envelopes] == [LOCKED.envelope_schema_version, "0.5"]
    assert [envelope["meta"]["profile_version"] for envelope in envelopes] == [PROFILE.version, _NEXT["version"]]


def test_a_request_names_one_version_or_none(api_of_both: Api) -> None:
    mixed = {**body(meta={"profile_version": "vNext"}), "profile_version": PROFILE.version}
    assert _refusal(api_of_both, mixed) == "profile_version is given twice with different meaning."
    unknown = _refusal(api_of_both, body(meta={"profile_version": "v9"}))
    assert unknown == f"profile_version must be {PROFILE.version} or {_NEXT['version']}."


def _submitted(api: Api, request: dict[str, Any]) -> Run:
    answer = api.submit(request, key=fresh_key())
    assert answer.status == 202, answer.text
    assert answer.json["meta"]["profile_version"] == Run.objects.get(pk=answer.json["run_id"]).profile_version
    return Run.objects.get(pk=answer.json["run_id"])


def _refusal(api: Api, request: dict[str, Any]) -> str:
    answer = api.submit(request, key=fresh_key())
    assert answer.status == 400, answer.text
    return str(answer.json["errors"][0]["detail"])
