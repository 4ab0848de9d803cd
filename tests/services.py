"""The servers of a test session: real ones, its own, gone when the session is, however it ends."""

import os
import shutil
from pathlib import Path
from typing import cast

from devstack.identity import Identity
from devstack.ministack import REGION, MiniStack
from devstack.postgres import Postgres
from devstack.valkey import Valkey
from tests.ports import free_port
from tests.valkey_cluster import ValkeyCluster

CLONE = Path(__file__).resolve().parent.parent

# Nobody mourns the data of a test after a power cut, so nothing waits for the disk. Not `synchronous_commit=off`:
# that would lose commits when the server is killed, which tests do.
FAST_POSTGRES = {"fsync": "off", "full_page_writes": "off"}


def _valkey(home: Path, *, password: str) -> Valkey:
    """One server, or for `make test-redis-cluster` three that are used as one. What a cluster has not (a port of its
    own) is an error there, of the test that asks for it."""
    if os.environ.get("DPP_TEST_REDIS") == "cluster":
        return cast(Valkey, ValkeyCluster(home, password=password))
    return Valkey(home, free_port(), password=password)


class SessionServices:
    """PostgreSQL, Valkey and S3/SQS. Ports and URLs are fixed before anything runs, and outlast restarts."""

    def __init__(self, home: Path | None = None, *, durable: bool = False) -> None:
        """`durable`: PostgreSQL waits for the disk, as it does outside of tests."""
        self.home = home or CLONE / ".dpp-test" / str(os.getpid())
        settings = {} if durable else FAST_POSTGRES
        self.postgres = Postgres(
            self.home,
            free_port(),
            password="owner-Wm4rT9xKq2Zb7NcY",
            serving_password="serving-h8Lp3VfZ6sDjQ1uE",
            settings=settings,
            sync=False,
        )
        self.valkey = _valkey(self.home, password="valkey-X5gB0nRy7tCwA2kM")
        self.ministack = MiniStack(self.home, free_port(), access_key_id="dpp-test", secret_access_key="test")

    def environment(self) -> dict[str, str]:
        return {
            "DPP_ENV": "test",
            "DPP_SECRET_KEY": "pZ7-fixture-Qm3xV9tLb2Kc8Wn5Rj1Hd6Sg0Yf4Ua-eIoTzXvPq",
            "DATABASE_URL": self.postgres.url,
            "DATABASE_OWNER_URL": self.postgres.owner_url,
            "REDIS_URL": self.valkey.url,
            "AWS_ENDPOINT_URL": self.ministack.url,
            "AWS_ACCESS_KEY_ID": self.ministack.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.ministack.secret_access_key,
            "AWS_DEFAULT_REGION": REGION,
        }

    def start(self) -> None:
        self._remove_leftovers()
        services = (self.ministack, self.valkey, self.postgres)
        for service in services:
            service.start()
        for service in services:
            service.wait_ready()

    def stop(self) -> None:
        # Killed, not stopped: there is nothing to save.
        for service in (self.ministack, self.valkey, self.postgres):
            service.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def _remove_leftovers(self) -> None:
        """Directories of sessions that were killed before they could tidy up."""
        shutil.rmtree(self.home, ignore_errors=True)
        for other in self.home.parent.glob("[0-9]*"):
            if Identity.of(int(other.name)) is None:
                shutil.rmtree(other, ignore_errors=True)
