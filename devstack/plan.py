"""What one stack consists of: which servers are embedded, which come from outside, and every address."""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from devstack.credentials import Credentials
from devstack.environment import read_environment
from devstack.layout import Layout
from devstack.ministack import REGION, MiniStack
from devstack.ports import Ports
from devstack.postgres import Postgres
from devstack.prerequisites import MissingPrerequisite
from devstack.processes import PROCESSES
from devstack.service import Service
from devstack.valkey import Valkey

ADMIN_USER = "admin"

URL_VARIABLES: Mapping[type[Service], str] = {
    Postgres: "DATABASE_URL",
    Valkey: "REDIS_URL",
    MiniStack: "AWS_ENDPOINT_URL",
}


@dataclass(frozen=True)
class Plan:
    embedded: tuple[Service, ...]
    external: Mapping[type[Service], str]
    """Servers somebody gave us by their URL: used, never started nor stopped."""
    process_ports: Mapping[str, int]
    environment: Mapping[str, str]
    """What the application's processes, its commands and a shell need; the content of `.dpp/env`."""
    owner_environment: Mapping[str, str]
    """What the setup of the database needs besides, and no other process is given."""


def make_plan(layout: Layout, given: Mapping[str, str] = os.environ) -> Plan:
    """To be called while the stack is down. `given` is the environment of whoever said `make up`."""
    credentials = Credentials.made_once(layout.credentials)
    ports = Ports(layout.ports)
    external = external_urls(given, credentials)
    embedded = tuple(_embedded(kind, layout, ports, credentials) for kind in URL_VARIABLES if kind not in external)
    process_ports = {
        process.name: ports.take(process.name, preferred=process.preferred_ports)
        for process in PROCESSES
        if process.url_variable
    }
    urls = {service.__class__: service.url for service in embedded} | dict(external)
    environment = {
        "DPP_ENV": "development",
        "DPP_SECRET_KEY": credentials.django_secret_key,
        # Every process counts for itself; /metrics adds them up from here.
        "PROMETHEUS_MULTIPROC_DIR": str(layout.metrics),
        "DPP_ADMIN_USER": ADMIN_USER,
        "DPP_ADMIN_PASSWORD": credentials.admin_password,
        "DPP_API_KEY": read_environment(layout.env).get("DPP_API_KEY", ""),
        **{variable: urls[kind] for kind, variable in URL_VARIABLES.items()},
        **_aws_credentials(given, credentials, embedded=MiniStack not in external),
        **{
            process.url_variable: f"http://127.0.0.1:{process_ports[process.name]}{process.url_path}"
            for process in PROCESSES
            if process.url_variable
        },
        **_no_proxy(given),
    }
    environment["DPP_ADMIN_URL"] = f"{environment['DPP_API_URL']}/admin/"
    owner = [service.owner_url for service in embedded if isinstance(service, Postgres)]
    owner_url = owner[0] if owner else given.get("DATABASE_OWNER_URL", "")
    return Plan(
        embedded,
        external,
        process_ports,
        {name: value for name, value in environment.items() if value},
        {"DATABASE_OWNER_URL": owner_url} if owner_url else {},
    )


def external_urls(given: Mapping[str, str], credentials: Credentials) -> dict[type[Service], str]:
    """Servers given from outside. Our own addresses, from a shell that read `.dpp/env`, are not outside."""
    external = {kind: given[name] for kind, name in URL_VARIABLES.items() if given.get(name)}
    if credentials.postgres_serving_password in external.get(Postgres, ""):
        del external[Postgres]
    if credentials.valkey_password in external.get(Valkey, ""):
        del external[Valkey]
    if given.get("AWS_ACCESS_KEY_ID") == credentials.aws_access_key_id:
        external.pop(MiniStack, None)
    return external


def check_external(given: Mapping[str, str], layout: Layout) -> None:
    """A server that was given but does not answer is named at once, not after a minute of retries."""
    for kind, url in external_urls(given, Credentials.made_once(layout.credentials)).items():
        variable = URL_VARIABLES[kind]
        host, port = address(url)
        try:
            socket.create_connection((host, port), timeout=5).close()
        except OSError as error:
            raise MissingPrerequisite(
                f"{variable} is set, and nothing answers at {host}:{port} ({error})",
                f"start that server, or unset {variable} to use the embedded one",
            ) from None


def address(url: str) -> tuple[str, int]:
    """Host and port of a URL: what people are shown of it, because it may hold a password."""
    parts = urlsplit(url)
    usual = {"postgresql": 5432, "postgres": 5432, "redis": 6379, "rediss": 6379, "https": 443}
    return parts.hostname or "localhost", parts.port or usual.get(parts.scheme, 80)


def _embedded(kind: type[Service], layout: Layout, ports: Ports, credentials: Credentials) -> Service:
    port = ports.take(kind.name)
    if kind is Postgres:
        return Postgres(
            layout.home,
            port,
            password=credentials.postgres_password,
            serving_password=credentials.postgres_serving_password,
        )
    if kind is Valkey:
        return Valkey(layout.home, port, password=credentials.valkey_password)
    return MiniStack(
        layout.home,
        port,
        access_key_id=credentials.aws_access_key_id,
        secret_access_key=credentials.aws_secret_access_key,
    )


def _aws_credentials(given: Mapping[str, str], credentials: Credentials, *, embedded: bool) -> dict[str, str]:
    if embedded:
        return {
            "AWS_ACCESS_KEY_ID": credentials.aws_access_key_id,
            "AWS_SECRET_ACCESS_KEY": credentials.aws_secret_access_key,
            "AWS_DEFAULT_REGION": REGION,
        }
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION")
    return {"AWS_DEFAULT_REGION": REGION, **{name: given[name] for name in names if given.get(name)}}


def _no_proxy(given: Mapping[str, str]) -> dict[str, str]:
    """Where a proxy is configured, the clients of S3 and SQS would send even loopback through it."""
    if not any(name.lower().endswith("_proxy") for name in given):
        return {}
    already = [part for part in given.get("NO_PROXY", given.get("no_proxy", "")).split(",") if part]
    hosts = ",".join([*already, *(host for host in ("127.0.0.1", "localhost") if host not in already)])
    return {"NO_PROXY": hosts, "no_proxy": hosts}
