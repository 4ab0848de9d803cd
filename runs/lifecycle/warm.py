"""What a process builds at its first use, built before its first use: clients and validators.

Made under load, each thread would build its own, all at once, while callers wait. Opens no connection: a worker's
children inherit what is built here.
"""

from packs.registry import PACKS
from packs.sandbox import kernel
from packs.schema import validator
from runs.lifecycle import queue
from storage import store


def warm_up() -> None:
    # Keys and passwords are in this process's memory and environment.
    kernel.hide_from_siblings()
    queue.connect()
    store.prepare()
    for name in PACKS:
        validator(name)
