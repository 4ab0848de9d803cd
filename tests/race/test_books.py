"""The standing audit of the books: whatever is edited by hand is found, and that tenant spends nothing until a person
has looked."""

from collections.abc import Callable
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client

from budget import books, journal, redis_keys
from budget.journal_audit import new_entries
from budget.models import BookFinding, LedgerCheckpoint, LedgerEntry, TenantBalance
from dpp_project.postgresql.roles import as_owner
from dpp_project.redis import client
from runs.jobs.audit_books import BooksAudited, audit_books
from runs.jobs.drift_repair import repair_drift
from runs.lifecycle.cancel import cancel
from runs.models import KeyBudget, Run
from tests.books import redis_balance
from tests.builders import Customer, fresh_key, json_body, limited_key, processing, submitted
from tests.processes import CLONE
from tests.race import actors
from tests.race.falsify import falsify
from tests.race.row_lock import rows_locked
from tests.race.threads import busy


def _submit(api: Client, owner: Customer, key: str | None = None) -> tuple[int, dict[str, object]]:
    headers = owner.headers(**{"Idempotency-Key": key or fresh_key()})
    answer = api.post("/v1/runs", json_body(), content_type="application/json", headers=headers)
    return answer.status_code, answer.json()


def _ended(owner: Customer) -> Run:
    run = submitted(owner)
    actors.work(run)
    return run


def _row_edited(owner: Customer) -> None:
    falsify("UPDATE tenant_balances SET available_usd_micros = available_usd_micros + 7000000 WHERE tenant_id = 'acme'")


def _entry_edited(owner: Customer) -> None:
    falsify("UPDATE ledger_entries SET amount_usd_micros = 17000000 WHERE sequence = 1 AND tenant_id = 'acme'")


def _note_edited(owner: Customer) -> None:
    falsify("UPDATE ledger_entries SET note = 'nothing to see' WHERE kind = 'CREDIT' AND tenant_id = 'acme'")


def _last_entry_deleted(owner: Customer) -> None:
    falsify("DELETE FROM ledger_entries WHERE tenant_id = 'acme' AND sequence = 3")


def _entry_between_deleted(owner: Customer) -> None:
    falsify("DELETE FROM ledger_entries WHERE tenant_id = 'acme' AND sequence = 2")


def _entry_inserted(owner: Customer) -> None:
    falsify(
        "INSERT INTO ledger_entries (tenant_id, kind, amount_usd_micros, reference, note, created_at)"
        " VALUES ('acme', 'CREDIT', 7000000, 'a gift', '', now())"
    )


def _entry_inserted_at_the_end_with_the_row(owner: Customer) -> None:
    """The sum fits the balance row: only the chain shows it."""
    falsify(
        "INSERT INTO ledger_entries (tenant_id, kind, amount_usd_micros, reference, note, created_at, sequence,"
        " previous_hash, entry_hash) SELECT 'acme', 'CREDIT', 7000000, 'a gift', '', now(), max(sequence) + 1,"
        " sha256('before'), sha256('this') FROM ledger_entries WHERE tenant_id = 'acme'"
    )
    _row_edited(owner)


def _charge_of_a_run_edited(owner: Customer) -> None:
    falsify("UPDATE runs SET actual_cost_usd_micros = actual_cost_usd_micros - 1 WHERE tenant_id = 'acme'")


def _reservation_of_a_live_run_edited(owner: Customer) -> None:
    run = processing(owner)
    falsify("UPDATE runs SET reservation_max_cost_usd_micros = 600000 WHERE run_id = %s", run.pk)


def _budget_of_a_key_edited(owner: Customer) -> None:
    actors.work(submitted(owner, api_key=limited_key(owner, total="1.0000")))
    falsify("UPDATE key_budgets SET spent_usd_micros = 0")


def _budget_of_an_unused_key_edited(owner: Customer) -> None:
    limited_key(owner, total="1.0000")
    falsify("UPDATE key_budgets SET held_usd_micros = 1")


_FALSIFIED: list[tuple[str, Callable[[Customer], None]]] = [
    ("I1", _row_edited),
    ("chain", _entry_edited),
    ("chain", _note_edited),
    ("chain", _last_entry_deleted),
    ("chain", _entry_between_deleted),
    ("chain", _entry_inserted),
    ("chain", _entry_inserted_at_the_end_with_the_row),
    ("I3", _charge_of_a_run_edited),
    ("I3", _reservation_of_a_live_run_edited),
    ("I8", _budget_of_a_key_edited),
    ("I8", _budget_of_an_unused_key_edited),
]


