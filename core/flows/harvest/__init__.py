"""Harvest: the project errors of a session, and the fixes that its next run of the same command proves."""

from core.flows.harvest.events import Event, HarvestedError, Ran, Said
from core.flows.harvest.fold import harvest
from core.flows.harvest.session import HarvestReport, harvest_session

__all__ = ["Event", "HarvestReport", "HarvestedError", "Ran", "Said", "harvest", "harvest_session"]
