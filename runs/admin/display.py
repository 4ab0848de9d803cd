"""Parts that every admin page uses: a read-only admin, small pieces of HTML, a paginator that never counts a table."""

from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dpp_project.money import Micros, format_usd

if TYPE_CHECKING:
    # Generic for the type checker only.
    ModelAdmin = admin.ModelAdmin[Any]
    _Paginator = Paginator[Any]
else:
    ModelAdmin = admin.ModelAdmin
    _Paginator = Paginator

# Nobody turns to a page behind this; counting further would read the table.
_MOST_COUNTED = 5_000

_TONES = {
    "QUEUED": "wait",
    "PROCESSING": "busy",
    "COMPLETED": "good",
    "SETTLED": "good",
    "ACTIVE": "good",
    "RESERVED": "busy",
    "REFUNDED": "plain",
    "FAILED": "bad",
    "DISPUTED": "bad",
    "DELIVERED": "good",
    "PENDING": "wait",
    "GONE": "bad",
    "FAILING": "bad",
    "OPERATOR": "bad",
    "REVOKED": "bad",
    "SUSPENDED": "bad",
    "FROZEN": "bad",
}


class BoundedPaginator(_Paginator):
    @cached_property
    def count(self) -> int:
        rows = self.object_list
        return rows[:_MOST_COUNTED].count() if isinstance(rows, QuerySet) else len(rows)


class ReadOnlyAdmin(ModelAdmin):
    """Looked at, never edited: its rows are written by the platform's own functions alone."""

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # would count the table once a filter
    list_per_page = 50
    actions = None

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = str(self.opts.verbose_name_plural).capitalize()
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def badge(text: object) -> SafeString:
    return format_html('<span class="badge {}">{}</span>', _TONES.get(str(text), "plain"), text or "–")


def usd(amount: int | None) -> str:
    return "–" if amount is None else f"{format_usd(Micros(amount))} USD"


def micros(amount: int | None) -> str:
    """Exact: with every micro, which `usd` may round away."""
    return "–" if amount is None else f"{amount:,} µ"


def moment(at: datetime | None) -> SafeString | str:
    """The exact time, with how long ago that is on hovering."""
    if at is None:
        return "–"
    seconds = (timezone.now() - at).total_seconds()
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        at.isoformat(),
        f"{lasting(abs(seconds))} {'ago' if seconds >= 0 else 'from now'}",
        f"{at:%Y-%m-%d %H:%M:%S.%f}"[:-3] + " Z",
    )


def lasting(seconds: float) -> str:
    """A duration as people say it: 0.35 s, 42 s, 12 min, 3 h, 9 d."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


def change_url(obj: Model) -> str:
    return reverse(f"admin:{obj._meta.app_label}_{obj._meta.model_name}_change", args=[obj.pk])


def list_url(model: type[Model], **query: str) -> str:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{urlencode(query)}" if query else address