@pytest.mark.parametrize(("invariant", "falsified"), _FALSIFIED, ids=[f"{i}{f.__name__}" for i, f in _FALSIFIED])
def test_whatever_is_edited_by_hand_is_found_and_freezes_that_tenant_alone(
    acme: Customer, rival: Customer, api: Client, invariant: str, falsified: Callable[[Customer], None]
) -> None:
    _ended(acme)
    _ended(rival)
    assert audit_books().found == 0
    falsified(acme)
    assert audit_books().found >= 1
    assert invariant in set(BookFinding.objects.filter(tenant_id="acme").values_list("invariant", flat=True))
    assert not BookFinding.objects.filter(tenant_id="rival").exists()

    status, problem = _submit(api, acme)
    assert (status, problem["reason_code"]) == (403, "TENANT_SUSPENDED")
    assert "frozen" in str(problem["detail"])
    assert not client().smembers(redis_keys.tenant_holds("acme")) - {str(pk) for pk in _live("acme")}, "no hold is left"
    assert _submit(api, rival)[0] == 202
    assert audit_books().found == 0, "told once"


def _live(tenant_id: str) -> list[UUID]:
    live = Run.objects.filter(tenant_id=tenant_id, status__in=["QUEUED", "PROCESSING"])
    return list(live.values_list("pk", flat=True))


def test_a_row_edited_by_hand_never_becomes_spendable(acme: Customer, api: Client) -> None:
    _row_edited(acme)
    client().flushall()
    for _ in range(3):
        repair_drift()
        audit_books()
    assert redis_balance(acme) == 10_000_000
    assert journal.available("acme") == 17_000_000, "nothing is repaired without a person"


def test_redis_follows_the_journal_in_both_directions(acme: Customer) -> None:
    for wrong in (7_000_000, -7_000_000):
        client().incrby(redis_keys.balance("acme"), wrong)
        assert repair_drift().suspected == 1
        assert repair_drift().repaired == 1
        assert redis_balance(acme) == 10_000_000


def test_a_frozen_tenant_reads_cancels_and_replays_and_its_running_work_ends(acme: Customer, api: Client) -> None:
    key = fresh_key()
    assert _submit(api, acme, key)[0] == 202
    running, queued = processing(acme), submitted(acme)
    _row_edited(acme)
    audit_books()
    assert _submit(api, acme)[0] == 403
    assert _submit(api, acme, key)[0] == 202, "a replay"
    assert api.get(f"/v1/runs/{running.pk}", headers=acme.headers()).status_code == 200
    assert api.post(f"/v1/runs/{queued.pk}/cancel", headers=acme.headers()).status_code == 202
    assert TenantBalance.objects.get(pk="acme").frozen_at is not None


def test_a_person_settles_it_and_the_row_follows_the_journal(acme: Customer, api: Client) -> None:
    _row_edited(acme)
    audit_books()
    assert books.settle("acme", by="finn", why="a slip in psql", follow_journal=True) == 1
    assert journal.available("acme") == 10_000_000
    assert _submit(api, acme)[0] == 202
    assert audit_books().found == 0
    finding = BookFinding.objects.get()
    assert (finding.settled_by, finding.settled_why) == ("finn", "a slip in psql")
    with pytest.raises(books.NotFrozen):
        books.settle("acme", by="finn", why="again", follow_journal=False)


def test_a_person_settles_a_key_s_budget_and_it_follows_its_runs(acme: Customer) -> None:
    key = limited_key(acme, total="1.0000")
    submitted(acme, api_key=key)
    falsify("UPDATE key_budgets SET held_usd_micros = 0")
    assert audit_books().found == 1
    call_command("unfreeze_tenant", "acme", "--follow-journal", reason="a slip in psql", stdout=StringIO())
    assert KeyBudget.objects.get().held_usd_micros == 500_000
    assert audit_books().found == 0
    assert TenantBalance.objects.get(pk="acme").frozen_at is None


def test_what_a_person_has_settled_is_not_found_again(acme: Customer) -> None:
    _ended(acme)
    audit_books()
    _note_edited(acme)
    assert audit_books().found >= 1
    books.settle("acme", by="finn", why="restored from the statement", follow_journal=False)
    _ended(acme)
    assert audit_books().found == 0
    assert TenantBalance.objects.get(pk="acme").frozen_at is None


def test_the_same_edit_again_after_it_was_settled_is_another_disagreement(acme: Customer) -> None:
    _row_edited(acme)
    audit_books()
    books.settle("acme", by="finn", why="a gift", follow_journal=False)
    falsify("UPDATE tenant_balances SET available_usd_micros = available_usd_micros + 1 WHERE tenant_id = 'acme'")
    assert audit_books().found == 1


