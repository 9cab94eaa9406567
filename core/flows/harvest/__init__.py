"""Harvest: the project errors of a session, and the fixes that its next run of the same command proves.

Each name is loaded when it is first asked for: a hook that only judges one result needs little of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from core.flows.harvest.events import Event, HarvestedError, Ran, Said
    from core.flows.harvest.reducer import harvest
    from core.flows.harvest.session import HarvestReport, harvest_session

_LATER = {
    "events": ("Event", "HarvestedError", "Ran", "Said"),
    "reducer": ("harvest",),
    "session": ("HarvestReport", "harvest_session"),
}
__getattr__ = lazy_names(__name__, _LATER)

__all__ = ["Event", "HarvestReport", "HarvestedError", "Ran", "Said", "harvest", "harvest_session"]
