"""A stack of its own for a measurement: started before Django is, gone afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

from tests.services import SessionServices


@contextmanager
def embedded_stack(*, durable: bool = False) -> Iterator[SessionServices]:
    """PostgreSQL, Valkey and S3/SQS, migrated and bootstrapped; Django is set up inside."""
    services = SessionServices(durable=durable)
    os.environ.update(services.environment())
    os.environ.setdefault("DPP_LOG_LEVEL", "ERROR")
    os.environ["DJANGO_SETTINGS_MODULE"] = "dpp_project.settings"
    services.start()
    try:
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("setup_database", verbosity=0, stdout=StringIO())
        call_command("bootstrap_storage", verbosity=0, stdout=StringIO())
        yield services
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
    finally:
        services.stop()
