"""A real cluster of three Valkey servers, made by the commands of the servers themselves."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from redis.crc import key_slot

from devstack.valkey import Valkey
from tests.ports import free_port

_SLOTS = 16_384
_NODES = 3

SETTINGS = {
    "cluster-enabled": "yes",
    "cluster-config-file": "nodes.conf",
    # A server that is gone takes its slots along; the others go on.
    "cluster-require-full-coverage": "no",
    "cluster-node-timeout": "2000",
    # Also a replica that has not heard of its primary for long may take over: a machine that runs tests is busy.
    "cluster-replica-validity-factor": "0",
}


class ValkeyCluster:
    """Stands where a single server does: started, killed and addressed as one."""

    def __init__(self, home: Path, *, password: str) -> None:
        self.password = password
        self.nodes = [
            Valkey(home / f"cluster-{number}", free_port(), password=password, settings=self._settings())
            for number in range(_NODES)
        ]
        self._is_formed = False

    @property
    def url(self) -> str:
        return f"redis+cluster://:{self.password}@{','.join(f'127.0.0.1:{node.port}' for node in self.nodes)}"

    def start(self) -> None:
        for node in self.nodes:
            node.start()

    def wait_ready(self) -> None:
        for node in self.nodes:
            node.wait_ready()
        if not self._is_formed:
            self._form()
            self._is_formed = True
        self.wait_whole()

    def kill(self) -> None:
        for node in self.nodes:
            node.kill()

    def restart(self) -> None:
        self.kill()
        self.start()
        self.wait_ready()

    def wait_whole(self) -> None:
        """Every server sees a server for every slot."""
        for node in self.nodes:
            _until(lambda node=node: _is_whole(node), node)  # type: ignore[misc]

    def node_of(self, key: str) -> Valkey:
        """Of a cluster as it was formed: slots in equal shares."""
        return self.nodes[key_slot(key.encode()) * _NODES // _SLOTS]

    def bring_back_empty(self, node: Valkey) -> None:
        """With its slots and without its keys."""
        shutil.rmtree(node.data / "appendonlydir")
        node.start()
        node.wait_ready()
        self.wait_whole()

    def add_replica(self, home: Path, *, of: Valkey) -> Valkey:
        """Started, and with all that its primary has."""
        node = Valkey(home / "replica", free_port(), password=self.password, settings=self._settings())
        node.start()
        node.wait_ready()
        ask(of, "CLUSTER", "MEET", "127.0.0.1", str(node.port), node.settings["cluster-port"])
        primary = str(ask(of, "CLUSTER", "MYID"))
        _until(lambda: primary in str(ask(node, "CLUSTER", "NODES")), node)
        ask(node, "CLUSTER", "REPLICATE", primary)
        _until(lambda: direct(node).info("replication").get("master_link_status") == "up", node)
        return node

    def _settings(self) -> dict[str, str]:
        return {**SETTINGS, "cluster-port": str(free_port()), "masterauth": self.password}

    def _form(self) -> None:
        for number, node in enumerate(self.nodes):
            first, last = -(-number * _SLOTS // _NODES), -(-(number + 1) * _SLOTS // _NODES) - 1
            ask(node, "CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
            ask(node, "CLUSTER", "ADDSLOTSRANGE", str(first), str(last))
        for node in self.nodes[1:]:
            ask(self.nodes[0], "CLUSTER", "MEET", "127.0.0.1", str(node.port), node.settings["cluster-port"])


def _is_whole(node: Valkey) -> bool:
    told: Any = ask(node, "CLUSTER", "INFO")
    return bool(told["cluster_slots_ok"] == str(_SLOTS) and told["cluster_state"] == "ok")


def _until(holds: Callable[[], bool], node: Valkey) -> None:
    ends = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < ends, ask(node, "CLUSTER", "INFO")
        time.sleep(0.05)


def direct(node: Valkey) -> "redis.Redis":
    return redis.Redis.from_url(node.url, decode_responses=True, socket_timeout=5)


def ask(node: Valkey, *command: str) -> object:
    with direct(node) as client:
        # Two words are one name to the library: it knows then what the answer means.
        return client.execute_command(" ".join(command[:2]), *command[2:])
