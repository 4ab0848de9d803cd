"""REST and admin, served by granian."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

import django

from dpp_project import dependency
from dpp_project.logging import name_service

name_service("api")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402

from dpp_project.checks import refuse_unsafe_start  # noqa: E402
from dpp_project.metrics_port import require_shared_counters, serve_metrics  # noqa: E402
from runs.api.http_request import WsgiDjango  # noqa: E402
from runs.api.metrics import whole_registry  # noqa: E402
from runs.api.poll_lane import PollLane  # noqa: E402
from runs.lifecycle.warm import warm_up  # noqa: E402

# Before the first client and connection are made: they take their time limits from it.
dependency.protect_serving(threads=settings.API_THREADS)
refuse_unsafe_start()
warm_up()
require_shared_counters("DPP_API_METRICS_PORT")
serve_metrics("DPP_API_METRICS_PORT", counted=whole_registry(), shared=True)
application = PollLane(WsgiDjango())
