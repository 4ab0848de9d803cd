"""Two servers behind one address, the second following the first: what a failover needs."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psycopg
import redis

from devstack.accounts import account_for, reaching
from devstack.postgres import Postgres, _binaries
from devstack.programs import Account, Order
from devstack.service import ServiceFailed, plain_environment
from devstack.valkey import Valkey
from tests.ports import free_port
from tests.services import FAST_POSTGRES
from tests.torture.proxy import Proxy

_SYNCHRONOUS = "ANY 1 (*)"


class FollowingPostgres(Postgres):
    """A standby: made from a running server, and following it by streaming until it is promoted."""

    def __init__(self, home: Path, port: int, *, leader: Postgres) -> None:
        super().__init__(
            home, port, password=leader.password, serving_password=leader.serving_password, settings=FAST_POSTGRES
        )
        self._leader = leader
        self._database_made = True

    def _make_cluster(self, binaries: Path, account: Account | None) -> None:
        unfinished = self.data.with_name("postgres.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if account:
            os.chown(unfinished, account.uid, account.gid)
        base_backup(binaries, account, unfinished, self._leader, "--write-recovery-conf")
        unfinished.rename(self.data)


def base_backup(binaries: Path, account: Account | None, into: Path, leader: Postgres, *options: str) -> None:
    argv = [str(binaries / "pg_basebackup"), f"--pgdata={into}", f"--dbname={leader.owner_url_of('postgres')}"]
    order = Order(
        argv=[*argv, "--checkpoint=fast", "--no-sync", "--wal-method=stream", *options],
        cwd=into,
        env=plain_environment(),
        account=account,
    )
    result = subprocess.run(order.launch_argv(), env=order.env, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ServiceFailed(f"pg_basebackup failed:\n{result.stderr[-1500:]}")


def account_of(path: Path) -> Account | None:
    account = account_for(path)
    return reaching(account, _binaries() / "postgres", path.parent) if account else None


class PostgresPair:
    """`synchronous`: a commit is told only once the standby has it, so that a failover loses nothing that was told."""

    def __init__(self, home: Path, *, synchronous: bool, settings: Mapping[str, str] | None = None) -> None:
        self._home = home
        self._synchronous = synchronous
        self._number = 0
        self.leader: Postgres = Postgres(
            self._next_home(),
            free_port(),
            password="owner-Wm4rT9xKq2Zb7NcY",
            serving_password="serving-h8Lp3VfZ6sDjQ1uE",
            settings={**FAST_POSTGRES, **(settings or {})},
            sync=False,
        )
        self.standby: FollowingPostgres | None = None
        self.leader.start()
        self.leader.wait_ready()
        self.proxy = Proxy(self.leader.port)

    @property
    def url(self) -> str:
        return self.leader.url.replace(f":{self.leader.port}/", f":{self.proxy.port}/")

    @property
    def owner_url(self) -> str:
        return self.leader.owner_url.replace(f":{self.leader.port}/", f":{self.proxy.port}/")

    def add_standby(self) -> None:
        standby = FollowingPostgres(self._next_home(), free_port(), leader=self.leader)
        standby.start()
        standby.wait_ready()
        _until(lambda: self._ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 1)
        if self._synchronous:
            self._set_synchronous(_SYNCHRONOUS)
        self.standby = standby

    def fail_over(self) -> None:
        """The leader dies, the standby is promoted and takes its address. There is no standby afterwards."""
        standby, old = self.standby, self.leader
        assert standby
        self.standby = None
        old.kill()
        with psycopg.connect(standby.owner_url_of("postgres"), autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
            connection.execute("SELECT pg_reload_conf()")
        self.leader = standby
        self.proxy.lead_new_connections_to(standby.port)
        shutil.rmtree(old.home, ignore_errors=True)

    def lag_behind(self) -> None:
        """From now on the standby gets nothing more: what is committed after this is lost by a failover."""
        assert self.standby
        with psycopg.connect(self.standby.owner_url_of("postgres"), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
            connection.execute("SELECT pg_reload_conf()")
        _until(lambda: self._ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 0)

    def stop(self) -> None:
        self.proxy.close()
        for server in (self.leader, self.standby):
            if server:
                server.kill()

    def _set_synchronous(self, names: str) -> None:
        with psycopg.connect(self.leader.owner_url_of("postgres"), autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
            connection.execute("SELECT pg_reload_conf()")

    def _ask(self, query: str) -> object:
        with psycopg.connect(self.leader.owner_url_of("postgres"), autocommit=True) as connection:
            row = connection.execute(query).fetchone()
        return row and row[0]

    def _next_home(self) -> Path:
        self._number += 1
        home = self._home / f"postgres-{self._number}"
        home.mkdir(parents=True, exist_ok=True)
        self._home.chmod(0o755)
        return home


class ValkeyPair:
    """Asynchronous, as Redis always is: a failover may lose the last writes."""

    def __init__(self, home: Path) -> None:
        password = "valkey-X5gB0nRy7tCwA2kM"
        servers = [
            Valkey(home / name, free_port(), password=password, settings={"masterauth": password})
            for name in ("valkey-1", "valkey-2")
        ]
        for server in servers:
            server.home.mkdir(parents=True, exist_ok=True)
            server.start()
        for server in servers:
            server.wait_ready()
        self.leader, self.follower = servers
        self._follow()
        self.proxy = Proxy(self.leader.port)

    @property
    def url(self) -> str:
        return self.leader.url.replace(f":{self.leader.port}/", f":{self.proxy.port}/")

    def fail_over(self) -> None:
        """The follower leads, the old leader follows it. Nobody is disconnected: old connections answer READONLY."""
        direct(self.follower).replicaof("NO", "ONE")
        self.proxy.lead_new_connections_to(self.follower.port)
        self.leader, self.follower = self.follower, self.leader
        self._follow(wait=False)

    def stop(self) -> None:
        self.proxy.close()
        for server in (self.leader, self.follower):
            server.kill()

    def _follow(self, *, wait: bool = True) -> None:
        direct(self.follower).replicaof("127.0.0.1", str(self.leader.port))
        if wait:
            _until(lambda: direct(self.follower).info("replication")["master_link_status"] == "up")


def direct(server: Valkey) -> "redis.Redis":
    return redis.Redis.from_url(server.url, decode_responses=True, socket_timeout=5)


def _until(holds: Callable[[], object], seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come about in time"
        time.sleep(0.1)
