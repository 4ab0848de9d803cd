"""/v1/keys: what is asked of a new key, and how keys are shown."""

import re
from datetime import datetime
from typing import Any

from dpp_project.money import Micros
from packs.registry import PACKS
from runs.access.key_budgets import Left
from runs.api.serializers.base import AnswerSerializer, StrictSerializer
from runs.api.serializers.fields import Choice, Flag, Id, Instant, ListOf, MaxCost, Schema, SchemaField, Text, Usd
from runs.api.serializers.query import Moment
from runs.models import KeyBudget

_MAX_LABEL_CHARS = 100
# No control characters: labels stand on pages and in logs.
_LABEL = re.compile(rf"[^\x00-\x1f\x7f-\x9f]{{0,{_MAX_LABEL_CHARS}}}")


class Label(Text):
    default_error_messages = {
        "invalid": f"must be a string of at most {_MAX_LABEL_CHARS} characters, none of them a control character"
    }

    def json_schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{_LABEL.pattern}$"}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or not _LABEL.fullmatch(data):
            self.fail("invalid")
        return data


class Limit(MaxCost):
    default_error_messages = {"bounds": "must be from {least} to {most}"}

    def __init__(self, **more: Any) -> None:
        super().__init__(least=Micros(100), **more)


class BodyMoment(Moment):
    """In a body, where anything may stand."""

    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class PackNames(SchemaField):
    default_error_messages = {"invalid": f"must be a list of at least one of {', '.join(sorted(PACKS))}"}

    def json_schema(self) -> Schema:
        names = {"type": "string", "enum": sorted(PACKS)}
        return {"type": "array", "items": names, "minItems": 1, "maxItems": len(PACKS), "uniqueItems": True}

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        if not isinstance(data, list) or not all(isinstance(name, str) and name in PACKS for name in data):
            self.fail("invalid")
        if not data or len(set(data)) < len(data):
            self.fail("invalid")
        return tuple(data)


class KeyRequestSerializer(StrictSerializer):
    label = Label(default="", help_text="For whom or what the key is.")  # type: ignore[assignment]
    max_total_usd = Limit(required=False, help_text="It spends no more than this in all, with what is made below it.")
    max_per_run_usd = Limit(required=False, help_text="It reserves no more than this for one run.")
    packs = PackNames(required=False, help_text="It submits only these; without it, those of the key that makes it.")
    read_only = Flag(default=False, help_text="It only reads.")  # type: ignore[assignment]
    expires_at = BodyMoment(required=False, help_text="Without it, when the key that makes it expires.")
    may_create_keys = Flag(default=False, help_text="It may make further keys below itself.")

    def check_together(self, data: dict[str, Any], values: dict[str, Any], errors: dict[str, Any]) -> None:
        if values.get("read_only") and (values.get("packs") or values.get("may_create_keys")):
            errors["read_only"] = ["goes neither with packs nor with may_create_keys"]


class KeyBudgetSerializer(AnswerSerializer):
    """What the key may spend. Absent limits are no limits of its own; keys above it may have some."""

    max_total_usd = Usd(allow_null=True, source="max_total")
    max_per_run_usd = Usd(allow_null=True, source="max_per_run")
    spent_usd = Usd(source="spent", help_text="Charged for runs of this key and those below it.")
    held_usd = Usd(source="held", help_text="Reserved for those that have not ended.")
    remaining_usd = Usd(
        allow_null=True,
        source="remaining",
        help_text="What it may still reserve, the limits above it counted; null: whatever the tenant can pay.",
    )


class KeySerializer(AnswerSerializer):
    key_id = Id()
    prefix = Text(help_text="How the key begins; the rest is known to whoever was given it.")
    label = Text()  # type: ignore[assignment]
    made_by_key_id = Id(allow_null=True, source="parent_id", help_text="Null: the operator made it.")
    created_at = Instant()
    expires_at = Instant(allow_null=True)
    last_used_at = Instant(allow_null=True, help_text="To the minute.")
    packs = ListOf(Choice(sorted(PACKS)), allow_null=True, help_text="Null: all of them.")
    read_only = Flag()  # type: ignore[assignment]
    may_create_keys = Flag()
    budget = KeyBudgetSerializer(allow_null=True, help_text="Null: neither it nor a key above it has a limit.")


class NewKeySerializer(KeySerializer):
    api_key = Text(help_text="The key itself, shown now and never again.")


class KeyListSerializer(AnswerSerializer):
    keys = KeySerializer(many=True, help_text="The calling key, then those below it that can be used.")


def budget_values(budget: KeyBudget, left: Left) -> dict[str, Any]:
    """What `KeyBudgetSerializer` shows."""
    return {
        "max_total": budget.max_total_usd_micros,
        "max_per_run": budget.max_per_run_usd_micros,
        "spent": budget.spent_usd_micros,
        "held": budget.held_usd_micros,
        "remaining": left.total,
    }


KEY_REQUEST = KeyRequestSerializer()
NEW_KEY = NewKeySerializer()
KEY_LIST = KeyListSerializer()
