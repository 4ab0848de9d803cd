"""`next_actions`: what the reader of a result can do next, and what each step would change. One shape for every pack.

    data["next_actions"] = listed_actions([NextAction("Ask Vendor B for its uptime.", "Vendor B could then win.")])

A text is a sentence in the result's language, or, in packs that keep both languages, `{"en": …, "ko": …}`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from packs.base import JsonObject

MAX_NEXT_ACTIONS = 5

Text = str | Mapping[str, str]


@dataclass(frozen=True)
class NextAction:
    action: Text
    """What to do, as an order: who is to be asked for what, which sentence is to be changed."""
    changes: Text
    """What it would change: the answer, the score, the reliability, the verdict."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the pack's own, such as `pointers` or `claim_index`."""

    def as_json(self) -> JsonObject:
        return {"action": _copied(self.action), "changes": _copied(self.changes), **self.details}


def listed_actions(actions: Iterable[NextAction]) -> list[JsonObject]:
    """The most important five, each once, in the order given."""
    rows: list[JsonObject] = []
    for action in actions:
        row = action.as_json()
        if all(row["action"] != other["action"] for other in rows):
            rows.append(row)
        if len(rows) == MAX_NEXT_ACTIONS:
            break
    return rows


def _copied(text: Text) -> str | JsonObject:
    return text if isinstance(text, str) else dict(text)
