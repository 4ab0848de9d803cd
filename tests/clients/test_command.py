"""The command `dpp`: what it prints, and the code it ends with."""

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from dpp_client import ConnectionFailed, UnexpectedAnswer
from dpp_client.command import code_of, exit_code, output
from dpp_client.command.arguments import SHELLS, commands_of, parser
from dpp_client.command.completion import completion_script
from dpp_project import signing
from runs.access import api_keys
from runs.lifecycle.envelope import sign
from runs.models import Run
from tests.api.ended_runs import completed_run
from tests.books import assert_balanced
from tests.builders import QUESTION, Customer
from tests.processes import ApiProcess


@pytest.fixture
def inputs(tmp_path: Path) -> str:
    (tmp_path / "inputs.json").write_text(json.dumps(QUESTION))
    return str(tmp_path / "inputs.json")


@pytest.fixture
def _configured(live_api: ApiProcess, acme: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPP_API_URL", live_api.url)
    monkeypatch.setenv("DPP_API_KEY", acme.api_key)
    monkeypatch.delenv("DPP_EVENTS_URL", raising=False)


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("_configured")
def test_the_same_command_with_the_same_key_is_the_same_run(
    inputs: str, acme: Customer, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["run", "decision", "--inputs", inputs, "--max-cost", "0.50", "--key", "my-own-key-1", "--json"]
    assert exit_code([*run, "--no-wait"]) == 0
    run_id = said(capsys)["run_id"]
    assert exit_code([*run, "--wait-sec", "0"]) == 3
    told = capsys.readouterr().err
    assert "key my-own-key-1" in told
    assert json.loads(told.splitlines()[-1])["idempotency_key"] == "my-own-key-1"
    assert str(Run.objects.get().pk) == run_id
    assert exit_code(["cancel", run_id, "--json"]) == 0
    assert said(capsys)["error"]["reason_code"] == "RUN_CANCELLED"
    assert exit_code([*run, "--wait-sec", "5"]) == 1
    assert_balanced(acme, 10_000_000)


@pytest.mark.usefixtures("_configured")
def test_a_result_is_kept_and_verified_later(
    acme: Customer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id, kept = str(completed_run(acme).pk), tmp_path / "envelope.json"
    assert exit_code(["get", run_id, "--envelope", str(kept)]) == 0
    assert "Recommendation: Beta" in capsys.readouterr().out
    monkeypatch.delenv("DPP_API_KEY")
    assert exit_code(["verify", str(kept), "--json"]) == 0
    assert said(capsys)["run_id"] == run_id


@pytest.mark.usefixtures("_configured")
def test_a_statement_is_kept_and_verified_later(
    acme: Customer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    completed_run(acme, tags={"project": "apollo"})
    month, kept, keys = f"{timezone.now():%Y-%m}", tmp_path / "statement.json", tmp_path / "keys.json"
    assert exit_code(["statement", month]) == 0
    assert "SETTLE" in capsys.readouterr().out
    assert exit_code(["statement", month, "--tag", "project:apollo", "--json"]) == 0
    kept.write_text(capsys.readouterr().out)
    assert exit_code(["keys"]) == 0
    keys.write_text(capsys.readouterr().out)
    monkeypatch.delenv("DPP_API_KEY")
    monkeypatch.setenv("DPP_API_URL", "http://127.0.0.1:9")
    assert exit_code(["verify-statement", str(kept), "--jwks", str(keys), "--json"]) == 0
    assert (said(capsys)["tenant_id"], json.loads(kept.read_text())["head"]["entries"]) == (acme.id, 2)
    kept.write_text(kept.read_text().replace("apollo", "gemini"))
    assert exit_code(["verify-statement", str(kept), "--jwks", str(keys)]) == 4


@pytest.mark.usefixtures("_configured")
def test_an_agent_hands_on_a_key_and_takes_it_back(
    inputs: str, acme: Customer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert exit_code(["make-key", "--max-total", "2"]) == 1
    capsys.readouterr()
    monkeypatch.setenv("DPP_API_KEY", api_keys.issue(acme.tenant, may_create_keys=True)[1])
    assert exit_code(["make-key", "--label", "sub", "--max-total", "0.60", "--pack", "decision", "--json"]) == 0
    made = said(capsys)
    with monkeypatch.context() as sub:
        sub.setenv("DPP_API_KEY", made["api_key"])
        order = ["run", "decision", "--inputs", inputs, "--max-cost", "0.50", "--no-wait", "--json"]
        assert exit_code([*order, "--tag", "project:apollo"]) == 0
        assert exit_code(order) == 1
        capsys.readouterr()
        assert exit_code(["list", "--tag", "project:apollo", "--json"]) == 0
        assert len(said(capsys)["runs"]) == 1
    assert exit_code(["list-keys"]) == 0
    assert "sub  spent 0.0000, held 0.5000, left 0.1000" in capsys.readouterr().out
    assert exit_code(["revoke-key", made["key_id"]]) == 0
    capsys.readouterr()
    assert exit_code(["list-keys", "--json"]) == 0
    assert len(said(capsys)["keys"]) == 1


@pytest.mark.usefixtures("_configured")
def test_a_run_is_followed_by_polls_where_there_is_no_stream(
    acme: Customer, capsys: pytest.CaptureFixture[str]
) -> None:
    run_id = str(completed_run(acme).pk)
    assert exit_code(["watch", run_id]) == 0
    shown = capsys.readouterr()
    assert "100%  COMPLETED" in shown.err
    assert run_id in shown.out


@pytest.mark.usefixtures("_configured")
def test_every_listing_is_text_or_json(inputs: str, acme: Customer, capsys: pytest.CaptureFixture[str]) -> None:
    run_id = str(completed_run(acme).pk)
    for command, shows, member in (
        (["list"], f"{run_id}  ", "runs"),
        (["budget"], "balance_usd           9.9500", "balance_usd"),
        (["packs"], "decision  ", "packs"),
        (["get", run_id], "cost          0.0500 of 0.5000 USD", "cost"),
        (["quote", "decision", "--inputs", inputs, "--max-cost", "0.5"], "likely        0.0500 USD", "likely_usd"),
    ):
        assert exit_code(command) == 0
        assert shows in capsys.readouterr().out
        assert exit_code([*command, "--json"]) == 0
        assert member in said(capsys)


@pytest.mark.usefixtures("_configured")
def test_a_refusal_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["get", "nothing"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("dpp: RUN_NOT_FOUND_STEALTH: ")
    assert "Check the run_id" in told
    assert exit_code(["get", "nothing", "--json"]) == 1
    assert json.loads(capsys.readouterr().err)["problem"]["retry_with"] == "none"


def test_verify_needs_no_service(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    envelope, keys = tmp_path / "envelope.json", tmp_path / "keys.json"
    keys.write_text(json.dumps(signing.jwks()))
    content = sign({"run_id": "1", "data": {}}).body
    envelope.write_bytes(content)
    command = ["verify", str(envelope), "--jwks", str(keys)]
    assert exit_code(command) == 0
    envelope.write_bytes(content.replace(b'"1"', b'"2"'))
    assert exit_code(command) == 4
    assert exit_code(["verify", str(tmp_path / "missing"), "--jwks", str(keys)]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_wrong_usage_is_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DPP_API_URL", raising=False)
    assert exit_code(["budget"]) == 2
    assert "DPP_API_URL" in capsys.readouterr().err
    (tmp_path / "list.json").write_text("[]")
    for inputs in ("list.json", "missing.json"):
        assert exit_code(["run", "decision", "--inputs", str(tmp_path / inputs), "--max-cost", "1"]) == 2
    with pytest.raises(SystemExit) as unknown:
        exit_code(["astrology"])
    assert unknown.value.code == 2


def test_what_may_be_repeated_is_code_5() -> None:
    assert code_of(ConnectionFailed("no answer")) == code_of(UnexpectedAnswer(502, "")) == 5
    assert code_of(UnexpectedAnswer(404, "")) == 1


def test_a_terminal_gets_one_line_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    run: Any = {"progress": 0.5, "status": "PROCESSING"}
    with output.Progress() as progress:
        progress.show(run)
    shown = terminal.getvalue()
    assert "█" * 15 + "░" * 15 + "  50%" in shown
    assert "\n" not in shown


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("dpp ru", "run"),
        ("dpp completion z", "zsh"),
        ("dpp run decision --max", "--max-cost"),
        ("dpp list --st", "--status"),
    ],
)
def test_bash_completes_what_is_typed(typed: str, completed: str) -> None:
    words = typed.split()
    script = (
        f"{completion_script('bash')}\nCOMP_WORDS=({typed}) COMP_CWORD={len(words) - 1}\n_dpp\necho ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [completed]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_completed(shell: str) -> None:
    script = completion_script(shell)
    assert [name for name in commands_of(parser()) if name not in script] == []
