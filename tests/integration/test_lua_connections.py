"""Scripts keep connections of their own: they must survive whatever happens to one, and never mix up answers."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis

from dpp_project import redis as ours
from dpp_project.redis import LuaScript, Store, client
from tests.services import SessionServices


def _resting() -> Any:
    return ours._connections(Store.LEDGER, None)._resting  # type: ignore[union-attr]


@pytest.fixture
def echo(platform: SessionServices, tmp_path: Path) -> LuaScript:
    path = tmp_path / "echo.lua"
    path.write_text("return {ARGV[1], KEYS[1]}")
    return LuaScript(path)


def test_a_script_that_redis_forgot_is_given_again(echo: LuaScript) -> None:
    for _ in range(2):
        client().script_flush()
        assert echo(keys=["key"], args=["1"]) == ["1", "key"]


def test_a_connection_that_was_cut_is_made_anew(echo: LuaScript) -> None:
    assert echo(keys=["key"], args=["1"]) == ["1", "key"]
    client().client_kill_filter(_type="normal", skipme=True)
    assert echo(keys=["key"], args=["2"]) == ["2", "key"]


def test_every_thread_gets_its_own_answer(echo: LuaScript) -> None:
    with ThreadPoolExecutor(8) as pool:
        asked = [str(number) for number in range(2_000)]
        assert list(pool.map(lambda text: echo(keys=["key"], args=[text])[0], asked)) == asked


def test_an_interrupted_question_takes_its_answer_along(echo: LuaScript, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sent, and then something comes in between: the next one must not read the answer that is on its way."""
    echo(keys=["key"], args=["first"])
    connection = _resting()[-1]

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(connection, "read_response", interrupted)
        with pytest.raises(KeyboardInterrupt):
            echo(keys=["key"], args=["never read"])
    assert _resting()[-1] is connection
    assert echo(keys=["key"], args=["second"]) == ["second", "key"]


def test_an_error_of_the_script_is_an_answer(platform: SessionServices, tmp_path: Path) -> None:
    path = tmp_path / "fails.lua"
    path.write_text("return redis.error_reply('no')")
    for _ in range(3):
        with pytest.raises(redis.ResponseError, match="no"):
            LuaScript(path)(keys=[], args=[])


def test_a_child_process_does_not_use_its_parents_connections(echo: LuaScript) -> None:
    echo(keys=["key"], args=["1"])
    assert _resting()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, str(len(_resting())).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(reading, 10) == b"0"
    os.close(reading)
    os.close(writing)
    assert echo(keys=["key"], args=["2"]) == ["2", "key"]
