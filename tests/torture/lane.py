"""One lane of the torture: a process with servers of its own, in which rows are inflicted one after the other."""

import os
import threading
import time
import traceback
from io import StringIO
from multiprocessing.util import Finalize

from tests.plugin import SERVICES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from tests.conftest import wipe  # noqa: E402
from tests.torture.bench import Bench, drift_micros  # noqa: E402
from tests.torture.rows import ALL  # noqa: E402
from tests.torture.table import Size, Verdict  # noqa: E402


def begin() -> None:
    """Called once in the new process. Its servers end with it, however it ends, and it ends with its parent."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    SERVICES.start()
    Finalize(None, _end, exitpriority=100)
    call_command("setup_database", verbosity=0, stdout=StringIO())
    call_command("bootstrap_storage", stdout=StringIO())


def inflict(position: int, size: Size) -> Verdict:
    """Each row on a bench of its own, in an empty world: what one fault left behind cannot help or hinder the next."""
    row = ALL[position]
    began = time.monotonic()
    try:
        wipe()
        with Bench(SERVICES).running() as bench:
            figures = row.inflict(bench, size)
            bench.audit()
            lost = drift_micros()
            assert lost == 0, f"{lost} micros lost or invented"
    except Exception:
        return Verdict(row.section, row.fault, seconds=time.monotonic() - began, failure=traceback.format_exc())
    return Verdict(row.section, row.fault, figures.tries, figures.healed_sec, lost, time.monotonic() - began)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _end() -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    SERVICES.stop()
