"""Seeded random histories: the same seed is the same history, so that a failing one replays.

python -m tests.torture --only histories --seed 1234
"""

import random

from tests.property.world import BOUNDARIES, SUBMIT_POINTS, World

_AMOUNTS = (5_000, 5_100, 100_000, 499_900, 500_000, 1_500_000)


def live_through(seed: int, *, steps: int = 100) -> None:
    """One tenant's random life; after every step model = Redis = PostgreSQL."""
    chance = random.Random(seed)
    world = World()
    done: list[str] = []
    try:
        for _ in range(steps):
            done.append(_step(world, chance))
            world.check()
        world.finish()
    except BaseException as error:
        error.add_note(
            f"seed {seed}, step {len(done) + 1}, after {done[-8:]}\n"
            f"again: python -m tests.torture --only histories --seed {seed}"
        )
        raise


def _step(world: World, chance: random.Random) -> str:
    dies = chance.choice((None, None, *BOUNDARIES))
    queued, running, claimed, known = world.queued(), world.running(), world.claimed(), list(world.runs)
    moves: list[tuple[str, int]] = [("submit", 6), ("top_up", 2), ("repeat_a_top_up", 1), ("audit_twice", 1)]
    moves += [("return_orphans", 1), ("redis_forgets", 1), ("redis_remembers_this", 1), ("redis_goes_back", 1)]
    moves += [(name, 2) for name in ("start", "expire_in_queue", "cancel", "dead_letter") if queued]
    moves += [("redis_loses_a_hold", 1)] if queued or running else []
    moves += [("fail", 5), ("reap", 3)] if running else []
    moves += [("reconcile", 4)] if claimed else []
    moves += [("repeat_a_submit", 1), ("duplicate_message", 1)] if known else []
    (name,) = chance.choices([move for move, _ in moves], [weight for _, weight in moves])
    act = getattr(world, name)
    if name == "submit":
        act(chance.choice(_AMOUNTS), chance.choice((None, None, None, *SUBMIT_POINTS)))
    elif name == "top_up":
        act(chance.choice((1, 100, 500_000)))
    elif name in ("start", "redis_loses_a_hold"):
        act(chance.choice(queued if name == "start" else queued + running))
    elif name in ("repeat_a_submit", "duplicate_message"):
        act(chance.choice(known))
    elif name in ("expire_in_queue", "cancel", "dead_letter"):
        act(chance.choice(queued), dies)
    elif name in ("fail", "reap"):
        act(chance.choice(running), dies)
    elif name == "reconcile":
        act(chance.choice(claimed), dies)
    else:
        act()
    return name
