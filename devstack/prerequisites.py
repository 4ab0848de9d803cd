"""What the machine must bring. Whatever is missing is named in one line, with its remedy."""

import os
import platform
import sys
from pathlib import Path


class MissingPrerequisite(Exception):
    """The machine lacks something; the message is one line: what, and what to do about it."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}: {remedy}.")


def check_machine() -> None:
    if sys.platform != "linux":
        raise MissingPrerequisite(
            f"the embedded stack runs on Linux, and this is {platform.system()}",
            "use docker/compose.yml, or give DATABASE_URL, REDIS_URL and AWS_ENDPOINT_URL of other servers",
        )
    if not hasattr(os, "pidfd_open"):
        raise MissingPrerequisite("this Python was built without pidfd_open", "use your distribution's python3")
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        raise MissingPrerequisite("the kernel is older than 5.3", "update it, or use docker/compose.yml") from None


def check_directory(home: Path) -> None:
    """A `home` that somebody else made would fail later, in the middle, and obscurely."""
    nearest = next(path for path in (home, *home.parents) if path.exists())
    if os.geteuid() != 0 and home.exists() and home.stat().st_uid != os.geteuid():
        raise MissingPrerequisite(
            f"{home} belongs to user {home.stat().st_uid}",
            "run as that user, or have it `make clean`",
        )
    if not os.access(nearest, os.W_OK):
        raise MissingPrerequisite(f"{nearest} is not writable", "clone into a directory of your own")
