"""What to do next, gravest first: replace what was found, publish what is missing."""

from collections.abc import Iterator

from packs.base import JsonObject
from packs.compliance.phrases import action_text
from packs.compliance.rules import SEVERITIES
from packs.next_actions import NextAction, listed_actions

_MAX_FINDINGS_BESIDE_NOTICES = 3


def next_actions(data: JsonObject) -> list[JsonObject]:
    return listed_actions(_actions(data))


def _actions(data: JsonObject) -> Iterator[NextAction]:
    language = data["language"]
    ordered = sorted(data["findings"], key=lambda each: SEVERITIES.index(each["severity"]))
    room = _MAX_FINDINGS_BESIDE_NOTICES if data["required_notices"] else len(ordered)
    for each in ordered[:room]:
        name = "rewrite" if each.get("rewrite") else "remove"
        changes = action_text(language, "effect", rule=each["title"][language])
        yield NextAction(action_text(language, name, quote=each["quote"]), changes, {"rule_id": each["rule_id"]})
    for notice in data["required_notices"]:
        changes = action_text(language, "effect_publish")
        yield NextAction(action_text(language, "publish", text=notice[language]), changes, {"notice": notice["code"]})
    if any(each["code"] == "KIND_ASSUMED" for each in data["notices"]):
        yield NextAction(action_text(language, "kind"), action_text(language, "effect_kind"))
