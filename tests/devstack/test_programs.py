import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devstack.identity import marked
from devstack.programs import Order, Program, end_marked
from tests.services import CLONE

# A program with a helper in the background, as most servers have.
WITH_HELPER = ["/bin/sh", "-c", "sleep 60 & sleep 60"]


def until(holds: Callable[[], bool], timeout_sec: float = 60) -> bool:
    """Patient, because the machine may be busy; nothing waits longer than it takes."""
    deadline = time.monotonic() + timeout_sec
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def processes(home: Path) -> int:
    return len(list(marked(home)))


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    program = Program("sleeper", home=tmp_path, log=tmp_path / "log")
    yield program
    program.kill()
    end_marked(tmp_path)


@pytest.mark.parametrize("keep_group", [True, False])
def test_a_killed_program_leaves_no_helper(program: Program, keep_group: bool) -> None:
    program.start(Order(argv=WITH_HELPER, cwd=program.home, keep_group=keep_group))
    assert until(lambda: processes(program.home) >= 3 if keep_group else processes(program.home) >= 2)
    program.kill()
    assert until(lambda: processes(program.home) == 0)


def test_helpers_of_a_program_that_ended_by_itself_are_ended(program: Program) -> None:
    program.start(Order(argv=["/bin/sh", "-c", "sleep 60 & exit 7"], cwd=program.home))
    assert program.wait(30) == 7
    assert until(lambda: processes(program.home) == 0)


def test_a_kept_program_hears_the_signal_and_its_exit_code_is_known(program: Program) -> None:
    script = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    program.start(Order(argv=["/bin/sh", "-c", script], cwd=program.home, keep_group=True))
    assert until(lambda: program.log.read_text() == "ready\n")
    program.stop()
    assert program.poll() == 5


def test_a_program_that_will_not_stop_is_killed(program: Program) -> None:
    script = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
    program.start(Order(argv=["/bin/sh", "-c", script], cwd=program.home))
    assert until(lambda: program.log.read_text() == "ready\n")
    program.stop(grace_sec=0.2)
    assert program.poll() == -signal.SIGKILL


def test_a_program_outlives_the_thread_that_started_it(program: Program) -> None:
    order = Order(argv=["/bin/sleep", "60"], cwd=program.home)
    starter = threading.Thread(target=program.start, args=(order,))
    starter.start()
    starter.join()
    time.sleep(0.2)
    assert program.running


@pytest.mark.parametrize("keep_group", [True, False])
def test_a_program_dies_with_a_parent_that_is_killed(tmp_path: Path, keep_group: bool) -> None:
    argv = WITH_HELPER if keep_group else ["/bin/sleep", "60"]
    parent = f"""
import sys, time; sys.path.insert(0, {str(CLONE)!r})
from pathlib import Path
from devstack.programs import Order, Program
home = Path({str(tmp_path)!r})
Program("sleeper", home=home, log=home / "log").start(Order({argv!r}, home, keep_group={keep_group}))
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", parent]) as process:
        assert until(lambda: processes(tmp_path) == (4 if keep_group else 1))
        process.kill()
    assert until(lambda: processes(tmp_path) == 0)


def test_what_an_earlier_life_left_behind_is_ended_first(program: Program) -> None:
    order = Order(argv=["/bin/sleep", "60"], cwd=program.home)
    program.start(order)
    forgetful = Program("sleeper", home=program.home, log=program.log)
    forgetful.start(order)
    assert program.wait(30) == -signal.SIGKILL
    assert processes(program.home) == 1
    forgetful.kill()


def test_a_program_that_does_not_exist_says_so_in_its_log(program: Program) -> None:
    program.start(Order(argv=["/no/such/program"], cwd=program.home))
    assert program.wait(30) == 127
    assert "/no/such/program" in program.log.read_text()
