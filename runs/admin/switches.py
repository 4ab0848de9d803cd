"""Kill switches: all of them with their state, their effect and their last change; flipped with a reason."""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse

from runs.access import switches
from runs.access.switches import Switch
from runs.admin import action_log
from runs.admin.action_page import ActionForm, ActionPage, ActionResult
from runs.admin.display import ReadOnlyAdmin, list_url
from runs.models import SwitchChange, SwitchState

_EFFECTS = {
    Switch.KILL_FETCH_EXTERNAL: "Nothing is fetched from the web: the url pack and evidence fetching are refused.",
    Switch.KILL_OCR_P2B: "The ocr pack is refused.",
    Switch.KILL_DOCX_ARTIFACT: "Reports as Word documents are refused.",
    Switch.KILL_POLL_MICROCOST: "Polling above the recommended rate is free; off, each such poll costs 10 micros.",
}


@dataclass(frozen=True)
class Row:
    name: str
    on: bool
    effect: str
    last: SwitchChange | None
    flip_url: str


def _find(model: type[Model], name: str) -> Model:
    """A switch that was never flipped has no row; its page is there all the same."""
    if name not in Switch.values:
        raise Http404
    switches.forget()
    return SwitchState(name=name, on=switches.is_on(Switch(name)))


def _flip(request: HttpRequest, state: SwitchState, form: dict[str, Any]) -> ActionResult:
    switches.flip(Switch(state.name), on=not state.on, who=action_log.who(request), why=form["why"])
    return ActionResult(f"{state.name} is {'off' if state.on else 'on'} now, everywhere within five seconds.")


_FLIP = ActionPage(
    name="flip",
    title="Flip the switch",
    permission="runs.change_switchstate",
    form=ActionForm,
    perform=_flip,
    explain="On takes the feature away: submits that need it are refused, queued runs are refunded before they start.",
    danger=True,
    find=_find,
    back=lambda _: list_url(SwitchState),
)


@admin.register(SwitchState)
class SwitchAdmin(ReadOnlyAdmin):
    def get_urls(self) -> list[URLPattern]:
        return [_FLIP.pattern(self), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        switches.forget()
        context = {
            **self.admin_site.each_context(request),
            "title": "Kill switches",
            "opts": self.opts,
            "rows": [_row(switch) for switch in Switch],
            "may_flip": _FLIP.allowed(request),
            "changes": SwitchChange.objects.order_by("-id")[:20],
        }
        return TemplateResponse(request, "operate/switches.html", context)


def _row(switch: Switch) -> Row:
    last = SwitchChange.objects.filter(name=switch).order_by("-at").first()
    flip_url = reverse("admin:runs_switchstate_flip", args=[switch.value])
    return Row(switch.value, switches.is_on(switch), _EFFECTS[switch], last, flip_url)
