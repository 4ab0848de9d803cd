"""A clone in which the stack runs an application that does nothing, so that only the stack is tried."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from devstack.layout import Layout
from devstack.programs import end_marked
from devstack.state import State, read_state
from tests.services import CLONE

# The application's table of processes, for the stand-in: one that listens and has a helper, one that does not.
STANDIN_PROCESSES = """
PROCESSES = (
    Process(
        name="api", title="API", module="standin.api", arguments=("{port}",),
        url_variable="DPP_API_URL", keep_group=True,
    ),
    Process(name="worker", title="Worker", module="standin.worker", arguments=()),
)
"""


class StandinClone:
    def __init__(self, root: Path) -> None:
        self.layout = Layout(root)
        shutil.copytree(Path(__file__).parent / "standin", root / "standin")
        (root / "standin" / "manage.py").rename(root / "manage.py")
        shutil.copytree(CLONE / "devstack", root / "devstack")
        table = root / "devstack" / "processes.py"
        table.write_text(table.read_text().partition("\nPROCESSES = ")[0] + STANDIN_PROCESSES)

    def run(self, command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        # Addresses of the session's own servers are not meant for this stack.
        foreign = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "AWS_ENDPOINT_URL")
        env = {name: value for name, value in os.environ.items() if name not in foreign}
        return subprocess.run(
            [sys.executable, "-m", "devstack", command],
            cwd=self.layout.clone,
            env={**env, **variables},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    @property
    def state(self) -> State:
        state = read_state(self.layout.state)
        assert state is not None
        return state

    def pid(self, name: str) -> int | None:
        return next(unit.pid for unit in self.state.units if unit.name == name)

    def commands_called(self) -> list[str]:
        return (self.layout.clone / "commands-called").read_text().split()


@pytest.fixture(scope="module")
def module_scratch() -> Iterator[Path]:
    """A directory inside the clone: as root, PostgreSQL's account may be unable to enter pytest's own."""
    path = CLONE / ".dpp-test" / f"stack-{os.getpid()}"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def scratch(module_scratch: Path) -> Iterator[Path]:
    path = module_scratch / "scratch"
    path.mkdir()
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def clone(module_scratch: Path) -> Iterator[StandinClone]:
    """One for all tests of a module: each start after the first finds data, as in real life."""
    standin = StandinClone(module_scratch / "clone")
    yield standin
    end_marked(standin.layout.home)


@pytest.fixture
def running(clone: StandinClone) -> StandinClone:
    """A stack that is up, be it because the test before left it so."""
    if clone.run("status").returncode != 0:
        up = clone.run("up")
        assert up.returncode == 0, up.stdout + up.stderr
        assert "verified" in up.stdout
    return clone
