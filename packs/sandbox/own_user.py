"""A user of its own for each child, where the worker may give one away: it runs as root, as in many containers."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

# Users nobody logs in as and no package creates: the range that systemd uses for the same purpose. It fits into the
# 65,536 users of a container.
_FIRST, _COUNT = 61_184, 4_336


def is_possible(needed: Iterable[Path]) -> bool:
    """Only root may; and what the child has to read must be readable by everybody."""
    return os.geteuid() == 0 and all(_everybody_may_read(path) for path in needed if path.exists())


def become(number: int) -> None:
    """Groups first: afterwards it may no longer."""
    user = _FIRST + number % _COUNT
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _everybody_may_read(path: Path) -> bool:
    target = path.resolve()
    enters_all = all(parent.stat().st_mode & stat.S_IXOTH for parent in target.parents)
    needed = stat.S_IROTH | (stat.S_IXOTH if target.is_dir() else 0)
    return enters_all and target.stat().st_mode & needed == needed
