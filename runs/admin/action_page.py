"""One page per action: a form that asks why, one call of the platform's own function, an entry in the audit trail."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from runs.admin import action_log
from runs.admin.display import change_url

if TYPE_CHECKING:
    from runs.admin.display import ModelAdmin


class ActionRefused(Exception):
    """The action cannot be done; the message tells the operator why."""


def why_field() -> forms.CharField:
    return forms.CharField(
        label="Why",
        max_length=500,
        widget=forms.TextInput(attrs={"size": 70, "placeholder": "For the audit trail"}),
    )


class ActionForm(forms.Form):
    why = why_field()


@dataclass(frozen=True)
class ActionResult:
    what: str
    """A sentence for the trail; it never holds a secret."""
    shown_once: str | None = None
    """A new key's text: shown on the page that answers, and nowhere else."""


@dataclass(frozen=True)
class ActionPage:
    name: str
    title: str
    permission: str
    form: type[ActionForm]
    perform: Callable[[HttpRequest, Any, dict[str, Any]], ActionResult]
    """(request, object, cleaned form): does it, or raises `ActionRefused`."""
    explain: str = ""
    danger: bool = False
    offered: Callable[[Any], bool] = lambda _: True
    """Whether it makes sense for this object as it stands."""
    find: Callable[[type[Model], str], Model] = lambda model, object_id: get_object_or_404(model, pk=object_id)
    back: Callable[[Any], str] = change_url
    """Where the page leads when it is done."""
    commits_itself: bool = False
    """For what must be true in the database before it goes on, as a claim before money moves: not to be held back in a
    transaction of ours. It leaves rows of its own; the trail follows."""

    def allowed(self, request: HttpRequest) -> bool:
        return request.user.has_perm(self.permission)

    def pattern(self, owner: "ModelAdmin") -> URLPattern:
        opts = owner.model._meta

        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            return self._answer(request, self.find(owner.model, object_id))

        return path(
            f"<path:object_id>/{self.name}/",
            owner.admin_site.admin_view(view),
            name=f"{opts.app_label}_{opts.model_name}_{self.name}",
        )

    def _answer(self, request: HttpRequest, obj: Model) -> HttpResponse:
        if not self.allowed(request):
            raise PermissionDenied
        form = self.form(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                # The trail and what it tells of stand or fall together.
                with nullcontext() if self.commits_itself else transaction.atomic():
                    done = self.perform(request, obj, form.cleaned_data)
                    action_log.record(request, obj, done.what, form.cleaned_data["why"])
            except ActionRefused as refusal:
                form.add_error(None, str(refusal))
            else:
                if done.shown_once is not None:
                    return self._page(request, obj, None, done)
                messages.success(request, done.what)
                return HttpResponseRedirect(self.back(obj))
        return self._page(request, obj, form, None)

    def _page(
        self, request: HttpRequest, obj: Model, form: ActionForm | None, done: ActionResult | None
    ) -> HttpResponse:
        context = {
            **admin.site.each_context(request),
            "title": self.title,
            "subtitle": str(obj),
            "opts": obj._meta,
            "object": obj,
            "object_url": self.back(obj),
            "action": self,
            "form": form,
            "done": done,
        }
        # `admin_view` forbids caches to keep any page, so that a new key does not come back out of one.
        return TemplateResponse(request, "operate/action.html", context)


def offers(pages: tuple[ActionPage, ...], request: HttpRequest, obj: Model) -> list[ActionPage]:
    """The actions this person may take on this object as it stands."""
    return [page for page in pages if page.allowed(request) and page.offered(obj)]
