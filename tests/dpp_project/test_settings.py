"""Settings are read once, strictly: a process with nonsense in its environment does not start, and says why."""

import base64
import json
import os
import secrets
import subprocess
import sys
from typing import Any

import pytest
from django.test import override_settings

from dpp_project.env import BadEnvironment, Env
from dpp_project.money import Micros
from dpp_project.prices import LLM_INPUT_TOKEN, LLM_OUTPUT_TOKEN, PRICES
from dpp_project.secrets import password_weakness, secret_key_weakness
from packs.cache.limits import CACHE, MIB
from runs.worker.meter import ReservationMeter
from tests.processes import CLONE

MODEL = {
    "DPP_LLM_BASE_URL": "http://127.0.0.1:9/v1",
    "DPP_LLM_MODEL": "a-model",
    "DPP_LLM_API_KEY": "sk-not-to-be-shown",
}
SHOWN = """
import json, os, sys
import django
django.setup()
from dataclasses import asdict
from django.conf import settings
from runs.documents.configuration import configuration
from runs.lifecycle.price_list import price_list
from runs.worker.pack_services import pack_services
chosen = configuration()
llm = pack_services().get("llm")
json.dump({
    "host_slots": chosen.limits.host_slots,
    "redis_bytes": chosen.limits.redis_total_max_bytes,
    "l3": chosen.keep_documents_in_l3,
    "llm": llm and asdict(llm.settings),
    "prices": dict(price_list()),
}, sys.stdout)
"""


def started_with(**environment: str) -> "subprocess.CompletedProcess[str]":
    """A process of its own: settings are read when a process starts."""
    return subprocess.run(
        [sys.executable, "-c", SHOWN],
        cwd=CLONE,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.static_settings", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def settings_of(**environment: str) -> dict[str, Any]:
    ended = started_with(**environment)
    assert ended.returncode == 0, ended.stderr
    shown: dict[str, Any] = json.loads(ended.stdout)
    return shown


def test_without_a_word_the_numbers_are_those_of_the_contract() -> None:
    assert settings_of() == {
        "host_slots": CACHE.host_slots,
        "redis_bytes": CACHE.redis_total_max_bytes,
        "l3": False,
        "llm": None,
        "prices": dict(PRICES),
    }


def test_an_operator_may_change_caches_slots_and_the_model() -> None:
    shown = settings_of(
        DPP_FETCH_HOST_SLOTS="5",
        DPP_CACHE_REDIS_MAX_MIB="16",
        DPP_CACHE_L3_DOCUMENTS="1",
        DPP_LLM_TIMEOUT_SEC="12",
        DPP_LLM_MAX_OUTPUT_TOKENS="900",
        DPP_LLM_MAX_INPUT_BYTES="50000",
        DPP_LLM_RESPONSE_FORMAT="text",
        DPP_LLM_OUTPUT_LIMIT_NAME="max_completion_tokens",
        DPP_LLM_SEND_TEMPERATURE="0",
        DPP_LLM_STREAM="0",
        DPP_LLM_INPUT_TOKEN_MICROS="3",
        DPP_LLM_OUTPUT_TOKEN_MICROS="15",
        **MODEL,
    )
    assert (shown["host_slots"], shown["redis_bytes"], shown["l3"]) == (5, 16 * MIB, True)
    assert shown["llm"] == {
        "base_url": MODEL["DPP_LLM_BASE_URL"],
        "model": MODEL["DPP_LLM_MODEL"],
        "api_key": MODEL["DPP_LLM_API_KEY"],
        "timeout_sec": 12,
        "max_output_tokens": 900,
        "max_input_bytes": 50_000,
        "temperature": None,
        "output_limit_name": "max_completion_tokens",
        "response_format": "text",
        "stream": False,
    }
    assert shown["prices"] == {**PRICES, LLM_INPUT_TOKEN: 3, LLM_OUTPUT_TOKEN: 15}


@override_settings(LLM_TOKEN_PRICES={LLM_INPUT_TOKEN: 3, LLM_OUTPUT_TOKEN: 15})
def test_a_run_pays_the_operators_price_for_a_token() -> None:
    meter = ReservationMeter(Micros(100))
    assert not meter.fits({LLM_INPUT_TOKEN: 10, LLM_OUTPUT_TOKEN: 5})
    meter.spend(LLM_INPUT_TOKEN, 10)
    assert meter.spent == 30
    assert meter.items()[0]["unit_price_usd_micros"] == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DPP_FETCH_HOST_SLOTS", "0"),
        ("DPP_CACHE_REDIS_MAX_MIB", "-1"),
        ("REDIS_URL", "redis+cluster://one/3"),
        ("DPP_REDIS_EVENTS_URL", "redis+cluster://one:port"),
        ("DPP_CACHE_L3_DOCUMENTS", "yes"),
        ("DPP_LLM_BASE_URL", "ftp://models.example.com"),
        ("DPP_LLM_BASE_URL", "https://user:password@models.example.com/v1"),
        ("DPP_LLM_MODEL", " "),
        ("DPP_LLM_API_KEY", ""),
        ("DPP_LLM_TIMEOUT_SEC", "91"),
        ("DPP_LLM_MAX_OUTPUT_TOKENS", "many"),
        ("DPP_LLM_RESPONSE_FORMAT", "xml"),
        ("DPP_LLM_OUTPUT_TOKEN_MICROS", "0.5"),
    ],
)
def test_nonsense_is_refused_at_start_in_one_line(name: str, value: str) -> None:
    ended = started_with(**{**MODEL, name: value})
    assert ended.returncode != 0
    assert ended.stderr.startswith(name)
    assert ended.stderr.count("\n") == 1
    assert "password@" not in ended.stderr
    assert MODEL["DPP_LLM_API_KEY"] not in ended.stderr


