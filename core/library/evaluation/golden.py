"""Golden queries: questions with the places that answer them, in YAML (kebab-frozen-design 10.3).

A place is a document with a section (a heading or a symbol) or with a quote that stands in it: both outlive an edit
that moves lines and changes ids. Ids of documents and chunks are taken too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from core.base.fault import Fault

_KEYS: Final = frozenset(
    [
        "id",
        "query",
        "kind",
        "lang",
        "expect",
        "expected_doc_ids",
        "expected_chunk_ids",
        "must_contain",
        "forbidden",
        "note",
    ]
)
_MOST: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer stands: a document's path, and there a section (last heading or symbol) or a quote."""

    doc: str
    section: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Golden:
    """A labelled question. `expect`: any of them answers. `must_contain` and `forbidden`: what the first k passages
    say, all of the one and none of the other."""

    id: str
    query: str
    kind: str = ""
    lang: str = ""
    expect: tuple[Place, ...] = ()
    doc_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    must_contain: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """Questions under one name, and the files they are about (`corpus`, relative to the working folder)."""

    name: str
    corpus: tuple[str, ...]
    queries: tuple[Golden, ...]


def read_suite(path: Path) -> Suite:
    """The suite in a YAML file. Raises Fault io_error, invalid_input with what is wrong and where."""
    import yaml

    try:
        data = path.read_bytes()
    except OSError as error:
        raise Fault("io_error", f"{path}: {error.strerror or error}", "name a file of golden queries") from None
    if len(data) > _MOST:
        raise Fault("invalid_input", f"{path} is larger than {_MOST >> 20} MiB", "split it")
    try:
        said: object = yaml.safe_load(data.decode("utf-8-sig"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        what = " ".join(str(error).split())
        raise Fault("invalid_input", f"{path} is not YAML: {what}", "correct that line") from None
    if not isinstance(said, dict | list):
        raise _wrong(path, "it is no mapping with `queries`")
    top = cast("dict[str, Any]", said) if isinstance(said, dict) else {"queries": cast("list[object]", said)}
    rows: object = top.get("queries")
    if not isinstance(rows, list) or not rows:
        raise _wrong(path, "it has no queries")
    found = tuple(_golden(path, at, one) for at, one in enumerate(cast("list[object]", rows), 1))
    twice = [one.id for at, one in enumerate(found) if one.id in {other.id for other in found[:at]}]
    if twice:
        raise _wrong(path, f"the id {twice[0]} stands there twice")
    return Suite(str(top.get("suite") or path.stem), _texts(path, top, "corpus"), found)


def _golden(path: Path, at: int, value: object) -> Golden:
    if not isinstance(value, dict):
        raise _wrong(path, f"query {at} is no mapping")
    row = cast("dict[str, Any]", value)
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        raise _wrong(path, f"query {at} has an unknown key: {unknown[0]}")
    query: object = row.get("query")
    if not isinstance(query, str) or not query.strip():
        raise _wrong(path, f"query {at} has no text")
    where: object = row.get("expect") or []
    if not isinstance(where, list):
        raise _wrong(path, f"`expect` of query {at} is no list")
    return Golden(
        str(row.get("id") or at),
        query,
        str(row.get("kind") or ""),
        str(row.get("lang") or ""),
        tuple(_place(path, at, one) for one in cast("list[object]", where)),
        _texts(path, row, "expected_doc_ids"),
        _texts(path, row, "expected_chunk_ids"),
        _texts(path, row, "must_contain"),
        _texts(path, row, "forbidden"),
    )


def _place(path: Path, at: int, value: object) -> Place:
    row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not isinstance(row.get("doc"), str) or set(row) - {"doc", "section", "quote"}:
        raise _wrong(path, f"a place of query {at} is not {{doc, section | quote}}")
    section, quote = row.get("section"), row.get("quote")
    return Place(str(row["doc"]), None if section is None else str(section), None if quote is None else str(quote))


def _texts(path: Path, row: dict[str, Any], name: str) -> tuple[str, ...]:
    value: object = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("Sequence[object]", value)):
        raise _wrong(path, f"`{name}` is no list of texts")
    return tuple(cast("list[str]", value))


def _wrong(path: Path, what: str) -> Fault:
    return Fault("invalid_input", f"{path}: {what}", "see docs/library.md, golden queries")
