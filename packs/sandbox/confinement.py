"""What a child does to itself before it looks at anything, and which of it this machine cannot do."""

import os
import resource
import signal
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from packs.sandbox import kernel, landlock, own_user, system_calls

_CODE_ROOT = Path(__file__).resolve().parent.parent.parent
_LIMITS_OF_ALL = {resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0}


class Mechanism(StrEnum):
    HARD_LIMITS = "hard_limits"
    PARENT_DEATH_SIGNAL = "parent_death_signal"
    NO_NEW_PRIVILEGES = "no_new_privileges"
    SYSTEM_CALL_FILTER = "system_call_filter"
    LANDLOCK = "landlock"
    OWN_USER = "own_user"


@dataclass(frozen=True)
class Limits:
    """All are hard limits: nothing inside can raise them again."""

    memory_bytes: int
    """Of address space, which bounds what is resident too."""
    cpu_sec: int
    open_files: int = 32
    threads: int = 64
    """Counted per user: enforced where the child has a user of its own."""


class Confinement:
    """What a template does to itself before it loads any library, and each reader to itself before it reads anything.

    A template must be able to fork, and as root to give each reader a user of its own; it opens no socket and no file
    to write, and starts no program. A reader keeps the template's rules, adds the stricter ones, and can do neither.
    """

    def __init__(self, limits: Limits, readable: tuple[Path, ...] = ()) -> None:
        self._limits = limits
        self._readable = readable
        self._lacking = missing(readable)
        self._rules: int | None = None

    def of_template(self) -> None:
        """From here on: no file written, none read but code and `readable`, no network, no other program."""
        os.umask(0o777)
        # Libraries that take what address space there is must find what a reader has.
        _limit({**_LIMITS_OF_ALL, resource.RLIMIT_AS: self._limits.memory_bytes})
        if kernel.is_linux():
            kernel.drop_capabilities(keep=() if self._lacks(Mechanism.OWN_USER) else kernel.TO_GIVE_AND_END_USERS)
            kernel.hide_from_siblings()
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        if not self._lacks(Mechanism.LANDLOCK):
            # Made once: a reader takes the same rules for itself, and then may not even signal the template.
            self._rules = landlock.ruleset(readable=_needed(self._readable), listable=_listed())
            landlock.restrict(self._rules)
        if not self._lacks(Mechanism.SYSTEM_CALL_FILTER):
            system_calls.install(system_calls.Caller.TEMPLATE)

    def of_reader(self, template: int) -> None:
        """From here on also: no new process, bounded use, nobody else's user.

        The order matters: each step takes away what the steps before it still needed.
        """
        if not self._lacks(Mechanism.OWN_USER):
            own_user.become(os.getpid())
        _limit(self._limits_of_reader())
        if kernel.is_linux():
            kernel.drop_capabilities()
            # Both after the change of user, which clears them.
            kernel.hide_from_siblings()
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != template:
            raise SystemExit("The template is gone already.")
        if self._rules is not None:
            landlock.restrict(self._rules)
            os.close(self._rules)
        if not self._lacks(Mechanism.SYSTEM_CALL_FILTER):
            system_calls.install(system_calls.Caller.READER)

    def _limits_of_reader(self) -> dict[int, int]:
        """Its memory is limited as the template's is."""
        limits = {resource.RLIMIT_CPU: self._limits.cpu_sec, resource.RLIMIT_NOFILE: self._limits.open_files}
        if not self._lacks(Mechanism.OWN_USER):
            limits[resource.RLIMIT_NPROC] = self._limits.threads
        return limits

    def _lacks(self, mechanism: Mechanism) -> bool:
        return mechanism in self._lacking


def missing(readable: tuple[Path, ...] = ()) -> list[Mechanism]:
    """What this machine lacks, for the log at start and for operators."""
    has = {
        Mechanism.HARD_LIMITS: True,
        Mechanism.PARENT_DEATH_SIGNAL: kernel.is_linux(),
        Mechanism.NO_NEW_PRIVILEGES: kernel.is_linux(),
        Mechanism.SYSTEM_CALL_FILTER: system_calls.is_available(),
        Mechanism.LANDLOCK: landlock.version() > 0,
        Mechanism.OWN_USER: own_user.is_possible((*_code(), *readable)),
    }
    return [mechanism for mechanism, is_there in has.items() if not is_there]


def _limit(values: dict[int, int]) -> None:
    for kind, most in values.items():
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, allowed))


def _code() -> tuple[Path, ...]:
    """The interpreter's own files, installed packages, and of this repository what readers are made of."""
    packages = (Path(entry) for entry in sys.path if "site-packages" in entry)
    installed = {Path(sys.prefix), Path(sys.base_prefix), *packages}
    return (*(path.resolve() for path in sorted(installed)), _CODE_ROOT / "packs", _CODE_ROOT / "dpp_project")


def _needed(readable: tuple[Path, ...]) -> tuple[Path, ...]:
    """Shared libraries, time zones, and what numeric libraries ask about the processor; never another process."""
    system = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share", "/etc/ld.so.cache")
    asked = ("/etc/localtime", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/dev/urandom", "/dev/null")
    return (*_code(), *(Path(path) for path in (*system, *asked)), *readable)


def _listed() -> tuple[Path, ...]:
    """Imports look for packages in the repository's folder; its files (settings of a development stack) stay closed."""
    return (_CODE_ROOT,)
