"""The ramp of the load, and its shorter forms."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    name: str
    seconds: float
    users: int
    """So many at its end; they come, or go, evenly."""
    judged: bool = True


RAMP = (
    Stage("to 100", 30, 100),
    Stage("to 500", 60, 500),
    Stage("to 1,000", 120, 1_000),
    Stage("to 3,000", 180, 3_000),
    Stage("hold", 300, 3_000),
    Stage("down", 60, 0, judged=False),
)


def scaled(*, time: float, users: float) -> tuple[Stage, ...]:
    """The same shape in a part of the time with a part of the users."""
    shown = {"hold": "hold", "down": "down"}
    return tuple(
        Stage(shown.get(stage.name, f"to {number:,}"), stage.seconds * time, number, stage.judged)
        for stage, number in ((stage, round(stage.users * users)) for stage in RAMP)
    )


def at(stages: tuple[Stage, ...], seconds: float) -> tuple[int, int, float] | None:
    """The number of the stage, the users that are there by then, and how many come or go in a second. None: over."""
    before, began = 0, 0.0
    for number, stage in enumerate(stages):
        if seconds < began + stage.seconds:
            share = (seconds - began) / stage.seconds
            rate = abs(stage.users - before) / stage.seconds
            return number, max(1, round(before + share * (stage.users - before))), max(1.0, rate)
        before, began = stage.users, began + stage.seconds
    return None
