"""Landlock: the kernel lets this process read a few folders and write, connect or signal nowhere. See landlock(7)."""

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from packs.sandbox import kernel

_VERSION_QUESTION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
# Everything about files that a version of Landlock can forbid: the lowest bits, more of them with each version.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_CONNECT_AND_BIND_TCP = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """0 where the kernel has none."""
    if not kernel.is_linux():
        return 0
    try:
        return kernel.syscall(kernel.LANDLOCK_CREATE_RULESET, 0, 0, _VERSION_QUESTION)
    except OSError:
        return 0


def ruleset(*, readable: Iterable[Path], listable: Iterable[Path]) -> int:
    """A descriptor of these rules: files under `readable` can be read, folders under `listable` be listed."""
    has = version()
    rules = _Ruleset(
        files=(1 << _FILE_RIGHTS[min(has, 5)]) - 1,
        network=_CONNECT_AND_BIND_TCP if has >= 4 else 0,
        scoped=_ABSTRACT_SOCKETS_AND_SIGNALS if has >= 6 else 0,
    )
    # An older kernel knows fewer fields.
    size = 24 if has >= 6 else 16 if has >= 4 else 8
    made = kernel.syscall(kernel.LANDLOCK_CREATE_RULESET, kernel.address(rules), size, 0)
    try:
        for path in readable:
            _allow(made, path, READ_FILE | READ_DIR if path.is_dir() else READ_FILE)
        for path in listable:
            _allow(made, path, READ_DIR)
    except BaseException:
        os.close(made)
        raise
    return made


def restrict(ruleset: int) -> None:
    """For this process and all it forks, for good. Done again in a fork, it also parts that from its parent."""
    kernel.syscall(kernel.LANDLOCK_RESTRICT_SELF, ruleset, 0)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        # Not every machine has every folder.
        return
    try:
        rule = _PathBeneath(allowed=rights, parent=folder)
        kernel.syscall(kernel.LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, kernel.address(rule), 0)
    finally:
        os.close(folder)
