"""REST and admin, served by granian."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

import django

from dpp_project.logging import name_service

name_service("api")
django.setup(set_prefix=False)

from dpp_project.checks import refuse_unsafe_redis  # noqa: E402
from runs.api.http_request import WsgiDjango  # noqa: E402
from runs.api.poll_lane import PollLane  # noqa: E402
from runs.warm import warm_up  # noqa: E402

refuse_unsafe_redis()
warm_up()
application = PollLane(WsgiDjango())
