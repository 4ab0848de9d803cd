"""`make up`: from nothing, or from whatever is there, to a running stack and one run that was paid for."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

from devstack.client import Unreachable, request
from devstack.demo import Demo, DemoFailed
from devstack.down import alone, stop_running
from devstack.environment import read_environment, write_environment
from devstack.files import last_lines, write_private
from devstack.identity import MARK, mark
from devstack.layout import Layout
from devstack.management import Command, CommandFailed
from devstack.plan import ADMIN_USER, check_external
from devstack.prerequisites import check_directory, check_machine
from devstack.processes import PROCESSES
from devstack.state import Phase, State, Status, UnitState, read_state
from devstack.supervisor import TASKS, shorten
from devstack.terminal import Terminal

START_SEC = 120
READY_SEC = 60
BUDGET = "5.0000"


class UpFailed(Exception):
    """`log` is the name of the log that explains it."""

    def __init__(self, message: str, *, log: str = "") -> None:
        super().__init__(message)
        self.log = log


def up(layout: Layout, terminal: Terminal) -> int:
    check_machine()
    check_directory(layout.home)
    layout.make()
    with alone(layout):
        check_external(os.environ, layout)
        # Always from a standstill: one way to start, and the code that runs is the code that is there.
        stop_running(layout, terminal)
        terminal.heading("Starting the stack in .dpp/")
        try:
            values = _start(layout, terminal)
        except (UpFailed, CommandFailed, KeyboardInterrupt) as error:
            _report(error, layout, terminal)
            stop_running(layout, terminal)
            return 130 if isinstance(error, KeyboardInterrupt) else 1
        try:
            terminal.heading("One decision run")
            Demo(terminal, api_url=values["DPP_API_URL"], api_key=values["DPP_API_KEY"]).run()
        except DemoFailed as error:
            _report(UpFailed(str(error), log="worker"), layout, terminal)
            terminal.line("    The stack goes on running: see `make status` and `make logs`.")
            return 1
    _show_ways_on(values, terminal)
    return 0


def _start(layout: Layout, terminal: Terminal) -> dict[str, str]:
    follow = _Follow(layout, terminal, _start_supervisor(layout))
    follow.until(lambda state: all(unit.status == Status.DONE for unit in state.units if unit.name in TASKS))
    values = read_environment(layout.env)
    # The administrator and the demo tenant are made while the application's processes are starting.
    write_private(layout.admin_password, values["DPP_ADMIN_PASSWORD"] + "\n")
    password = ("--password-file", str(layout.admin_password))
    admin = Command(layout, values, "ensure_admin", "--username", ADMIN_USER, *password, "--skip-checks")
    seed = _seed(layout, values, issue_key="DPP_API_KEY" not in values)
    follow.until(lambda state: state.phase == Phase.RUNNING)
    seeded = seed.json()
    admin.result()
    _keep_key(layout, values, seeded.get("api_key"))
    _wait_for_readyz(values["DPP_API_URL"], terminal)
    if not _key_works(values):
        # The remembered key is of another database: of another server, or of data that has been removed.
        seeded = _seed(layout, values, issue_key=True).json()
        _keep_key(layout, values, seeded.get("api_key"))
    terminal.done("Demo tenant", f"balance {seeded['balance_usd']} USD")
    return values


def _start_supervisor(layout: Layout) -> "subprocess.Popen[bytes]":
    for log in layout.logs.glob("*.log"):
        shorten(log)
    layout.state.unlink(missing_ok=True)
    with layout.log("supervisor").open("ab") as log_file:
        return subprocess.Popen(
            [sys.executable, "-m", "devstack", "supervise"],
            cwd=layout.clone,
            env={**os.environ, MARK: mark(layout.home, "supervisor"), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
            start_new_session=True,  # it outlives this command and the terminal
        )


def _seed(layout: Layout, values: dict[str, str], *, issue_key: bool) -> Command:
    key = () if issue_key else ("--no-key",)
    return Command(layout, values, "seed_tenant", "demo", "--budget", BUDGET, *key, "--json", "--skip-checks")


def _keep_key(layout: Layout, values: dict[str, str], key: object) -> None:
    if key:
        values["DPP_API_KEY"] = str(key)
        write_environment(layout.env, values)


def _wait_for_readyz(api_url: str, terminal: Terminal) -> None:
    started = time.monotonic()
    seen = ""
    while time.monotonic() - started < READY_SEC:
        try:
            answer = request("GET", f"{api_url}/readyz", timeout_sec=5)
        except Unreachable as error:
            seen = str(error)
        else:
            if answer.status == 200:
                terminal.done("Ready", f"{api_url}/readyz", seconds=time.monotonic() - started)
                return
            seen = f"{answer.status} {answer.body[:300].decode(errors='replace')}"
        terminal.progress("Waiting for /readyz", seen)
        time.sleep(0.2)
    raise UpFailed(f"{api_url}/readyz did not answer 200 within {READY_SEC} s: {seen}", log="api")


def _key_works(values: dict[str, str]) -> bool:
    headers = {"Authorization": f"Bearer {values.get('DPP_API_KEY', '')}"}
    try:
        return request("GET", f"{values['DPP_API_URL']}/v1/budget", headers=headers).status != 401
    except Unreachable as error:
        raise UpFailed(str(error), log="api") from error


def _show_ways_on(values: dict[str, str], terminal: Terminal) -> None:
    terminal.heading("The stack is running")
    terminal.fact("API", terminal.style(values["DPP_API_URL"], "cyan"))
    admin = terminal.style(values["DPP_ADMIN_URL"], "cyan")
    terminal.fact("Admin", f"{admin}  user {ADMIN_USER}, password in .dpp/admin-password")
    for process in PROCESSES:
        if process.hint and process.url_variable:
            url = terminal.style(values[process.url_variable], "cyan")
            terminal.fact(process.title, f"{url}  {process.hint}")
    terminal.fact("Commands", ". .dpp/env && .venv/bin/python manage.py help")
    budget = 'curl -s -H "Authorization: Bearer $DPP_API_KEY" $DPP_API_URL/v1/budget'
    terminal.fact("Try", f". .dpp/env && {budget}")
    terminal.fact("Also", "make status, make logs, make down")


def _report(error: BaseException, layout: Layout, terminal: Terminal) -> None:
    terminal.failed("Interrupted" if isinstance(error, KeyboardInterrupt) else "Failed", str(error))
    log = error.log if isinstance(error, UpFailed) else ""
    if log and (lines := last_lines(layout.log(log), 15)):
        terminal.line(f"    The last lines of .dpp/log/{log}.log:")
        terminal.quoted(lines)


class _Follow:
    """Shows what the supervisor does, unit by unit, until something is reached."""

    def __init__(self, layout: Layout, terminal: Terminal, supervisor: "subprocess.Popen[bytes]") -> None:
        self._layout = layout
        self._terminal = terminal
        self._supervisor = supervisor
        self._shown: set[str] = set()
        self._started = time.monotonic()

    def until(self, reached: Callable[[State], bool]) -> None:
        while True:
            ended = self._supervisor.poll() is not None
            state = read_state(self._layout.state)
            if state:
                self._show(state)
                if state.error:
                    raise UpFailed(state.error, log=state.failed_unit)
                if state.units and reached(state):
                    return
            if ended:
                raise UpFailed("the supervisor has ended", log="supervisor")
            if time.monotonic() - self._started > START_SEC:
                unit = next(iter(_unfinished(state)), None)
                name = unit.name if unit else "supervisor"
                raise UpFailed(f"{name} is not ready after {START_SEC} s", log=name)
            time.sleep(0.05)

    def _show(self, state: State) -> None:
        for unit in state.units:
            if unit.name in self._shown or unit.status not in (Status.READY, Status.DONE, Status.EXTERNAL):
                continue
            self._shown.add(unit.name)
            if unit.status == Status.EXTERNAL:
                self._terminal.done(unit.title, f"{unit.address}, given from outside")
            else:
                self._terminal.done(unit.title, unit.address, seconds=unit.took_sec)
        unfinished = _unfinished(state)
        if unfinished:
            notes = " ".join(unit.note for unit in unfinished if unit.note)
            titles = ", ".join(unit.title for unit in unfinished)
            self._terminal.progress(titles, f"{notes} {time.monotonic() - self._started:.1f} s")


def _unfinished(state: State | None) -> list[UnitState]:
    units = state.units if state else []
    return [unit for unit in units if unit.status in (Status.STARTING, Status.DOWN)]
