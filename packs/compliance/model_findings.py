"""A language model as second detector: it points at places the rules missed, and code decides what is kept.

A finding is kept only if it names an existing rule for this kind and quotes the text letter by letter. It never makes a
verdict of `stop` alone: a critical rule counts as high. A rewrite the model proposes passes the same second review as
our own.
"""

from packs.base import JsonObject, PackContext
from packs.compliance.result import finding_json, masked_text
from packs.compliance.rewrites import accepted
from packs.compliance.rules import Rule
from packs.compliance.run_state import RunState
from packs.llm import Model, Prompt, ask
from packs.text.sentences import quotation

MAX_MODEL_FINDINGS = 20
MAX_TEXT_CHARS = 20_000
_MAX_QUOTE_CHARS = 300

SCHEMA: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["findings"],
    "properties": {
        "findings": {
            "type": "array",
            "maxItems": MAX_MODEL_FINDINGS,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["rule_id", "quote"],
                "properties": {
                    "rule_id": {"type": "string", "description": "The id of one of the rules."},
                    "quote": {"type": "string", "minLength": 2, "maxLength": _MAX_QUOTE_CHARS},
                    "rewrite": {"type": "string", "maxLength": 300},
                },
            },
        }
    },
}
_TASK = (
    "`text` is to be published in Korea; personal data in it is masked. For each place that breaks one of the rules "
    "under `rules` and is not under `known`, give the rule's id, the words letter by letter as they stand in the text, "
    "and, if you can, words to publish instead, in the language of the text. What the text denies, reports of others "
    "or warns of is no violation. An empty list is a good answer."
)


def ask_model(text: str, state: RunState, model: Model, context: PackContext) -> tuple[list[JsonObject], int]:
    """Findings of the model that stood the checks, and the tokens it took. Raises `Unanswered`."""
    safe = masked_text(text, state)[:MAX_TEXT_CHARS]
    rules = {rule.id: rule for rule in state.rules if not rule.personal and state.product in rule.products}
    original = state.reading.folded.original
    known = [
        {"rule_id": name, "quote": quotation(safe[original(start) : original(end)])}
        for name, spans in state.met.items()
        for start, end in spans[:MAX_MODEL_FINDINGS]
    ]
    data = {
        "text": safe,
        "kind": state.reading.kind,
        "rules": [{"rule_id": rule.id, "title": rule.title.en} for rule in rules.values()],
        "known": known,
    }
    answer = ask(model, Prompt("compliance_findings", _TASK, data, SCHEMA), context, lambda _: ())
    kept: list[JsonObject] = []
    taken = {name: [(original(start), original(end)) for start, end in spans] for name, spans in state.met.items()}
    for entry in answer.value["findings"]:
        rule = rules.get(entry["rule_id"])
        if rule is None:
            continue
        start = safe.find(entry["quote"])
        end = start + len(entry["quote"])
        if start < 0 or any(first < end and start < last for first, last in taken.get(rule.id, ())):
            continue
        taken.setdefault(rule.id, []).append((start, end))
        kept.append(_finding(rule, text, safe, state, start, end, entry.get("rewrite")))
    return kept, answer.tokens


def _finding(
    rule: Rule, text: str, safe: str, state: RunState, start: int, end: int, rewrite: str | None
) -> JsonObject:
    finding = finding_json(rule, state.product, start, end, quotation(safe[start:end]), "model")
    if finding["severity"] == "critical":
        finding["severity"] = "high"
    if rewrite and accepted(text, state, rule, start, end, rewrite):
        finding["rewrite"] = rewrite
    return finding
