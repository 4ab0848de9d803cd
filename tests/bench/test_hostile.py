"""`make bench-hostile` in small: it runs, it knows every pack, and nothing that is accepted costs more than allowed."""

import time
import tracemalloc
from collections.abc import Callable

import pytest

from bench.hostile import MAX_CPU_SEC, MAX_MEMORY_BYTES, bodies, quoted, submitted
from packs.registry import PACKS

# Processor time of a machine that does other things beside it.
_SLACK = 2


@pytest.mark.parametrize("name", PACKS)
def test_the_worst_bodies_of_a_pack_cost_little(name: str) -> None:
    accepted = []
    for number, (what, body) in enumerate(bodies(PACKS[name])):
        if number % 4 and "accepted" not in what and "one file" not in what:
            continue
        began = time.process_time()
        answer = submitted(body)
        assert time.process_time() - began < MAX_CPU_SEC * _SLACK, what
        if answer.startswith("202"):
            accepted.append((what, body))
    assert accepted, "the dearest may be what is accepted"
    for what, body in accepted:
        for way in (submitted, quoted):
            assert _peak_bytes(way, body) <= MAX_MEMORY_BYTES, (what, way.__name__)


def _peak_bytes(way: Callable[[bytes], str], body: bytes) -> int:
    tracemalloc.start()
    try:
        way(body)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
