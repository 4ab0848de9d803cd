"""manage.py mcp"""

from argparse import ArgumentParser
from typing import Any

from dpp_project.env import Env
from runs.management.output import OurCommand
from runs.mcp.command import add_arguments, run
from runs.mcp.settings import GatewaySettings


class Command(OurCommand):
    help = "Serve the MCP gateway. `python -m runs.mcp` is the same without the settings of the database."
    examples = "manage.py mcp --transport http --port 8001"
    # They would connect to services that the gateway does not use.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        # No --json: over stdio, stdout belongs to the protocol.
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        env = Env()
        settings = GatewaySettings.read(env)
        run(settings, env, transport=options["transport"], host=options["host"], port=options["port"])
