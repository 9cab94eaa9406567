"""Who decides: the name that the history and a fix keep of a person."""

from __future__ import annotations

import os
from collections.abc import Mapping

from core.text import redact

MACHINES = frozenset({"harvest", "import", "record", "hook"})
"""Authors that are no persons."""


def person(environ: Mapping[str, str] | None = None) -> str:
    """The name of whoever is logged in, on one line; `person` where nobody knows."""
    env = os.environ if environ is None else environ
    for variable in ("LOGNAME", "USER", "USERNAME"):
        name = " ".join(redact(env.get(variable, "")).split())[:64]
        if name:
            return f"{name} (person)" if name in MACHINES else name
    return "person"
