import os
import subprocess
from pathlib import Path

import pytest

from devstack.credentials import Credentials
from devstack.environment import read_environment, write_environment

AWKWARD = {
    "PLAIN": "value",
    "URL": "postgresql://dpp:secret@127.0.0.1:5432/dpp?a=b&c=d",
    "QUOTED": """it's "quoted" """,
    "EXPANSIONS": "$HOME `id` $(id) \\n !x * ~",
    "HASH": "# not a comment",
    "KOREAN": "한국어",
}


def test_a_shell_reads_exactly_what_was_written(tmp_path: Path) -> None:
    write_environment(tmp_path / "env", AWKWARD)
    script = f'. "{tmp_path}/env" && env -0'
    answer = subprocess.run(["sh", "-eu", "-c", script], capture_output=True, check=True)
    seen = dict(item.split("=", 1) for item in answer.stdout.decode().split("\0") if "=" in item)
    assert {name: seen.get(name) for name in AWKWARD} == AWKWARD


def test_we_read_exactly_what_was_written(tmp_path: Path) -> None:
    write_environment(tmp_path / "env", AWKWARD)
    assert read_environment(tmp_path / "env") == AWKWARD


def test_a_name_without_a_value_is_not_exported(tmp_path: Path) -> None:
    write_environment(tmp_path / "env", {"NOTHING": "", "SOMETHING": "1"})
    assert read_environment(tmp_path / "env") == {"SOMETHING": "1"}


def test_a_value_of_two_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one line"):
        write_environment(tmp_path / "env", {"TWO": "a\nb"})


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_environment(tmp_path / "env", AWKWARD)
    finally:
        os.umask(before)
    assert (tmp_path / "env").stat().st_mode & 0o777 == 0o600


def test_credentials_are_made_once(tmp_path: Path) -> None:
    made = Credentials.made_once(tmp_path / "credentials")
    assert Credentials.made_once(tmp_path / "credentials") == made
    assert (tmp_path / "credentials").stat().st_mode & 0o777 == 0o600
