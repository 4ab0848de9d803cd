"""Three agents that know one way in each: MCP alone, the Python client alone, curl alone. All buy the five packs, meet
the same refusals, repeat everything, and write down what was said."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dpp_client import ApiProblem, Client, Retries
from tests.builders import Customer
from tests.examples.cases import Example, examples
from tests.mcp.gateway import Agent as McpClient
from tests.mcp.gateway import GatewayProcess, connected, over_http

_LIVE = ("QUEUED", "PROCESSING")


@dataclass(frozen=True)
class Order:
    pack: str
    inputs: dict[str, Any]
    max_cost: str
    key: str

    @classmethod
    def of(cls, example: Example) -> "Order":
        reservation = example.body["reservation"]
        return cls(example.pack, example.body["inputs"], reservation["max_cost_usd"], f"{example.pack}-of-the-day")

    @property
    def short(self) -> str:
        """For the transcript: long texts are cut."""
        text = json.dumps(self.inputs, ensure_ascii=False)
        return text if len(text) <= 110 else f"{text[:107]}…"


@dataclass(frozen=True)
class Bought:
    run_id: str
    status: str
    used_usd: str

    @property
    def line(self) -> str:
        return f"{self.status}, {self.used_usd} USD"


@dataclass(frozen=True)
class Refused:
    reason_code: str
    retry_with: str

    @property
    def line(self) -> str:
        return f"{self.reason_code}, retry_with {self.retry_with}"


Outcome = Bought | Refused


class Agent(Protocol):
    def order(self, order: Order) -> Outcome: ...

    def said(self, order: Order) -> str:
        """What it said, in its own words."""


@dataclass
class WithMcp:
    client: McpClient

    def order(self, order: Order) -> Outcome:
        arguments = {**order.inputs, "max_cost_usd": order.max_cost, "idempotency_key": order.key}
        while True:
            result = self.client.call(arguments, tool=f"dpp_{order.pack}_run_submit")
            document = result.document
            if result.is_error:
                return Refused(document["reason_code"], document["retry_with"])
            if document["status"] not in _LIVE:
                return Bought(document["run_id"], document["status"], document["cost"]["used_usd"])

    def said(self, order: Order) -> str:
        own = f"max_cost_usd={order.max_cost!r}, idempotency_key={order.key!r}"
        return f"dpp_{order.pack}_run_submit({own}, {order.short})"


@dataclass
class WithClient:
    client: Client

    def order(self, order: Order) -> Outcome:
        try:
            result = self.client.run(order.pack, order.inputs, max_cost=order.max_cost, key=order.key)
        except ApiProblem as refusal:
            return Refused(refusal.reason_code, refusal.retry_with)
        return Bought(result.run_id, result.run["status"], result.used_usd)

    def said(self, order: Order) -> str:
        return f"client.run({order.pack!r}, {order.short}, max_cost={order.max_cost!r}, key={order.key!r})"


@dataclass
class WithCurl:
    url: str
    api_key: str

    def order(self, order: Order) -> Outcome:
        body = {
            "pack_type": order.pack,
            "inputs": order.inputs,
            "options": {"inline": 1},
            "reservation": {"max_cost_usd": order.max_cost},
        }
        headers = (f"Idempotency-Key: {order.key}", "Prefer: wait=20", "Content-Type: application/json")
        answer = self._curl("/v1/runs", *headers, body=json.dumps(body))
        if "reason_code" in answer:
            return Refused(answer["reason_code"], answer["retry_with"])
        run = answer["run"]
        while run["status"] in _LIVE:
            run = self._curl(f"/v1/runs/{answer['run_id']}?wait=20&until=end")
        return Bought(run["run_id"], run["status"], run["cost"]["used_usd"])

    def said(self, order: Order) -> str:
        return (
            f'curl "$DPP_API_URL/v1/runs" -H "Idempotency-Key: {order.key}" -H "Prefer: wait=20" '
            f'-d \'{{"pack_type": "{order.pack}", "max_cost_usd": "{order.max_cost}", "inputs": {order.short}}}\''
        )

    def _curl(self, path: str, *headers: str, body: str | None = None) -> dict[str, Any]:
        given = [part for header in headers for part in ("-H", header)]
        data = [] if body is None else ["--data-binary", "@-"]
        authorized = ("-H", f"Authorization: Bearer {self.api_key}")
        argv = ["curl", "-sS", "--noproxy", "*", "-m", "60", *authorized, *given, *data]
        done = subprocess.run(
            [*argv, f"{self.url}{path}"], input=(body or "").encode(), capture_output=True, check=True, timeout=90
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@contextmanager
def agent_of(kind: str, owner: Customer, *, api_url: str, gateway: GatewayProcess) -> Iterator[Agent]:
    if kind == "MCP":
        with connected(over_http(gateway, Authorization=f"Bearer {owner.api_key}")) as client:
            yield WithMcp(client)
    elif kind == "dpp-client":
        with Client(api_url, owner.api_key, retries=Retries(first_pause_sec=0.1)) as client:
            yield WithClient(client)
    else:
        yield WithCurl(api_url, owner.api_key)


KINDS = ("MCP", "dpp-client", "curl")


@dataclass
class Day:
    """What one agent did and was told."""

    bought: dict[str, Bought] = field(default_factory=dict)
    repeated: dict[str, Bought] = field(default_factory=dict)
    refused: dict[str, Refused] = field(default_factory=dict)
    transcript: list[str] = field(default_factory=list)


def spend_a_day(agent: Agent) -> Day:
    day = Day()
    for example in examples():
        order = Order.of(example)
        day.bought[order.pack] = _bought(agent, order, day)
    for example in examples():
        order = Order.of(example)
        day.repeated[order.pack] = _bought(agent, order, day)
    for title, order in refusals().items():
        outcome = agent.order(order)
        assert isinstance(outcome, Refused), f"{title}: {outcome}"
        day.refused[title] = outcome
        day.transcript.append(f"{agent.said(order)}\n    → {outcome.line}")
    return day


def refusals() -> dict[str, Order]:
    """By what is wrong with them."""
    good = Order.of(examples()[0])
    return {
        "inputs": replace(good, inputs={"question": 7}, key="wrong-inputs"),
        "amount": replace(good, max_cost="0.12345", key="wrong-amount"),
        "limit": replace(good, max_cost="0.0101", key="small-limit"),
        "balance": replace(good, max_cost="500.0000", key="large-limit"),
        "conflict": replace(good, inputs={"question": "Another one?", "options": ["A", "B"]}),
    }


EXPECTED = {
    "inputs": Refused("SCHEMA_VALIDATION_FAILED", "none"),
    "amount": Refused("INVALID_MONEY_SCALE", "none"),
    "limit": Refused("RESERVATION_TOO_SMALL", "none"),
    "balance": Refused("BUDGET_DRAINED", "none"),
    "conflict": Refused("IDEMPOTENCY_CONFLICT", "new_key"),
}


def _bought(agent: Agent, order: Order, day: Day) -> Bought:
    outcome = agent.order(order)
    assert isinstance(outcome, Bought), f"{order.pack}: {outcome}"
    day.transcript.append(f"{agent.said(order)}\n    → {outcome.line}")
    return outcome


_HEAD = """\
# Three agents, one day

An agent with nothing but the MCP endpoint, one with nothing but `dpp-client`, one with nothing but curl. Each buys all
five packs, says everything a second time (the same key: the same run, nothing more is charged), and is refused in five
ways. A test lets them do it again and compares what they are told with this page; `make examples` writes it.
"""


def transcript_page(days: dict[str, Day]) -> str:
    parts = [_HEAD]
    for kind, day in days.items():
        told = "\n".join(day.transcript)
        parts.append(f"## With {kind} alone\n\n```\n{told}\n```\n")
    return "\n".join(parts)
