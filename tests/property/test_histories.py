"""A few seeded histories in `make test`; thousands of them in `make torture`."""

import os

import pytest

from tests.property.histories import live_through
from tests.services import SessionServices

SEEDS = range(1, 1 + int(os.environ.get("DPP_PROPERTY_SEEDS", "4")))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_life_agrees_with_the_model_after_every_step(platform: SessionServices, seed: int) -> None:
    live_through(seed, steps=60)
