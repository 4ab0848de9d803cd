"""The messages of a webhook, newest first, page by page."""

from dataclasses import dataclass

from django.db.models import Q

from runs.models import Webhook, WebhookDelivery
from runs.reports.listing import Cursor


@dataclass(frozen=True)
class DeliveryPage:
    deliveries: list[WebhookDelivery]
    next_cursor: Cursor | None


def delivery_page(webhook: Webhook, *, state: str | None, after: Cursor | None, limit: int) -> DeliveryPage:
    """One query, along the index (webhook, created_at desc, delivery_id desc)."""
    deliveries = WebhookDelivery.objects.filter(webhook_id=webhook.pk)
    if state is not None:
        deliveries = deliveries.filter(state=state)
    if after is not None:
        deliveries = deliveries.filter(created_at__lte=after.created_at).filter(
            Q(created_at__lt=after.created_at) | Q(delivery_id__lt=after.run_id)
        )
    found = list(deliveries.order_by("-created_at", "-delivery_id")[: limit + 1])
    if len(found) <= limit:
        return DeliveryPage(found, None)
    last = found[limit - 1]
    return DeliveryPage(found[:limit], Cursor(last.created_at, last.pk))
