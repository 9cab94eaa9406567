"""What a stored casebook is made of: its tables, the names of errors, the ids of what it holds."""

from __future__ import annotations

from tests.contracts.goldens import assert_golden


def test_the_names_of_errors() -> None:
    assert_golden("identities.jsonl")


def test_the_schema_of_a_new_casebook() -> None:
    assert_golden("schema.sql")


def test_the_ids_and_rows_of_a_casebook_made_from_samples() -> None:
    """Ids of sessions, messages, occurrences, documents, passages, citations, entries, quotes and changes."""
    assert_golden("rows.txt")
