"""Logging in to the admin: as often wrong as an API key may be, counted apart, then a pause for that address."""

from contextlib import suppress
from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm

from runs.access import limits
from runs.api.client_address import client_address


class LimitedLoginForm(AdminAuthenticationForm):
    def clean(self) -> dict[str, Any]:
        assert self.request is not None
        address = client_address(self.request)
        # Before the password is looked at: the right one is no way around the pause.
        if limits.passwords_are_limited(address):
            raise forms.ValidationError("Too many failed logins from your address. Try again in a minute.")
        try:
            return super().clean()
        except forms.ValidationError:
            with suppress(limits.RateLimited):
                limits.password_failed(address)
            raise
