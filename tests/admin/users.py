"""The people of the admin: each in one group, logged in."""

from typing import Any

from django.contrib.auth.models import Group, User
from django.test import Client


def person(name: str, *groups: str, **values: Any) -> User:
    """Without a password: making one takes longer than most tests."""
    user = User.objects.create_user(name, is_staff=True, **values)
    user.groups.set(Group.objects.filter(name__in=groups))
    return user


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
