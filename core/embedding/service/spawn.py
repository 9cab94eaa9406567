"""Starting the model service for later: detached, at once, and not again and again where it cannot start."""

from __future__ import annotations

import contextlib
import os
import time

from core.base.fault import Fault
from core.process.endpoint import Endpoint, make_private

AGAIN_S = 30.0
"""Seconds that a started service has to answer before another one is started."""
FAILED_S = 300.0
"""Seconds without automatic starts after a service could not load its model; a manual start always works."""


def start_service(place: Endpoint, model: str) -> str:
    """Start a service with this model, unless one was started a moment ago. Says, in plain words, what was done.

    Returns at once: the model loads in a process of its own, which keeps nothing of ours (session, streams, folder).
    Never raises: who asks has other tiers.
    """
    try:
        if (reason := why_not_started(place, model, time.time())) is not None:
            return reason
        note_start(place, model)
        detach(place, ["--model", model])
    except (Fault, OSError) as error:
        return f"the service could not be started: {error}"
    return "casebook starts one for the next search"


def why_not_started(place: Endpoint, model: str, now: float) -> str | None:
    """Why no service with this model should be started at time `now` (seconds since the epoch); None if one may."""
    try:
        age = now - place.note.stat().st_mtime
        with place.note.open("rb") as file:
            whose, _, reason = file.read(1000).decode("utf-8", "replace").strip().partition("\n")
    except OSError:
        return None
    if reason and whose == model and 0 <= age < FAILED_S:
        return f"the service failed to start {age:.0f} s ago: {reason}"
    return "the service is starting" if not reason and 0 <= age < AGAIN_S else None


def note_start(place: Endpoint, model: str, failure: str = "") -> None:
    """Write down that a service was started now or, with a reason, that it could not; never raises."""
    with contextlib.suppress(OSError, Fault):
        make_private(place.folder)
        handle = os.open(place.note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(handle, f"{model}\n{failure}".encode("utf-8", "replace")[:1000])
            os.utime(place.note)
        finally:
            os.close(handle)


def note_success(place: Endpoint) -> None:
    """A service listens with its model loaded: nothing holds back the next start."""
    with contextlib.suppress(OSError):
        place.note.unlink()


def detach(place: Endpoint, options: list[str]) -> None:
    """Run `serve-model` with these options in a process of its own: same code, same interpreter, no terminal.

    It stands in the private folder, so that it imports nobody's project. Raises OSError, and Fault io_error.
    """
    from core.process.spawn import start_detached

    make_private(place.folder)
    start_detached(["serve-model", "--foreground", *options], str(place.folder))