def test_a_broken_history_or_a_late_run_is_told_and_freezes_nobody(acme: Customer) -> None:
    falsify("DELETE FROM run_transitions WHERE run_id = %s AND version_after = 1", _ended(acme).pk)
    late = submitted(acme)
    falsify("UPDATE runs SET created_at = now() - interval '3700 s' WHERE run_id = %s", late.pk)
    assert audit_books().found == 2
    assert set(BookFinding.objects.values_list("invariant", flat=True)) == {"I5", "I6"}
    assert TenantBalance.objects.get(pk="acme").frozen_at is None


def test_a_finding_that_cannot_be_written_now_is_found_by_the_next_pass(acme: Customer, rival: Customer) -> None:
    falsify("UPDATE tenant_balances SET available_usd_micros = available_usd_micros + 1")
    with rows_locked(TenantBalance.objects.filter(tenant_id="acme")):
        told = audit_books()
        assert (told.found, told.left > 0) == (1, True)
    assert audit_books().found == 1
    assert TenantBalance.objects.filter(frozen_at__isnull=False).count() == 2


def test_a_pass_reads_what_is_new_and_not_what_was_verified(acme: Customer) -> None:
    """Without the walks over everything: what has happened since is all that costs."""
    found: list[books.Disagreement] = []
    for _ in range(5):
        _ended(acme)
    assert new_entries(found.append).checked == 11
    assert new_entries(found.append).checked == 0
    _ended(acme)
    assert new_entries(found.append).checked == 2
    head = LedgerCheckpoint.objects.get()
    assert (head.sequence, head.total_usd_micros) == (13, journal.available("acme"))
    assert found == []


def test_the_walks_go_on_where_they_stopped(acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budget.journal_audit._HISTORY_BATCH", 4)
    monkeypatch.setattr("budget.journal_audit._NEW_BATCH", 3)
    monkeypatch.setattr("runs.jobs.audit_books._BATCH", 2)
    for _ in range(4):
        _ended(acme)
    for _ in range(8):
        assert audit_books().found == 0
    falsify("UPDATE ledger_entries SET note = 'x' WHERE sequence = 6")
    assert sum(audit_books().found for _ in range(6)) == 1
    assert BookFinding.objects.get().subject == "acme entry 6"


def test_the_audit_of_the_books_never_cries_wolf_under_load(acme: Customer, rival: Customer) -> None:
    passes: list[BooksAudited] = []
    key = limited_key(acme, total="9.0000")
    with busy(
        lambda: actors.work(submitted(acme, max_cost="0.0500", api_key=key)),
        lambda: actors.work(submitted(rival, max_cost="0.0500")),
        lambda: cancel(submitted(acme, max_cost="0.0500")),
    ):
        while len(passes) < 25:
            passes.append(audit_books())
    passes.append(audit_books())
    assert list(BookFinding.objects.values_list("wrong", flat=True)) == []
    assert LedgerEntry.objects.count() > 60


def test_an_entry_is_chained_whoever_writes_it(acme: Customer) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO ledger_entries (tenant_id, kind, amount_usd_micros, note, created_at, sequence, entry_hash)"
            " VALUES ('acme', 'ADJUST', -1, '', now(), 77, 'forged')"
        )
        cursor.execute("UPDATE tenant_balances SET available_usd_micros = available_usd_micros - 1")
    first, second = LedgerEntry.objects.order_by("sequence")
    assert (first.sequence, second.sequence) == (1, 2)
    assert bytes(second.previous_hash) == bytes(first.entry_hash)
    assert audit_books().found == 0


def test_a_journal_from_before_the_chain_is_chained_by_the_migration(acme: Customer, rival: Customer) -> None:
    for owner in (acme, rival, acme):
        _ended(owner)
    chained = "SELECT id, sequence, previous_hash, entry_hash FROM ledger_entries ORDER BY id"
    with as_owner(), connection.cursor() as cursor, transaction.atomic():
        cursor.execute(chained)
        before = cursor.fetchall()
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_one_chain")
        cursor.execute("UPDATE ledger_entries SET sequence = 0, previous_hash = '', entry_hash = ''")
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")

        cursor.execute((CLONE / "budget/sql/chain_existing_entries.sql").read_text(encoding="utf-8"))

        cursor.execute(chained)
        assert cursor.fetchall() == before
        assert LedgerCheckpoint.objects.get(pk="acme").total_usd_micros == journal.available("acme")
        transaction.set_rollback(True)
