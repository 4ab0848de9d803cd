import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from devstack.identity import MARK, Identity, mark, marked
from devstack.programs import end_marked


@pytest.fixture
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_a_recycled_number_is_never_signalled(stranger: "subprocess.Popen[bytes]") -> None:
    now = Identity.of(stranger.pid)
    assert now is not None
    # Given what was written down about a process that has ended since, and whose number the stranger now has
    for written_down in (replace(now, started_ticks=now.started_ticks - 1), replace(now, boot="another")):
        assert not written_down.alive
        assert not written_down.send(signal.SIGKILL)
    assert stranger.poll() is None


def test_the_very_process_is_signalled(stranger: "subprocess.Popen[bytes]") -> None:
    identity = Identity.of(stranger.pid)
    assert identity is not None
    assert identity.send(signal.SIGTERM)
    assert stranger.wait(5) == -signal.SIGTERM


def test_a_process_that_ended_but_was_not_reaped_is_not_alive() -> None:
    with subprocess.Popen(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert Identity.of(process.pid) is None


def test_only_processes_of_this_stack_are_ended(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "a", tmp_path / "ab"
    with (
        subprocess.Popen(["sleep", "60"], env={MARK: mark(ours, "api")}) as of_ours,
        subprocess.Popen(["sleep", "60"], env={MARK: mark(theirs, "api")}) as of_theirs,
    ):
        end_marked(ours)
        assert of_ours.wait(5) == -signal.SIGKILL
        assert of_theirs.poll() is None
        assert [found.pid for found in marked(theirs)] == [of_theirs.pid]
        of_theirs.kill()


def test_one_name_is_not_the_beginning_of_another(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"], env={MARK: mark(tmp_path, "worker-2")}) as process:
        assert list(marked(tmp_path, "worker")) == []
        process.kill()
