"""Customers that call the API in this process."""

import pytest
from django.test import Client

from tests.api.caller import Caller
from tests.builders import Customer


@pytest.fixture
def acme_api(api: Client, acme: Customer) -> Caller:
    return Caller(api, acme)


@pytest.fixture
def rival_api(api: Client, rival: Customer) -> Caller:
    return Caller(api, rival)
