"""Every Redis key of the ledger, by function, and where a tenant's keys lie. The first two names are locked by the
contract; in a cluster each has its tenant's tag before it."""

from uuid import UUID

from dpp_project.redis import Store

_OPEN_HOLDS = "holds:open"
_UNSENT = "runs:unsent"


def run_id_of(member: str) -> UUID | None:
    """The run that a member of a set or index names. None: somebody wrote here who should not."""
    try:
        return UUID(member)
    except ValueError:
        return None


def of_tenant(tenant_id: str, name: str) -> str:
    """The key under which one script finds it beside the tenant's money."""
    return Store.LEDGER.key(name, of=tenant_id)


def balance(tenant_id: str) -> str:
    return of_tenant(tenant_id, f"budget:{tenant_id}:balance_usd_micros")


def hold(tenant_id: str, run_id: UUID | str) -> str:
    """Without a run: what such names begin with, for scripts that find the runs by themselves."""
    return of_tenant(tenant_id, f"reserve:{run_id}")


def receipt(tenant_id: str, run_id: UUID | str) -> str:
    return of_tenant(tenant_id, f"receipt:{run_id}")


def tenant_holds(tenant_id: str) -> str:
    """The ids of a tenant's open holds: one snapshot can add them up."""
    return of_tenant(tenant_id, f"budget:{tenant_id}:holds")


def open_holds(tenant_id: str) -> str:
    """Open holds by the time they were made (Redis clock, ms): what the sweeper walks. Of all tenants, in a cluster of
    the tenant's group."""
    return of_tenant(tenant_id, _OPEN_HOLDS)


def all_open_holds() -> list[str]:
    return Store.LEDGER.keys(_OPEN_HOLDS)


def hold_beside(index: str, run_id: UUID) -> str:
    """The hold that a member of an index of open holds names."""
    return f"{index.removesuffix(_OPEN_HOLDS)}reserve:{run_id}"


def unsent(tenant_id: str) -> str:
    """Reservations whose message is not known to be sent: what the resend job walks. A hint, never the truth."""
    return of_tenant(tenant_id, _UNSENT)


def all_unsent() -> list[str]:
    return Store.LEDGER.keys(_UNSENT)
