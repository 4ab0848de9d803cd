"""Each mechanism alone holds its part: where a kernel lacks one, the others still stand."""

import json
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from packs.sandbox import confinement, landlock, system_calls
from packs.sandbox.announcement import announce_confinement
from packs.sandbox.confinement import Mechanism

ROOT = Path(__file__).resolve().parents[3]
_PRELUDE = """
import ctypes, json, os, socket, sys
from pathlib import Path
libc = ctypes.CDLL(None, use_errno=True)
def tried(action):
    try:
        action()
        return "done"
    except Exception as error:
        return type(error).__name__
"""
_TRIES = """
print(json.dumps({
    "socket": tried(socket.socket),
    "fork": tried(lambda: os._exit(0) if os.fork() == 0 else os.wait()),
    "write": tried(lambda: open("/tmp/dpp-sandbox-mechanism", "w").close()),
    "chmod": tried(lambda: os.chmod("/tmp", 0o1777)),
    "passwd": tried(lambda: open("/etc/passwd").read()),
    "connect": tried(lambda: socket.create_connection(("127.0.0.1", 9), timeout=1)),
    "kill": tried(lambda: os.kill(os.getppid(), 0)),
    "environ": tried(lambda: open(f"/proc/{os.getppid()}/environ").read()),
}))
"""


def after(setup: str, *, python: str = sys.executable, path: Path = ROOT) -> dict[str, Any]:
    code = _PRELUDE + setup + _TRIES
    told = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True, timeout=30, env={"PYTHONPATH": str(path)}
    )
    answer: dict[str, Any] = json.loads(told.stdout)
    return answer


def test_without_any_everything_is_possible() -> None:
    outcome = after("")
    assert outcome.pop("connect") == "ConnectionRefusedError"
    assert set(outcome.values()) == {"done"}


def test_the_filter_alone() -> None:
    assert system_calls.is_available()
    outcome = after(
        "from packs.sandbox import kernel, system_calls\n"
        "kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)\nsystem_calls.install(system_calls.Caller.READER)\n"
    )
    refused = {name for name, result in outcome.items() if result == "PermissionError"}
    assert refused == {"socket", "fork", "write", "chmod", "connect", "kill"}


def test_landlock_alone() -> None:
    assert landlock.version() >= 6
    outcome = after(
        "from packs.sandbox import kernel, landlock\n"
        "kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)\n"
        f"landlock.restrict(landlock.ruleset(readable=[Path({sys.prefix!r})], listable=[]))\n"
    )
    refused = {name for name, result in outcome.items() if result == "PermissionError"}
    assert refused == {"write", "passwd", "connect", "kill", "environ"}


def test_no_capabilities_and_a_hidden_parent_alone() -> None:
    """The parent is hidden by itself; without capabilities even root's child cannot look into it."""
    code = (
        "import subprocess, sys; from packs.sandbox import kernel; kernel.hide_from_siblings(); "
        f"print(subprocess.run([sys.executable, '-c', {_PRELUDE!r} + "
        "'from packs.sandbox import kernel; kernel.drop_capabilities()\\n' + "
        f"{_TRIES!r}], capture_output=True, text=True, check=True).stdout)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT)}
    )
    outcome = json.loads(told.stdout)
    assert outcome["environ"] == "PermissionError"
    assert outcome["socket"] == "done"


def test_the_numbers_of_the_calls_are_those_of_this_kernel() -> None:
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    declared = {
        words[1].removeprefix("__NR_"): int(words[2])
        for words in map(str.split, header.read_text().splitlines())
        if len(words) == 3 and words[1].startswith("__NR_")
    }
    assert declared["openat"] == 257
    listed = {**system_calls._ALLOWED, **system_calls._ALLOWED_TO_TEMPLATE}
    assert {name: numbers[0] for name, numbers in listed.items()} == {name: declared[name] for name in listed}


def test_a_program_for_the_other_architecture_has_its_numbers() -> None:
    intel, arm = system_calls.assembled(0, 1), system_calls.assembled(1, 1)
    assert intel[8:16] != arm[8:16]
    assert len(arm) < len(intel)
    assert len(intel) // 8 < 4_096


