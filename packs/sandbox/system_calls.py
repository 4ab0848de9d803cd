"""The system-call filter: a list of what a reader may ask of the kernel; everything else is refused.

A hand-written BPF program, because the packages that make one need a C library that no wheel brings. The kernel runs
it before every call and gives it the architecture, the call's number and its arguments. Refused calls fail with EPERM,
so a library that tries something optional goes on without it. See seccomp(2).
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from enum import StrEnum

from packs.sandbox import kernel

_SECCOMP_MODE_FILTER = 2
_KILL_PROCESS = 0x80000000
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Where the kernel puts what is asked: number, architecture, instruction pointer, six arguments of 64 bits.
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

# Calls with the x32 bit reach the same kernel functions under other numbers.
_X32_BIT = 0x40000000
# Newer calls pretend not to exist, so that the C library uses the older ones, whose arguments a filter can see.
_FIRST_NEWER = 435

_CLONE_THREAD = 0x00010000
# Namespaces: of mounts, control groups, names, IPC, users, process ids, network.
_CLONE_NEW_ANYTHING = 0x7E020000
_PR_SET_NAME, _PR_SET_VMA = 15, 0x53564D41
_TCGETS, _TIOCGWINSZ, _FIOCLEX = 0x5401, 0x5413, 0x5451

# name: number on x86_64, number on aarch64 (-1: not there). Often used ones first.
_ALLOWED = {
    "read": (0, 63),
    "write": (1, 64),
    "futex": (202, 98),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    "mremap": (25, 216),
    "close": (3, 57),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "stat": (4, -1),
    "lstat": (6, -1),
    "statx": (332, 291),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "fadvise64": (221, 223),
    "getdents64": (217, 61),
    "readlink": (89, -1),
    "readlinkat": (267, 78),
    "getcwd": (79, 17),
    "access": (21, -1),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fcntl": (72, 25),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "dup": (32, 23),
    "poll": (7, -1),
    "ppoll": (271, 73),
    "select": (23, -1),
    "pselect6": (270, 72),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, -1),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "sysinfo": (99, 179),
    "uname": (63, 160),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getpgrp": (111, -1),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "getcpu": (309, 168),
    "get_mempolicy": (239, 236),
    "mincore": (27, 232),
    "membarrier": (324, 283),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "arch_prctl": (158, -1),
    "restart_syscall": (219, 128),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
# What a template needs beside it: to fork, confine and end readers, and to hear the worker on a socket it already has.
_ALLOWED_TO_TEMPLATE = {
    "recvmsg": (47, 212),
    "sendto": (44, 206),
    "wait4": (61, 260),
    "setsid": (112, 157),
    "dup2": (33, -1),
    "dup3": (292, 24),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "setrlimit": (160, 164),
    "capset": (126, 91),
    "setgroups": (116, 159),
    "setresgid": (119, 149),
    "setresuid": (117, 147),
    "landlock_restrict_self": (446, 446),
}
_OPEN, _OPENAT = (2, -1), (257, 56)
_CLONE, _PRCTL, _PRLIMIT64, _IOCTL = (56, 220), (157, 167), (302, 261), (16, 29)
_KILL, _TGKILL = (62, 129), (234, 131)

# Opened for reading and nothing else.
_OPEN_FLAGS_REFUSED = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC


class Caller(StrEnum):
    TEMPLATE = "template"
    READER = "reader"


def install(caller: Caller) -> None:
    """For this process, its threads and forks, for good; of two filters the stricter answer counts. Raises `OSError`
    where the kernel has no filters."""
    program = assembled(_position(), os.getpid(), caller)
    instructions = ctypes.create_string_buffer(program, len(program))
    header = _ProgramHeader(len(program) // 8, ctypes.addressof(instructions))
    kernel.prctl(kernel.PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, kernel.address(header))


def is_available() -> bool:
    if not kernel.is_linux() or kernel.machine() not in _ARCHITECTURES:
        return False
    try:
        kernel.prctl(kernel.PR_GET_SECCOMP, 0)
    except OSError:
        return False
    return True


def assembled(position: int, pid: int, caller: Caller = Caller.READER) -> bytes:
    """The program for one process. `position` says which column of the numbers holds."""
    architecture = tuple(_ARCHITECTURES.values())[position]
    program = [
        *(_at(_ARCHITECTURE_AT), _jump(_JUMP_EQUAL, architecture, 1, 0), _return(_KILL_PROCESS)),
        *(_at(_NUMBER_AT), _jump(_JUMP_AT_LEAST, _X32_BIT, 0, 1), _return(_KILL_PROCESS)),
    ]
    for numbers in _ALLOWED.values():
        program += _for(numbers[position], [_return(_ALLOW)])
    for numbers, flags_argument in ((_OPENAT, 2), (_OPEN, 1)):
        program += _for(numbers[position], _unless_any_bit(flags_argument, _OPEN_FLAGS_REFUSED))
    if caller is Caller.TEMPLATE:
        for numbers in _ALLOWED_TO_TEMPLATE.values():
            program += _for(numbers[position], [_return(_ALLOW)])
        program += _for(_CLONE[position], _unless_any_bit(0, _CLONE_NEW_ANYTHING))
    # A thread is part of this process; a process without the flag would be a new one.
    program += _for(_CLONE[position], _if_any_bit(0, _CLONE_THREAD))
    program += _for(_PRCTL[position], _if_one_of(0, (_PR_SET_NAME, _PR_SET_VMA)))
    program += _for(_IOCTL[position], _if_one_of(1, (_TCGETS, _TIOCGWINSZ, _FIOCLEX)))
    # Only itself: `abort` needs it.
    program += _for(_KILL[position], _if_one_of(0, (pid,)))
    program += _for(_TGKILL[position], _if_one_of(0, (pid,)))
    program += _for(_PRLIMIT64[position], _if_no_new_limit())
    program += [
        _jump(_JUMP_AT_LEAST, _FIRST_NEWER, 0, 1),
        _return(_ERRNO | errno.ENOSYS),
        _return(_ERRNO | errno.EPERM),
    ]
    return b"".join(program)


class _ProgramHeader(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def _position() -> int:
    return list(_ARCHITECTURES).index(kernel.machine())


def _for(number: int, body: list[bytes]) -> list[bytes]:
    """The body ends with a return; another number jumps over it, still in the accumulator."""
    return [_jump(_JUMP_EQUAL, number, 0, len(body)), *body] if number >= 0 else []


def _if_any_bit(argument: int, bits: int) -> list[bytes]:
    return [_low(argument), _jump(_JUMP_ANY_BIT, bits, 0, 1), _return(_ALLOW), _return(_ERRNO | errno.EPERM)]


def _unless_any_bit(argument: int, bits: int) -> list[bytes]:
    return [_low(argument), _jump(_JUMP_ANY_BIT, bits, 1, 0), _return(_ALLOW), _return(_ERRNO | errno.EPERM)]


def _if_one_of(argument: int, values: Iterable[int]) -> list[bytes]:
    """The kernel reads these arguments as 32 bits too, so the upper half does not matter."""
    tests = [part for value in values for part in (_jump(_JUMP_EQUAL, value, 0, 1), _return(_ALLOW))]
    return [_low(argument), *tests, _return(_ERRNO | errno.EPERM)]


def _if_no_new_limit() -> list[bytes]:
    """`prlimit64(pid, resource, NULL, old)` asks; with a third argument it sets."""
    return [
        *(_low(2), _jump(_JUMP_EQUAL, 0, 1, 0), _return(_ERRNO | errno.EPERM)),
        *(_high(2), _jump(_JUMP_EQUAL, 0, 1, 0), _return(_ERRNO | errno.EPERM), _return(_ALLOW)),
    ]


def _at(offset: int) -> bytes:
    return struct.pack("HBBI", _LOAD, 0, 0, offset)


def _low(argument: int) -> bytes:
    return _at(_ARGUMENTS_AT + 8 * argument)


def _high(argument: int) -> bytes:
    return _at(_ARGUMENTS_AT + 8 * argument + 4)


def _jump(test: int, value: int, then: int, otherwise: int) -> bytes:
    """How many instructions to go over."""
    return struct.pack("HBBI", test, then, otherwise, value)


def _return(action: int) -> bytes:
    return struct.pack("HBBI", _RETURN, 0, 0, action)
