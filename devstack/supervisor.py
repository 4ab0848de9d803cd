"""Starts everything, keeps it alive, stops it in order. One process, one thread, one loop.

Every child dies with it, even if it is killed with -9; `make up` then starts afresh.
"""

import contextlib
import os
import select
import shutil
import signal
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from devstack.environment import write_environment
from devstack.identity import Identity
from devstack.layout import Busy, Layout
from devstack.management import manage_argv, process_environment
from devstack.ministack import MiniStack
from devstack.plan import Plan, address, make_plan
from devstack.postgres import Postgres
from devstack.processes import PROCESSES, Process
from devstack.programs import Order, Program
from devstack.service import Service
from devstack.state import Phase, State, Status, UnitState, write_state
from devstack.units import Task, Unit, pause_sec, say

TICK_SEC = 0.2
# Until everything has been ready once, a process that keeps ending is an error to report, not to sit out.
ATTEMPTS_AT_START = 3
# Management commands that are run at the start, by name: arguments and what people are told. The first makes all
# checks of the application; making them again for each command would take a second every time.
TASKS = {
    "migrate": (("setup_database",), "Migrations"),
    "bootstrap": (("bootstrap_storage", "--skip-checks"), "Bucket and queues"),
}
LOG_BYTES = 32 * 1_048_576
LOG_LOOK_SEC = 60.0


class StartFailed(Exception):
    def __init__(self, unit: str, message: str) -> None:
        super().__init__(message)
        self.unit = unit


class StopAsked(Exception):
    """SIGTERM came while we were still starting."""


