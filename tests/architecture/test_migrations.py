"""No migration stops the writers of a large table. Those of the first release, which met empty tables, are left out."""

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

from tests.architecture.migration_rules import GROWING, problems

_FIRST_RELEASE = {"runs": 19, "budget": 3, "storage": 3}

_CHECK = models.CheckConstraint(name="c", condition=models.Q(version__gte=0))
_INDEX = models.Index(name="i", fields=["trace_id"])


def _with(*operations: Operation) -> migrations.Migration:
    made = migrations.Migration("0099_planted", "runs")
    made.operations = list(operations)  # type: ignore[misc]
    return made


def test_no_migration_holds_a_lock_on_a_large_table() -> None:
    loader = MigrationLoader(None)
    later = [
        migration
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if app in _FIRST_RELEASE and int(name[:4]) > _FIRST_RELEASE[app]
    ]
    assert {str(migration): problems(migration) for migration in later if problems(migration)} == {}


def test_every_growing_table_is_one_of_ours() -> None:
    from django.apps import apps

    tables = {model._meta.model_name: model._meta.db_table for model in apps.get_models()}
    assert {name: tables.get(name) for name in GROWING} == GROWING


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddIndex("run", _INDEX),
        migrations.RemoveIndex("run", "i"),
        migrations.AddConstraint("ledgerentry", _CHECK),
        migrations.AlterField("run", "version", models.BigIntegerField()),
        migrations.AddField("run", "extra", models.TextField(null=True, db_index=True)),
        migrations.AddField(
            "run", "extra", models.ForeignKey("runs.Tenant", models.PROTECT, null=True, db_index=False)
        ),
        migrations.RunPython(migrations.RunPython.noop),
        migrations.RunSQL("create unique index x on runs (trace_id)"),
        migrations.RunSQL(["SELECT 1", 'ALTER TABLE "ledger_entries" ADD CONSTRAINT c CHECK (amount_usd_micros <> 0)']),
        migrations.RunSQL("ALTER TABLE runs ALTER COLUMN progress TYPE numeric"),
        migrations.RunSQL("UPDATE run_payloads SET body = ''"),
        migrations.RunSQL("LOCK TABLE runs"),
        migrations.SeparateDatabaseAndState(database_operations=[migrations.RunSQL("DELETE FROM stored_objects")]),
    ],
)
def test_a_planted_violation_is_found(operation: Operation) -> None:
    assert len(problems(_with(operation))) == 1


def test_what_locks_nobody_out_is_allowed() -> None:
    allowed = [
        AddIndexConcurrently("run", _INDEX),
        AddConstraintNotValid("run", _CHECK),
        migrations.AddField("run", "extra", models.TextField(null=True)),
        migrations.AddIndex("plan", _INDEX),
        migrations.RunSQL("CREATE INDEX CONCURRENTLY x ON runs (trace_id)"),
        migrations.RunSQL("ALTER TABLE runs ADD CONSTRAINT c CHECK (version >= 0) NOT VALID"),
        migrations.RunSQL("CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE runs SET progress = 0 $$"),
        migrations.RunSQL("-- UPDATE runs\nSELECT 1"),
        migrations.RunPython(migrations.RunPython.noop, atomic=False),
    ]
    assert problems(_with(*allowed)) == []


def test_a_table_may_be_treated_in_any_way_by_the_migration_that_creates_it() -> None:
    created = migrations.CreateModel("Run", fields=[("id", models.BigAutoField(primary_key=True))])
    assert problems(_with(created, migrations.AddIndex("run", _INDEX))) == []
