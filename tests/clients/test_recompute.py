"""`dpp verify --recompute`: the packs of a checkout make the same bytes of the same inputs; if not, say where."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpp_client.command import exit_code
from dpp_project import signing
from runs.lifecycle.envelope import sign
from runs.lifecycle.stored_request import read_request
from runs.models import Run, RunPayload
from runs.states import Status
from runs.worker.run_one import Delivery, run_one
from storage import store
from tests.api.ended_runs import completed_run
from tests.builders import QUESTION, Customer, message, submitted
from tests.processes import CLONE, ApiProcess

_TEXT = "국내 최고의 효과! 부작용 없는 크림입니다. 지금 주문하면 70% 할인. 문의 02-555-0147"
_CLAIMS = {
    "text": "The bridge opened in 1932 and is 503 metres long. It cost 20 million.",
    "sources": [{"title": "Guide", "text": "The bridge, 503 metres long, was opened in 1935."}],
}
_RUNS: dict[str, dict[str, Any]] = {
    "decision": {"inputs": QUESTION},
    "decision with reports": {"inputs": QUESTION, "include_markdown": True, "include_docx": True},
    "decision that is undecided": {"inputs": {"question": "Which one?", "options": [{"name": "A"}, {"name": "B"}]}},
    "compliance": {"pack_type": "compliance", "inputs": {"text": _TEXT, "kind": "ad"}},
    "eval": {"pack_type": "eval", "inputs": _CLAIMS, "include_markdown": True},
}

Verify = Callable[..., int]


@pytest.fixture
def verify(tmp_path: Path) -> Verify:
    """Offline: envelope, inputs and keys lie in files, and there is neither a service nor a key."""

    def call(envelope: bytes, stored: dict[str, Any], *more: str) -> int:
        files = {name: tmp_path / f"{name}.json" for name in ("envelope", "inputs", "keys")}
        files["envelope"].write_bytes(envelope)
        files["inputs"].write_text(json.dumps(stored))
        files["keys"].write_text(json.dumps(signing.jwks()))
        kept = ["--jwks", str(files["keys"]), "--inputs", str(files["inputs"]), "--platform", str(CLONE)]
        return exit_code(["verify", str(files["envelope"]), "--recompute", *kept, "--json", *more])

    return call


def _kept(run: Run) -> tuple[bytes, dict[str, Any]]:
    """What its owner has of an ended run."""
    envelope = store.read(run.result_key or "", sha256=run.result_sha256 or "")
    return envelope, {"run_id": str(run.pk), "request": read_request(RunPayload.objects.get(run=run))}


@pytest.mark.parametrize("case", _RUNS)
def test_the_same_inputs_make_the_same_bytes(
    acme: Customer, verify: Verify, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(*_kept(completed_run(acme, **_RUNS[case]))) == 0, capsys.readouterr().err
    assert json.loads(capsys.readouterr().out)["recomputed"] is True


def test_a_result_that_was_withheld_is_recomputed_too(
    acme: Customer, verify: Verify, capsys: pytest.CaptureFixture[str]
) -> None:
    run = submitted(acme, inputs=_RUNS["decision that is undecided"]["inputs"], on_unmet="refund")
    run_one(Delivery(message_id="in-process", body=message(run), extend=lambda: None))
    run.refresh_from_db()
    assert (run.status, run.last_error_reason_code) == (Status.FAILED, "RELIABILITY_NOT_MET")
    assert verify(*_kept(run)) == 0, capsys.readouterr().err


_FORGED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "another answer": (lambda made: made["data"].update(recommendation="Alpha"), "/data/recommendation"),
    "another score": (lambda made: made["reliability"].update(score=0.99), "/reliability/score"),
    "another price": (lambda made: made["cost"].update(used_usd="0.4000"), "/cost/used_usd"),
    "another line of the bill": (lambda made: made["cost"]["items"].append({"item": "fetch"}), "/cost/items"),
    "another report": (
        lambda made: made["artifacts"]["report_markdown"].update(sha256="0" * 64),
        "/artifacts/report_markdown/sha256",
    ),
    "a log that is missing a line": (lambda made: made.update(logs={}), "/logs/blocked_log"),
}


@pytest.mark.parametrize("case", _FORGED)
def test_a_forgery_with_a_good_signature_is_found(
    acme: Customer, verify: Verify, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever holds the signing key can sign anything; what the pack makes of the inputs it cannot change."""
    envelope, stored = _kept(completed_run(acme, include_markdown=True))
    forged = json.loads(envelope)
    del forged["signatures"]
    change, where = _FORGED[case]
    change(forged)
    assert verify(sign(forged).body, stored) == 4
    assert where in capsys.readouterr().err


def test_other_inputs_are_found(acme: Customer, verify: Verify, capsys: pytest.CaptureFixture[str]) -> None:
    envelope, stored = _kept(completed_run(acme))
    stored["request"]["inputs"] = {**QUESTION, "question": "Another question?"}
    assert verify(envelope, stored) == 4
    assert "/data/" in capsys.readouterr().err


def test_a_broken_signature_is_found_before_anything_is_computed(acme: Customer, verify: Verify) -> None:
    envelope, stored = _kept(completed_run(acme))
    assert verify(envelope.replace(b"Beta", b"Gama"), stored, "--platform", "/nowhere") == 4


def test_what_cannot_be_repeated_says_so_and_is_no_verdict(
    acme: Customer, verify: Verify, capsys: pytest.CaptureFixture[str]
) -> None:
    envelope, stored = _kept(completed_run(acme))
    url = {**stored["request"], "pack_type": "url", "inputs": {"urls": ["https://example.com/"]}}
    pages = {**stored["request"], "inputs": {**QUESTION, "evidence_urls": ["https://example.com/"]}}
    for request, why in ((url, "is not deterministic"), (pages, "pages of the web")):
        assert verify(envelope, {**stored, "request": request}) == 2
        assert why in capsys.readouterr().err
    modelled = json.loads(envelope)
    del modelled["signatures"]
    modelled["cost"]["items"].append({"item": "llm_input_token"})
    assert verify(sign(modelled).body, stored) == 2
    assert "language model" in capsys.readouterr().err
    assert verify(envelope, {**stored, "run_id": "another"}) == 2
    assert verify(envelope, stored, "--platform", "/nowhere") == 2
    assert "no packs in /nowhere" in capsys.readouterr().err


def test_the_inputs_are_asked_of_the_service_where_none_are_kept(
    live_api: ApiProcess,
    acme: Customer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DPP_API_URL", live_api.url)
    monkeypatch.setenv("DPP_API_KEY", acme.api_key)
    run = completed_run(acme)
    kept, inputs = tmp_path / "envelope.json", tmp_path / "inputs.json"
    kept.write_bytes(_kept(run)[0])
    assert exit_code(["verify", str(kept), "--recompute", "--platform", str(CLONE)]) == 0
    assert "recomputed" in capsys.readouterr().out
    assert exit_code(["inputs", str(run.pk)]) == 0
    inputs.write_text(capsys.readouterr().out)
    monkeypatch.delenv("DPP_API_KEY")
    command = ["verify", str(kept), "--recompute", "--inputs", str(inputs), "--platform", str(CLONE)]
    assert exit_code(command) == 0
