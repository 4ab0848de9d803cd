"""Two or three faults at once, again and again, chosen by a seed; one verdict by the clients' own history.

python -m tests.torture.combined --minutes 30 --seed 7

The seed chooses faults, their order, their length, and what the agents do: the same seed inflicts the same. What the
machine makes of it in which microsecond, no seed can choose.
"""

import argparse
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.torture.own_platform import own_platform, put_into_page

if TYPE_CHECKING:
    from tests.torture.chaos import Chaos


@dataclass(frozen=True)
class Fault:
    server: str
    """No two faults of one server at once: the second would find nothing to do."""
    name: str
    during: "Callable[[Chaos], AbstractContextManager[None]]"


@dataclass(frozen=True)
class Strike:
    fault: Fault
    after_sec: float
    lasts_sec: float

    def __str__(self) -> str:
        return f"{self.fault.name} ({self.after_sec:.1f} s later, for {self.lasts_sec:.1f} s)"


def rounds(faults: list[Fault], seed: int, *, longest_sec: float = 5.0) -> Iterator[list[Strike]]:
    """What happens in each round, for ever: two or three faults, each of another server."""
    chance = random.Random(seed)
    servers = sorted({fault.server for fault in faults})
    while True:
        struck = chance.sample(servers, min(chance.choice((2, 2, 3)), len(servers)))
        yield [
            Strike(
                chance.choice([fault for fault in faults if fault.server == server]),
                round(chance.uniform(0, 2), 1),
                round(chance.uniform(0.5, longest_sec), 1),
            )
            for server in struck
        ]


def inflict(chaos: "Chaos", strikes: list[Strike]) -> list[str]:
    """All at once. What a fault itself could not do, which is a fault of the torture."""
    failed: list[str] = []

    def strike(one: Strike) -> None:
        try:
            time.sleep(one.after_sec)
            with one.fault.during(chaos):
                time.sleep(one.lasts_sec)
        except Exception as error:
            failed.append(f"{one}: {error!r}")

    threads = [threading.Thread(target=strike, args=[one]) for one in strikes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def main() -> int:
    options = _options()
    with own_platform(synchronous=True) as (postgres, valkey, aws):
        postgres.add_standby()
        from tests.torture.chaos import PAIR_FAULTS, Chaos

        with Chaos.on_pairs(postgres, valkey, aws) as chaos:
            outcome = torture(
                chaos, PAIR_FAULTS, seed=options.seed, seconds=options.minutes * 60, agents=options.agents
            )
    print(json.dumps(outcome, indent=1), flush=True)
    if options.docs:
        _put_into_docs(outcome, options)
    return 0 if not outcome["wrong"] else 1


def torture(chaos: "Chaos", faults: list[Fault], *, seed: int, seconds: float, agents: int) -> dict[str, object]:
    """Faults under load for so long; then everything must end, and nothing be wrong."""
    began = time.monotonic()
    inflicted: Counter[str] = Counter()
    number, wrong = 0, []
    chaos.begin_load(seed, agents)
    for number, strikes in enumerate(rounds(faults, seed), 1):
        if time.monotonic() - began > seconds:
            break
        print(f"[{(time.monotonic() - began) / 60:4.1f} min] {number}: {'; '.join(map(str, strikes))}", flush=True)
        wrong += inflict(chaos, strikes)
        inflicted.update(strike.fault.name for strike in strikes)
        if number % 8 == 0:
            wrong += chaos.wrong_so_far()
        if wrong:
            break
        time.sleep(1.0)
    healed_sec, found = chaos.end_load()
    return {
        "seed": seed,
        "minutes": round((time.monotonic() - began) / 60, 1),
        "rounds": number - 1,
        "faults": dict(sorted(inflicted.items())),
        **chaos.figures(),
        "healed_sec": round(healed_sec, 1),
        "wrong": list(dict.fromkeys(wrong + found)),
    }


def _put_into_docs(outcome: dict[str, object], options: argparse.Namespace) -> None:
    faults = outcome["faults"]
    assert isinstance(faults, dict)
    verdict = "green" if not outcome["wrong"] else f"FAILED: {outcome['wrong']}"
    lines = [
        f"`make torture-combined SEED={outcome['seed']} MINUTES={options.minutes:g}`: {outcome['minutes']} minutes, "
        f"{outcome['rounds']} rounds of two or three faults at once, {outcome['calls']} calls of "
        f"{options.agents} agents, {outcome['accepted']} runs accepted, {outcome['refused']} answers 409, 503 or 504, "
        f"{outcome['broken']} broken connections; healed {outcome['healed_sec']} s after the last fault. "
        f"Verdict: **{verdict}**.",
        "",
        "| fault | times |",
        "|---|---|",
        *(f"| {name} | {times} |" for name, times in faults.items()),
    ]
    put_into_page("combined", "\n".join(lines))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.torture.combined", description="Several faults at once.")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1_000_000))
    parser.add_argument("--agents", type=int, default=6)
    parser.add_argument("--docs", action="store_true", help="put the outcome into docs/reliability.md, too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
