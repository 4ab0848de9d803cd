"""Plans: what a tenant may ask for, how long its results are kept, when its balance is low.

A plan is a row whose numbers stand in for the profile's; a tenant without one has the profile's. The row comes with the
key that was looked up: asking costs no round trip.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from dpp_project.money import Micros
from dpp_project.profile import PROFILE, Profile
from runs.models import Plan, Tenant
from runs.models.plan import DEFAULT_PLAN


class UnknownPlan(ValueError):
    """The message names it."""


@dataclass(frozen=True)
class PlanTerms:
    """A plan's numbers with the profile's where it has none."""

    name: str
    poll_rate_per_min: int
    submit_rate_per_min: int
    max_concurrent_runs: int
    retention_days: int
    budget_alert: Micros
    """A balance below this is low; 0: never."""

    def is_low(self, available: Micros) -> bool:
        return available < self.budget_alert


def terms_of(tenant: Tenant) -> PlanTerms:
    return terms(tenant.plan)


def terms(plan: Plan | None) -> PlanTerms:
    if plan is None:
        return _DEFAULT
    return _terms(
        plan.name,
        plan.poll_rate_per_min,
        plan.submit_rate_per_min,
        plan.max_concurrent_runs,
        plan.retention_days,
        plan.budget_alert_usd_micros,
    )


def retention_of(tenant: Tenant, profile: Profile) -> timedelta:
    """Of a run accepted now under this profile."""
    days = tenant.plan.retention_days if tenant.plan else None
    return profile.retention if days is None else timedelta(days=days)


def assign(tenant: Tenant, name: str) -> Tenant:
    """Put the tenant on a plan, by its name; seen by every process within 5 s. Runs accepted before keep their
    retention. Raises `UnknownPlan`."""
    plan = None if name == DEFAULT_PLAN else Plan.objects.filter(pk=name).first()
    if plan is None and name != DEFAULT_PLAN:
        raise UnknownPlan(f"There is no plan {name!r}; there are {', '.join(names())}.")
    Tenant.objects.filter(pk=tenant.pk).update(plan=plan)
    tenant.plan = plan
    return tenant


def set_plan(name: str, numbers: Mapping[str, int]) -> PlanTerms:
    """Make the plan, or change these numbers of it. Raises `ValidationError`."""
    with transaction.atomic():
        plan = Plan.objects.select_for_update().filter(pk=name).first() or Plan(name=name)
        for column, number in numbers.items():
            setattr(plan, column, number)
        plan.full_clean(validate_unique=False)
        plan.save()
    return terms(plan)


def names() -> list[str]:
    return [DEFAULT_PLAN, *Plan.objects.order_by("name").values_list("name", flat=True)]


# Asked at every poll; there are few plans.
@functools.lru_cache(maxsize=1_000)
def _terms(
    name: str, polls: int | None, submits: int | None, live_runs: int | None, days: int | None, alert: int | None
) -> PlanTerms:
    return PlanTerms(
        name=name,
        poll_rate_per_min=_or(polls, PROFILE.poll_rate_per_min),
        submit_rate_per_min=_or(submits, PROFILE.submit_rate_per_min),
        max_concurrent_runs=_or(live_runs, PROFILE.max_concurrent_runs),
        retention_days=_or(days, PROFILE.retention_days),
        budget_alert=Micros(_or(alert, PROFILE.budget_alert)),
    )


def _or(override: int | None, default: int) -> int:
    return default if override is None else override


_DEFAULT = _terms(DEFAULT_PLAN, None, None, None, None, None)
