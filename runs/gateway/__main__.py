"""python -m runs.gateway: serve event streams. Its settings are those of the API."""

from argparse import ArgumentParser

import uvicorn

from dpp_project.http_deadlines import server_options


def main() -> None:
    parser = ArgumentParser(prog="python -m runs.gateway", description="Serve event streams.")
    parser.add_argument("--host", default="127.0.0.1", help="default: %(default)s")
    parser.add_argument("--port", type=int, default=8002, help="default: %(default)s")
    parser.add_argument(
        "--graceful-sec", type=int, default=5, help="how long open streams may take to end; default: %(default)s"
    )
    options = parser.parse_args()
    uvicorn.run(
        "dpp_project.asgi:application",
        host=options.host,
        port=options.port,
        lifespan="on",
        timeout_graceful_shutdown=options.graceful_sec,
        **server_options(),
    )


if __name__ == "__main__":
    main()
