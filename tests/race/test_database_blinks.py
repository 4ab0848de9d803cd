"""The database drops the worker's connection between two of its steps, as in a failover, and is there again."""

import threading

import pytest
from django.db import connection

from budget import journal
from runs.worker.run_one import MessageOutcome, StartFailed
from tests.books import assert_balanced
from tests.builders import Customer, submitted
from tests.race.actors import at, fresh, work


def test_a_run_that_could_not_be_started_is_still_queued_and_its_message_is_tried_again(acme: Customer) -> None:
    before = journal.available(acme.id)
    run = submitted(acme)
    at("run.received", connections_break)
    with pytest.raises(StartFailed):
        work(run)
    assert (fresh(run).status, fresh(run).version) == ("QUEUED", 0)

    assert work(run) == MessageOutcome.ENDED
    assert fresh(run).status == "COMPLETED"
    assert_balanced(acme, before - 50_000)


def test_a_finished_run_is_claimed_once_the_database_is_back(acme: Customer) -> None:
    before = journal.available(acme.id)
    run = submitted(acme)
    at("run.uploaded", connections_break)
    assert work(run) == MessageOutcome.ENDED
    ended = fresh(run)
    assert (ended.status, ended.actual_cost_usd_micros, ended.version) == ("COMPLETED", 50_000, 3)
    assert_balanced(acme, before - 50_000)


def connections_break() -> None:
    """All but the one that asks for it, which is a thread's own."""

    def terminate() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connection.close()

    thread = threading.Thread(target=terminate)
    thread.start()
    thread.join()
