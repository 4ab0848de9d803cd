"""A person ends a disputed run: with a charge, or with a full refund. The books follow what was decided."""

import logging

from budget.rebuild import rebuild
from dpp_project.logging import fields
from dpp_project.money import Micros
from runs.lifecycle import transitions
from runs.lifecycle.outcomes import Outcome, StoredRef, completed, failed, never_started
from runs.models import Run
from runs.states import Actor, MoneyState, Reason

log = logging.getLogger("dpp.disputes")


class NotDisputed(ValueError):
    """Only a run in dispute can be resolved."""


def resolve(run: Run, *, charge: Micros | None, reason: str) -> None:
    """DISPUTED -> ended. `charge=None` refunds. The decision replaces what Redis did, by a rebuild."""
    if run.money_state != MoneyState.DISPUTED:
        raise NotDisputed(f"{run.pk} is {run.status}/{run.money_state}, not in dispute")
    transitions.resolve(run, _outcome(run, charge, reason))
    transitions.commit(run, actor=Actor.ADMIN)
    log.warning("dispute_resolved", extra=fields(run_id=run.pk, tenant_id=run.tenant_id, charge=charge, reason=reason))
    rebuild(run.tenant_id)


def _outcome(run: Run, charge: Micros | None, reason: str) -> Outcome:
    if charge is None:
        return never_started(Reason.PACK_FAILED, f"Refunded by the operator: {reason}")
    refs = tuple(StoredRef.of(values) for values in run.intended_objects or [])
    if refs:
        return completed(run, actual=charge, objects=refs)
    fee = failed(run, Reason.PACK_FAILED, f"Settled by the operator: {reason}")
    return Outcome(fee.status, fee.money_state, charge, fee.reason, fee.detail)
