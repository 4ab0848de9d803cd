"""Vera looks, Otto operates, Fiona pays."""

from collections.abc import Iterator

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from runs.models import JobPass
from tests.admin.users import logged_in, person
from tests.services import SessionServices


@pytest.fixture(autouse=True)
def nobody_yet(platform: SessionServices) -> Iterator[None]:
    cache.clear()
    yield
    LogEntry.objects.all().delete()
    User.objects.all().delete()
    JobPass.objects.all().delete()


@pytest.fixture
def vera(nobody_yet: None) -> Client:
    return logged_in(person("vera", "viewer"))


@pytest.fixture
def otto(nobody_yet: None) -> Client:
    return logged_in(person("otto", "operator"))


@pytest.fixture
def fiona(nobody_yet: None) -> Client:
    return logged_in(person("fiona", "finance"))
