"""Harvest: the project errors of a session, and the fixes that its next run of the same command proves.

Each name is loaded when it is first asked for: a hook that only judges one result needs little of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.flows.harvest.events import Event, HarvestedError, Ran, Said
    from core.flows.harvest.fold import harvest
    from core.flows.harvest.session import HarvestReport, harvest_session

_LATER = {
    "events": ("Event", "HarvestedError", "Ran", "Said"),
    "fold": ("harvest",),
    "session": ("HarvestReport", "harvest_session"),
}


def __getattr__(name: str) -> object:
    module = next((module for module, names in _LATER.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{module}"), name)


__all__ = ["Event", "HarvestReport", "HarvestedError", "Ran", "Said", "harvest", "harvest_session"]
