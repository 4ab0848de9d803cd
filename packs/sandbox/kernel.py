"""What is asked of the Linux kernel directly, because Python has no function for it."""

import ctypes
import os
import platform
import sys
from collections.abc import Iterable
from functools import cache

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_GET_SECCOMP = 21
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38

# Numbers that are the same on every architecture.
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION_3 = 0x20080522
_CAP_KILL, _CAP_SETGID, _CAP_SETUID = 5, 6, 7
TO_GIVE_AND_END_USERS = (_CAP_KILL, _CAP_SETGID, _CAP_SETUID)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def is_linux() -> bool:
    return sys.platform == "linux"


def machine() -> str:
    return platform.machine()


def prctl(option: int, argument: int, further: int = 0) -> int:
    """Raises `OSError`."""
    unsigned = ctypes.c_ulong
    return _checked(_libc().prctl(option, unsigned(argument), unsigned(further), unsigned(0), unsigned(0)))


def syscall(number: int, *arguments: int) -> int:
    """Raises `OSError`."""
    return _checked(_libc().syscall(ctypes.c_long(number), *(ctypes.c_ulong(each) for each in arguments)))


def address(structure: ctypes.Structure | ctypes.Array[ctypes.c_char]) -> int:
    return ctypes.addressof(structure)


def hide_from_siblings() -> None:
    """Other processes of the same user can no longer read this one's memory or environment. Inherited by forks."""
    if is_linux():
        prctl(PR_SET_DUMPABLE, 0)


def drop_capabilities(*, keep: Iterable[int] = ()) -> None:
    """With CAP_SYS_PTRACE or CAP_DAC_OVERRIDE no other rule would hold. `keep` only where they are there."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    kept = sum(1 << capability for capability in keep)
    # Effective and permitted; nothing to be inherited by another program.
    sets = (ctypes.c_uint32 * 6)(kept, kept)
    syscall(_CAPSET[machine()], ctypes.addressof(header), ctypes.addressof(sets))


def _checked(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
