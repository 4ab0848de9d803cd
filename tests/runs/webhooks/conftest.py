"""Receivers on loopback that the sender takes for public addresses."""

from collections.abc import Iterator

import pytest

from packs.fetch import FetchPolicy
from runs.lifecycle.fetch_policy import webhook_policy
from runs.webhooks.sender import Sender
from tests.builders import Customer
from tests.packs.fetch.zoo import Zoo, open_zoo
from tests.runs.webhooks.receivers import Subscription, subscribed


@pytest.fixture
def zoo() -> Iterator[Zoo]:
    with open_zoo() as zoo:
        yield zoo


@pytest.fixture
def sender(zoo: Zoo) -> Iterator[Sender]:
    policy: FetchPolicy = webhook_policy()
    sender = Sender(zoo.fetcher(policy))
    yield sender
    sender.finish()


@pytest.fixture
def hook(acme: Customer) -> Subscription:
    return subscribed(acme)
