"""What is answered to POST /v1/quotes."""

from runs.api.serializers.base import AnswerSerializer
from runs.api.serializers.fields import Constant, Instant, MapOf, Text, Usd, WholeNumber


class QuotedItemSerializer(AnswerSerializer):
    item = Text()
    unit_price_usd_micros = WholeNumber(minimum=0)
    least = WholeNumber(minimum=0, help_text="How many the smallest result needs.")
    likely = WholeNumber(minimum=0, help_text="How many if all that was named comes and is ordinary.")
    worst = WholeNumber(minimum=0, help_text="How many at most.")


class QuoteSerializer(AnswerSerializer):
    quote_id = Text(help_text="Signed. Give it as `reservation.quote_id` and the run is charged at these prices.")
    expires_at = Instant()
    currency = Constant("USD")
    least_usd = Usd(source="least", help_text="A limit below this is refused.")
    likely_usd = Usd(source="likely")
    worst_usd = Usd(source="worst", help_text="A limit of this leaves nothing out.")
    items = QuotedItemSerializer(many=True)
    left_out = MapOf(
        {"type": "integer", "minimum": 1},
        help_text="Of the likely items: how many the request's own `max_cost_usd` would leave out.",
    )


QUOTE = QuoteSerializer()
