"""How long callers wait for a server that does not answer."""

import pytest

from dpp_project.dependency import Dependency, DependencySilent


@pytest.fixture
def server() -> Dependency:
    server = Dependency("a test's server")
    server.protect(places=2, total_sec=2.0)
    return server


def test_a_call_inside_a_call_takes_no_second_place(server: Dependency) -> None:
    with server.call(), server.call() as left:
        assert 0 < left <= 2.0


def test_who_comes_after_one_that_got_no_answer_is_refused_at_once(server: Dependency) -> None:
    server.got_no_answer(within_sec=0.0)
    with pytest.raises(DependencySilent), server.call():
        pass


def test_who_waited_inside_its_place_does_not_wait_anew_for_a_silent_server(server: Dependency) -> None:
    """Given a submit that waits while another asks for both, When that one gets no answer, Expect a refusal and not
    another two seconds."""
    with server.call():
        server.got_no_answer(within_sec=0.0)
        with pytest.raises(DependencySilent), server.call():
            pass


def test_one_server_of_several_that_hangs_takes_no_place_from_the_others(server: Dependency) -> None:
    server.part("one").got_no_answer(within_sec=0.0)
    with pytest.raises(DependencySilent), server.part("one").call():
        pass
    with server.part("two").call() as left:
        assert 0 < left <= 2.0
    assert server.part("two").places == server.places


def test_a_process_that_only_works_is_never_refused() -> None:
    server = Dependency("a test's server")
    server.got_no_answer(within_sec=0.0)
    with server.call() as left:
        assert left == float("inf")
