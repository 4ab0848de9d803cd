"""Who did what to which object, when and why: every action of the admin leaves an entry that nobody can edit there."""

import logging
from typing import TYPE_CHECKING

from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model
from django.http import HttpRequest

from dpp_project.logging import fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

log = logging.getLogger("dpp.admin")


def who(request: HttpRequest) -> str:
    return request.user.get_username()


def record(request: HttpRequest, obj: Model, what: str, why: str) -> LogEntry:
    user: User = request.user  # type: ignore[assignment]  # every admin page asks for a login first
    entry = LogEntry.objects.log_actions(
        user_id=user.pk,
        queryset=[obj],
        action_flag=CHANGE,
        change_message=f"{what} Why: {why}",
        single_object=True,
    )
    log.warning(
        "admin_action",
        extra=fields(who=who(request), object=f"{obj._meta.model_name}:{obj.pk}", action=what, why=why),
    )
    assert isinstance(entry, LogEntry)  # of a single object
    return entry
