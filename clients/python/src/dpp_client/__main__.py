"""`python -m dpp_client`: the command `dpp`."""

from dpp_client.command import main

main()
