"""A cluster of Redis servers, for the tests that are about one."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from budget import redis_keys
from dpp_project.redis import client
from tests import redis_clients
from tests.builders import Customer, customer
from tests.services import SessionServices
from tests.valkey_cluster import ValkeyCluster


@pytest.fixture(scope="module")
def servers_of_cluster(services: SessionServices) -> Iterator[ValkeyCluster]:
    cluster = ValkeyCluster(services.home / f"apart-{uuid4()}", password="test")
    try:
        cluster.start()
        cluster.wait_ready()
        yield cluster
    finally:
        cluster.kill()


@pytest.fixture
def cluster(platform: SessionServices, servers_of_cluster: ValkeyCluster, settings: Any) -> Iterator[ValkeyCluster]:
    """All of Redis is the cluster, and empty."""
    before = settings.REDIS_URL
    settings.REDIS_URL = servers_of_cluster.url
    redis_clients.forget()
    client().flushall()
    yield servers_of_cluster
    settings.REDIS_URL = before
    redis_clients.forget()


@pytest.fixture
def owners(cluster: ValkeyCluster) -> list[Customer]:
    """One for each server."""
    found: dict[str, Customer] = {}
    for number in range(100):
        name = f"tenant-{number}"
        if (node := cluster.node_of(redis_keys.balance(name)).url) not in found:
            found[node] = customer(name, budget="10.0000")
        if len(found) == len(cluster.nodes):
            return [found[node.url] for node in cluster.nodes]
    raise AssertionError("a hundred names lie at fewer than three servers")
