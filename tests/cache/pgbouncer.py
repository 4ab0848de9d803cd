"""A real PgBouncer in transaction mode before the session's PostgreSQL.

The program is the machine's own, or Debian's package, fetched and unpacked inside the clone: no root, nothing is
installed. Where neither is to be had the proof fails and says so.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from devstack.ports import Ports
from tests.services import CLONE

PACKAGES = ("pgbouncer", "libevent-2.1-7", "libc-ares2")
UNPACKED = CLONE / ".dpp-test" / "pgbouncer"


@contextmanager
def transaction_pool(database_url: str, folder: Path, *, server_connections: int) -> Iterator[str]:
    """The URL of the database behind PgBouncer. All clients together share so many sessions of the server."""
    url, port = urlsplit(database_url), Ports().take("pgbouncer")
    users = folder / "users.txt"
    users.write_text(f'"{url.username}" "{url.password}"\n')
    config = folder / "pgbouncer.ini"
    config.write_text(
        f"""
[databases]
{url.path[1:]} = host={url.hostname} port={url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
default_pool_size = {server_connections}
max_client_conn = 500
; Django names the limits of a session at its start. Behind a pooler they belong to the role: ALTER ROLE … SET.
ignore_startup_parameters = options, extra_float_digits
"""
    )
    program, libraries = _program()
    # PgBouncer refuses to stay root.
    account = ["-u", "nobody"] if os.getuid() == 0 else []
    with (folder / "pgbouncer.log").open("wb") as log:
        child = subprocess.Popen(
            [program, *account, str(config)], env={"LD_LIBRARY_PATH": libraries}, stdout=log, stderr=log
        )
    pooled = url._replace(netloc=f"{url.username}:{url.password}@127.0.0.1:{port}").geturl()
    try:
        _wait_ready(child, pooled, folder / "pgbouncer.log")
        yield pooled
    finally:
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=10)


def _wait_ready(child: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    for _attempt in range(100):
        if child.poll() is not None:
            break
        try:
            with psycopg.connect(url, connect_timeout=1):
                return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise AssertionError(f"PgBouncer did not start:\n{log.read_text()[-2000:]}")


def _program() -> tuple[str, str]:
    """The program and where its libraries are, if they are not the machine's."""
    own = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if own:
        return own, ""
    program = UNPACKED / "usr" / "sbin" / "pgbouncer"
    if not program.exists():
        _unpack()
    libraries = {str(path.parent) for path in UNPACKED.rglob("lib*.so*")}
    return str(program), ":".join(sorted(libraries))


def _unpack() -> None:
    if not shutil.which("apt-get"):
        raise AssertionError("There is no PgBouncer here: install it (Debian, Ubuntu: apt-get install pgbouncer).")
    UNPACKED.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", *PACKAGES], cwd=UNPACKED, check=True, capture_output=True)
    for package in UNPACKED.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package.name, "."], cwd=UNPACKED, check=True)
