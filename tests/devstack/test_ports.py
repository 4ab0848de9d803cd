import socket
from pathlib import Path

import pytest

from devstack.ports import Ports
from tests.ports import free_port


def test_a_port_is_remembered(tmp_path: Path) -> None:
    chosen = Ports(tmp_path / "ports").take("api")
    assert Ports(tmp_path / "ports").take("api") == chosen


def test_a_remembered_port_that_a_stranger_took_is_replaced(tmp_path: Path) -> None:
    chosen = Ports(tmp_path / "ports").take("api")
    with socket.create_server(("127.0.0.1", chosen)):
        replaced = Ports(tmp_path / "ports").take("api")
    assert replaced != chosen
    assert Ports(tmp_path / "ports").take("api") == replaced


def test_a_preferred_port_is_taken_only_if_it_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as usual:
        taken = usual.getsockname()[1]
        assert Ports().take("api", preferred=[taken]) != taken
    assert Ports().take("api", preferred=[taken]) == taken


def test_two_names_never_share_a_port() -> None:
    ports = Ports()
    first = ports.take("api")
    assert ports.take("mcp", preferred=[first]) != first


def test_a_file_of_ports_that_a_crash_has_torn_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "ports").write_text('{"api": 2')
    assert Ports(tmp_path / "ports").take("api") > 0


def test_sessions_of_tests_side_by_side_never_choose_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {}
    for session in ("gw0", "gw1"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", session)
        chosen[session] = [free_port() for _ in range(20)]
    assert len({*chosen["gw0"], *chosen["gw1"]}) == 40
    assert not {port % 16 for port in chosen["gw0"]} & {port % 16 for port in chosen["gw1"]}
