"""What a process builds at its first use, built before its first use: clients, validators, services.

Made under load, each thread would build its own, all at once, while callers wait. Opens no connection: a worker's
children inherit what is built here.
"""

from packs.registry import PACKS
from packs.schema import validator
from runs import queue
from runs.worker.pack_services import pack_services
from storage import store


def warm_up() -> None:
    queue.sqs()
    store.s3()
    pack_services()
    for name in PACKS:
        validator(name)
