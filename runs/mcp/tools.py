"""The tools: one for each pack of the registry, its schema made from the pack's."""

from collections.abc import Mapping
from decimal import Decimal

from mcp_types import Tool, ToolAnnotations

from dpp_project.money import format_usd
from dpp_project.prices import OPERATORS_OWN, PRICES
from packs.base import JsonObject, Pack
from runs.api.serializers.fields import object_schema
from runs.api.submission import ARTIFACTS, RESERVATION
from runs.mcp.arguments import DEFAULT_WAIT_SEC, LEAST_MAX_COST, MAX_WAIT_SEC, OWN_ARGUMENTS
from runs.mcp.tool_schema import brief, fields_of, first_sentences, required_of

# As they are listed; a pack that is not named here comes last.
_ORDER = ("ocr", "url", "decision", "compliance", "eval")

_HOW_IT_WORKS = (
    "Paid: max_cost_usd is held, what is used is charged. Not ended within wait_sec? Call again with the same "
    "arguments: the same run, not charged twice. Retry an error with the same idempotency_key; for a fresh run, also "
    "after FAILED, give a new one."
)


def tools_for(packs: Mapping[str, Pack]) -> dict[str, tuple[Pack, Tool]]:
    """By tool name, in the order they are listed."""
    names = sorted(packs, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    return {f"dpp_{name}_run_submit": (packs[name], _tool(packs[name])) for name in names}


def _tool(pack: Pack) -> Tool:
    return Tool(
        name=f"dpp_{pack.name}_run_submit",
        description=_description(pack),
        input_schema=input_schema(pack),
        # Idempotent by its keys; nothing is ever deleted or changed. That it reads and writes the open world is the
        # protocol's default.
        annotations=ToolAnnotations(destructive_hint=False, idempotent_hint=True),
    )


def _description(pack: Pack) -> str:
    # What came from a cache costs less; the whole list is at GET /v1/packs.
    priced = (item for item in pack.prices if item not in OPERATORS_OWN and not item.endswith("_cached"))
    prices = ", ".join(f"{item} {_price(item)}" for item in priced)
    about = first_sentences(pack.input_schema.get("description", ""), 2)
    return f"{about}\n{_HOW_IT_WORKS}\nPrices in USD: {prices}."


def _price(item: str) -> str:
    # Not `format_usd`: a token costs less than its four places can show.
    return f"{Decimal(PRICES[item]).scaleb(-6).normalize():f}"


def input_schema(pack: Pack) -> JsonObject:
    """The pack's fields side by side with the run's. All of them under `inputs` mean the same, and are not listed."""
    fields = fields_of(pack)
    taken = OWN_ARGUMENTS & pack.input_schema.get("properties", {}).keys()
    assert not taken, f"the {pack.name} pack has fields with the names of arguments: {taken}"
    return {
        "type": "object",
        "properties": {**fields, **_RUN_PROPERTIES},
        "required": [*required_of(pack), "max_cost_usd"],
    }


_RUN_PROPERTIES: JsonObject = {
    **{name: brief(schema, with_words=False) for name, schema in object_schema(RESERVATION)["properties"].items()},
    "max_cost_usd": {"type": "string", "description": f'Limit, such as "0.5000"; least {format_usd(LEAST_MAX_COST)}.'},
    "wait_sec": {"type": "integer", "maximum": MAX_WAIT_SEC, "default": DEFAULT_WAIT_SEC},
    "artifacts": {"type": "object", "description": f"Reports: {', '.join(ARTIFACTS.fields)} (boolean)."},
    "idempotency_key": {"type": "string"},
}
