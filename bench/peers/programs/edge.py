"""A library behind HTTP, by the platform's server with its settings: POST /runs accepts, GET /runs/{id} reads.

The library is one of the modules beside this one, named by PEER.
"""

import importlib
import json
import os

peer = importlib.import_module(os.environ["PEER"])


def application(environ, start_response):  # type: ignore[no-untyped-def]
    if environ["REQUEST_METHOD"] == "POST":
        inputs = json.loads(environ["wsgi.input"].read())
        status, body = "202 Accepted", {"run_id": peer.accept(inputs)}
    else:
        status, body = "200 OK", peer.read(environ["PATH_INFO"].removeprefix("/runs/"))
    answer = json.dumps(body, default=str).encode()
    start_response(status, [("content-type", "application/json"), ("content-length", str(len(answer)))])
    return [answer]
