"""The journal is a chain per tenant, and the standing audit has tables: checkpoints, positions, findings, the freeze."""

import django.db.models.deletion
from django.db import migrations, models

from dpp_project import sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('budget', '0002_append_only'),
        ('runs', '0008_queued_disputes'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditPosition',
            fields=[
                ('name', models.TextField(primary_key=True, serialize=False)),
                ('position', models.JSONField()),
            ],
            options={
                'db_table': 'audit_positions',
            },
        ),
        migrations.CreateModel(
            name='BookFinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invariant', models.TextField()),
                ('subject', models.TextField()),
                ('wrong', models.TextField()),
                ('freezes', models.BooleanField()),
                ('found_at', models.DateTimeField(auto_now_add=True)),
                ('settled_at', models.DateTimeField(null=True)),
                ('settled_by', models.TextField(blank=True, default='')),
                ('settled_why', models.TextField(blank=True, default='')),
            ],
            options={
                'db_table': 'book_findings',
            },
        ),
        migrations.CreateModel(
            name='LedgerCheckpoint',
            fields=[
                ('tenant', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='+', serialize=False, to='runs.tenant')),
                ('sequence', models.BigIntegerField()),
                ('entry_hash', models.BinaryField()),
                ('total_usd_micros', models.BigIntegerField()),
            ],
            options={
                'db_table': 'ledger_checkpoints',
            },
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='entry_hash',
            field=models.BinaryField(db_default=models.Value(b'')),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='previous_hash',
            field=models.BinaryField(db_default=models.Value(b'')),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='sequence',
            field=models.BigIntegerField(db_default=0, editable=False),
        ),
        sql_file.execute(
            "budget/sql/ledger_chain.sql",
            reverse_sql="DROP TRIGGER ledger_entries_are_chained ON ledger_entries; DROP FUNCTION dpp_chain_entry;"
            " DROP FUNCTION dpp_entry_hash;",
        ),
        sql_file.execute("budget/sql/chain_existing_entries.sql"),
        migrations.AddField(
            model_name='tenantbalance',
            name='frozen_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name='tenantbalance',
            index=models.Index(condition=models.Q(('frozen_at__isnull', False)), fields=['frozen_at'], name='tenant_balances_frozen'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.UniqueConstraint(fields=('tenant', 'sequence'), name='ledger_entries_one_chain'),
        ),
        migrations.AddField(
            model_name='bookfinding',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='book_findings', to='runs.tenant'),
        ),
        migrations.AddIndex(
            model_name='bookfinding',
            index=models.Index(condition=models.Q(('settled_at__isnull', True)), fields=['tenant'], name='book_findings_open'),
        ),
        migrations.AddConstraint(
            model_name='bookfinding',
            constraint=models.UniqueConstraint(fields=('tenant', 'invariant', 'subject', 'wrong'), name='book_findings_once'),
        ),
    ]
