"""The beat jobs: when each made its last pass, how long it took, what it found. In a healthy system: nothing."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from runs.admin.parts import ReadOnlyAdmin, moment
from runs.job_passes import Job, jobs
from runs.models import JobPass

_DOES = {
    "reap": "ends runs whose worker died",
    "sweep": "refunds runs that waited too long, and holds without a run",
    "reconcile": "finishes claims that nobody finished",
    "dead_letters": "ends runs whose message was given up",
    "retain": "deletes results past their retention",
    "audit": "compares Redis with the books",
    "resend": "sends messages that may have been lost again",
}


@admin.register(JobPass)
class JobPassAdmin(ReadOnlyAdmin):
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": "Jobs",
            "opts": self.opts,
            "rows": [_row(job) for job in jobs(now=timezone.now())],
        }
        return TemplateResponse(request, "operate/jobs.html", context)


def _row(job: Job) -> dict[str, Any]:
    last = job.last
    return {
        "job": job,
        "does": _DOES.get(job.name, ""),
        "finished": moment(last.finished_at) if last else "never",
        "duration": f"{last.duration_ms:,} ms" if last else "–",
        "counts": _told(last.counts) if last else "–",
        "found": moment(last.found_at) if last else "–",
        "found_counts": _told(last.found_counts) if last else "",
    }


def _told(counts: dict[str, int] | None) -> str:
    if not counts:
        return ""
    # The database keeps no order of names: what was found comes first.
    names = sorted(counts, key=lambda name: (name != "found", name))
    return ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in names if counts[name]) or "nothing"
