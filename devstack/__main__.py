"""`python -m devstack up | down | status | logs | supervise`. The Makefile is the usual caller."""

import argparse
import os
import sys

from devstack.layout import Layout
from devstack.prerequisites import MissingPrerequisite, check_directory
from devstack.terminal import Terminal


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m devstack", description=__doc__)
    parser.add_argument("command", choices=("up", "down", "status", "logs", "supervise"))
    parser.add_argument("--follow", action="store_true", help="logs: go on with what is added")
    arguments = parser.parse_args()
    layout, terminal = Layout(), Terminal()
    if layout.home.exists():
        check_directory(layout.home)
    # Imported where they are needed: looking and stopping must work without any package installed.
    match arguments.command:
        case "up":
            from devstack.up import up

            return up(layout, terminal)
        case "down":
            from devstack.down import down

            return down(layout, terminal)
        case "status":
            from devstack.status import status

            return status(layout, terminal)
        case "logs":
            from devstack.logs import logs

            return logs(layout, terminal, follow=arguments.follow)
        case _:
            from devstack.supervisor import Supervisor

            return Supervisor(layout).run()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MissingPrerequisite as missing:
        sys.exit(f"Cannot go on: {missing}")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # `make logs | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
