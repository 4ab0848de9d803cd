"""Hostile code inside the child: everything it tries is refused, and the worker goes on."""

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packs.sandbox.confinement import Limits
from packs.sandbox.process import ConfinedProcess, Died, TooMuch, TooSlow
from tests.packs.sandbox import attacks

MIB = 1_048_576
_PR_GET_DUMPABLE = 3
_TESTS = Path(__file__).resolve().parent.parent.parent


def confined(**limits: int) -> ConfinedProcess:
    return ConfinedProcess(
        "tests.packs.sandbox.hostile_reader",
        Limits(**{"memory_bytes": 256 * MIB, "cpu_sec": 20, **limits}),
        start_timeout_sec=20,
        max_answer_bytes=MIB,
        readable=(_TESTS,),
    )


def run(process: ConfinedProcess, code: str, **names: Any) -> dict[str, Any]:
    return process.ask({"bytes": len(code.encode()), "names": names}, code.encode(), timeout_sec=10)


@pytest.fixture(scope="module")
def taken_over() -> Iterator[ConfinedProcess]:
    process = confined()
    yield process
    process.end()


@pytest.fixture
def database() -> Iterator[int]:
    """Something that listens, as PostgreSQL does beside a worker."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o777)
    written = tmp_path / "file"
    written.write_text("as it was")
    written.chmod(0o666)
    return written


_AGAINST_A_PROCESS = [name for name, code in attacks.ALL.items() if "parent" in code]


@pytest.mark.parametrize("name", attacks.ALL)
def test_an_attack_is_refused(name: str, taken_over: ConfinedProcess, database: int, file: Path) -> None:
    answer = run(taken_over, attacks.ALL[name], port=database, file=str(file), parent=os.getpid())
    assert answer.get("refused") in {"PermissionError", "OSError", "MemoryError", "ValueError", "gaierror"}, answer
    assert file.read_text() == "as it was"
    assert file.stat().st_mode & 0o777 == 0o666


@pytest.mark.parametrize("name", _AGAINST_A_PROCESS)
def test_an_attack_on_the_template_is_refused(name: str, taken_over: ConfinedProcess, file: Path) -> None:
    """It is the reader's parent, which the hostile reader names by default."""
    answer = run(taken_over, attacks.ALL[name], file=str(file))
    assert answer.get("refused") in {"PermissionError", "OSError"}, answer


@pytest.mark.parametrize("name", _AGAINST_A_PROCESS)
def test_an_attack_on_another_reader_of_the_same_template_is_refused(
    name: str, taken_over: ConfinedProcess, file: Path
) -> None:
    other = confined()
    try:
        assert run(other, "import os; result = os.getppid()") == run(taken_over, "import os; result = os.getppid()")
        answer = run(taken_over, attacks.ALL[name], file=str(file), parent=other.pid)
        assert answer.get("refused") in {"PermissionError", "OSError"}, answer
        assert run(other, "result = 1") == {"result": 1}
    finally:
        other.end()


def test_the_child_has_no_environment_of_the_worker(
    taken_over: ConfinedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DPP_SECRET_KEY", "not for strangers")
    process = confined()
    try:
        environment = run(process, "import os; result = dict(os.environ)")["result"]
    finally:
        process.end()
    assert "not for strangers" not in environment.values()
    assert "PATH" not in environment


def test_the_child_holds_no_open_file_of_the_worker(taken_over: ConfinedProcess, database: int) -> None:
    look = """
import os
result = []
for number in range(3, 32):
    try: os.fstat(number); result.append(number)
    except OSError: pass
"""
    assert run(taken_over, look)["result"] == []


def test_half_a_pair_of_surrogates_is_no_reason_to_die(taken_over: ConfinedProcess) -> None:
    assert run(taken_over, "result = 'Title \\ud800'") == {"result": "Title ?"}


def test_threads_memory_and_reading_code_are_allowed(taken_over: ConfinedProcess) -> None:
    honest = """
import threading, json, decimal, zlib
done = []
threads = [threading.Thread(target=done.append, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
import lxml.etree, numpy
block = bytearray(50 << 20)
result = sorted(done)
"""
    assert run(taken_over, honest) == {"result": list(range(8))}


def test_other_ways_into_the_kernel_end_the_child() -> None:
    """Calls in the numbering of another architecture would pass a filter that looks at numbers only."""
    process = confined()
    try:
        with pytest.raises(Died):
            run(process, "import ctypes; ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))")
        assert run(process, "result = 1") == {"result": 1}
    finally:
        process.end()


def test_processor_time_ends_with_the_limit() -> None:
    process = confined(cpu_sec=1)
    try:
        with pytest.raises(Died):
            run(process, "while True: pass")
    finally:
        process.end()


def test_a_signal_handler_does_not_outlive_the_processor_limit() -> None:
    process = confined(cpu_sec=1)
    try:
        with pytest.raises(Died):
            run(process, "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass")
    finally:
        process.end()


def test_silence_and_floods_end_the_child_and_the_next_question_gets_a_new_one() -> None:
    process = confined()
    try:
        first = run(process, "import os; result = os.getpid()")["result"]
        with pytest.raises(TooSlow):
            process.ask({"bytes": 26}, b"import time; time.sleep(9)", timeout_sec=0.5)
        with pytest.raises(TooMuch):
            run(process, f"result = 'x' * {2 * MIB}")
        with pytest.raises(Died):
            run(process, "import os; os.write(1, b'no answer\\n')")
        second = run(process, "import os; result = os.getpid()")["result"]
        assert first != second
        assert not Path(f"/proc/{first}").exists()
    finally:
        process.end()
    assert not Path(f"/proc/{second}").exists()


def test_the_worker_cannot_be_looked_into_even_by_its_own_user(taken_over: ConfinedProcess) -> None:
    """Not dumpable: the kernel gives its entries in /proc to root."""
    run(taken_over, "result = 1")
    is_dumpable = ctypes.CDLL(None).prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0)
    assert is_dumpable == 0


def test_the_child_is_killed_as_a_group_of_its_own(taken_over: ConfinedProcess) -> None:
    run(taken_over, "result = 1")
    assert taken_over.pid is not None
    assert os.getpgid(taken_over.pid) == taken_over.pid != os.getpgid(0)


# What works for the same code outside: otherwise a refusal would prove nothing.
_WORKS_OUTSIDE = (
    "read: the worker's environment",
    "read: the worker's files",
    "read: accounts of the machine",
    "read: what lies in /tmp",
    "reach: TCP to the database",
    "reach: UDP",
    "reach: a Unix socket",
    "reach: a pair of sockets",
    "start: subprocess",
    "start: a shell",
    "write: a new file",
    "write: a file that exists",
    "write: a file in memory",
    "write: other rights",
    "write: deleting",
    "take: more files",
    "harm: asking for the worker",
)


@pytest.mark.parametrize("name", _WORKS_OUTSIDE)
def test_the_same_code_succeeds_outside(name: str, database: int, file: Path) -> None:
    names = {"parent": os.getpid(), "port": database, "file": str(file)}
    code = attacks.ALL[name].replace("/tmp/dpp-sandbox-was-here", str(file.parent / "new"))
    subprocess.run([sys.executable, "-c", f"{names=}\nexec({code!r}, names)"], check=True, timeout=20)
