"""Servers of a program's own, with a second one behind each address; and where its figures go."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path

from tests.plugin import SERVICES
from tests.torture.pairs import PostgresPair, ValkeyPair
from tests.torture.proxy import Proxy

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"


@contextlib.contextmanager
def own_platform(
    *, synchronous: bool, postgres_settings: Mapping[str, str] | None = None
) -> Iterator[tuple[PostgresPair, ValkeyPair, Proxy]]:
    """Up, migrated and bootstrapped, before Django reads the settings: import what needs Django inside."""
    SERVICES._remove_leftovers()
    SERVICES.home.mkdir(parents=True)
    SERVICES.ministack.start()
    SERVICES.ministack.wait_ready()
    postgres = PostgresPair(SERVICES.home, synchronous=synchronous, settings=postgres_settings)
    valkey = ValkeyPair(SERVICES.home)
    aws = Proxy(SERVICES.ministack.port)
    os.environ.update(
        DATABASE_URL=postgres.url,
        DATABASE_OWNER_URL=postgres.owner_url,
        REDIS_URL=valkey.url,
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{aws.port}",
        DJANGO_SETTINGS_MODULE="dpp_project.settings",
    )
    import django

    django.setup()
    from django.core.management import call_command

    try:
        call_command("setup_database", verbosity=0, stdout=StringIO())
        call_command("bootstrap_storage", stdout=StringIO())
        yield postgres, valkey, aws
    finally:
        for pair in (postgres, valkey):
            pair.stop()
        aws.close()
        SERVICES.stop()


def put_into_page(name: str, text: str) -> None:
    """Between the marks of that name in docs/reliability.md."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = _PAGE.read_text().partition(begin)
    _, _, after = rest.partition(end)
    assert after, f"the page has no place for {name}"
    _PAGE.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}")
