"""In production only the public names are answered; a balancer asks by address. Metrics have a port of their own."""

from collections.abc import Iterator

import pytest

from tests.admin.test_deploy import PRODUCTION
from tests.api.wire import WireAnswer, exchange
from tests.processes import ApiProcess
from tests.services import SessionServices


@pytest.fixture(scope="module")
def in_production(services: SessionServices) -> Iterator[ApiProcess]:
    kept = ("DPP_SQS_QUEUE_URL_BASE", "AWS_DEFAULT_REGION")
    process = ApiProcess({name: value for name, value in PRODUCTION.items() if name not in kept})
    with process:
        yield process


def ask(process: ApiProcess, path: str, host: str, *headers: str) -> WireAnswer:
    return exchange(process.url, "\r\n".join((f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "", "")).encode())


@pytest.mark.parametrize("host", ["10.0.3.7:8000", "[fd00::7]:8000", "ip-10-0-3-7.ec2.internal", "", "no-name!"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_told_by_any_name(platform: SessionServices, in_production: ApiProcess, path: str, host: str) -> None:
    answer = ask(in_production, path, host)

    assert answer.status == 200
    assert not host or host.encode() not in answer.body + repr(answer.headers).encode()


def test_metrics_are_not_told_beside_the_api(platform: SessionServices, in_production: ApiProcess) -> None:
    assert ask(in_production, "/metrics", "10.0.3.7:8000").status == 404


@pytest.mark.parametrize("path", ["/v1/budget", "/healthz/", "/admin/login/", "/docs"])
def test_everything_else_only_by_the_public_names(
    platform: SessionServices, in_production: ApiProcess, path: str
) -> None:
    over_tls = "X-Forwarded-Proto: https"
    assert ask(in_production, path, "10.0.3.7:8000", over_tls).status == 400
    assert ask(in_production, path, "dpp.example.com", over_tls).status != 400
