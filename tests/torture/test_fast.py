"""The small size of the torture: one or two tries of the rows that say most. All rows: `make torture`."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.conftest import wipe
from tests.services import SessionServices
from tests.torture import rows
from tests.torture.bench import Bench, drift_micros
from tests.torture.table import SMALL, Row


@pytest.fixture(scope="module")
def bench(services: SessionServices, django_db_blocker: DjangoDbBlocker) -> Iterator[Bench]:
    with django_db_blocker.unblock():
        wipe()
        with Bench(services).running() as running:
            yield running


@pytest.mark.parametrize("row", [row for row in rows.ALL if row.fast], ids=lambda row: row.fault)
def test_the_platform_heals(bench: Bench, row: Row, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock():
        row.inflict(bench, SMALL)
        bench.audit()
        assert drift_micros() == 0
