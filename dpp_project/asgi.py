"""Event streams, served by uvicorn. REST and admin are in `wsgi`."""

import logging
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

import django

from dpp_project import dependency
from dpp_project.logging import name_service

name_service("events")
django.setup()

from dpp_project.checks import refuse_unsafe_start  # noqa: E402
from dpp_project.metrics_port import serve_metrics  # noqa: E402
from runs.gateway.application import DJANGO_THREADS, EventGateway  # noqa: E402

# Before the first client and connection are made: they take their time limits from it.
dependency.protect_serving(threads=DJANGO_THREADS)

# The server has set up loggers of its own; theirs shall be lines like all others.
for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
    logging.getLogger(name).handlers.clear()
    # Its access lines hold the query, and no option of the server's leaves that out: there are none.
    logging.getLogger(name).propagate = name != "uvicorn.access"

refuse_unsafe_start()
serve_metrics("DPP_EVENTS_METRICS_PORT")

application = EventGateway()
