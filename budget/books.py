"""Where the books disagree: written down once, spending frozen, and settled by a person. Nothing is repaired here.

The standing audit reports; the admin page and `manage.py unfreeze_tenant` settle.
"""

import logging
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models.functions import Now

from budget import journal
from budget.alarms import alarm
from budget.exceptions import LedgerError
from budget.models import BookFinding, TenantBalance
from budget.rebuild import rebuild
from dpp_project.logging import fields

log = logging.getLogger("dpp.budget")


class NotFrozen(LedgerError):
    """There is nothing to settle."""


@dataclass(frozen=True)
class Disagreement:
    """What is wrong, in words that stay the same as long as it is wrong: the finding is known by them."""

    tenant_id: str
    invariant: str
    subject: str
    wrong: str
    freezes: bool = True


def report(found: Disagreement) -> bool:
    """Write it down, freeze the tenant's spending, ring. False if it is known, open or settled."""
    with transaction.atomic():
        _, is_new = BookFinding.objects.get_or_create(
            tenant_id=found.tenant_id,
            invariant=found.invariant,
            subject=found.subject,
            wrong=found.wrong,
            defaults={"freezes": found.freezes},
        )
        if is_new and found.freezes:
            TenantBalance.objects.filter(tenant_id=found.tenant_id, frozen_at__isnull=True).update(frozen_at=Now())
    if is_new:
        alarm(
            "books_disagree",
            found.tenant_id,
            invariant=found.invariant,
            subject=found.subject,
            wrong=found.wrong,
            frozen=int(found.freezes),
        )
    return is_new


# From here on the audit believes the chain as it stands; what a person has looked at is not found again.
_ACCEPT_CHAIN = """
    INSERT INTO ledger_checkpoints (tenant_id, sequence, entry_hash, total_usd_micros)
    SELECT tenant_id, sequence, entry_hash,
           (SELECT sum(amount_usd_micros) FROM ledger_entries AS every WHERE every.tenant_id = last.tenant_id)
    FROM ledger_entries AS last WHERE tenant_id = %s ORDER BY sequence DESC LIMIT 1
    ON CONFLICT (tenant_id) DO UPDATE SET sequence = excluded.sequence, entry_hash = excluded.entry_hash,
        total_usd_micros = excluded.total_usd_micros
"""


def settle(tenant_id: str, *, by: str, why: str, follow_journal: bool) -> int:
    """A person has looked: the open findings are settled and the tenant may spend again. Returns how many there were.

    With `follow_journal` the balance row becomes the journal's sum. Redis follows the journal either way.
    """
    with transaction.atomic():
        journal.lock(tenant_id)
        balance = TenantBalance.objects.filter(tenant_id=tenant_id)
        findings = BookFinding.objects.filter(tenant_id=tenant_id, settled_at__isnull=True)
        if not findings.exists() and not balance.filter(frozen_at__isnull=False).exists():
            raise NotFrozen(f"{tenant_id} has no open finding")
        with connection.cursor() as cursor:
            cursor.execute(_ACCEPT_CHAIN, [tenant_id])
        before = journal.available(tenant_id)
        if follow_journal:
            balance.update(available_usd_micros=journal.journal_sum(tenant_id))
        settled = findings.update(settled_at=Now(), settled_by=by, settled_why=why)
        balance.update(frozen_at=None)
        rebuild(tenant_id)
    log.warning(
        "books_settled",
        extra=fields(
            tenant_id=tenant_id,
            settled_by=by,
            why=why,
            findings=settled,
            balance_before=before,
            balance_after=journal.available(tenant_id),
        ),
    )
    return settled
