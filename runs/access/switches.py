"""Kill switches: turn a feature off in all processes within five seconds. The database is the truth, cached shortly."""

import logging
import time
from collections.abc import Iterable

from django.db import DatabaseError, InterfaceError, models, transaction

from dpp_project.logging import fields
from dpp_project.ttl_cache import TtlCache
from runs.models.switch import SwitchChange, SwitchState

log = logging.getLogger("dpp.switches")


class Switch(models.TextChoices):
    KILL_FETCH_EXTERNAL = "KILL_FETCH_EXTERNAL"
    KILL_OCR_P2B = "KILL_OCR_P2B"
    KILL_DOCX_ARTIFACT = "KILL_DOCX_ARTIFACT"
    KILL_POLL_MICROCOST = "KILL_POLL_MICROCOST"


_ON_BY_DEFAULT = frozenset({Switch.KILL_POLL_MICROCOST})

# What a request may need, by the switch that takes it away. Packs name features, never switches.
_SWITCH_OF_FEATURE = {
    "fetch_external": Switch.KILL_FETCH_EXTERNAL,
    "ocr_p2b": Switch.KILL_OCR_P2B,
    "docx_artifact": Switch.KILL_DOCX_ARTIFACT,
}


class FeatureDisabled(Exception):
    """The request needs what is switched off."""

    def __init__(self, switch: Switch) -> None:
        super().__init__(switch.value)
        self.switch = switch


# By nothing: all switches are read together.
_states: TtlCache[None, dict[str, bool]] = TtlCache(2.0, most=1)


def is_on(switch: Switch) -> bool:
    """True: the feature is off."""
    states = _states.fresh(None)
    return (_read() if states is None else states).get(switch, switch in _ON_BY_DEFAULT)


def is_known_on(switch: Switch) -> bool:
    """As `is_on`, without a look at the database: False if the last one is too long ago."""
    states = _states.fresh(None)
    return states is not None and states.get(switch, switch in _ON_BY_DEFAULT)


def anything_is_off() -> bool:
    return any(is_on(switch) for switch in _SWITCH_OF_FEATURE.values())


def refuse_disabled(features: Iterable[str]) -> None:
    """Raise `FeatureDisabled` if any of these features is switched off."""
    for feature in sorted(features):
        switch = _SWITCH_OF_FEATURE[feature]
        if is_on(switch):
            raise FeatureDisabled(switch)


def flip(switch: Switch, *, on: bool, who: str, why: str) -> None:
    with transaction.atomic():
        SwitchState.objects.update_or_create(name=switch, defaults={"on": on})
        SwitchChange.objects.create(name=switch, on=on, who=who, why=why)
    forget()
    log.warning("switch_flipped", extra=fields(switch=str(switch), on=on, who=who, why=why))


def forget() -> None:
    """Read anew at the next question."""
    _states.expire(None)


def _read() -> dict[str, bool]:
    began = time.monotonic()
    try:
        states = dict(SwitchState.objects.values_list("name", "on"))
    except (DatabaseError, InterfaceError):
        # What was last known stays true; the next look may find more.
        log.warning("switches_unreadable")
        states = _states.last_known(None) or {}
    _states.put(None, states, read_at=began)
    return states
