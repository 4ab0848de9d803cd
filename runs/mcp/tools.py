"""The tools: one for each pack that is offered here and present in the registry, its schema made from the pack's."""

from collections.abc import Mapping
from decimal import Decimal

from mcp_types import Tool, ToolAnnotations

from dpp_project.json_pointer import escape
from dpp_project.money import format_usd
from dpp_project.prices import OPERATORS_OWN, PRICES
from packs.base import JsonObject, Pack
from runs.api.serializers.fields import MaxCost, object_schema
from runs.api.serializers.receipt import RECEIPT
from runs.api.submission import ARTIFACTS, IDEMPOTENCY_KEY_PATTERN, RESERVATION
from runs.mcp.arguments import LEAST_MAX_COST, OWN_ARGUMENTS

_OFFERED = ("ocr", "url", "decision")

_ABOUT_MONEY = (
    "Submits a paid run and returns its receipt at once; the result comes later: poll the receipt's `poll.href` at "
    "the API, with the same API key. max_cost_usd is held now; at the end what was used is charged, or a small fee if "
    "the run fails, and the rest is returned."
)
_ABOUT_KEYS = (
    "A repeated call is not charged twice: the same arguments on the same UTC day, or the same idempotency_key, "
    "return the first run's receipt. To retry after an error or a timeout, call again with the same idempotency_key. "
    "To start a fresh run with the same arguments, give a new one."
)

_ABOUT_MAX_COST = (
    "The most this run may cost, in USD, as a decimal string with at most 4 places; at least "
    f"{format_usd(LEAST_MAX_COST)}."
)

# What a pack's schema says as a whole; everything else at its top level is a rule about its fields.
_NOT_RULES = frozenset(
    {"$schema", "$id", "$defs", "title", "description", "examples", "type", "properties", "additionalProperties"}
)


def tools_for(packs: Mapping[str, Pack]) -> dict[str, tuple[Pack, Tool]]:
    """By tool name, in the order they are listed."""
    offered = (packs[name] for name in _OFFERED if name in packs)
    return {f"dpp_{pack.name}_run_submit": (pack, _tool(pack)) for pack in offered}


def _tool(pack: Pack) -> Tool:
    return Tool(
        name=f"dpp_{pack.name}_run_submit",
        title=pack.title,
        description=_description(pack),
        input_schema=input_schema(pack),
        output_schema=_RECEIPT,
        # Idempotent by its keys; nothing is ever deleted or changed; packs read the open web.
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
        ),
    )


def _description(pack: Pack) -> str:
    prices = ", ".join(f"{item} {_price(item)}" for item in pack.prices)
    about = [f"{pack.title}.", pack.input_schema.get("description", ""), _ABOUT_MONEY, _ABOUT_KEYS]
    return "\n\n".join([*filter(None, about), f"Prices in USD: {prices}."])


def _price(item: str) -> str:
    if item in OPERATORS_OWN:
        return "as GET /v1/packs says"
    # Not `format_usd`: a token costs less than its four places can show.
    return f"{Decimal(PRICES[item]).scaleb(-6).normalize():f}"


def input_schema(pack: Pack) -> JsonObject:
    """The pack's fields side by side with the run's, or all of them under `inputs`.

    The pack's rules (what is required, what excludes what) hold wherever the fields stand. They are not put at the
    top level as they are: not every client takes `oneOf`, `anyOf` or `allOf` there.
    """
    schema = pack.input_schema
    fields: JsonObject = schema["properties"]
    taken = OWN_ARGUMENTS & fields.keys()
    assert not taken, f"the {pack.name} pack has fields with the names of arguments: {taken}"
    rules = {name: value for name, value in schema.items() if name not in _NOT_RULES}
    closed = {"additionalProperties": schema["additionalProperties"]} if "additionalProperties" in schema else {}
    nested = {
        "type": "object",
        "description": "The pack's fields as one object, instead of side by side with the others.",
        "properties": {name: {"$ref": f"#/properties/{escape(name)}"} for name in fields},
        **closed,
        **rules,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        **({"$defs": schema["$defs"]} if "$defs" in schema else {}),
        "properties": {**fields, "inputs": nested, **_RUN_PROPERTIES},
        "required": ["max_cost_usd"],
        **closed,
        **({"if": {"required": ["inputs"]}, "else": rules} if rules else {}),
    }


_RUN_PROPERTIES: JsonObject = {
    **object_schema(RESERVATION)["properties"],
    "max_cost_usd": MaxCost(least=LEAST_MAX_COST, help_text=_ABOUT_MAX_COST).described(),
    "artifacts": object_schema(ARTIFACTS, closed=True),
    "idempotency_key": {
        "type": "string",
        "pattern": IDEMPOTENCY_KEY_PATTERN,
        "description": (
            "Names this run: 8 to 64 visible ASCII characters but the comma. Reuse it to retry, change it for a fresh "
            "run. Absent: made from the arguments and the UTC day."
        ),
    },
}

_RECEIPT: JsonObject = {"$schema": "https://json-schema.org/draft/2020-12/schema", **object_schema(RECEIPT)}