def test_a_model_without_a_name_or_key_is_refused() -> None:
    ended = started_with(DPP_LLM_BASE_URL=MODEL["DPP_LLM_BASE_URL"])
    assert ended.stderr.startswith("DPP_LLM_MODEL is not set.")


def test_an_address_is_http_and_names_nobody() -> None:
    assert Env({"A": "https://models.example.com/v1"}).http_address("A") == "https://models.example.com/v1"
    assert Env({"A": ""}).http_address("A") is None
    for wrong in ("models.example.com", "https://", "https://key@models.example.com"):
        with pytest.raises(BadEnvironment):
            Env({"A": wrong}).http_address("A")


def test_what_the_database_url_says_after_its_question_mark_reaches_libpq() -> None:
    url = "postgresql://dpp:secret@db/dpp?sslmode=verify-full&sslrootcert=/etc/ca.pem"
    settings = Env({"DATABASE_URL": url}).database("DATABASE_URL")
    assert settings["OPTIONS"] == {"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem"}
    with pytest.raises(BadEnvironment, match="after the \\?"):
        Env({"DATABASE_URL": "postgresql://dpp@db/dpp?sslmode"}).database("DATABASE_URL")


STRONG = "pZ7-Qm3xV9tLb2Kc8Wn5Rj1Hd6Sg0Yf4Ua-eIoTzXvPqNkBrCw"
PRODUCTION = {
    "DPP_ENV": "production",
    "DPP_SECRET_KEY": STRONG,
    "DPP_SIGNING_KEY": base64.b64encode(bytes(range(32))).decode(),
    "DPP_SQS_QUEUE_URL_BASE": "https://sqs.eu-central-1.amazonaws.com/123456789012",
    "DATABASE_URL": "postgresql://dpp_serving:h8Lp3VfZ6sDjQ1uE@db/dpp",
    "REDIS_URL": "rediss://:X5gB0nRy7tCwA2kM@redis:6379/0",
}


def test_strong_secrets_start_in_production_and_so_do_servers_without_a_password() -> None:
    assert started_with(**PRODUCTION).returncode == 0
    without = {"DATABASE_URL": "postgresql://dpp_serving@db/dpp", "REDIS_URL": "rediss://redis:6379/0"}
    assert started_with(**{**PRODUCTION, **without}).returncode == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DPP_SECRET_KEY", "only-for-this-machine-and-never-for-production-0123456789"),
        ("DATABASE_URL", "postgresql://dpp:dpp@db/dpp"),
        ("REDIS_URL", "rediss://:password@redis:6379/0"),
    ],
)
def test_weak_secrets_do_not_start_in_production(name: str, value: str) -> None:
    ended = started_with(**{**PRODUCTION, name: value})
    assert ended.returncode != 0
    assert f"{name}: the secret in it" in ended.stderr
    assert value not in ended.stderr


@pytest.mark.parametrize("value", ["", "c2hvcnQ=", "no base64!"])
def test_production_does_not_start_without_a_key_that_signs_results(value: str) -> None:
    given = {name: text for name, text in PRODUCTION.items() if name != "DPP_SIGNING_KEY"}
    without, wrong = started_with(**given), started_with(**given, DPP_SIGNING_KEY=value)
    assert "DPP_SIGNING_KEY is not set" in without.stderr
    assert wrong.returncode != 0
    assert "DPP_SIGNING_KEY is not 32 bytes as base64" in wrong.stderr


def test_weak_secrets_start_elsewhere() -> None:
    assert started_with(**{**PRODUCTION, "DPP_SECRET_KEY": "weak", "DPP_ENV": "development"}).returncode == 0


@pytest.mark.parametrize("text", ["short", STRONG[:49], "a" * 60, "ab" * 40, f"django-insecure-{STRONG}"])
def test_a_secret_key_is_long_random_and_no_example(text: str) -> None:
    assert secret_key_weakness(text) is not None
    assert secret_key_weakness(STRONG) is None


@pytest.mark.parametrize("text", ["short", "dpp_serving_role_", "changeme-changeme-changeme", "a" * 24])
def test_a_servers_password_is_neither_short_nor_known(text: str) -> None:
    assert password_weakness(text, user="dpp_serving_role_") is not None
    assert password_weakness("h8Lp3VfZ6sDjQ1uE", user="dpp") is None


def test_what_we_recommend_is_strong_enough() -> None:
    assert [secret_key_weakness(secrets.token_urlsafe(50)) for _ in range(200)] == [None] * 200
