"""The beat jobs: when each made its last pass, how long it took, what it found. In a healthy system: nothing."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse

from dpp_project import clock
from runs.admin.action_page import ActionForm, ActionPage, ActionRefused, ActionResult
from runs.admin.display import ReadOnlyAdmin, list_url, moment
from runs.jobs.history import JobStatus, statuses
from runs.jobs.table import JOBS
from runs.lifecycle.queue import SendFailed, send_job
from runs.models import JobPass


def _start(request: HttpRequest, job: JobPass, form: dict[str, Any]) -> ActionResult:
    try:
        send_job(job.name)
    except SendFailed as error:
        raise ActionRefused(f"The queue did not take the message ({error}): see manage.py for jobs by hand.") from error
    return ActionResult(f"Asked for a pass of {job.name}.")


def _find(model: type[Model], name: str) -> JobPass:
    """Also a job that has never made a pass."""
    if name not in JOBS:
        raise Http404
    return JobPass.objects.filter(pk=name).first() or JobPass(name=name)


_START = ActionPage(
    name="start",
    title="Start now",
    permission="runs.change_jobpass",
    form=ActionForm,
    perform=_start,
    explain="One pass, by a maintenance worker, as beat would ask for it. Every job is safe to run twice at once.",
    find=_find,
    back=lambda _: list_url(JobPass),
)


@admin.register(JobPass)
class JobPassAdmin(ReadOnlyAdmin):
    def get_urls(self) -> list[URLPattern]:
        return [_START.pattern(self), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": "Jobs",
            "opts": self.opts,
            "rows": [_row(status) for status in statuses(now=clock.now())],
            "may_start": _START.allowed(request),
        }
        return TemplateResponse(request, "operate/jobs.html", context)


def _row(status: JobStatus) -> dict[str, Any]:
    job, last = status.job, status.last
    return {
        "job": job,
        "late": status.late,
        "start_url": reverse("admin:runs_jobpass_start", args=[job.name]),
        "finished": moment(last.finished_at) if last else "never",
        "duration": f"{last.duration_ms:,} ms" if last else "–",
        "counts": _sentence(last.counts) if last else "–",
        "found": moment(last.found_at) if last else "–",
        "found_counts": _sentence(last.found_counts) if last else "",
    }


def _sentence(counts: dict[str, int] | None) -> str:
    if not counts:
        return ""
    # The database keeps no order of names: what was found comes first.
    names = sorted(counts, key=lambda name: (name != "found", name))
    return ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in names if counts[name]) or "nothing"
