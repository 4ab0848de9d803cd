"""What production is started with: settings without a warning, the image's roles, compose, the roles' AWS policies."""

import ast
import http.client
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import Group
from django.test import Client

from storage.object_keys import LONG_ROOT, ROOT
from tests.processes import BIN, ApiProcess
from tests.services import SessionServices

CLONE = Path(__file__).resolve().parents[2]
ENTRYPOINT = CLONE / "docker" / "entrypoint.sh"

PRODUCTION = {
    "DPP_ENV": "production",
    "DPP_SECRET_KEY": "kq8v2n5x7c1z4m9b6h3j0l-random-and-long-enough-for-django-W009",
    "DPP_SIGNING_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "DPP_ALLOWED_HOSTS": "dpp.example.com",
    "DPP_SQS_QUEUE_URL_BASE": "https://sqs.eu-central-1.amazonaws.com/123456789012",
    "AWS_DEFAULT_REGION": "eu-central-1",
}
_AWS = ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


def run(*command: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=CLONE, env={**env, "PATH": path}, capture_output=True, text=True, timeout=60, check=False
    )


def production(platform: SessionServices) -> dict[str, str]:
    """As on AWS: a role instead of keys, and no endpoint."""
    values = {name: value for name, value in platform.environment().items() if name not in _AWS}
    del values["DATABASE_OWNER_URL"]
    return {**values, **PRODUCTION}


