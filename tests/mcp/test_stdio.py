"""Standard input and output: one caller, whose key is in the environment of the process it started."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from runs.models import Run
from tests.builders import QUESTION, Customer
from tests.mcp.gateway import DECISION, connected, documented, over_stdio
from tests.processes import CLONE, ApiProcess

ASK = {**QUESTION, "max_cost_usd": "0.5000", "wait_sec": 0}
ALONE = ["-m", "runs.mcp"]


def test_the_configuration_in_the_docs_is_all_it_needs(live_api: ApiProcess, acme: Customer, tmp_path: Path) -> None:
    """No database, no Redis, no Django settings, started from anywhere."""
    text = documented("json").replace("/path/to/dpp/.venv/bin/python", sys.executable)
    configured = json.loads(text.replace("/path/to/dpp", str(CLONE)))["mcpServers"]["dpp"]
    assert configured["env"].keys() == {"PYTHONPATH", "DPP_API_URL", "DPP_API_KEY"}
    environment = {**configured["env"], "DPP_API_URL": live_api.url, "DPP_API_KEY": acme.api_key}
    environment["DPP_LOG_LEVEL"] = "DEBUG"
    log = tmp_path / "stderr"
    with (
        log.open("w") as stderr,
        connected(over_stdio(configured["args"], environment, stderr, cwd=tmp_path)) as agent,
    ):
        assert DECISION in [tool.name for tool in agent.tools()]
        first = agent.call(ASK)
        again = agent.call({"inputs": QUESTION, "max_cost_usd": "0.5", "wait_sec": 0})
        too_dear = agent.call({**ASK, "max_cost_usd": "10.0001"})
        wrong = agent.call({**ASK, "criteria": "price"})

    assert not first.is_error
    assert first.structured["run_id"] == str(Run.objects.get(tenant=acme.tenant).pk)
    assert again.document["run_id"] == first.document["run_id"]
    assert too_dear.is_error
    assert too_dear.document["extensions"]["reason_code"] == "BUDGET_DRAINED"
    assert wrong.is_error
    assert [error["pointer"] for error in wrong.document["errors"]] == ["/criteria"]
    assert '"event": "mcp_call"' in log.read_text()
    assert "dpp_sk_" not in log.read_text()


def test_as_a_command_of_the_project_for_clients_of_the_older_protocol(
    live_api: ApiProcess, acme: Customer, tmp_path: Path
) -> None:
    environment = {**os.environ, "DPP_API_URL": live_api.url, "DPP_API_KEY": "dpp_sk_nobodys"}
    command = ["manage.py", "mcp", "--transport", "stdio"]
    with (
        (tmp_path / "stderr").open("w") as stderr,
        connected(over_stdio(command, environment, stderr, mode="legacy")) as agent,
    ):
        result = agent.call(ASK)

    assert result.is_error
    assert result.document["extensions"]["reason_code"] == "AUTH_INVALID"
    assert not Run.objects.exists()


def test_what_it_cannot_read_is_not_quoted_in_the_log() -> None:
    environment = {"DPP_API_URL": "http://127.0.0.1:1", "DPP_API_KEY": "dpp_sk_x", "DPP_LOG_LEVEL": "DEBUG"}

    ended = _run(ALONE, environment, stdin='{"Zanzibar": \n{"jsonrpc": "2.0", "Zanzibar": 1}\n')

    assert ended.returncode == 0
    assert "Zanzibar" not in ended.stderr
    assert "Zanzibar" not in ended.stdout


@pytest.mark.parametrize(
    ("environment", "arguments", "named"),
    [
        ({"DPP_API_KEY": "dpp_sk_x"}, [], "DPP_API_URL is not set"),
        ({"DPP_API_URL": "api.example.com", "DPP_API_KEY": "dpp_sk_x"}, [], "DPP_API_URL is not of the form"),
        ({"DPP_API_URL": "https://user:secret@api.example.com"}, [], "DPP_API_URL is not of the form"),
        ({"DPP_API_URL": "https://api.example.com"}, [], "DPP_API_KEY is not set"),
        ({"DPP_API_URL": "https://api.example.com", "DPP_API_KEY": "dpp_sk_secret\nx"}, [], "DPP_API_KEY is not"),
        (
            {"DPP_API_URL": "https://api.example.com"},
            ["--transport", "http", "--host", "0.0.0.0"],
            "DPP_MCP_ALLOWED_HOSTS is not set",
        ),
    ],
)
def test_it_does_not_start_without_what_it_needs_and_says_what_is_missing(
    environment: dict[str, str], arguments: list[str], named: str
) -> None:
    ended = _run([*ALONE, *arguments], environment)

    assert ended.returncode == 1
    assert ended.stderr.startswith(named)
    assert "secret" not in ended.stderr
    assert not ended.stdout


def _run(command: list[str], environment: dict[str, str], *, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *command],
        cwd=CLONE,
        env={"PATH": os.environ["PATH"], **environment},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=30,
    )
