"""A reader whose libraries take half a minute to load."""

import time
from collections.abc import Callable, Iterator
from typing import Any

time.sleep(30)


def answers(request: dict[str, Any], read: Callable[[int], bytes]) -> Iterator[dict[str, Any]]:
    yield {}
