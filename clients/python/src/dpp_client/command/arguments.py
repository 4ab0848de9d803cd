"""What the command `dpp` can be told."""

import argparse
import os

from dpp_client.settings import VERSION

SHELLS = ("bash", "zsh", "fish")

_EPILOG = """\
The address and the key are taken from DPP_API_URL and DPP_API_KEY (and DPP_EVENTS_URL, where events have their own).

exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the run has not ended yet, 4 not verified,
5 no answer or told to repeat (repeat with the same --key), 130 interrupted
"""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="dpp",
        description="Runs of the Decision Pack Platform: submit, wait, verify.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"dpp {VERSION}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = _command(commands, "run", "submit a run, wait for it, verify and show its result")
    _order(run)
    run.add_argument("--key", help="names the run: repeated with the same key, the command pays nothing again")
    run.add_argument("--no-wait", action="store_true", help="show the receipt and leave")
    _wait(run)
    _envelope_file(run)

    quote = _command(commands, "quote", "what a run would cost: at least, likely, at worst")
    _order(quote)

    get = _command(commands, "get", "show a run; --envelope also fetches and verifies its result")
    _run_id(get)
    _envelope_file(get)

    watch = _command(commands, "watch", "follow a run to its end")
    _run_id(watch)
    _wait(watch)

    listing = _command(commands, "list", "your runs, newest first")
    listing.add_argument("--status", choices=["QUEUED", "PROCESSING", "COMPLETED", "FAILED", "EXPIRED"])
    listing.add_argument("--pack", help="only runs of this pack")
    listing.add_argument("--tag", metavar="NAME:TEXT", help="only runs with this tag")
    listing.add_argument("--after", metavar="TIME", help="created after this time, such as 2026-01-31T09:00:00Z")
    listing.add_argument("--before", metavar="TIME", help="created before this time")
    listing.add_argument("--limit", type=int, default=20, help="how many at most (default: 20)")
    listing.add_argument("--cursor", help="go on where the page before ended")

    _command(commands, "budget", "what can be spent, what is held, what was spent this month")
    _command(commands, "packs", "what is on offer, and its prices")

    upload = _command(commands, "upload", "put a file into the service for a day; shows what stands for it in `images`")
    upload.add_argument("file", metavar="FILE")
    upload.add_argument("--mime", metavar="TYPE", help="its media type, if its name does not tell")

    _run_id(_command(commands, "cancel", "cancel a run"))
    _run_id(_command(commands, "delete", "delete inputs and result of a run that has ended, for good"))

    _run_id(_command(commands, "inputs", "what a run was asked, as it is stored; to keep for `dpp verify --recompute`"))
    verify = _command(commands, "verify", "whether an envelope is byte for byte what the platform signed")
    verify.add_argument("file", metavar="FILE", help="the envelope; - for standard input")
    verify.add_argument("--jwks", metavar="FILE", help="published keys, kept before: the service is not asked")
    verify.add_argument(
        "--recompute",
        action="store_true",
        help="also have the pack compute it again and compare (decision, compliance, eval)",
    )
    verify.add_argument(
        "--inputs", metavar="FILE", help="what `dpp inputs` told, kept before: the service is not asked"
    )
    verify.add_argument(
        "--platform",
        metavar="FOLDER",
        default=os.environ.get("DPP_PLATFORM", "."),
        help="a checkout of the platform, whose packs compute (default: DPP_PLATFORM, or here)",
    )

    statement = _command(commands, "statement", "the journal of a month, verified; as JSON for `dpp verify-statement`")
    statement.add_argument("month", metavar="YYYY-MM")
    statement.add_argument("--tag", metavar="NAME:TEXT", help="only entries of runs with this tag")
    statement.add_argument("--key-id", help="only entries of runs that this key submitted")
    statement.add_argument("--after", type=int, metavar="N", help="go on after this entry (`next_after`)")
    statement.add_argument("--max-entries", type=int, metavar="N", help="how many at most (default: 10000)")
    checked = _command(commands, "verify-statement", "whether a statement is what the platform signed, entry by entry")
    checked.add_argument("file", metavar="FILE", help="the statement as JSON or JSON Lines; - for standard input")
    checked.add_argument("--jwks", metavar="FILE", help="published keys, kept before: the service is not asked")

    made = _command(commands, "make-key", "a key that may do and spend at most what yours may; shown once")
    made.add_argument("--label", help="for whom or what it is")
    made.add_argument("--max-total", metavar="USD", help="it spends no more than this in all")
    made.add_argument("--max-per-run", metavar="USD", help="it reserves no more than this for one run")
    made.add_argument("--pack", action="append", help="it submits only this pack (may be repeated)")
    made.add_argument("--expires-at", metavar="TIME", help="such as 2026-12-31T00:00:00Z")
    made.add_argument("--read-only", action="store_true", default=None, help="it only reads")
    made.add_argument("--may-create-keys", action="store_true", default=None, help="it may make keys itself")
    _command(commands, "list-keys", "your key and those below it: limits, spent, held")
    revoked = _command(commands, "revoke-key", "revoke a key and all that were made with it")
    revoked.add_argument("key_id", metavar="KEY_ID")

    _command(commands, "keys", "the published keys, to keep for `dpp verify --jwks`")

    completion = _command(commands, "completion", "a script that completes this command in your shell")
    completion.add_argument("shell", choices=SHELLS)
    return top


def commands_of(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands by their names."""
    (found,) = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found.choices)


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, what: str
) -> argparse.ArgumentParser:
    made = commands.add_parser(name, help=what, description=what)
    made.add_argument("--json", action="store_true", help="JSON instead of text for people")
    return made


def _run_id(command: argparse.ArgumentParser) -> None:
    command.add_argument("run_id", metavar="RUN_ID")


def _order(command: argparse.ArgumentParser) -> None:
    command.add_argument("pack", metavar="PACK", help="decision, url, compliance, eval or ocr; see `dpp packs`")
    command.add_argument("--inputs", metavar="FILE", required=True, help="JSON of the inputs; - for standard input")
    command.add_argument("--max-cost", metavar="USD", required=True, help="the most it may cost, such as 0.50")
    command.add_argument("--timebox-sec", type=int, metavar="N", help="the longest it may take")
    command.add_argument("--min-reliability", type=float, metavar="0..1", help="the least reliability asked for")
    command.add_argument("--on-unmet", choices=["accept", "refund"], help="what becomes of a less reliable result")
    command.add_argument("--quote-id", help="charge at the prices of this quote")
    command.add_argument("--markdown", action="store_true", help="also a report in Markdown")
    command.add_argument("--tag", action="append", metavar="NAME:TEXT", help="your own word for it (may be repeated)")
    command.add_argument("--docx", action="store_true", help="also a report for Word")


def _wait(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--wait-sec", type=float, default=600, metavar="N", help="how long to wait for its end (default: 600)"
    )


def _envelope_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("--envelope", metavar="FILE", help="keep the verified result in this file")
