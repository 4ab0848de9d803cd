"""A template is confined, is given nothing to read, and each of its readers begins as the first one did."""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packs.ocr.process import _LIMITS as OCR_LIMITS
from packs.sandbox import templates
from packs.sandbox.confinement import Limits
from packs.sandbox.process import ConfinedProcess, Died, SandboxError
from packs.sandbox.templates import Kind, Template
from packs.url.reader import LIMITS as URL_LIMITS

ROOT = Path(__file__).resolve().parents[3]
MIB = 1_048_576
_HOSTILE = Kind("tests.packs.sandbox.hostile_reader", Limits(memory_bytes=256 * MIB, cpu_sec=20), (ROOT / "tests",))


def reader() -> ConfinedProcess:
    return ConfinedProcess(
        _HOSTILE.serve, _HOSTILE.limits, start_timeout_sec=20, max_answer_bytes=MIB, readable=_HOSTILE.readable
    )


def run(process: ConfinedProcess, code: str) -> Any:
    return process.ask({"bytes": len(code.encode())}, code.encode(), timeout_sec=10)["result"]


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def is_gone(pid: int) -> bool:
    """Within a moment: the kernel tells a parent's death to its children."""
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or status(pid)["State"].startswith("Z"):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def own_template() -> Iterator[Template]:
    """A new one, so that what happens to it happens to no other test."""
    templates._templates.pop(_HOSTILE, None)
    yield templates._templates.setdefault(_HOSTILE, Template(_HOSTILE))
    templates._templates.pop(_HOSTILE, None)


@pytest.mark.parametrize(
    "kind",
    [Kind("packs.url.reader_child", URL_LIMITS, loads_first=True), Kind("packs.ocr.child", OCR_LIMITS)],
    ids=lambda kind: kind.serve,
)
def test_a_template_is_confined_before_it_forks_and_has_no_second_thread(kind: Kind) -> None:
    """A thread would be missing in its forks, with whatever lock it held."""
    process = ConfinedProcess(
        kind.serve, kind.limits, start_timeout_sec=60, max_answer_bytes=MIB, loads_first=kind.loads_first
    )
    try:
        process.launch()
        process._wait_until_ready(60)
        found = status(templates._templates[kind].pid)
    finally:
        process.end()
    assert (found["Threads"], found["NoNewPrivs"], found["Seccomp"]) == ("1", "1", "2")
    # With a user to give away, it keeps the three rights that this and ending it need.
    assert int(found["CapEff"], 16) in (0, 0b1110_0000)
    assert int(found["VmPeak"].split()[0]) * 1_024 <= kind.limits.memory_bytes


