"""Getting into the admin: second factor, sessions that end, passwords, and what its pages forbid the browser."""

import json
import re
import time
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from freezegun import freeze_time

from budget import journal
from dpp_project.profile import PROFILE
from dpp_project.redis import client as redis_client
from runs.access import limits
from runs.models import ApiKey
from tests.admin.users import logged_in, person
from tests.builders import Customer
from tests.services import SessionServices

PASSWORD = "correct-horse-battery-staple"
LIST = "/admin/runs/apikey/"


@pytest.fixture(autouse=True)
def nobody_yet(platform: SessionServices) -> None:
    User.objects.all().delete()


def enrolled(user: User) -> TOTPDevice:
    out = StringIO()
    call_command("enrol_second_factor", user.username, "--json", stdout=out)
    assert json.loads(out.getvalue())["otpauth_url"].startswith("otpauth://totp/DPP")
    return TOTPDevice.objects.get(user=user)


def code_of(device: TOTPDevice) -> str:
    totp = TOTP(device.bin_key, device.step, device.t0, device.digits, device.drift)
    totp.time = time.time()
    return f"{totp.token():06d}"


def login(**more: str) -> tuple[Client, int]:
    client = Client()
    answer = client.post("/admin/login/", {"username": "vera", "password": PASSWORD, **more})
    return client, answer.status_code


def test_in_development_a_password_is_enough_until_a_device_is_enrolled() -> None:
    vera = person("vera", "viewer", password=PASSWORD)
    assert login()[1] == 302
    device = enrolled(vera)
    assert login()[1] == 200
    assert login(otp_token="000000")[1] == 200
    TOTPDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)
    client, status = login(otp_token=code_of(device))
    assert status == 302
    assert client.get("/admin/").status_code == 200


def test_failed_keys_do_not_lock_a_password_out_nor_the_other_way_round(acme: Customer) -> None:
    """Both are counted by address, each for itself."""
    person("vera", "viewer", password=PASSWORD)
    client = Client()
    for _ in range(PROFILE.auth_failure_rate_per_min + 1):
        refused = client.get("/v1/budget", headers={"Authorization": "Bearer dpp_sk_wrong"})
    assert refused.status_code == 429
    assert login()[1] == 302
    # As wrong passwords are, but quicker: hashes take so long that places come back meanwhile.
    for _ in range(PROFILE.auth_failure_rate_per_min):
        limits.password_failed("127.0.0.1")
    assert login()[1] == 200, "too many failed logins"
    redis_client().delete(*redis_client().keys("*failed_keys*"))
    assert client.get("/v1/budget", headers={"Authorization": f"Bearer {acme.api_key}"}).status_code == 200
    assert client.get("/v1/budget", headers={"Authorization": "Bearer dpp_sk_wrong"}).status_code == 401


def test_a_code_works_once() -> None:
    device = enrolled(person("vera", "viewer", password=PASSWORD))
    code = code_of(device)
    assert login(otp_token=code)[1] == 302
    assert login(otp_token=code)[1] == 200


@override_settings(ADMIN_SECOND_FACTOR=True)
def test_in_production_nobody_gets_in_without_a_second_factor() -> None:
    vera = person("vera", "viewer", password=PASSWORD)
    assert login()[1] == 200
    # Nor with a session from elsewhere that saw no code.
    assert logged_in(vera).get("/admin/").status_code == 302
    client, status = login(otp_token=code_of(enrolled(vera)))
    assert (status, client.get("/admin/").status_code) == (302, 200)


def test_a_session_ends_after_a_day_of_work_and_after_half_an_hour_of_none() -> None:
    client = logged_in(person("vera", "viewer"))
    with freeze_time(timezone.now()) as clock:
        for _ in range(23):
            assert client.get(LIST).status_code == 200
            clock.tick(timedelta(minutes=20))
        clock.tick(timedelta(minutes=25))
        assert client.get(LIST).status_code == 302

    idle = logged_in(person("otto", "viewer"))
    with freeze_time(timezone.now()) as clock:
        assert idle.get(LIST).status_code == 200
        clock.tick(timedelta(minutes=31))
        assert idle.get(LIST).status_code == 302


@pytest.mark.parametrize("weak", ["short-but-odd", "31415926535897932384", "veraveraveravera"])
def test_weak_passwords_are_refused(weak: str) -> None:
    with pytest.raises(ValidationError):
        validate_password(weak, person("veraveraveraver", "viewer"))
    validate_password(PASSWORD)


def test_pages_run_no_script_that_stands_in_them(acme: Customer) -> None:
    admin = logged_in(person("root", is_superuser=True))
    for address in (
        "/admin/login/",
        "/admin/",
        "/admin/runs/run/",
        "/admin/runs/tenant/",
        f"/admin/runs/tenant/{acme.id}/change/",
        f"/admin/runs/tenant/{acme.id}/issue-key/",
        "/admin/runs/apikey/",
        "/admin/auth/user/",
        "/admin/auth/user/add/",
    ):
        page = (Client() if "login" in address else admin).get(address)
        assert page.status_code == 200, address
        policy = dict(part.strip().split(" ", 1) for part in page["Content-Security-Policy"].split(";"))
        assert (policy["script-src"], policy["default-src"]) == ("'self'", "'none'")
        assert policy["frame-ancestors"] == "'none'"
        text = page.content.decode()
        scripts = re.findall(r"<script\b([^>]*)>(.*?)</script>", text, re.DOTALL)
        inline = [body for head, body in scripts if "src=" not in head and "application/json" not in head]
        assert inline == [], address
        assert re.findall(r"<[^>]+\son[a-z]+\s*=", text) == [], address


def test_a_hash_cannot_be_found_out_by_filters(acme: Customer) -> None:
    otto = logged_in(person("otto", "operator"))
    digest = ApiKey.objects.get().key_hash
    for lookup in ("key_hash", "key_hash__startswith", "key_hash__gte"):
        assert otto.get("/admin/runs/apikey/", {lookup: digest[:1]}).status_code in (302, 400), lookup
    for address, lookup in (("/admin/runs/tenant/", "api_keys__key_hash__startswith"),):
        assert otto.get(address, {lookup: digest[:1]}).status_code in (302, 400), lookup


def test_no_page_shows_the_key_of_a_second_factor() -> None:
    admin = logged_in(person("root", is_superuser=True))
    assert admin.get("/admin/otp_totp/totpdevice/").status_code == 404


@override_settings(ADMIN_TOPUP_MAX=100_000_000)
def test_one_person_credits_only_so_much_in_a_day(acme: Customer) -> None:
    fiona, franz = (logged_in(person(name, "finance")) for name in ("fiona", "franz"))
    address = f"/admin/runs/tenant/{acme.id}/topup/"

    def credit(who: Client, amount: str, reference: str) -> int:
        return who.post(address, {"amount_usd": amount, "reference": reference, "why": "invoice"}).status_code

    before = journal.available(acme.id)
    assert credit(fiona, "100.0001", "too-much") == 200
    assert credit(fiona, "60.0000", "first") == 302
    assert credit(fiona, "60.0000", "second") == 200
    assert credit(fiona, "40.0000", "third") == 302
    assert credit(franz, "50.0000", "his own") == 302
    assert journal.available(acme.id) == before + 150_000_000
