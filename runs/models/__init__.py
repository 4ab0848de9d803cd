"""Fields, constraints and indexes. No logic: state changes are in `runs.lifecycle.transitions`."""

from runs.models.api_key import ApiKey
from runs.models.dead_letter import DeadLetter
from runs.models.document_flight import DocumentFlight
from runs.models.job_pass import JobPass
from runs.models.key_budget import KeyBudget
from runs.models.plan import Plan
from runs.models.run import Run, RunPayload
from runs.models.switch import SwitchChange, SwitchState
from runs.models.tenant import Tenant
from runs.models.transition import RunTransition
from runs.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "ApiKey",
    "DeadLetter",
    "DocumentFlight",
    "JobPass",
    "KeyBudget",
    "Plan",
    "Run",
    "RunPayload",
    "RunTransition",
    "SwitchChange",
    "SwitchState",
    "Tenant",
    "Webhook",
    "WebhookDelivery",
]
