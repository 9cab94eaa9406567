"""Times as people say them."""

from __future__ import annotations

from datetime import UTC, datetime

_DAY = 86_400
_STEPS = (
    (60, 1, "s"),
    (3_600, 60, "m"),
    (_DAY, 3_600, "h"),
    (14 * _DAY, _DAY, "d"),
    (60 * _DAY, 7 * _DAY, "w"),
    (730 * _DAY, 30 * _DAY, "mo"),
)


def parse(ts: str | None) -> datetime | None:
    """An ISO 8601 time with a zone, as `core.store.now` writes it; None for anything else."""
    try:
        value = datetime.fromisoformat(ts or "")
    except ValueError:
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def ago(ts: str | None, now: datetime) -> str:
    """How long ago, in one short word: `now`, `5m`, `3h`, `2d`, `6w`, `7mo`, `3y`; blank where unknown."""
    then = parse(ts)
    if then is None:
        return ""
    seconds = (now - then).total_seconds()
    if seconds < 45:
        return "now"
    for limit, unit, name in _STEPS:
        if seconds < limit:
            return f"{max(1, int(seconds // unit))}{name}"
    return f"{int(seconds // (365 * _DAY))}y"


def stamp(ts: str | None) -> str:
    """Date and minute, in UTC; blank where unknown."""
    then = parse(ts)
    return "" if then is None else then.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
