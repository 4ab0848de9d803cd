"""The prefixes of all keys, at most a few seconds old.

While an address floods the door with keys that do not exist, its keys are first looked for here: one query in
`_FRESH_SEC`, whatever the flood, and a customer behind the same address still gets in.
"""

import threading
import time

from runs import keys
from runs.models import ApiKey

_FRESH_SEC = 5.0

_lock = threading.Lock()
_loaded: tuple[float, frozenset[str]] | None = None


def is_known(text: str) -> bool:
    """Whether some key has this text's prefix. A key issued in the last seconds may not be known yet."""
    return keys.prefix_of(text) in _prefixes()


def _prefixes() -> frozenset[str]:
    global _loaded
    with _lock:
        if _loaded is None or not 0 <= time.monotonic() - _loaded[0] < _FRESH_SEC:
            began = time.monotonic()
            active = ApiKey.objects.filter(status=ApiKey.Status.ACTIVE)
            _loaded = (began, frozenset(active.values_list("prefix", flat=True)))
        return _loaded[1]
