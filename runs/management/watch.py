"""Watch a run from a terminal, as its owner: over HTTP, with the owner's key, as any client would."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any, TextIO

from django.core.management.base import CommandError

from dpp_project.env import Env
from runs.management.progress_bar import watch_to_end
from runs.management.stream_client import ReceivedEvent, StreamRefused, Unreachable, follow
from runs.states import Status


def add_watch_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--api-key", help="the owner's key (default: DPP_API_KEY)")
    parser.add_argument("--events-url", help="address of the event gateway (default: DPP_EVENTS_URL)")


def watch(run_id: str, options: dict[str, Any], out: TextIO) -> ReceivedEvent:
    """Follow the run and say how it ended. A run that failed is a failed command."""
    env = Env()
    url = options.get("events_url") or env.text("DPP_EVENTS_URL")
    events = follow(url, run_id, options.get("api_key") or env.text("DPP_API_KEY"), last_seq=options.get("last_seq"))
    try:
        end = _as_json_lines(events, out) if options["json"] else watch_to_end(events, out)
    except StreamRefused as refused:
        raise CommandError(f"{refused} {refused.problem.get('next_action', '')}".strip()) from refused
    except Unreachable as unreachable:
        raise CommandError(str(unreachable)) from unreachable
    except KeyboardInterrupt:
        raise CommandError(f"The run goes on. Watch it again: manage.py watch {run_id}") from None
    if end.data["status"] == Status.FAILED:
        raise CommandError(f"FAILED {end.data.get('reason_code', '')}: cost {end.data.get('used_usd')} USD.")
    if not options["json"]:
        out.write(f"{end.data['status']}: cost {end.data.get('used_usd')} USD. Result: GET /v1/runs/{run_id}\n")
    return end


def _as_json_lines(events: Iterator[ReceivedEvent], out: TextIO) -> ReceivedEvent:
    last: ReceivedEvent | None = None
    for last in events:
        out.write(json.dumps(last.data, ensure_ascii=False) + "\n")
        out.flush()
    assert last is not None, "a stream that ends has sent its end"
    return last
