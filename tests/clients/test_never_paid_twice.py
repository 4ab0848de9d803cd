"""Whatever answer gets lost on its way: one run, paid once. The API, the worker and the network are real."""

from collections.abc import Callable

import pytest

from dpp_client import Client, ConnectionFailed, Order, Retries, StillRunning, reasons
from runs.models import Run
from tests.api.ended_runs import completed_run
from tests.books import assert_balanced
from tests.builders import QUESTION, Customer, submitted
from tests.clients.lossy_proxy import LossyProxy
from tests.processes import ApiProcess, WorkerProcess

_QUICK = Retries(first_pause_sec=0.01)
_ORDER = Order(pack="decision", inputs=QUESTION, max_cost="0.5000")


@pytest.mark.parametrize("cut", [False, True], ids=["no answer", "half an answer"])
def test_a_submit_whose_answers_are_lost_is_one_run(live_api: ApiProcess, acme: Customer, cut: bool) -> None:
    with (
        LossyProxy(live_api.url, losses=3, cut=cut) as proxy,
        Client(proxy.url, acme.api_key, retries=_QUICK) as client,
    ):
        receipt = client.submit(_ORDER)
    keys = {key for _, _, key in proxy.seen}
    assert (len(proxy.seen), len(keys)) == (4, 1)
    assert str(Run.objects.get().pk) == receipt["run_id"]
    assert_balanced(acme, 9_500_000)


def test_a_caller_that_gave_up_goes_on_with_the_key_of_the_error(
    live_api: ApiProcess, acme: Customer, worker: Callable[..., WorkerProcess]
) -> None:
    """And every poll of the first seconds is lost as well: the run is paid once, the result is verified."""
    with LossyProxy(live_api.url, losses=2) as proxy:
        with Client(proxy.url, acme.api_key, retries=Retries(attempts=2, first_pause_sec=0.01)) as client:
            with pytest.raises(ConnectionFailed) as failed:
                client.run("decision", QUESTION, max_cost="0.5000", wait_sec=0.1)
            assert failed.value.retry_with == "same_key"
            assert failed.value.idempotency_key
            with pytest.raises(StillRunning) as running:
                client.run("decision", QUESTION, max_cost="0.5000", key=failed.value.idempotency_key, wait_sec=0.1)
        worker()
        proxy.losses, proxy.methods = 2, ("GET",)
        with Client(proxy.url, acme.api_key, retries=_QUICK) as client:
            ended = client.wait(running.value.run_id)
            result = client.run("decision", QUESTION, max_cost="0.5000", key=failed.value.idempotency_key)
    run = Run.objects.get()
    assert ended["run_id"] == result.run_id == str(run.pk)
    assert result.data["answer_text"].startswith("Recommendation: Beta")
    assert_balanced(acme, 9_950_000)


def test_a_cancel_and_a_delete_whose_answers_are_lost_are_done(live_api: ApiProcess, acme: Customer) -> None:
    queued, ended = submitted(acme), completed_run(acme)
    with (
        LossyProxy(live_api.url, losses=1, methods=("POST", "DELETE")) as proxy,
        Client(proxy.url, acme.api_key, retries=_QUICK) as client,
    ):
        assert client.cancel(str(queued.pk))["error"]["reason_code"] == "RUN_CANCELLED"
        proxy.losses = 1
        client.delete(str(ended.pk))
        # Without a lost answer both are refused: there is nothing left to do.
        with pytest.raises(reasons.RunNotCancellable):
            client.cancel(str(queued.pk))
        with pytest.raises(reasons.RunExpired):
            client.delete(str(ended.pk))


def test_what_must_not_be_repeated_is_sent_once(live_api: ApiProcess, acme: Customer) -> None:
    with (
        LossyProxy(live_api.url, losses=0) as proxy,
        Client(proxy.url, acme.api_key, retries=_QUICK) as client,
        pytest.raises(reasons.BudgetDrained) as drained,
    ):
        client.run("decision", QUESTION, max_cost=11)
    assert len(proxy.seen) == 1
    assert (drained.value.problem["balance_remaining"], drained.value.charged_usd) == ("10.0000", "0.0000")
    assert not Run.objects.exists()
