"""Answers against their schemas. A schema is itself checked once a test process: each time, it took 0.1 s an answer."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jsonschema.validators import validator_for

from core.flows.system.capabilities import schema_text


def check_schema(found: Any, name: str = "") -> Any:
    """The answer, which satisfies the schema of that name, or the one it names. Raises jsonschema.ValidationError."""
    _validator(schema_text(name or found["schema_version"])).validate(found)
    return found


@lru_cache
def _validator(text: str) -> Any:
    schema = json.loads(text)
    kind = validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)
