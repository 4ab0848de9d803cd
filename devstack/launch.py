"""Becomes another program, after tying its life to that of the process that started it.

Run as a script (`python -I -S launch.py ORDER program arguments…`) between fork and exec, where the
starting process must not run code of its own: it may have threads. ORDER is JSON: see `Order` in
programs.py, its only author.
"""

import ctypes
import json
import os
import signal
import struct
import sys
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
PR_SET_KEEPCAPS = 8
PR_SET_SECUREBITS = 28
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
SECBIT_NO_SETUID_FIXUP = 1 << 2
CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> NoReturn:
    order = json.loads(sys.argv[1])
    program = sys.argv[2:]
    if order["keep_group"]:
        _keep(program, order["parent"], order["cwd"])
    if order["uid"] is not None:
        _become(order["uid"], order["gid"], order["capabilities"])
    # After the change of user, which clears this setting.
    _die_with_parent(order["parent"], signal.SIGKILL)
    _execute(program, order["cwd"])


def _die_with_parent(parent: int, with_signal: int) -> None:
    _prctl(PR_SET_PDEATHSIG, with_signal)
    # The parent may have died before the line above took effect; then nobody would ever tell us.
    if os.getppid() != parent:
        sys.exit(f"launch: process {parent}, which started this one, is gone")


def _become(uid: int, gid: int, capabilities: list[int]) -> None:
    """Drop root for good, keeping only `capabilities` (numbers of linux/capability.h) across the exec."""
    if capabilities:
        _prctl(PR_SET_KEEPCAPS, 1)
        # Without this bit access(2) judges a non-root caller without its capabilities, and PostgreSQL asks
        # access(2) whether its own binary may be executed.
        _prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP | 1 << 4)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if capabilities:
        mask = sum(1 << number for number in capabilities)
        header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
        # effective, permitted, inheritable; first the lower, then the upper 32 capabilities
        _check(_libc.capset(header, struct.pack("=6I", mask, mask, mask, 0, 0, 0)))
        for number in capabilities:
            _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number)


def _keep(program: list[str], parent: int, cwd: str) -> NoReturn:
    """Stay as the head of the process group, for programs whose helpers would outlive them and hold the port.

    Whatever ends first, the parent or the program, the whole group goes with it.
    """

    def end_group(*_: Any) -> None:
        os.killpg(0, signal.SIGKILL)

    signal.signal(signal.SIGUSR2, end_group)
    _die_with_parent(parent, signal.SIGUSR2)
    keeper = os.getpid()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGUSR2, signal.SIG_DFL)
        _die_with_parent(keeper, signal.SIGKILL)
        _execute(program, cwd)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, lambda received, _: os.kill(child, received))
    _, status = os.waitpid(child, 0)
    # The starter sees this process end and kills what is left of the group, so the exit status is not lost.
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _execute(program: list[str], cwd: str) -> NoReturn:
    try:
        os.chdir(cwd)
        os.execv(program[0], program)  # noqa: S606
    except OSError as error:
        print(f"launch: {program[0]} in {cwd}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(126 if isinstance(error, PermissionError) else 127)


def _prctl(option: int, *arguments: int) -> None:
    padded = (*arguments, *(0,) * (4 - len(arguments)))
    _check(_libc.prctl(option, *(ctypes.c_ulong(argument) for argument in padded)))


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
