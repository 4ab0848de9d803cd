"""Limits a reading process sets on itself before it looks at anything."""

import ctypes
import os
import resource
import signal

from packs.ocr.bounds import CHILD_CPU_SEC, CHILD_MEMORY_BYTES, CHILD_OPEN_FILES

_PR_SET_PDEATHSIG = 1


def confine(parent: int) -> None:
    """Memory, processor time, open files, no file written, no core; and gone with the worker that started it."""
    _limit(resource.RLIMIT_AS, CHILD_MEMORY_BYTES)
    _limit(resource.RLIMIT_CPU, CHILD_CPU_SEC)
    _limit(resource.RLIMIT_NOFILE, CHILD_OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _die_with(parent)


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    # The hard limit too: nothing inside may raise it again.
    resource.setrlimit(kind, (allowed, allowed))


def _die_with(parent: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit("The worker is gone already.")
