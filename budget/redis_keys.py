"""Every Redis key of the ledger, by function. The names of the first two are locked by the contract."""

from uuid import UUID

# All open holds by the time they were made (Redis clock, ms): what the sweeper walks.
OPEN_HOLDS = "holds:open"
# Reservations whose message is not known to be sent: what the resend job walks. A hint, never the truth.
UNSENT = "runs:unsent"


def run_id_of(member: str) -> UUID | None:
    """The run that a member of a set or index names. None: somebody wrote here who should not."""
    try:
        return UUID(member)
    except ValueError:
        return None


def balance(tenant_id: str) -> str:
    return f"budget:{tenant_id}:balance_usd_micros"


def hold(run_id: UUID) -> str:
    return f"reserve:{run_id}"


def receipt(run_id: UUID) -> str:
    return f"receipt:{run_id}"


def tenant_holds(tenant_id: str) -> str:
    """The ids of a tenant's open holds: one snapshot can add them up."""
    return f"budget:{tenant_id}:holds"
