"""The product's worker with the zoo for a web: `celery -A tests.zoo_worker worker`.

The product has no switch that lets its fetcher trust another authority or dial loopback, and must not get one. This
entry point exists in the tests alone and replaces only the resolver, the dialer and the trust of the one fetcher.
"""

import django

from dpp_project.celery import app
from tests.packs.fetch.zoo_web import web_of_environment

django.setup()

from django.conf import settings  # noqa: E402  (the applications come first)

from runs.worker import pack_services  # noqa: E402

assert settings.DPP_ENV == "test"
vars(pack_services)["SmartFetcher"] = web_of_environment().fetcher

__all__ = ["app"]
