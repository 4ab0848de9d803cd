from pathlib import Path

import pytest

from devstack.layout import Layout
from devstack.ministack import MiniStack
from devstack.plan import make_plan
from devstack.postgres import Postgres
from devstack.valkey import Valkey


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    layout.make()
    return layout


def test_everything_is_embedded_unless_given(layout: Layout) -> None:
    plan = make_plan(layout, {})
    assert [type(service) for service in plan.embedded] == [Postgres, Valkey, MiniStack]
    assert plan.environment["DPP_ADMIN_URL"] == plan.environment["DPP_API_URL"] + "/admin/"
    assert all(plan.environment.values())


def test_a_given_server_is_used_instead(layout: Layout) -> None:
    url = "postgresql://somebody:secret@db.example:5433/dpp"
    plan = make_plan(layout, {"DATABASE_URL": url, "REDIS_URL": ""})
    assert plan.environment["DATABASE_URL"] == url
    assert [type(service) for service in plan.embedded] == [Valkey, MiniStack]


def test_our_own_addresses_in_the_shell_are_not_taken_for_given_ones(layout: Layout) -> None:
    first = make_plan(layout, {})
    again = make_plan(layout, first.environment)
    assert again.external == {}
    assert again.environment == first.environment


def test_addresses_stay_the_same_from_one_start_to_the_next(layout: Layout) -> None:
    assert make_plan(layout, {}).environment == make_plan(layout, {}).environment


def test_loopback_never_goes_through_a_proxy(layout: Layout) -> None:
    plan = make_plan(layout, {"HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": "internal.example"})
    assert plan.environment["NO_PROXY"] == "internal.example,127.0.0.1,localhost"
    assert "NO_PROXY" not in make_plan(layout, {}).environment
