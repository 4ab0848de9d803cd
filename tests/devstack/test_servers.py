"""The three servers, each with a life of its own: killed, restarted, found with the same data at the same place."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import boto3
import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from devstack.identity import working_in
from devstack.ministack import REGION, MiniStack
from devstack.ports import Ports
from devstack.postgres import Postgres
from devstack.service import Service, ServiceFailed
from devstack.valkey import Valkey
from tests.services import FAST_POSTGRES

AnyService = TypeVar("AnyService", bound=Service)


@pytest.fixture(scope="module")
def postgres(module_scratch: Path) -> Iterator[Postgres]:
    # Under a directory that nobody else may enter, as a clone in /root would be.
    hidden = module_scratch / "hidden"
    hidden.mkdir(mode=0o700)
    yield from _started(_postgres(hidden / "home"))


@pytest.fixture(scope="module")
def valkey(module_scratch: Path) -> Iterator[Valkey]:
    yield from _started(
        Valkey(module_scratch, Ports().take("valkey"), password="secret", settings={"appendfsync": "always"})
    )


@pytest.fixture(scope="module")
def ministack(module_scratch: Path) -> Iterator[MiniStack]:
    yield from _started(
        MiniStack(module_scratch, Ports().take("ministack"), access_key_id="dpp", secret_access_key="secret")
    )


def _started(service: AnyService) -> Iterator[AnyService]:
    service.start()
    service.wait_ready()
    yield service
    service.kill()


def _postgres(home: Path) -> Postgres:
    return Postgres(
        home,
        Ports().take("postgres"),
        password="secret",
        serving_password="serving",
        settings=FAST_POSTGRES,
        sync=False,
    )


def _execute(server: Postgres, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.owner_url, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_postgres_keeps_its_data_whatever_is_done_to_it(postgres: Postgres) -> None:
    url = postgres.owner_url
    _execute(postgres, "CREATE TABLE kept AS SELECT 1 AS n")
    with psycopg.connect(postgres.owner_url) as busy:
        busy.execute("SELECT 1")
        postgres.kill()
        postgres.start()
        postgres.wait_ready()
        busy.close()
    postgres.restart()
    assert _execute(postgres, "SELECT n FROM kept") == [(1,)]
    assert postgres.owner_url == url


def test_postgres_does_not_run_as_root(postgres: Postgres) -> None:
    assert postgres.data.stat().st_uid != 0
    owners = {Path("/proc", str(server.pid)).stat().st_uid for server in working_in(postgres.data, "postgres")}
    assert owners == {postgres.data.stat().st_uid}
    assert postgres.home.parent.stat().st_mode & 0o777 == 0o700


def test_postgres_starts_although_its_lock_file_names_a_stranger(postgres: Postgres) -> None:
    postgres.kill()
    lock = postgres.data / "postmaster.pid"
    lines = lock.read_text().splitlines(keepends=True)
    lock.write_text("".join([f"{os.getpid()}\n", *lines[1:]]))
    postgres.start()
    postgres.wait_ready()


def test_a_cluster_that_was_only_half_made_is_made_anew(scratch: Path) -> None:
    server = _postgres(scratch)
    unfinished = server.data.with_name("postgres.unfinished")
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    try:
        server.start()
        server.wait_ready()
    finally:
        server.kill()


def test_valkey_keeps_its_data_whatever_is_done_to_it(valkey: Valkey) -> None:
    with redis.Redis.from_url(valkey.url) as client:
        client.set("kept", "1")
    valkey.kill()
    valkey.start()
    valkey.wait_ready()
    valkey.restart()
    with redis.Redis.from_url(valkey.url) as client:
        assert client.get("kept") == b"1"
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_valkey_does_not_speak_to_other_users_of_the_machine(valkey: Valkey) -> None:
    once = Retry(NoBackoff(), 0)
    with redis.Redis(port=valkey.port, retry=once) as client, pytest.raises(redis.AuthenticationError):
        client.ping()


def test_ministack_keeps_objects_after_a_kill_and_queues_after_a_stop(ministack: MiniStack) -> None:
    session = boto3.Session("dpp", "secret", region_name=REGION)
    s3 = session.client("s3", endpoint_url=ministack.url)
    sqs = session.client("sqs", endpoint_url=ministack.url)
    s3.create_bucket(Bucket="kept")
    s3.put_object(Bucket="kept", Key="a/b", Body=b"1")
    sqs.create_queue(QueueName="kept")
    ministack.restart()
    assert len(sqs.list_queues()["QueueUrls"]) == 1
    ministack.kill()
    ministack.start()
    ministack.wait_ready()
    assert s3.get_object(Bucket="kept", Key="a/b")["Body"].read() == b"1"


def test_no_server_listens_beyond_this_machine(postgres: Postgres, valkey: Valkey, ministack: MiniStack) -> None:
    loopback = "0100007F"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    rows += [line.split() for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
    listening = [row[1].split(":") for row in rows if row[3] == "0A"]
    for server in (postgres, valkey, ministack):
        assert [host for host, port in listening if int(port, 16) == server.port] == [loopback]


def test_a_server_that_cannot_start_shows_the_end_of_its_log(valkey: Valkey) -> None:
    second = Valkey(valkey.home / "second", valkey.port, password="another")
    second.start()
    with pytest.raises(ServiceFailed, match="Address already in use"):
        second.wait_ready()
