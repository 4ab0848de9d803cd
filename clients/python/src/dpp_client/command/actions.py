"""What each command does."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dpp_client.client import Client
from dpp_client.command import output
from dpp_client.command.completion import completion_script
from dpp_client.command.recomputation import CannotRecompute, recompute
from dpp_client.errors import ApiProblem
from dpp_client.flows import Order, new_key
from dpp_client.models import Run, RunEventData
from dpp_client.reasons import RouteNotFound
from dpp_client.verification import read_statement, verify_envelope, verify_statement


class UsageError(Exception):
    """What was told cannot be done."""


def run(arguments: Namespace) -> None:
    order = _order(arguments)
    key = arguments.key or new_key()
    # Told before anything is sent: whatever happens, the same command with this key pays nothing twice.
    output.tell(f"key {key}")
    with Client() as client:
        if arguments.no_wait:
            output.show_receipt(client.submit(order, key=key), as_json=arguments.json)
            return
        with output.Progress() as progress:
            result = client.run_order(
                order, key=key, wait_sec=arguments.wait_sec, on_progress=progress.show if progress.moves else None
            )
    if arguments.envelope:
        result.save(arguments.envelope)
    output.show_result(result, as_json=arguments.json)


def quote(arguments: Namespace) -> None:
    with Client() as client:
        output.show_quote(client.quote(_order(arguments)), as_json=arguments.json)


def get(arguments: Namespace) -> None:
    with Client() as client:
        if not arguments.envelope:
            output.show_run(client.get(arguments.run_id), as_json=arguments.json)
            return
        result = client.result(arguments.run_id)
    result.save(arguments.envelope)
    output.show_result(result, as_json=arguments.json)


def watch(arguments: Namespace) -> None:
    with Client() as client:
        with output.Progress() as progress:
            try:
                for event in client.events(arguments.run_id):
                    _show_event(event, progress, as_json=arguments.json)
            except RouteNotFound:
                # The events of this service have an address of their own that we were not told.
                client.wait(arguments.run_id, wait_sec=arguments.wait_sec, on_progress=progress.show)
        ended: Run = client.get(arguments.run_id)
    output.show_run(ended, as_json=arguments.json)
    if "error" in ended:
        raise ApiProblem.of(dict(ended["error"]["problem"]), ended)


def list_runs(arguments: Namespace) -> None:
    if arguments.limit < 1:
        raise UsageError("--limit must be at least 1.")
    with Client() as client:
        page = client.list_runs(
            status=arguments.status,
            pack=arguments.pack,
            tag=arguments.tag,
            created_after=arguments.after,
            created_before=arguments.before,
            limit=arguments.limit,
            cursor=arguments.cursor,
        )
    output.show_runs(page, as_json=arguments.json)


def budget(arguments: Namespace) -> None:
    with Client() as client:
        output.show_members(client.budget(), as_json=arguments.json)


def packs(arguments: Namespace) -> None:
    with Client() as client:
        output.show_packs(client.packs(), as_json=arguments.json)


def upload(arguments: Namespace) -> None:
    with Client() as client:
        output.show_members(client.upload(arguments.file, mime=arguments.mime), as_json=arguments.json)


def cancel(arguments: Namespace) -> None:
    with Client() as client:
        output.show_run(client.cancel(arguments.run_id), as_json=arguments.json)


def delete(arguments: Namespace) -> None:
    with Client() as client:
        client.delete(arguments.run_id)
    output.show_members({"run_id": arguments.run_id, "deleted": True}, as_json=arguments.json)


def verify(arguments: Namespace) -> None:
    content = _read(arguments.file)
    if arguments.jwks:
        envelope = verify_envelope(content, _json_object(arguments.jwks))
    else:
        with _without_key() as client:
            envelope = client.verify(content)
    found = {"verified": True, "run_id": envelope["run_id"], "key_id": envelope["signatures"]["key_id"]}
    if arguments.recompute:
        try:
            recompute(envelope, _stored_request(arguments.inputs, envelope["run_id"]), platform=arguments.platform)
        except CannotRecompute as error:
            raise UsageError(str(error)) from error
        found["recomputed"] = True
    output.show_members(found, as_json=arguments.json)


def inputs(arguments: Namespace) -> None:
    with Client() as client:
        output.show_json(client.inputs(arguments.run_id))


def statement(arguments: Namespace) -> None:
    with Client() as client:
        found = client.statement(
            arguments.month,
            tag=arguments.tag,
            api_key_id=arguments.key_id,
            after=arguments.after,
            max_entries=arguments.max_entries,
        )
    output.show_statement(found, as_json=arguments.json)


def verify_a_statement(arguments: Namespace) -> None:
    document = read_statement(_read(arguments.file))
    if arguments.jwks:
        head = verify_statement(document, _json_object(arguments.jwks))
    else:
        with _without_key() as client:
            head = client.verify_statement(document)
    names = ("tenant_id", "month", "entries", "opening_usd_micros", "closing_usd_micros")
    output.show_members({"verified": True, **{name: head[name] for name in names}}, as_json=arguments.json)


def make_key(arguments: Namespace) -> None:
    with Client() as client:
        made = client.make_key(
            label=arguments.label,
            max_total=arguments.max_total,
            max_per_run=arguments.max_per_run,
            packs=arguments.pack,
            expires_at=arguments.expires_at,
            read_only=arguments.read_only,
            may_create_keys=arguments.may_create_keys,
        )
    output.show_members(made, as_json=arguments.json)


def list_keys(arguments: Namespace) -> None:
    with Client() as client:
        output.show_keys(client.list_keys(), as_json=arguments.json)


def revoke_key(arguments: Namespace) -> None:
    with Client() as client:
        client.revoke_key(arguments.key_id)
    output.show_members({"key_id": arguments.key_id, "revoked": True}, as_json=arguments.json)


def keys(arguments: Namespace) -> None:
    with _without_key() as client:
        output.show_json(client.published_keys())


def completion(arguments: Namespace) -> None:
    print(completion_script(arguments.shell), end="")


ACTIONS: Mapping[str, Callable[[Namespace], None]] = {
    "run": run,
    "quote": quote,
    "get": get,
    "watch": watch,
    "list": list_runs,
    "budget": budget,
    "packs": packs,
    "upload": upload,
    "cancel": cancel,
    "delete": delete,
    "inputs": inputs,
    "verify": verify,
    "statement": statement,
    "verify-statement": verify_a_statement,
    "make-key": make_key,
    "list-keys": list_keys,
    "revoke-key": revoke_key,
    "keys": keys,
    "completion": completion,
}


def _show_event(event: RunEventData, progress: output.Progress, *, as_json: bool) -> None:
    if as_json:
        output.show_line(event)
    else:
        progress.show(event)


def _without_key() -> Client:
    """The published keys are for everybody."""
    return Client(api_key=os.environ.get("DPP_API_KEY") or "none")


def _order(arguments: Namespace) -> Order:
    return Order(
        pack=arguments.pack,
        inputs=_json_object(arguments.inputs),
        max_cost=arguments.max_cost,
        timebox_sec=arguments.timebox_sec,
        min_reliability_score=arguments.min_reliability,
        on_unmet=arguments.on_unmet,
        quote_id=arguments.quote_id,
        include_markdown=arguments.markdown,
        include_docx=arguments.docx,
        tags=_tags(arguments.tag),
    )


def _stored_request(path: str | None, run_id: str) -> dict[str, Any]:
    """What the run was asked: from a file that was kept, or from the service."""
    if path:
        stored = _json_object(path)
    else:
        with Client() as client:
            stored = dict(client.inputs(run_id))
    if stored.get("run_id") != run_id or not isinstance(stored.get("request"), dict):
        raise UsageError(f"These are not the stored inputs of run {run_id} (`dpp inputs`).")
    return dict(stored["request"])


def _tags(texts: list[str] | None) -> dict[str, str] | None:
    if not texts:
        return None
    wrong = [text for text in texts if ":" not in text]
    if wrong:
        raise UsageError(f"{wrong[0]!r} is no tag such as project:apollo.")
    return dict(text.split(":", 1) for text in texts)


def _json_object(path: str) -> dict[str, Any]:
    try:
        document = json.loads(_read(path))
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise UsageError(f"{path} is not a JSON object.")
    return document


def _read(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
