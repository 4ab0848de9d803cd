"""REST and admin, served by granian."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")

from django.core.wsgi import get_wsgi_application

from dpp_project.logging import name_service

name_service("api")
django = get_wsgi_application()

from dpp_project.checks import refuse_unsafe_redis  # noqa: E402
from runs.api.poll_lane import PollLane  # noqa: E402
from runs.warm import warm_up  # noqa: E402

refuse_unsafe_redis()
warm_up()
application = PollLane(django)
