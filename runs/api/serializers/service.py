"""What is answered about the tenant's money, the packs on offer, and the service itself."""

from rest_framework import serializers

from packs.registry import PACKS
from runs.api.serializers.base import AnswerSerializer
from runs.api.serializers.fields import (
    Choice,
    Constant,
    Flag,
    JsonObject,
    ListOf,
    Number,
    Text,
    Usd,
    WholeNumber,
)
from runs.api.serializers.key import KeyBudgetSerializer


class PlanSerializer(AnswerSerializer):
    """What the tenant may ask for. The default plan is the profile's numbers."""

    name = Text()
    poll_rate_per_min = WholeNumber(minimum=0)
    submit_rate_per_min = WholeNumber(minimum=0)
    max_concurrent_runs = WholeNumber(minimum=0)
    retention_days = WholeNumber(minimum=1, help_text="How long results of runs accepted now are kept.")
    budget_alert_usd = Usd(source="budget_alert", help_text="A balance below this is low; 0.0000: never.")


class BudgetSerializer(AnswerSerializer):
    currency = Constant("USD")
    balance_usd = Usd(source="available", help_text="What can be spent now.")
    reserved_usd = Usd(source="reserved", help_text="Held for runs that have not ended.")
    spent_this_month_usd = Usd(source="spent", help_text="Charged for runs that ended in this month (UTC).")
    month = Text(pattern="^[0-9]{4}-[0-9]{2}$")
    balance_is_low = Flag(source="is_low", help_text="Below `budget_alert_usd` of the plan.")
    plan = PlanSerializer()
    key = KeyBudgetSerializer(required=False, help_text="Of a key with a limit: what it may spend of this.")


class PackPriceSerializer(AnswerSerializer):
    item = Text(help_text="As `cost.items` of an envelope names it.")
    unit = Text()
    unit_price_usd_micros = WholeNumber(minimum=0)
    charged = Text(help_text="When, in one sentence.")


class MinimumFeeSerializer(AnswerSerializer):
    """What a run costs that started and failed, or that could not decide: a share of its reservation within bounds."""

    percent_of_reservation = WholeNumber(minimum=0)
    at_least_usd_micros = WholeNumber(minimum=0)
    at_most_usd_micros = WholeNumber(minimum=0)


class PackSerializer(AnswerSerializer):
    name = Choice(list(PACKS))
    title = Text()
    input_schema = JsonObject(help_text="JSON Schema 2020-12 of `inputs`.")
    max_body_bytes = WholeNumber(minimum=1, help_text="The most a request may have. Beyond 1 MiB: base64 data only.")
    max_values = WholeNumber(minimum=1, help_text="The most values `inputs` may have in all.")
    prices = PackPriceSerializer(many=True, help_text="All that this pack may charge.")


class PackListSerializer(AnswerSerializer):
    profile_version = Text()
    currency = Constant("USD")
    packs = PackSerializer(many=True)
    minimum_fee = MinimumFeeSerializer()
    free = ListOf(Text(), help_text="What costs nothing.")


class HealthSerializer(AnswerSerializer):
    status = Constant("ok")


class DependencySerializer(AnswerSerializer):
    ok = Flag()
    latency_ms = Number(required=False)
    skew_sec = Number(required=False, help_text="Of `clock`: how far this process is ahead of the database.")
    missing = ListOf(Text(), required=False)
    error = Text(required=False)


class ReadinessSerializer(AnswerSerializer):
    status = Choice(["ready", "unavailable"])
    down = ListOf(Text())
    checks = serializers.DictField(child=DependencySerializer())


BUDGET = BudgetSerializer()
PACK_LIST = PackListSerializer()
HEALTH = HealthSerializer()
READINESS = ReadinessSerializer()