class Supervisor:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.state = State(phase=Phase.STARTING, supervisor=Identity.of(os.getpid()))
        self._written: State | None = None
        self._units: list[Unit] = []
        self._stop_asked = False
        self._wake, self._wake_writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._tasks: dict[str, Task] = {}
        self._bootstrap_due = False
        self._bootstrap_failures = 0
        self._bootstrap_at = 0.0
        self._logs_looked_at = time.monotonic()

    def run(self) -> int:
        try:
            with self.layout.lock("supervisor"):
                return self._run()
        except Busy:
            say("another supervisor is running")
            return 1

    def _run(self) -> int:
        self._listen_for_signals()
        try:
            self._start()
            self._enter(Phase.RUNNING)
            while not self._stop_asked:
                self._tick()
                self._sleep()
        except StopAsked:
            pass
        except Exception as error:
            self.state.error = str(error) or repr(error)
            self.state.failed_unit = error.unit if isinstance(error, StartFailed) else "supervisor"
            say(f"cannot start: {self.state.error}")
        failed = bool(self.state.error)
        self._enter(Phase.STOPPING)
        self._stop()
        self._enter(Phase.FAILED if failed else Phase.STOPPED)
        return int(failed)

    # --- starting -----------------------------------------------------------------------------------------

    def _start(self) -> None:
        plan = make_plan(self.layout)
        # Counters of processes that are gone would be added to those of today.
        shutil.rmtree(self.layout.metrics, ignore_errors=True)
        self.layout.metrics.mkdir()
        write_environment(self.layout.env, {**plan.environment, **plan.owner_environment})
        services = [self._service_unit(service) for service in plan.embedded]
        processes = [self._process_unit(process, plan) for process in PROCESSES]
        self._tasks = {name: self._task(name, plan) for name in TASKS}
        external = [
            UnitState(kind.name, kind.title, Status.EXTERNAL, address=":".join(map(str, address(url))))
            for kind, url in plan.external.items()
        ]
        self.state.units = [
            *external,
            *(unit.state for unit in services),
            *(task.state for task in self._tasks.values()),
            *(unit.state for unit in processes),
        ]
        self._begin_all(services)
        for task in self._tasks.values():
            task.begin()
        for task in self._tasks.values():
            self._finish(task)
        self._begin_all(processes)

    def _begin_all(self, units: Sequence[Unit]) -> None:
        # PostgreSQL last: preparing its cluster takes a moment in which the others get going.
        for unit in sorted(units, key=lambda unit: unit.state.name == Postgres.name):
            try:
                unit.begin()
            except Exception as error:
                raise StartFailed(unit.state.name, str(error)) from error
            self._units.append(unit)
            self._publish()
        while any(unit.state.status != Status.READY for unit in units):
            self._tick()
            for unit in units:
                if unit.state.restarts >= ATTEMPTS_AT_START:
                    raise StartFailed(unit.state.name, f"{unit.state.title} {unit.state.note}, time and again")
            self._sleep(0.05)
            self._give_up_if_asked()

    def _finish(self, task: Task) -> None:
        while not task.tick():
            self._tick()
            self._sleep(0.05)
            self._give_up_if_asked()
        if task.code != 0:
            raise StartFailed(task.state.name, f"{task.state.title}: the command ended with code {task.code}")
        self._publish()

    def _give_up_if_asked(self) -> None:
        if self._stop_asked:
            raise StopAsked

    def _service_unit(self, service: Service) -> Unit:
        return Unit(
            state=UnitState(service.name, service.title, address=f"127.0.0.1:{service.port}"),
            program=service.program,
            start=service.start,
            check=service.check,
            stop_signal=service.stop_signal,
            on_ready=self._storage_is_ready if isinstance(service, MiniStack) else None,
        )

    def _process_unit(self, process: Process, plan: Plan) -> Unit:
        port = plan.process_ports.get(process.name)
        program = Program(process.name, home=self.layout.home, log=self.layout.log(process.name))
        order = Order(
            argv=process.argv(port=port, run=str(self.layout.run)),
            cwd=self.layout.clone,
            env=process_environment(plan.environment),
            keep_group=process.keep_group,
        )
        health = f"http://127.0.0.1:{port}{process.health_path}"
        return Unit(
            state=UnitState(process.name, process.title, address=f"127.0.0.1:{port}" if port else ""),
            program=program,
            start=lambda: program.start(order),
            check=(lambda: _get(health)) if port else None,
            grace_sec=process.grace_sec,
        )

    def _task(self, name: str, plan: Plan) -> Task:
        command, title = TASKS[name]
        program = Program(name, home=self.layout.home, log=self.layout.log(name))
        order = Order(
            argv=manage_argv(*command),
            cwd=self.layout.clone,
            env=process_environment({**plan.environment, **plan.owner_environment}),
        )
        return Task(UnitState(name, title), program, order)

    # --- keeping alive ------------------------------------------------------------------------------------

    def _tick(self) -> None:
        for unit in self._units:
            unit.tick()
        self._bootstrap_if_due()
        self._publish()
        if time.monotonic() - self._logs_looked_at > LOG_LOOK_SEC:
            self._logs_looked_at = time.monotonic()
            for log in self.layout.logs.glob("*.log"):
                shorten(log)

    def _storage_is_ready(self) -> None:
        """The start goes on to bootstrap anyway; later this means that the queues may be gone."""
        self._bootstrap_due = self.state.phase == Phase.RUNNING

    def _bootstrap_if_due(self) -> None:
        if not self._bootstrap_due or time.monotonic() < self._bootstrap_at:
            return
        task = self._tasks["bootstrap"]
        if task.state.status != Status.STARTING:
            task.begin()
        elif task.tick():
            self._bootstrap_due = task.code != 0
            self._bootstrap_failures = self._bootstrap_failures + 1 if self._bootstrap_due else 0
            self._bootstrap_at = time.monotonic() + pause_sec(self._bootstrap_failures)

    # --- stopping -----------------------------------------------------------------------------------------

    def _stop(self) -> None:
        """The application first, then what it works on; PostgreSQL last. Each group at once."""
        for task in self._tasks.values():
            task.program.kill()
        processes = {process.name for process in PROCESSES}
        application = [unit for unit in self._units if unit.state.name in processes]
        database = [unit for unit in self._units if unit.state.name == Postgres.name]
        others = [unit for unit in self._units if unit not in application and unit not in database]
        for group in (list(reversed(application)), others, database):
            for unit in group:
                unit.program.ask_to_stop(unit.stop_signal)
            deadline = time.monotonic() + max((unit.grace_sec for unit in group), default=0)
            for unit in group:
                if unit.program.wait(max(0.0, deadline - time.monotonic())) is None:
                    say(f"{unit.state.name} did not stop in time and is killed")
                    unit.program.kill()
                unit.state.status, unit.state.pid = Status.STOPPED, None
                self._publish()

    # --- the rest -----------------------------------------------------------------------------------------

    def _listen_for_signals(self) -> None:
        def note(number: int, _: Any) -> None:
            if number != signal.SIGCHLD:
                self._stop_asked = True

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, note)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the terminal that said `make up` may close
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)

    def _sleep(self, seconds: float = TICK_SEC) -> None:
        """Until the time has passed, or a signal came: a child that ended is looked after at once."""
        select.select([self._wake], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)

    def _enter(self, phase: Phase) -> None:
        self.state.phase = phase
        say(phase)
        self._publish()

    def _publish(self) -> None:
        if self.state != self._written:
            write_state(self.layout.state, self.state)
            self._written = replace(self.state, units=[replace(unit) for unit in self.state.units])


def shorten(log: Path, *, most: int = LOG_BYTES) -> None:
    """Move a long log to `.log.1` under its writer, which appends and so goes on at the new end."""
    if log.stat().st_size > most:
        shutil.copyfile(log, log.with_suffix(".log.1"))
        os.truncate(log, 0)


def _get(url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=2):
        pass
