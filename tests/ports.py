"""Ports for the servers of a session: none twice, and none that a session beside it may choose."""

import os
import random
from itertools import count

from devstack.ports import RANGE, Ports

_MOST_SESSIONS = 16

_ports = Ports()
_numbers = count()


def free_port() -> int:
    """Kept for the caller although nobody listens there yet."""
    return _ports.take(f"port-{next(_numbers)}", preferred=random.sample(_own_share(), 100))


def _own_share() -> range:
    """The sessions of pytest-xdist choose at the same time: what one has chosen still looks free to the other."""
    session = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    return RANGE[int(session) % _MOST_SESSIONS :: _MOST_SESSIONS] if session else RANGE
