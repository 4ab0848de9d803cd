"""Webhooks and their deliveries: what is asked, and what is shown."""

from typing import Any

from dpp_project.money import Micros
from dpp_project.profile import PROFILE
from runs.api.problems import RUN_FAILURES
from runs.api.serializers.base import AnswerSerializer, StrictSerializer
from runs.api.serializers.fields import (
    TAG_TEXT,
    Choice,
    Id,
    Instant,
    ListOf,
    MaxCost,
    Schema,
    SchemaField,
    Text,
    Usd,
    WholeNumber,
)
from runs.models import Webhook, WebhookDelivery
from runs.states import Status
from runs.webhooks.events import BUDGET_LOW, CHOICES, EVENTS
from runs.webhooks.subscriptions import address_refusal

_URL_CHARS = 2_000
_LEAST_BUDGET = Micros(100)


class ReceiverAddress(Text):
    default_error_messages = {
        "invalid": f"must be an https address of at most {_URL_CHARS} characters",
        "refused": "cannot be used: {why}",
    }

    def json_schema(self) -> Schema:
        return {"type": "string", "format": "uri", "pattern": "^https?://", "maxLength": _URL_CHARS}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or not 1 <= len(data) <= _URL_CHARS:
            self.fail("invalid")
        why = address_refusal(data)
        if why is not None:
            self.fail("refused", why=why.rstrip("."))
        return data


class EventNames(SchemaField):
    default_error_messages = {
        "invalid": f"must be a list of one or more of {', '.join(CHOICES)}, each once",
        "null": f"must be a list of one or more of {', '.join(CHOICES)}, each once",
    }

    def json_schema(self) -> Schema:
        return {
            "type": "array",
            "items": {"type": "string", "enum": list(CHOICES)},
            "minItems": 1,
            "uniqueItems": True,
        }

    def to_internal_value(self, data: Any) -> list[str]:
        known = isinstance(data, list) and data and all(isinstance(one, str) and one in CHOICES for one in data)
        if not known or len(set(data)) < len(data):
            self.fail("invalid")
        return list(data)


class Description(Text):
    default_error_messages = {"invalid": "must be a string of at most 256 characters, none of them a control character"}

    def json_schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{TAG_TEXT.pattern}$"}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or not TAG_TEXT.fullmatch(data):
            self.fail("invalid")
        return data


class Threshold(MaxCost):
    default_error_messages = {"bounds": "must be from {least} to {most}"}

    def __init__(self, **more: Any) -> None:
        super().__init__(least=_LEAST_BUDGET, **more)


class WebhookRequestSerializer(StrictSerializer):
    url = ReceiverAddress(help_text="Where messages are posted to. As pages are fetched: https, public, port 443.")
    events = EventNames(help_text="Which events it is told of.")
    budget_low_usd = Threshold(
        required=False, help_text=f"With `{BUDGET_LOW}`: below this balance it is told; without it, below the plan's."
    )
    description = Description(required=False, help_text="For people.")

    def check_together(self, data: dict[str, Any], values: dict[str, Any], errors: dict[str, Any]) -> None:
        wants = BUDGET_LOW in values.get("events", ())
        if "events" in values and not wants and "budget_low_usd" in data:
            errors["budget_low_usd"] = [f"has a meaning only with the event {BUDGET_LOW}"]


class RotationRequestSerializer(StrictSerializer):
    overlap_sec = WholeNumber(
        minimum=0,
        maximum=PROFILE.webhook_secret_overlap_max_sec,
        default=PROFILE.webhook_secret_overlap_sec,
        help_text="For so long messages are signed with the old secret too.",
    )


class WebhookSerializer(AnswerSerializer):
    webhook_id = Id()
    url = Text()
    events = ListOf(Choice(CHOICES))
    description = Text()
    status = Choice(Webhook.Status.values, help_text="`DISABLED`: nothing is sent until it is enabled again.")
    disabled_reason = Choice(
        Webhook.DisabledReason.values,
        required=False,
        help_text="`GONE`: it answered 410. `FAILING`: a message was given up and none has arrived since it was made.",
    )
    budget_low_usd = Usd(required=False)
    public_key = Text(help_text="Verifies the signatures `v1a` (Ed25519).")
    old_secret_until = Instant(required=False, help_text="Until then messages are signed with the former secret too.")
    last_success_at = Instant(required=False, help_text="Within a minute.")
    created_at = Instant()


class WebhookWithSecretSerializer(WebhookSerializer):
    secret = Text(pattern="^whsec_", help_text="Verifies the signatures `v1` (HMAC-SHA256). Shown this once.")


class WebhookListSerializer(AnswerSerializer):
    webhooks = WebhookSerializer(many=True)


class DeliverySerializer(AnswerSerializer):
    delivery_id = Id(help_text="The `webhook-id` of every attempt.")
    event = Choice(EVENTS)
    run_id = Id(required=False)
    state = Choice(WebhookDelivery.State.values, help_text="`FAILED`: given up.")
    attempts = WholeNumber(minimum=0, help_text="Made or under way; a redelivery counts anew.")
    created_at = Instant(help_text="When it happened.")
    next_attempt_at = Instant(required=False, help_text="While it is pending.")
    last_attempt_at = Instant(required=False)
    last_status_code = WholeNumber(required=False)
    last_problem = Text(required=False, help_text="Why the last attempt failed: `HTTP_STATUS`, `REDIRECT`, `TIMEOUT` …")
    delivered_at = Instant(required=False)


class DeliveryListSerializer(AnswerSerializer):
    deliveries = DeliverySerializer(many=True)
    next_cursor = Text(allow_null=True, help_text="For the next page; null on the last.")


class WebhookMessageDataSerializer(AnswerSerializer):
    """What happened to what. The rest is read from the API, with a key."""

    run_id = Id(required=False, help_text="Of `run.completed` and `run.failed`.")
    pack_type = Text(required=False)
    status = Choice([Status.COMPLETED.value, Status.FAILED.value], required=False)
    reason_code = Choice(list(RUN_FAILURES), required=False, help_text="Of `run.failed`.")
    available_usd = Usd(required=False, help_text="Of `budget.low`.")
    below_usd = Usd(required=False, help_text="Of `budget.low`: the threshold.")
    webhook_id = Id(required=False, help_text="Of `webhook.test`.")


class WebhookMessageSerializer(AnswerSerializer):
    type = Choice(EVENTS)
    timestamp = Instant(help_text="When it happened.")
    data = WebhookMessageDataSerializer()  # type: ignore[assignment]


WEBHOOK_REQUEST = WebhookRequestSerializer()
ROTATION_REQUEST = RotationRequestSerializer()
WEBHOOK = WebhookSerializer()
WEBHOOK_WITH_SECRET = WebhookWithSecretSerializer()
WEBHOOK_LIST = WebhookListSerializer()
DELIVERY = DeliverySerializer()
DELIVERY_LIST = DeliveryListSerializer()
