"""Ports: chosen free once, remembered, so that URLs stay the same from one start to the next."""

import json
import random
import socket
from collections.abc import Sequence
from pathlib import Path

from devstack.files import write_private

# Below the range from which Linux takes the local ports of outgoing connections (32768 and up), so that no
# passing connection sits on a remembered port while the stack is down.
RANGE = range(20_000, 32_000)


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the servers do it: connections that are merely fading away (TIME_WAIT) do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Ports:
    """The ports of one stack. With a file they are remembered; without, they last as long as the object."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._chosen: dict[str, int] = _read(path) if path else {}

    def get(self, name: str) -> int | None:
        return self._chosen.get(name)

    def take(self, name: str, *, preferred: Sequence[int] = ()) -> int:
        """The remembered port of `name`, or a new one if it has none or a stranger sits on it.

        To be called while the stack is down: its own servers would look like strangers.
        """
        remembered = [self._chosen[name]] if name in self._chosen else []
        others = {port for other, port in self._chosen.items() if other != name}
        chance = random.sample(RANGE, 200)  # by chance, so that two stacks starting together rarely meet
        for port in (*remembered, *preferred, *chance):
            if port not in others and is_free(port):
                self._remember(name, port)
                return port
        raise RuntimeError(f"no free port between {RANGE.start} and {RANGE.stop} on 127.0.0.1")

    def _remember(self, name: str, port: int) -> None:
        if self._chosen.get(name) == port:
            return
        self._chosen[name] = port
        if self._path:
            write_private(self._path, json.dumps(self._chosen, indent=1) + "\n")


def _read(path: Path) -> dict[str, int]:
    try:
        content = json.loads(path.read_text())
        return {str(name): int(port) for name, port in content.items()}
    except (FileNotFoundError, ValueError, AttributeError, TypeError):
        return {}  # lost or torn by a crash: new ports will do
