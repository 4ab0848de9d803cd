"""Where the `type` of problems begins: one default, whoever answers."""

from pathlib import Path

from dpp_project.env import Env
from dpp_project.problem_base import problem_type_base
from runs.mcp.settings import GatewaySettings

_CLONE = Path(__file__).resolve().parents[2]


def test_the_slug_follows_a_slash_whether_it_was_given_or_not() -> None:
    for given in ("https://errors.example", "https://errors.example/"):
        assert problem_type_base(Env({"DPP_PROBLEM_TYPE_BASE": given})) == "https://errors.example/"


def test_the_gateway_begins_where_the_api_does() -> None:
    gateway = GatewaySettings.read(Env({"DPP_API_URL": "http://127.0.0.1:8000"}))
    assert gateway.problem_type_base == problem_type_base(Env({})) == "https://dpp.api/errors/"


def test_the_default_is_written_once() -> None:
    packages = ("dpp_project", "runs", "budget", "packs", "storage")
    files = [path for package in packages for path in (_CLONE / package).rglob("*.py")]
    assert [path.name for path in files if "dpp.api/errors" in path.read_text(encoding="utf-8")] == ["problem_base.py"]
