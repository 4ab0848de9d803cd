"""What is answered to GET /v1/statements/{month}."""

from datetime import UTC, datetime

from budget.models import EntryKind
from runs.api.serializers.base import AnswerSerializer
from runs.api.serializers.fields import Choice, Constant, Id, Instant, Sha256, Text, WholeNumber


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
    entries = WholeNumber(minimum=0, source="count")
    first_previous_hash = Text(help_text="What the first entry here is chained to.")
    last_entry_hash = Text(help_text="What the next entry is chained to: by it the head vouches for all entries.")


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
