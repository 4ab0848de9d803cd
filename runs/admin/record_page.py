"""A record that is looked at on a page, with the actions it offers."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern

from runs.admin.action_page import ActionPage, offers
from runs.admin.display import ReadOnlyAdmin


class RecordAdmin(ReadOnlyAdmin):
    action_pages: tuple[ActionPage, ...] = ()
    page_template: str | None = None
    """A page of its own, which shows what belongs to the record. Without one it is Django's, with the fields."""

    def page_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        return {}

    def get_urls(self) -> list[URLPattern]:
        return [*(page.pattern(self) for page in self.action_pages), *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        record: Model | None = self.get_object(request, object_id)
        if record is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined,no-any-return]
        if not self.has_view_permission(request, record):
            raise PermissionDenied
        actions = offers(self.action_pages, request, record)
        if self.page_template is None:
            return super().change_view(request, object_id, form_url, {**(extra_context or {}), "actions": actions})
        context = {
            **self.admin_site.each_context(request),
            "title": f"{str(self.opts.verbose_name).capitalize()} {record.pk}",
            "opts": self.opts,
            "original": record,
            "actions": actions,
            **self.page_context(request, record),
        }
        return TemplateResponse(request, self.page_template, context)
