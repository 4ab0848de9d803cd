"""A small HTTP client for tests that talk to a real API process."""

import http.client
import json
import time
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

from tests.builders import Customer
from tests.processes import WorkerProcess


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Message
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Api:
    def __init__(self, url: str, owner: Customer, *, come_from: str = "127.0.0.1") -> None:
        self.address = urlsplit(url).netloc
        self.owner = owner
        self.come_from = come_from

    def submit(self, body: dict[str, Any], *, key: str) -> Answer:
        headers = self.owner.headers(**{"Idempotency-Key": key, "Content-Type": "application/json"})
        return self._send("POST", "/v1/runs", json.dumps(body), headers)

    def cancel(self, run_id: object) -> Answer:
        return self._send("POST", f"/v1/runs/{run_id}/cancel", None, self.owner.headers())

    def get(self, path: str) -> Answer:
        return self._send("GET", path, None, self.owner.headers())

    def wait_until_ended(self, path: str, worker: WorkerProcess, *, seconds: float = 120) -> Answer:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            answer = self.get(f"{path}?wait=5")
            # 429 is not an end: on a slow machine the polls of a test may pass the limit.
            if answer.status != 429 and answer.json.get("status") not in ("QUEUED", "PROCESSING"):
                return answer
            time.sleep(0.1)
        raise AssertionError(f"{path} did not end within {seconds} s. Worker log:\n{worker.lines()[-4000:]}")

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection(self.address, timeout=30, source_address=(self.come_from, 0))
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())
        finally:
            connection.close()
