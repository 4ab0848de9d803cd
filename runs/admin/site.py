"""The admin's own rules of entry: a second factor, and sessions that end."""

import time

from django.contrib.admin import AdminSite
from django.http import HttpRequest

from runs.admin import second_factor

# However busy its owner: after this long a session ends. One that is idle ends sooner (`SESSION_COOKIE_AGE`).
SESSION_MAX_SEC = 8 * 3_600
_BEGAN = "dpp_began"


class OperatorSite(AdminSite):
    login_form = second_factor.SecondFactorLoginForm
    login_template = "operate/login.html"

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and _is_young(request) and second_factor.was_given(request)


def _is_young(request: HttpRequest) -> bool:
    now = int(time.time())
    began = request.session.get(_BEGAN)
    if began is None:
        began = request.session[_BEGAN] = now
    return 0 <= now - int(began) < SESSION_MAX_SEC
