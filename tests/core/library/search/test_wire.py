"""What the library writes as JSON only ever grows within v1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.flows.system.capabilities import generated

FROZEN = json.loads((Path(__file__).parents[3] / "data" / "library" / "wire_v1.json").read_text(encoding="utf-8"))
"""By schema, the fields once promised, each with its JSON Schema then: taken over by hand, never shortened."""


def kinds(schema: Any) -> set[str]:
    """What a value may be, as far as a reader depends on it: types, referred objects, constants and choices."""
    if "anyOf" in schema:
        return set().union(*(kinds(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return {f"={one}" for one in schema["enum"]}
    if "const" in schema:
        return {f"={schema['const']}"}
    if "$ref" in schema:
        return {schema["$ref"]}
    said = schema.get("type", "any")
    return set(said) if isinstance(said, list) else {said}


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_nothing_that_was_promised_is_gone_or_something_else(name: str) -> None:
    now = json.loads(generated()[f"{name}.json"])
    for field, was in FROZEN[name].items():
        assert field in now["properties"], f"{name}.{field} is gone"
        assert field in now["required"], f"{name}.{field} may be missing"
        there = kinds(now["properties"][field])
        assert kinds(was) <= there, f"{name}.{field} lost one of its values"
        assert there <= kinds(was) or all(one.startswith("=") for one in there - kinds(was)), f"{name}.{field} changed"


def test_what_others_rely_on_is_promised() -> None:
    hit = "rank score chunk_id doc_id doc_path heading_path snippet citation retrieval index_version chunker_version"
    assert {*hit.split(), "indexed_at", "stale", "score_kind"} <= FROZEN["search_hit.v1"].keys()
    assert {"hits", "next_cursor", "truncated", "trace", "hint"} <= FROZEN["search_response.v1"].keys()
    assert {"kind", "path", "uri", "indexed_at", "stale"} <= FROZEN["citation.v1"].keys()
    assert {"results", "summary"} <= FROZEN["bulk_search_response.v1"].keys()
