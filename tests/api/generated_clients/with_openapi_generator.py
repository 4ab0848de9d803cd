"""A run from submit to result by the client that openapi-generator makes. Prints what it has seen as JSON."""

import json
import os
import time
from typing import Any

from dpp_generated import AccountApi, ApiClient, ApiException, Configuration, DecisionRun, RunRequest, RunsApi


def main() -> None:
    configuration = Configuration(host=os.environ["DPP_API_URL"], access_token=os.environ["DPP_API_KEY"])
    with ApiClient(configuration) as client:
        runs: Any = RunsApi(client)
        body = json.loads(os.environ["RUN"])
        try:
            runs.get_run("00000000-0000-0000-0000-000000000000")
        except ApiException as error:
            problem = json.loads(error.body)

        request = RunRequest(DecisionRun.from_dict(body))
        receipt = runs.submit_run("generated-client-1", run_request=request)
        run = runs.get_run(receipt.run_id)
        ends = time.monotonic() + 60
        while run.status in ("QUEUED", "PROCESSING") and time.monotonic() < ends:
            run = runs.get_run(receipt.run_id, wait=5)
        seen = {
            "problem": problem["reason_code"],
            "status": run.status,
            "sha256": run.result.sha256,
            "used_usd": run.cost.used_usd,
            "balance_usd": AccountApi(client).get_budget().balance_usd,
        }
    print(json.dumps(seen))


main()
