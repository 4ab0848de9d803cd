"""Another tenant's run against one that never was, 10,000 times each, on a real server. Run by `make fuzz`.

Not part of `make test`, which looks at fewer: a difference of microseconds shows only in many.
"""

import json
import os
import random
import re
import statistics
import time
from collections.abc import Callable
from uuid import uuid4

from tests.api.wire import Wire, WireAnswer
from tests.builders import Customer, customer, on_plan, submitted
from tests.processes import ApiProcess

_ROUNDS = int(os.environ.get("DPP_STEALTH_ROUNDS", "10000"))
_WARM_UP = 200
# 0.5 is a coin. With so many rounds a coin itself stays within 0.48 and 0.52 but once in a million times.
_MOST_ADVANTAGE = 0.02
# What no answer to a running clock and a running count can have twice.
_VARYING = ("date", "x-ratelimit-remaining", "x-ratelimit-reset")


def test_a_strangers_run_cannot_be_told_from_no_run(live_api: ApiProcess, acme: Customer) -> None:
    on_plan(acme, poll_rate_per_min=100_000_000)
    neighbour = customer("neighbour", budget="100.0000")
    theirs = [str(submitted(neighbour, max_cost="0.0100").pk) for _ in range(50)]
    kinds: dict[str, Callable[[], str]] = {
        "theirs": lambda: random.choice(theirs),
        "none": lambda: str(uuid4()),
    }
    taken: dict[str, list[float]] = {kind: [] for kind in kinds}
    answers = set()
    wire = Wire(live_api.url)
    for number in range(_WARM_UP + _ROUNDS):
        # In another order each time: the second of two requests is not always the luckier one.
        for kind in random.sample(list(kinds), k=len(kinds)):
            path = f"/v1/runs/{kinds[kind]()}"
            seconds, answer = timed(wire, path, acme)
            answers.add(without_path(answer, path))
            if number >= _WARM_UP:
                taken[kind].append(seconds)
    wire.close()

    medians = {kind: statistics.median(seconds) * 1e6 for kind, seconds in taken.items()}
    told = chance_to_be_slower(taken["theirs"], taken["none"])
    # What chance alone does: one half of the same kind against the other.
    some, others = taken["none"][::2], taken["none"][1::2]
    noise, apart = chance_to_be_slower(some, others), statistics.median(some) - statistics.median(others)
    print(
        f"\n{_ROUNDS:,} rounds, distinct answers: {len(answers)}. Medians in microseconds: "
        + "; ".join(f"{kind} {median:.1f}" for kind, median in medians.items())
        + f"\ntheirs - none: {medians['theirs'] - medians['none']:+.1f}, slower of a pair: {told:.4f}"
        f"\nnone - none: {apart * 1e6:+.1f}, slower of a pair: {noise:.4f}",
        flush=True,
    )
    assert len(answers) == 1, answers
    assert abs(told - 0.5) < _MOST_ADVANTAGE


def timed(wire: Wire, path: str, owner: Customer) -> tuple[float, WireAnswer]:
    lines = ("Host: 127.0.0.1", f"Authorization: Bearer {owner.api_key}", "X-Trace-Id: t")
    request = "\r\n".join((f"GET {path} HTTP/1.1", *lines, "", "")).encode()
    began = time.perf_counter()
    wire.send(request)
    answer = wire.whole_answer()
    return time.perf_counter() - began, answer


def without_path(answer: WireAnswer, path: str) -> tuple[int, bytes, str]:
    headers = {name: value for name, value in answer.headers.items() if name not in _VARYING}
    assert re.search(path.encode(), answer.body)
    return answer.status, answer.body.replace(path.encode(), b"<path>"), json.dumps(headers, sort_keys=True)


def chance_to_be_slower(these: list[float], those: list[float]) -> float:
    """For a random pair, that the first is the slower (Mann and Whitney): 0.5 if time tells nothing."""
    ranked = sorted([(seconds, True) for seconds in these] + [(seconds, False) for seconds in those])
    ranks = sum(rank for rank, (_, is_first) in enumerate(ranked, start=1) if is_first)
    return (ranks - len(these) * (len(these) + 1) / 2) / (len(these) * len(those))
