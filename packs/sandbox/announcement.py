"""A line in the log of every worker's start: what confines the readers here, and what this machine lacks."""

import logging

from dpp_project.logging import fields
from packs.sandbox import landlock
from packs.sandbox.confinement import Mechanism, missing

log = logging.getLogger("dpp.sandbox")


def announce_confinement() -> None:
    lacking = missing()
    log.log(
        logging.WARNING if set(lacking) - {Mechanism.OWN_USER} else logging.INFO,
        "readers_confined",
        extra=fields(
            by=[each for each in Mechanism if each not in lacking], missing=lacking, landlock=landlock.version()
        ),
    )
