"""The command `dpp`: parse, call the client, print, and end with a code that a script can act on."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from dpp_client.command import output
from dpp_client.command.actions import ACTIONS, UsageError
from dpp_client.command.arguments import parser
from dpp_client.errors import DppError, NotAFile, NotVerified, StillRunning
from dpp_client.exchange import may_be_repeated
from dpp_client.settings import NotConfigured

DONE, REFUSED, WRONG_USAGE, STILL_RUNNING, NOT_VERIFIED, REPEAT_LATER = range(6)
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> NoReturn:
    sys.exit(exit_code(sys.argv[1:] if argv is None else argv))


def exit_code(argv: Sequence[str]) -> int:
    arguments = parser().parse_args(argv)
    try:
        ACTIONS[arguments.command](arguments)
    except (NotAFile, NotConfigured, UsageError) as error:
        output.complain(str(error))
        return WRONG_USAGE
    except DppError as error:
        output.show_error(error, as_json=arguments.json)
        return code_of(error)
    except KeyboardInterrupt:
        output.complain("Interrupted. A run that was submitted goes on: wait on with its id, or repeat with its key.")
        return INTERRUPTED
    except BrokenPipeError:
        # The program that reads our output has enough of it. Python would try to write the rest at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    return DONE


def code_of(error: DppError) -> int:
    if isinstance(error, StillRunning):
        return STILL_RUNNING
    if isinstance(error, NotVerified):
        return NOT_VERIFIED
    return REPEAT_LATER if may_be_repeated(error) else REFUSED
