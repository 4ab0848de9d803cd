"""The second factor of a login: a six-digit code of an authenticator (TOTP, RFC 6238), by django-otp.

`manage.py enrol_second_factor` makes a person's device; nothing on the web does, so that a stolen password alone cannot
enrol a thief. A user with a device must always give its code; in production nobody gets in without one.
"""

from typing import TYPE_CHECKING

from django import forms
from django.conf import settings
from django_otp import DEVICE_ID_SESSION_KEY, verify_token
from django_otp.plugins.otp_totp.models import TOTPDevice

from runs.admin.login import LimitedLoginForm

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest


class SecondFactorLoginForm(LimitedLoginForm):
    otp_token = forms.CharField(
        label="Code",
        required=False,
        max_length=6,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
        help_text="Six digits of your authenticator, if you have one enrolled.",
    )

    def confirm_login_allowed(self, user: "User") -> None:
        """After the password was right. A wrong code counts as a failed login and reads like one."""
        super().confirm_login_allowed(user)
        device = TOTPDevice.objects.filter(user_id=user.pk, confirmed=True).first()
        if device is None:
            if settings.ADMIN_SECOND_FACTOR:
                raise forms.ValidationError("This account has no second factor yet: see `enrol_second_factor`.")
            return
        token = str(self.cleaned_data.get("otp_token") or "")
        verified = verify_token(user, device.persistent_id, token) if token.isascii() and token.isdigit() else None
        if verified is None:
            raise self.get_invalid_login_error()
        # django-otp notes it in the session when the login is done.
        user.otp_device = verified  # type: ignore[attr-defined]


def was_given(request: "HttpRequest") -> bool:
    """Whether this session began with a code, where one is asked for."""
    return not settings.ADMIN_SECOND_FACTOR or DEVICE_ID_SESSION_KEY in request.session


def enrol(user: "User") -> TOTPDevice:
    """A new device in the place of any other. Its key is shown once."""
    TOTPDevice.objects.filter(user=user).delete()
    return TOTPDevice.objects.create(user=user, name="authenticator", confirmed=True)
