"""The whole stack around an application that does nothing: up, killed in every way, up again, down."""

import os
import signal

from devstack.environment import read_environment
from devstack.identity import marked
from devstack.state import Phase, Status
from tests.devstack.conftest import StandinClone
from tests.devstack.test_programs import until


def test_every_process_that_is_killed_comes_back(running: StandinClone) -> None:
    names = ["postgres", "valkey", "ministack", "api", "worker"]
    before = {name: running.pid(name) for name in names}
    bootstraps = running.commands_called().count("bootstrap_storage")
    for pid in before.values():
        assert pid
        os.kill(pid, signal.SIGKILL)
    assert until(lambda: all(unit.restarts == 1 for unit in running.state.units if unit.name in names))
    assert until(lambda: all(unit.status in (Status.READY, Status.DONE) for unit in running.state.units), 30)
    assert not set(before.values()) & {running.pid(name) for name in names}
    # The queues went with the server that kept them, and are made again.
    assert until(lambda: running.commands_called().count("bootstrap_storage") == bootstraps + 1)


def test_a_killed_supervisor_takes_all_with_it_and_up_recovers(running: StandinClone) -> None:
    environment = read_environment(running.layout.env)
    supervisor = running.state.supervisor
    assert supervisor
    supervisor.send(signal.SIGKILL)
    assert until(lambda: list(marked(running.layout.home)) == [])
    # When it is started again, then at the same addresses, with the same key, which is not issued twice
    assert running.run("up").returncode == 0
    assert read_environment(running.layout.env) == environment


def test_down_leaves_nothing(running: StandinClone) -> None:
    assert running.run("down").returncode == 0
    assert list(marked(running.layout.home)) == []
    assert running.state.phase == Phase.STOPPED
    assert running.run("status").returncode == 3
    assert "Nothing is running" in running.run("down").stdout


def test_a_start_that_fails_says_why_and_leaves_nothing_running(clone: StandinClone) -> None:
    up = clone.run("up", STANDIN_MIGRATE_FAILS="1")
    assert up.returncode == 1
    assert "Migrations" in up.stdout
    assert "the migration is broken on purpose" in up.stdout
    assert list(marked(clone.layout.home)) == []
