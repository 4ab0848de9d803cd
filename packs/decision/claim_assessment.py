"""The answer's claims, held by the eval pack against the evidence each of them names."""

from dpp_project.json_pointer import names_in
from packs.base import JsonObject
from packs.decision.brief import Brief
from packs.evaluate import assess

# Two options of a comparison have different values for the same thing; that is no inconsistency. Whether a figure
# is the evidence's own is part of the coverage.
RUBRIC: JsonObject = {"weights": {"number_consistency": 0}}

_STRUCTURE = frozenset({"options", "attributes", "description", "context", "evidence", "keep"})


def assess_claims(brief: Brief, claims: list[JsonObject]) -> JsonObject:
    """One source a claim: all its evidence in one sentence, with the names the values stand under.

    The conclusion is left out: it is in no source, it is what was made of them. `claims` says which were assessed.
    """
    claims = [claim for claim in claims if claim["kind"] != "conclusion"]
    given = [{"text": claim["text"], "source_ids": [claim["id"]]} for claim in claims]
    sources = [
        {
            "id": claim["id"],
            "title": ", ".join(cited.get("url") or cited["pointer"] for cited in claim["evidence"]),
            "text": ", ".join(f"{_named(brief, cited['pointer'])} {cited['quote']}" for cited in claim["evidence"]),
        }
        for claim in claims
    ]
    return {**assess(given, sources, RUBRIC), "claims": [claim["id"] for claim in claims]}


def _named(brief: Brief, pointer: str) -> str:
    """`/options/0/attributes/price` -> "Vendor A price": a bare "30 USD" would speak for any claim."""
    path = names_in(pointer)
    names = [name for name in path if name not in _STRUCTURE and not name.isdecimal()]
    if path[:1] == ["options"] and len(path) > 1:
        names.insert(0, brief.options[int(path[1])].name)
    return " ".join(names)