def test_production_settings_pass_every_check_without_a_warning(platform: SessionServices) -> None:
    result = run(
        *(sys.executable, "manage.py", "check", "--deploy", "--database", "default", "--fail-level", "WARNING"),
        env=production(platform),
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert "no issues" in result.stdout


def test_pages_for_people_are_guarded_against_frames_and_forged_forms(platform: SessionServices) -> None:
    browser = Client(enforce_csrf_checks=True)

    page = browser.get("/admin/login/")
    forged = browser.post("/admin/login/", {"username": "admin", "password": "x"})

    assert page["X-Frame-Options"] == "DENY"
    assert forged.status_code == 403


@pytest.mark.parametrize(
    ("variable", "changed"),
    [("DPP_PROFILE_OVERRIDES", '{"lease_ttl_sec": 90}'), ("DPP_EVENTS_OVERRIDES", '{"keep_alive_sec": 5}')],
)
def test_locked_numbers_cannot_be_changed_in_production(platform: SessionServices, variable: str, changed: str) -> None:
    result = run(sys.executable, "manage.py", "check", env={**production(platform), variable: changed})

    assert result.returncode != 0
    assert f"{variable} changes locked numbers" in result.stderr


def test_every_variable_of_the_settings_and_the_image_is_on_the_operations_page() -> None:
    sources = (CLONE / "dpp_project" / "settings.py", CLONE / "dpp_project" / "problem_base.py", ENTRYPOINT)
    read = {name for path in sources for name in re.findall(r"\bDPP_[A-Z0-9_]+\b", path.read_text())}
    page = (CLONE / "docs" / "operations.md").read_text()

    assert read - set(re.findall(r"`(DPP_[A-Z0-9_]+)`", page)) == set()


class Role(ApiProcess):
    """A role of the image, run outside of it."""

    def __init__(self, role: str, environment: dict[str, str]) -> None:
        super().__init__(environment)
        self.role = role
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        self.environment |= {"PATH": path, "HOST": "127.0.0.1", "PORT": str(self.port)}

    def command(self) -> list[str]:
        return [str(ENTRYPOINT), self.role]


def test_the_listening_roles_of_the_image_answer(platform: SessionServices) -> None:
    api = Role("api", {"DPP_API_WORKERS": "1"})
    others = [Role("mcp", {"DPP_API_URL": api.url}), Role("events", {})]
    for role in (api, *others):
        role.start()
    try:
        for role in (api, *others):
            role.wait_ready()
    finally:
        for role in (api, *others):
            role.stop()


def test_the_event_role_answers_an_upgrade_like_any_other_request(platform: SessionServices) -> None:
    """Beside a library for websockets the server hands them to the gateway, which knows no such connections: 500."""
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    events = Role("events", {})
    events.start()
    try:
        events.wait_ready()
        asking = http.client.HTTPConnection("127.0.0.1", events.port, timeout=20)
        asking.request("GET", "/healthz", headers={**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
        status = asking.getresponse().status
    finally:
        events.stop()

    assert status == 200


def test_setup_migrates_and_bootstraps(platform: SessionServices) -> None:
    result = run(str(ENTRYPOINT), "setup", env=dict(platform.environment()))

    assert result.returncode == 0, result.stderr
    assert "No migrations to apply" in result.stdout
    assert "dpp-runs" in result.stdout


def test_an_unknown_role_is_refused_with_the_known_ones() -> None:
    result = run(str(ENTRYPOINT), "manager", env={})

    assert result.returncode == 64
    assert "use setup, api, events, mcp, worker, maintenance, reaper, webhooks, beat or manage" in result.stderr


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((CLONE / "docker" / "compose.yml").read_text())
    return loaded


def test_compose_starts_every_role_after_what_it_needs() -> None:
    services = compose()["services"]
    roles = set(re.findall(r"^  ([a-z]+)\)", ENTRYPOINT.read_text(), re.MULTILINE)) - {"manage"}

    started = {service["command"][0] for service in services.values() if service.get("image") == "dpp"}

    assert started == roles
    for name, service in services.items():
        for needed, how in service.get("depends_on", {}).items():
            assert needed in services, f"{name} needs {needed}"
            if how["condition"] == "service_healthy":
                assert "test" in services[needed]["healthcheck"], f"{name} waits for {needed}, which has no check"
        if service.get("image") == "dpp":
            assert service["read_only"]
            assert service["cap_drop"] == ["ALL"]


def test_compose_gives_every_role_the_time_to_stop_that_the_operations_page_promises() -> None:
    page = (CLONE / "docs" / "operations.md").read_text()
    promised = re.findall(r"^\| `(\w+)` \|.*\| (\d+) s(?:: [^|]*)? \|$", page, re.MULTILINE)
    services = compose()["services"]

    given = {role: int(services[role].get("stop_grace_period", "10s").removesuffix("s")) for role, _ in promised}

    assert {role for role, _ in promised} == {
        "api",
        "events",
        "mcp",
        "worker",
        "maintenance",
        "reaper",
        "webhooks",
        "beat",
    }
    assert [role for role, seconds in promised if given[role] < int(seconds)] == []


def test_the_settings_accept_the_environment_of_compose() -> None:
    environment = {
        name: re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value) for name, value in compose()["x-environment"].items()
    }

    result = run(sys.executable, "-c", "import dpp_project.settings", env=environment)

    assert result.returncode == 0, result.stderr


# What a call of the SDK is called in a policy, where the names differ.
_ACTIONS = {
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "s3:HeadBucket": "s3:ListBucket",
    "s3:HeadObject": "s3:GetObject",
    "s3:ListObjectsV2": "s3:ListBucket",
    "s3:DeleteObjects": "s3:DeleteObject",
    "s3:PutBucketLifecycleConfiguration": "s3:PutLifecycleConfiguration",
    "s3:PutPublicAccessBlock": "s3:PutBucketPublicAccessBlock",
    "s3:PutBucketEncryption": "s3:PutEncryptionConfiguration",
    "s3:GeneratePresignedUrl": "s3:GetObject",
}
# What Celery calls for us: sending and taking messages.
_BY_CELERY = {
    *("sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"),
    "sqs:GetQueueAttributes",
}


def calls(source: str) -> set[str]:
    """`self.client.put_object(…)` in storage/ and `sqs().send_message(…)`, as policy actions."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            service = "sqs" if owner.endswith("sqs()") else "s3" if owner.endswith("client") else ""
            if service:
                action = service + ":" + "".join(word.capitalize() for word in node.func.attr.split("_"))
                found.add(_ACTIONS.get(action, action))
    return found


def policies() -> dict[str, list[dict[str, Any]]]:
    return {
        path.stem: json.loads(path.read_text())["Statement"]
        for path in sorted((CLONE / "docker" / "iam").glob("*.json"))
    }


def test_the_policies_allow_what_the_code_calls_and_nothing_else() -> None:
    called = set[str]().union(*(calls(path.read_text()) for path in (CLONE / "storage").glob("*.py")))
    sources = [path.read_text() for path in (CLONE / "runs").rglob("*.py")]
    called |= set[str]().union(*(calls(source) for source in sources if "sqs()" in source))
    allowed = {action for statements in policies().values() for each in statements for action in each["Action"]}

    assert allowed == called | _BY_CELERY


def test_no_policy_has_a_wildcard_action_or_resource() -> None:
    for role, statements in policies().items():
        for each in statements:
            assert not [action for action in each["Action"] if "*" in action], role
            for resource in each["Resource"]:
                assert resource.split(":")[-1] not in ("*", "BUCKET/*"), role


def test_only_setup_may_look_at_the_whole_bucket() -> None:
    listing = {
        role: [each.get("Condition") for each in statements if "s3:ListBucket" in each["Action"]]
        for role, statements in policies().items()
    }
    below = {"StringLike": {"s3:prefix": [f"{ROOT}*", f"{LONG_ROOT}*"]}}

    assert listing == {"api": [below], "worker": [below], "maintenance": [below], "setup": [None], "beat": []}


def test_setup_makes_the_groups_of_people(platform: SessionServices) -> None:
    Group.objects.all().delete()

    result = run(str(ENTRYPOINT), "setup", env=dict(platform.environment()))

    assert result.returncode == 0, result.stderr
    assert set(Group.objects.values_list("name", flat=True)) == {"viewer", "operator", "finance"}
    assert Group.objects.get(name="operator").permissions.filter(codename="cancel_run").exists()
