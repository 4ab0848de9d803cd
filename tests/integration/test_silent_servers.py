"""A server that is gone without a word, as after a failover, is given up: nothing waits for it for ever."""

import os
import socket
import time

import pytest
from django.db import connection
from kombu.asynchronous import Hub
from kombu.asynchronous.http import Request

from dpp_project.sqs_transport import ANSWER_WITHIN_SEC, HttpClient, limit_time
from tests.services import SessionServices


def test_a_database_connection_has_limits_of_its_own(platform: SessionServices) -> None:
    connection.ensure_connection()
    with socket.socket(fileno=os.dup(connection.connection.pgconn.socket)) as seen:
        assert seen.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        waits = [seen.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)]
        waits += [seen.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL)] * seen.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_KEEPCNT
        )
        assert sum(waits) <= 30
        assert seen.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 20_000


@pytest.mark.filterwarnings("ignore:socket_all is deprecated")
def test_the_limits_of_answered_questions_do_not_pile_up(platform: SessionServices) -> None:
    hub = Hub()
    client = HttpClient(hub)
    turn = hub.create_loop()
    statuses: list[int] = []
    for _ in range(5):
        request = Request(f"{platform.ministack.url}/", on_prepare=limit_time)
        request.then(lambda response: statuses.append(response.status_code))
        client.add_request(request)
        before = len(statuses)
        while len(statuses) == before:
            next(turn)
    latest = max(entry.eta for entry in hub.timer._queue)
    hub.close()
    assert len(statuses) == 5
    assert 599 not in statuses
    assert latest <= time.monotonic() + ANSWER_WITHIN_SEC + 1