def test_own_user_where_the_worker_is_root(tmp_path: Path) -> None:
    """With an interpreter and code that everybody may read. Such a user sees nobody else's files or processes."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    shutil.copytree(ROOT / "packs" / "sandbox", tmp_path / "packs" / "sandbox")
    (tmp_path / "packs" / "__init__.py").touch()
    secret = tmp_path / "secret"
    secret.write_text("key")
    secret.chmod(0o600)
    setup = (
        "from packs.sandbox import own_user\n"
        f"assert own_user.is_possible([Path({str(tmp_path)!r})]) == (os.geteuid() == 0)\n"
        f"assert not own_user.is_possible([Path({str(secret)!r})])\n"
        "own_user.become(os.getpid())\n"
        "assert os.getresuid()[0] == os.getresuid()[2] == os.getresgid()[1] > 61000 and os.getgroups() == []\n"
        f"assert tried(lambda: open({str(secret)!r}).read()) == 'PermissionError'\n"
    )
    outcome = after(setup, python="/usr/bin/python3", path=tmp_path)
    assert {outcome["environ"], outcome["kill"]} == {"PermissionError"}


def test_each_reader_has_a_user_of_its_own_where_the_worker_is_root(tmp_path: Path) -> None:
    """The template keeps the right to give users away; its readers have none left, and are ended all the same."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    shutil.copytree(ROOT / "packs" / "sandbox", tmp_path / "packs" / "sandbox")
    (tmp_path / "packs" / "__init__.py").touch()
    (tmp_path / "packs" / "who.py").write_text("def answers(request, read):\n    yield {}\n")
    code = (
        "import json, os\nfrom packs.sandbox.confinement import Limits\n"
        "from packs.sandbox.process import ConfinedProcess\n"
        "def new():\n"
        "    return ConfinedProcess('packs.who', Limits(memory_bytes=1 << 28, cpu_sec=9), start_timeout_sec=20,\n"
        "        max_answer_bytes=9999, loads_first=True)\n"
        "def status(pid):\n"
        "    return {line.partition(':')[0]: line.split()[1:] for line in open(f'/proc/{pid}/status')}\n"
        "readers = [new(), new()]\n"
        "[reader.ask({}, timeout_sec=20) for reader in readers]\n"
        "pids = [reader.pid for reader in readers]\n"
        "told = [status(pid) for pid in pids]\n"
        "[reader.end() for reader in readers]\n"
        "print(json.dumps([told, [os.path.exists(f'/proc/{pid}') for pid in pids]]))\n"
    )
    done = subprocess.run(
        ["/usr/bin/python3", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
    )
    (first, second), still_there = json.loads(done.stdout)
    assert still_there == [False, False]
    for reader in (first, second):
        assert {reader[right][0] for right in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
        assert len({*reader["Uid"], *reader["Gid"]}) == 1
        assert int(reader["Uid"][0]) > 61_000
    assert first["Uid"] != second["Uid"]


def test_what_is_missing_is_named() -> None:
    """This machine has all but perhaps a user of its own: the interpreter may lie where only root reads."""
    assert set(confinement.missing()) <= {Mechanism.OWN_USER}


def test_what_is_missing_is_named_on_a_kernel_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    lacking = set(confinement.missing())
    assert {Mechanism.LANDLOCK, Mechanism.SYSTEM_CALL_FILTER, Mechanism.PARENT_DEATH_SIGNAL} <= lacking


def test_the_child_dies_with_its_worker() -> None:
    """A worker that is killed runs no clean-up; the kernel does."""
    code = (
        "import time; from packs.url.reader import ReaderProcess; r = ReaderProcess(); r.__enter__(); "
        "r.read(b'x' * 100, 'text/plain', time_left_sec=20); print(r._process.pid, flush=True); time.sleep(60)"
    )
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert worker.stdout is not None
    child = int(worker.stdout.readline())
    # Stopped, it cannot notice by itself that its pipe is closed.
    os.kill(child, 19)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    for _ in range(100):
        stat = Path(f"/proc/{child}/stat")
        if not stat.exists() or " Z " in stat.read_text():
            break
        time.sleep(0.05)
    else:
        os.kill(child, 9)
        pytest.fail("the child outlived its worker")


def test_a_worker_says_at_its_start_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "dpp.sandbox"):
        announce_confinement()
        monkeypatch.setattr(sys, "platform", "darwin")
        announce_confinement()
    here, elsewhere = caplog.records
    assert (here.levelno, elsewhere.levelno) == (logging.INFO, logging.WARNING)
    assert "landlock" in str(elsewhere.__dict__["dpp_fields"]["missing"])
