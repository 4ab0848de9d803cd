"""What is answered to GET /v1/statements/{month}."""

from datetime import UTC, datetime

from budget.models import EntryKind
from runs.api.serializers.base import AnswerSerializer
from runs.api.serializers.fields import Choice, Constant, Id, Instant, MapOf, Sha256, Text, WholeNumber


class ExactInstant(Instant):
    """To the microsecond: the entry's hash covers it."""

    def to_representation(self, value: datetime) -> str:
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class StatementEntrySerializer(AnswerSerializer):
    sequence = WholeNumber(minimum=1, help_text="Counts a tenant's entries without a gap.")
    created_at = ExactInstant()
    kind = Choice(EntryKind.values)
    amount_usd_micros = WholeNumber(source="amount", help_text="Signed: its effect on what can be spent.")
    balance_usd_micros = WholeNumber(source="balance", help_text="After it.")
    run_id = Id(allow_null=True)
    pack_type = Text(allow_null=True)
    api_key_id = Id(allow_null=True, help_text="The key that submitted the run.")
    tags = MapOf({"type": "string"}, allow_null=True, help_text="Of the run.")
    reference = Text(allow_null=True, help_text="Of a top-up or an adjustment.")
    note = Text()
    previous_hash = Text(help_text="Hexadecimal; empty for a tenant's first entry.")
    entry_hash = Sha256()


class StatementHeadSerializer(AnswerSerializer):
    tenant_id = Text()
    month = Text(pattern="^[0-9]{4}-[0-9]{2}$")
    currency = Constant("USD")
    opening_usd_micros = WholeNumber(source="opening")
    closing_usd_micros = WholeNumber(source="closing")
    plan = Text(help_text="The tenant's plan when this was asked for.")
    tag = Text(allow_null=True, help_text="Only entries of runs with this tag are listed.")
    api_key_id = Id(allow_null=True, help_text="Only entries of runs of this key are listed.")
    listed_usd_micros = WholeNumber(source="listed", help_text="The sum of the entries here.")
    entries = WholeNumber(minimum=0, source="count")
    entries_sha256 = Sha256(help_text="Over the RFC 8785 form of `entries`: the signature covers every member of them.")
    first_previous_hash = Text(help_text="What the first entry here is chained to.")
    last_entry_hash = Text(help_text="What the next entry is chained to.")


class StatementSignaturesSerializer(AnswerSerializer):
    ed25519 = Text(help_text="Base64, over the RFC 8785 form of `head`.")
    key_id = Text(help_text="Of /.well-known/jwks.json.")


class StatementSerializer(AnswerSerializer):
    head = StatementHeadSerializer()
    signatures = StatementSignaturesSerializer()
    entries = StatementEntrySerializer(many=True)
    next_after = WholeNumber(minimum=1, allow_null=True, help_text="Give it as `after` for the rest of the month.")


STATEMENT = StatementSerializer()
ENTRY_FIELDS = tuple(StatementEntrySerializer().fields)
