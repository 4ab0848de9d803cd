"""An API that answers every run at once, for trying `make up`. Its helper would outlive it, as granian's do."""

import hashlib
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RESULT = json.dumps({"data": {"answer_text": "Take Alpha."}}).encode()
COST = {"reserved_usd": "0.5000", "used_usd": "0.0100", "budget_remaining_usd": "4.9900"}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/result":
            return self._answer(200, RESULT)
        link = f"http://{self.headers['Host']}/result"
        result = {"presigned_url": link, "sha256": hashlib.sha256(RESULT).hexdigest()}
        return self._answer(200, {"status": "COMPLETED", "cost": COST, "result": result})

    def do_POST(self) -> None:
        self._answer(202, {"run_id": "r1", "reservation": {"max_cost_usd": "0.5000"}})

    def _answer(self, status: int, body: dict[str, Any] | bytes) -> None:
        known = self.headers.get("Authorization", "") in ("", "Bearer standin-key")
        self.send_response(status if known else 401)
        self.send_header("X-DPP-Cost-Reserved", COST["reserved_usd"])
        self.send_header("X-DPP-Cost-Used", COST["used_usd"])
        self.send_header("X-DPP-Budget-Remaining", COST["budget_remaining_usd"])
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
if os.fork() == 0:
    time.sleep(600)
else:
    server.serve_forever()
