"""docs/examples/<pack>.md: written from what the platform answered, and read back to compare it with a later answer."""

import json
import re
from typing import Any

from tests.examples.cases import Example
from tests.examples.platform import Json, Outcome, Told

MOST_ENTRIES = 4
MOST_CHARS = 400
SHOWN_CHARS = 120

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)")
_HASH = re.compile(r"^[0-9a-f]{64}$")


def page(example: Example, outcome: Outcome) -> str:
    without_bytes = outcome.first
    shown = [
        f"# Example: {example.title}",
        "",
        f"{example.about}",
        "",
        "<!-- Written by `make examples`; tests/examples runs the request again and compares. Do not edit. -->",
        "",
    ]
    if example.picture is not None:
        shown += [f"![The picture that was sent]({example.picture.name})", ""]
    shown += ["## Request", "", "```sh", _curl(example), "```", ""]
    shown += ["## Receipt, 202", "", _block(without_bytes.receipt), ""]
    shown += ["## The run once it has ended", ""]
    shown += ["`GET /v1/runs/{run_id}`, without the links, which are fresh with every answer:", ""]
    shown += [_block(_without_links(without_bytes.ended)), ""]
    shown += ["## Envelope", ""]
    shown += ["What `result.presigned_url` leads to. Lists and texts are shortened where `…` says so.", ""]
    shown += [
        "<!-- envelope:begin -->",
        _block(shortened(without_bytes.envelope, example.left_out)),
        "<!-- envelope:end -->",
        "",
    ]
    if outcome.again is not None:
        shown += ["## Once more", "", example.again, ""]
        shown += ["<!-- again:begin -->", _block(second_time(outcome.again)), "<!-- again:end -->", ""]
    return "\n".join(shown)


def comparable(shown: Json) -> Json:
    """Of an envelope as it is shown, what the same request must give on any day: all but ids, times and names."""
    kept = {name: shown[name] for name in ("data", "cost", "reliability", "pack_type", "status")}
    kept["artifacts"] = sorted(shown["artifacts"])
    timeless: Json = json.loads(_INSTANT.sub("(a time)", json.dumps(kept)))
    return timeless


def second_time(without_bytes: Told) -> Json:
    """The level a copy came from depends on which process was asked; whether there was one does not."""
    cache = without_bytes.envelope["meta"]["cache"]
    return {
        "cost": without_bytes.envelope["cost"],
        "cache": {name: value for name, value in cache.items() if isinstance(value, int)},
    }


def says_the_same(text: str, page: str) -> bool:
    """Whether a page that was written earlier needs no other: ids and times are no reason to write it anew."""
    return _timeless(text) == _timeless(page)


def _timeless(text: str) -> Json:
    parts = {"envelope": comparable(read_back(text, "envelope")), "words": text.split("## Receipt")[0]}
    if "<!-- again:begin -->" in text:
        parts["again"] = read_back(text, "again")
    return parts


def read_back(text: str, part: str) -> Json:
    match = re.search(f"<!-- {part}:begin -->\n```json\n(.*?)\n```\n<!-- {part}:end -->", text, re.DOTALL)
    assert match, f"the page has no part called {part}"
    shown: Json = json.loads(match[1])
    return shown


def shortened(envelope: Json, left_out: tuple[str, ...] = ()) -> Json:
    """Every cut is marked, and says how much is missing."""
    shown: Json = _cut(envelope)
    for pointer in left_out:
        *way, last = pointer.removeprefix("/").split("/")
        part = shown["data"]
        for name in way:
            part = part[name]
        part[last] = "… left out here"
    return shown


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cut(entry) for name, entry in value.items()}
    if isinstance(value, list):
        entries = [_cut(entry) for entry in value[:MOST_ENTRIES]]
        return entries if len(value) <= MOST_ENTRIES else [*entries, f"… {len(value) - MOST_ENTRIES} more"]
    if isinstance(value, str) and _HASH.match(value):
        return f"{value[:8]}…"
    if isinstance(value, str) and len(value) > MOST_CHARS:
        return f"{value[:SHOWN_CHARS]}… {len(value) - SHOWN_CHARS} more characters"
    return value


def _curl(example: Example) -> str:
    body = json.dumps(_as_typed(example.body), ensure_ascii=False, indent=2)
    head = (
        'curl -sS -X POST "$DPP_API_URL/v1/runs" \\\n'
        '  -H "Authorization: Bearer $DPP_API_KEY" -H "Idempotency-Key: '
        f'example-{example.pack}-1" \\\n'
        '  -H "Content-Type: application/json" \\\n'
    )
    if example.picture is None:
        return f"{head}  -d @- <<'JSON'\n{body}\nJSON"
    picture = f"$(base64 -w0 docs/examples/{example.picture.name})"
    return f"{head}  -d @- <<JSON\n{body.replace('BASE64', picture)}\nJSON"


def _as_typed(body: Json) -> Json:
    """The request as it is; only a picture is read from its file."""

    def without_bytes(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: "BASE64" if name == "data" else without_bytes(entry) for name, entry in value.items()}
        return [without_bytes(entry) for entry in value] if isinstance(value, list) else value

    request: Json = without_bytes(body)
    return request


def _without_links(ended: Json) -> Json:
    result = {
        name: value
        for name, value in ended["result"].items()
        if name not in ("presigned_url", "expires_at", "artifacts")
    }
    return {**ended, "result": result}


def _block(value: Json) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"
