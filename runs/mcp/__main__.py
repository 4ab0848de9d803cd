"""`python -m runs.mcp`: the gateway alone. Needs DPP_API_URL (stdio: and DPP_API_KEY), and no database."""

import argparse

from django.conf import settings as django_settings

from dpp_project.env import Env
from runs.mcp.command import add_arguments, run
from runs.mcp.settings import GatewaySettings


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m runs.mcp", description=__doc__)
    add_arguments(parser)
    options = parser.parse_args()
    env = Env()
    settings = GatewaySettings.read(env)
    # Problem documents take their type's address from Django's settings. The full ones would ask for a database.
    django_settings.configure(PROBLEM_TYPE_BASE=settings.problem_type_base)
    run(settings, env, transport=options.transport, host=options.host, port=options.port)


if __name__ == "__main__":
    main()
