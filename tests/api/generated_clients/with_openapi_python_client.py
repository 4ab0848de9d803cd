"""A run from submit to result by the client that openapi-python-client makes. Prints what it has seen as JSON."""

import json
import os
import time
from typing import Any

from dpp_plain import AuthenticatedClient
from dpp_plain.api.account import get_budget
from dpp_plain.api.runs import get_run, submit_run
from dpp_plain.models import DecisionRun, Problem, Receipt


def main() -> None:
    client: Any = AuthenticatedClient(base_url=os.environ["DPP_API_URL"], token=os.environ["DPP_API_KEY"])
    wrong: Any = DecisionRun.from_dict(json.loads(os.environ["RUN"]))
    wrong.reservation.max_cost_usd = "1.23456"
    problem = submit_run.sync(client=client, body=wrong, idempotency_key="generated-client-0")
    assert isinstance(problem, Problem), problem

    request = DecisionRun.from_dict(json.loads(os.environ["RUN"]))
    receipt = submit_run.sync(client=client, body=request, idempotency_key="generated-client-1")
    assert isinstance(receipt, Receipt), receipt
    run: Any = get_run.sync(receipt.run_id, client=client)
    ends = time.monotonic() + 60
    while run.status in ("QUEUED", "PROCESSING") and time.monotonic() < ends:
        run = get_run.sync(receipt.run_id, client=client, wait=5)
    seen = {
        "problem": problem.reason_code,
        "status": run.status,
        "sha256": run.result.sha256,
        "used_usd": run.cost.used_usd,
        "balance_usd": get_budget.sync(client=client).balance_usd,
    }
    print(json.dumps(seen))


main()
