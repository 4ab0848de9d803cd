"""The process that readers are forked from: `python -m packs.sandbox.template '{"serve": "packs.url.reader_child", …'`.

It confines itself, loads the reader's libraries where they may be shared, and then only does what the worker orders
through its standard input: fork a reader, end a reader. It never sees a byte of a document, and nothing but the worker
can speak to it, so each reader begins as the first one did. It ends, and its readers with it, when the worker's end of
that socket is closed.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from packs.sandbox import child
from packs.sandbox.confinement import Confinement, Limits

_MAX_ORDER_BYTES = 65_536
_PIPES_OF_A_READER = 2


def main() -> None:
    order = json.loads(sys.argv[1])
    worker = socket.socket(fileno=0)
    confinement = Confinement(Limits(**order["limits"]), tuple(Path(path) for path in order["readable"]))
    confinement.of_template()
    if order["loads_first"]:
        _loaded(order["serve"])
    # What is loaded by now is shared with the readers; a collection would write to its pages in each of them.
    gc.collect()
    gc.freeze()
    readers: dict[int, int] = {}
    while True:
        message, pipes, _, _ = socket.recv_fds(worker, _MAX_ORDER_BYTES, _PIPES_OF_A_READER)
        if not message:
            _leave()
        asked = json.loads(message)
        if asked["order"] == "fork":
            readers[asked["number"]] = _fork(worker, pipes, order["serve"], confinement)
        else:
            _end(readers.pop(asked["number"], None))
            worker.send(json.dumps({"ended": asked["number"]}).encode())


def _fork(worker: socket.socket, pipes: list[int], serve: str, confinement: Confinement) -> int:
    template = os.getpid()
    pid = os.fork()
    if pid:
        for pipe in pipes:
            os.close(pipe)
        return pid
    try:
        worker.detach()
        os.setsid()
        for place, pipe in enumerate(pipes):
            os.dup2(pipe, place, inheritable=False)
            os.close(pipe)
        child.introduce()
        confinement.of_reader(template)
        child.serve(_loaded(serve))
    finally:
        # Nothing of the template is tidied up by its copy.
        _leave()


def _end(pid: int | None) -> None:
    """Only here a reader's process id becomes free: until then nobody can kill a stranger by it."""
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _loaded(serve: str) -> child.Answers:
    """A module that serves may have more to load than its imports do: then it has a function `prepare`."""
    module = sys.modules.get(serve)
    if module is None:
        module = importlib.import_module(serve)
        prepare: Callable[[], None] | None = getattr(module, "prepare", None)
        if prepare is not None:
            prepare()
    answers: child.Answers = module.answers
    return answers


def _leave() -> NoReturn:
    os._exit(0)


if __name__ == "__main__":
    main()