def test_a_template_cannot_reach_out_write_or_start_a_program() -> None:
    """Everything a reader is refused except to fork, before it has loaded a library."""
    code = (
        "import os, socket, subprocess, sys; from packs.sandbox.confinement import Confinement, Limits\n"
        "def tried(action):\n"
        "    try: action()\n"
        "    except Exception as error: return type(error).__name__\n"
        "    return 'done'\n"
        f"Confinement(Limits(memory_bytes={256 * MIB}, cpu_sec=20)).of_template()\n"
        "def fork():\n"
        "    if (pid := os.fork()) == 0: os._exit(0)\n"
        "    os.waitpid(pid, 0)\n"
        "sys.stdout.write(' '.join(tried(each) for each in (\n"
        "    fork, socket.socket, socket.socketpair, lambda: os.execv('/bin/true', ['true']),\n"
        "    lambda: open('/tmp/dpp-template', 'w'), lambda: open('/etc/passwd'), lambda: os.chmod('/tmp', 0o777),\n"
        "    lambda: os.kill(os.getppid(), 0))))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    done, *refused = told.stdout.split()
    assert done == "done"
    assert set(refused) == {"PermissionError"}


def test_a_reader_begins_as_the_first_one_did(own_template: Template) -> None:
    """What a page made of one reader is not there for the next one."""
    first = reader()
    pid = run(
        first,
        "import builtins, json; builtins.seen = 'a secret'; json.loads = None; result = __import__('os').getpid()",
    )
    first.end()
    second = reader()
    try:
        look = "import builtins, json, os; result = [hasattr(builtins, 'seen'), json.loads is None, os.getpid()]"
        was_seen, is_broken, other = run(second, look)
    finally:
        second.end()
    assert (was_seen, is_broken) == (False, False)
    assert pid != other
    assert not Path(f"/proc/{pid}").exists()


def test_a_template_is_given_up_after_its_readers(own_template: Template, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its readers lie at the same addresses: who learnt them from one page may use them on few others."""
    monkeypatch.setattr(templates, "MOST_READERS", 2)
    old, processes = own_template.pid, [reader() for _ in range(3)]
    del own_template
    try:
        parents = [run(process, "import os; result = os.getppid()") for process in processes]
        assert parents[:2] == [old, old]
        assert parents[2] != old
        # Those that still read are not disturbed.
        assert run(processes[0], "result = 1") == 1
    finally:
        for process in processes:
            process.end()


def test_a_used_up_template_ends_with_its_last_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MOST_READERS", 1)
    templates._templates.pop(_HOSTILE, None)
    first, second = reader(), reader()
    old = run(first, "import os; result = os.getppid()")
    assert run(second, "import os; result = os.getppid()") != old
    first.end()
    assert not Path(f"/proc/{old}").exists()
    second.end()


def test_a_template_that_died_costs_what_it_read_and_is_replaced(
    own_template: Template, caplog: pytest.LogCaptureFixture
) -> None:
    process = reader()
    try:
        child = run(process, "import os; result = os.getpid()")
        os.kill(own_template.pid, 9)
        with pytest.raises(Died), caplog.at_level(logging.WARNING, "dpp.sandbox"):
            for _ in range(100):
                run(process, "import time; time.sleep(0.05); result = 1")
        assert is_gone(child)
        assert run(process, "import os; result = os.getppid()") != own_template.pid
        assert [record.message for record in caplog.records] == ["reader_template_lost"]
    finally:
        process.end()


def test_a_template_that_hangs_is_ended_with_its_readers(
    own_template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_template._control.settimeout(0.5)
    process = reader()
    child = run(process, "import os; result = os.getpid()")
    os.kill(own_template.pid, 19)
    process.end()
    assert is_gone(child)
    assert is_gone(own_template.pid)


def test_a_fork_of_the_worker_leaves_its_templates_alone(own_template: Template) -> None:
    """A worker's children are forks: each starts templates of its own."""
    process = reader()
    try:
        before = run(process, "import os; result = os.getpid()")
        pid = os.fork()
        if pid == 0:
            os._exit(len(templates._templates))
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert run(process, "import os; result = os.getpid()") == before
    finally:
        process.end()


def test_a_template_ends_with_its_worker() -> None:
    code = (
        "import os, time; from packs.sandbox import templates; from packs.url.reader import ReaderProcess\n"
        "reader = ReaderProcess().__enter__(); reader.read(b'x' * 100, 'text/plain', time_left_sec=60)\n"
        "print(*(each.pid for each in templates._templates.values()), reader._process.pid, flush=True); time.sleep(60)"
    )
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert worker.stdout is not None
    template, child = map(int, worker.stdout.readline().split())
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert is_gone(template)
    assert is_gone(child)


def test_readers_have_the_memory_that_they_are_allowed() -> None:
    """A library that reserves whatever address space there is would leave none to its forks."""
    process = ConfinedProcess(
        "packs.url.reader_child", URL_LIMITS, start_timeout_sec=60, max_answer_bytes=8 * MIB, loads_first=True
    )
    try:
        body = b"word " * (20 * MIB)
        answer = process.ask(
            {"bytes": len(body), "content_type": "text/plain", "markdown": False}, body, timeout_sec=60
        )
    finally:
        process.end()
    assert answer["cut"] is True


def test_a_reader_is_ended_while_it_still_loads_its_libraries() -> None:
    """A run that is cancelled does not wait for them."""
    process = ConfinedProcess(
        "tests.packs.sandbox.slow_to_load",
        URL_LIMITS,
        start_timeout_sec=60,
        max_answer_bytes=MIB,
        readable=(ROOT / "tests",),
    )
    closer = threading.Timer(0.5, process.close)
    closer.start()
    began = time.monotonic()
    with pytest.raises(SandboxError):
        process.ask({}, timeout_sec=60)
    assert time.monotonic() - began < 20
    process.end()
