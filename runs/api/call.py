"""What is known of a request so far. The views fill it in, the middleware turns it into headers."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from runs.access.limits import Gate
from runs.api.problems import Problem
from runs.api.shown_run import Costs, StoredItem
from runs.models import ApiKey, Tenant

_ATTRIBUTE = "dpp_call"


@dataclass
class Call:
    trace_id: str = ""
    tenant: Tenant | None = None
    api_key: ApiKey | None = None
    gate: Gate | None = None
    costs: Costs | None = None
    stored: Sequence[StoredItem] = ()
    """Of the run that was looked up."""
    problem: Problem | None = None
    """Set once a problem is the answer: such an answer is complete but for its headers."""


def call_of(request: HttpRequest) -> Call:
    call: Call | None = getattr(request, _ATTRIBUTE, None)
    if call is None:
        call = Call()
        setattr(request, _ATTRIBUTE, call)
    return call
