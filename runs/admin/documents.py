"""Documents: what is being downloaded, which hosts have no place left, how full the cache is."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from dpp_project import clock
from packs.cache.limits import MIB
from runs.admin.display import ReadOnlyAdmin, moment
from runs.models import DocumentFlight
from runs.reports.document_traffic import flight_counts, is_silent, redis_counts

_MEANINGS = {
    "DOWNLOADING": "under way",
    "CACHED": "downloaded, a copy is kept",
    "UNCACHED": "downloaded, no copy could be kept: asked for by each run alone for a minute",
}


@admin.register(DocumentFlight)
class DocumentFlightAdmin(ReadOnlyAdmin):
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        flights = flight_counts()
        context = {
            **self.admin_site.each_context(request),
            "title": "Documents",
            "opts": self.opts,
            "flights": [(state, _MEANINGS[state], count) for state, count in flights.by_state.items()],
            "oldest": moment(flights.oldest_download) if flights.oldest_download else "–",
            "is_silent": is_silent(flights.oldest_download, clock.now()),
            "shared": redis_counts(),
            "host_slots": settings.FETCH_HOST_SLOTS,
            "max_bytes": MIB * settings.CACHE_REDIS_MAX_MIB,
        }
        return TemplateResponse(request, "operate/documents.html", context)
