"""Makes `.venv` and installs a requirements file into it, if that has not been done for these very versions.

`make up` needs requirements-stack.txt; `make test` needs requirements-dev.txt, which holds all of that and more.

Run as a script by whatever `python3` the machine has, before anything is installed: standard library only,
and nothing in it that an older Python could not even read.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import List, NoReturn  # noqa: UP035

OLDEST = (3, 11)
CLONE = Path(__file__).resolve().parent.parent
VENV = CLONE / ".venv"
PYTHON = VENV / "bin" / "python"
EVERYTHING = "requirements-dev.txt"
STAMP = VENV / "installed-by-make"


def main() -> None:
    check_python()
    name = sys.argv[1] if len(sys.argv) > 1 else EVERYTHING
    directory = os.open(str(CLONE), os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)  # two `make` at once: the second finds the work done
    if is_current([fingerprint(name), fingerprint(EVERYTHING)]):
        return
    started = time.monotonic()
    say("Installing " + name + " into .venv (once) …")
    if STAMP.exists():
        STAMP.unlink()  # from here on the environment is half-made, until the last line
    if not is_usable():
        make_venv()
    install(name)
    STAMP.write_text(fingerprint(name) + "\n")
    say("Installed in {:.0f} s.".format(time.monotonic() - started))  # noqa: UP032


def check_python() -> None:
    if sys.version_info < OLDEST:
        found = "{}.{}".format(*sys.version_info[:2])
        refuse(
            "Python " + found + " is too old (3.11 or newer is needed)",
            "install a newer one and name it: make up PYTHON=python3.12",
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        refuse(
            "this Python has no venv module",
            "install it (Debian, Ubuntu: apt install python3-venv) or name another: make up PYTHON=…",
        )
    if not os.access(str(CLONE), os.W_OK):
        refuse(str(CLONE) + " is not writable", "clone into a directory of your own")


def fingerprint(name: str) -> str:
    content = (CLONE / name).read_bytes() + sys.version.encode() + str(CLONE).encode()
    return hashlib.sha256(content).hexdigest()


def is_current(accepted: List[str]) -> bool:  # noqa: UP006
    try:
        return STAMP.read_text().strip() in accepted and prints([str(PYTHON), "-c", "print('runs')"], "runs")
    except OSError:
        return False


def is_usable() -> bool:
    """Whether the environment is of this Python, and can install."""
    same_python = [str(PYTHON), "-c", "import sys; print(sys.version)"]
    # Not `python -m pip`: the scripts name their interpreter, and are broken once a clone was moved.
    return prints(same_python, sys.version) and prints([str(VENV / "bin" / "pip"), "--version"], "pip ")


def prints(command: List[str], beginning: str) -> bool:  # noqa: UP006
    try:
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer.stdout.decode().startswith(beginning)


def make_venv() -> None:
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False)
    if made.returncode != 0:
        refuse("python -m venv failed, see above", "Debian, Ubuntu: apt install python3-venv")


def install(name: str) -> None:
    """pip, with one line of progress instead of its hundreds, which are shown only if it fails."""
    total = sum("==" in line for line in (CLONE / name).read_text().splitlines())
    # A file that is not the one that was locked is refused, wherever it comes from.
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--require-hashes"]
    output, found = [], 0
    with subprocess.Popen(
        [*pip, "--progress-bar", "off", "-r", str(CLONE / name)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as running:
        for line in running.stdout or ():
            output.append(line.decode(errors="replace").rstrip())
            found += output[-1].startswith("Collecting ")
            unpacking = output[-1].startswith("Installing collected")
            show("unpacking" if unpacking else "{} of {} packages".format(min(found, total), total))  # noqa: UP032
    show("")
    if running.returncode != 0:
        print("\n".join(output[-25:]))
        refuse("pip could not install " + name + ", see above", "check the network, then try again")


def show(progress: str) -> None:
    if sys.stdout.isatty():
        print("\r\033[K" + ("  " + progress if progress else ""), end="", flush=True)


def refuse(problem: str, remedy: str) -> NoReturn:
    sys.exit("Cannot go on: " + problem + ": " + remedy + ".")


def say(text: str) -> None:
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


if __name__ == "__main__":
    main()
