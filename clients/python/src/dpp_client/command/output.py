"""What the command `dpp` prints: answers to standard output, everything else to standard error."""

import json
import sys
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from dpp_client.errors import ApiProblem, DppError
from dpp_client.models import KeyList, PackList, Quote, Receipt, Run, RunEventData, RunList, Statement
from dpp_client.results import RunResult

_WIDTH = 30
_CLEAR = "\r\033[K"


def show_json(document: object) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))


def show_line(document: object) -> None:
    """JSON on one line, at once: somebody reads along."""
    print(json.dumps(document, ensure_ascii=False), flush=True)


def show_members(document: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(document)
        return
    _print_table((name, value) for name, value in document.items())


def show_receipt(receipt: Receipt, *, as_json: bool) -> None:
    if as_json:
        show_json(receipt)
        return
    _print_table([("run", receipt["run_id"]), ("status", receipt["status"])])


def show_run(run: Run, *, as_json: bool) -> None:
    if as_json:
        show_json(run)
        return
    cost = run["cost"]
    _print_table(
        [
            ("run", run["run_id"]),
            ("pack", run["pack_type"]),
            ("status", f"{run['status']} ({run['progress']:.0%})"),
            ("cost", f"{cost['used_usd']} of {cost['reserved_usd']} USD"),
            *([("reliability", _reliability(run))] if "reliability" in run else []),
            *(("warning", warning["text"]) for warning in run.get("warnings", [])),
            *([("reason", run["error"]["reason_code"])] if "error" in run else []),
            ("created", run["meta"]["created_at"]),
        ]
    )


def show_result(result: RunResult, *, as_json: bool) -> None:
    if as_json:
        show_json(result.envelope)
        return
    show_run(result.run, as_json=False)
    _print_table([("verified", f"signed by {result.envelope['signatures']['key_id']}")])
    text = result.data.get("answer_text")
    print()
    if isinstance(text, str):
        print(text)
    else:
        show_json(result.data)


def show_quote(quote: Quote, *, as_json: bool) -> None:
    if as_json:
        show_json(quote)
        return
    _print_table(
        [
            ("least", f"{quote['least_usd']} USD"),
            ("likely", f"{quote['likely_usd']} USD"),
            ("worst", f"{quote['worst_usd']} USD"),
            ("quote", quote["quote_id"]),
            ("expires", quote["expires_at"]),
        ]
    )


def show_runs(page: RunList, *, as_json: bool) -> None:
    if as_json:
        show_json(page)
        return
    for run in page["runs"]:
        reason = run["error"]["reason_code"] if "error" in run else ""
        cost, created = run["cost"]["used_usd"], run["meta"]["created_at"]
        print(f"{run['run_id']}  {created:<27}  {run['pack_type']:<10}  {run['status']:<10}  {cost}  {reason}".rstrip())
    if page["next_cursor"]:
        tell(f"There are more: --cursor {page['next_cursor']}")


def show_packs(packs: PackList, *, as_json: bool) -> None:
    if as_json:
        show_json(packs)
        return
    _print_table((pack["name"], pack["title"]) for pack in packs["packs"])


def show_statement(statement: Statement, *, as_json: bool) -> None:
    if as_json:
        show_json(statement)
        return
    for entry in statement["entries"]:
        words = entry["run_id"] or entry["reference"] or ""
        amounts = f"{entry['amount_usd_micros']:>14,} {entry['balance_usd_micros']:>16,}"
        print(f"{entry['sequence']:>6}  {entry['created_at'][:19]}  {entry['kind']:<8} {amounts}  {words}")
    head = statement["head"]
    names = ("opening_usd_micros", "listed_usd_micros", "closing_usd_micros", "entries", "plan")
    _print_table([*((name, head[name]) for name in names), ("next_after", statement["next_after"])])  # type: ignore[literal-required]


def show_keys(keys: KeyList, *, as_json: bool) -> None:
    if as_json:
        show_json(keys)
        return
    for key in keys["keys"]:
        budget = key["budget"]
        spent = (
            f"spent {budget['spent_usd']}, held {budget['held_usd']}, left {budget['remaining_usd']}" if budget else ""
        )
        print(f"{key['key_id']}  {key['prefix']}…  {key['label'] or '-'}  {spent or 'no limit'}")


def show_error(error: DppError, *, as_json: bool) -> None:
    if as_json:
        shown: dict[str, Any] = {"error": type(error).__name__, "text": str(error)}
        if isinstance(error, ApiProblem):
            shown["problem"] = error.problem
        if error.idempotency_key:
            shown["idempotency_key"] = error.idempotency_key
        print(json.dumps(shown, ensure_ascii=False), file=sys.stderr)
        return
    if isinstance(error, ApiProblem):
        complain(f"{error.reason_code}: {error}")
        for part in error.errors:
            complain(f"  {part.get('pointer') or part.get('parameter') or ''}: {part['detail']}")
        complain(f"{error.next_action} (charged {error.charged_usd} USD, trace {error.trace_id})")
    else:
        complain(str(error))
    if error.idempotency_key:
        complain(f"The key of this run: {error.idempotency_key}")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def complain(text: str) -> None:
    tell(f"dpp: {text}")


class Progress:
    """One line that moves in a terminal; a line per change anywhere else. On standard error."""

    def __init__(self) -> None:
        self._out = sys.stderr
        self.moves = self._out.isatty()
        self._began_at = time.monotonic()
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.moves and self._shown:
            self._out.write(_CLEAR)
            self._out.flush()

    def show(self, seen: Run | RunEventData) -> None:
        self._shown = True
        line = self._line(seen)
        self._out.write(f"{_CLEAR}{line}" if self.moves else f"{line}\n")
        self._out.flush()

    def _line(self, seen: Run | RunEventData) -> str:
        progress, seconds = seen["progress"], time.monotonic() - self._began_at
        what = str(seen.get("step") or seen.get("stage") or seen["status"])
        if not self.moves:
            return f"{seconds:6.1f} s  {progress:4.0%}  {what}"
        filled = round(progress * _WIDTH)
        return f"{'█' * filled}{'░' * (_WIDTH - filled)} {progress:4.0%}  {seconds:5.1f} s  {what}"


def _reliability(run: Run) -> str:
    found = run["reliability"]
    return f"{found['score']} ({'meets' if found['met'] else 'below'} the {found['required']} asked for)"


def _print_table(rows: Iterable[tuple[str, object]]) -> None:
    listed = list(rows)
    width = max([12, *(len(name) for name, _ in listed)])
    for name, value in listed:
        print(f"{name:<{width}}  {value}")
