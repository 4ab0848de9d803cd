"""The product's sender of webhooks with the zoo for a web: `python -m tests.webhook_sender`.

As `tests.zoo_worker`: it replaces only the resolver, the dialer and the trust of the one fetcher.
"""

import django

from tests.packs.fetch.zoo_web import web_of_environment

django.setup()

from django.conf import settings  # noqa: E402  (the applications come first)
from django.core.management import call_command  # noqa: E402

from runs.management.commands import send_webhooks  # noqa: E402

assert settings.DPP_ENV == "test"
vars(send_webhooks)["SmartFetcher"] = web_of_environment().fetcher

if __name__ == "__main__":
    call_command("send_webhooks", "--forever")
