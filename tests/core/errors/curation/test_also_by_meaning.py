"""Cases that one fix may be for too: in other words as well, where the vectors say that they mean the same."""

from __future__ import annotations

from pathlib import Path

from core.embedding.embedder import Embedder
from core.embedding.worker import run as embed_all
from core.errors import identify, observe
from core.errors.cases import Name
from core.errors.curation import Written, look, verify
from core.errors.curation.also import apply_to_these
from core.errors.embed_source import ErrorSource
from core.store import Store, open_store

REACT = "Error: Cannot find module 'react'"
IN_OTHER_WORDS = "Module not found: Can't resolve 'react'"
STRANGER = "kernel: usb 1-1: device descriptor read/64, error -110"


def met(store: Store, raw: str) -> int:
    found = identify(raw)
    name = Name(found.key_line or raw, found.normalized or raw, found.fingerprint, found.tool or "shell")
    with store.transaction() as con:
        return observe(
            con, name, session_id=None, message_idx=None, tool="shell", project="shop",
            ts="2026-03-10T10:00:00.000Z", raw=raw, start=None, end=None,
        )  # fmt: skip


def test_the_same_in_other_words_is_offered_a_stranger_and_a_solved_case_are_not(
    tmp_path: Path, minilm: Embedder
) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        asked, other, stranger = (met(store, raw) for raw in (REACT, IN_OTHER_WORDS, STRANGER))
        assert apply_to_these(store, asked) == (), "nothing is embedded: words alone"
        embed_all(store, ErrorSource(), minilm)
        found = apply_to_these(store, asked)
        assert [(one.id, one.by, one.seen.case_id) for one in found] == [(other, "meaning", other)]
        assert apply_to_these(store, stranger) == ()
        verify(store, "kim", [look(store.con, other)], Written("npm install react"))
        assert apply_to_these(store, asked) == ()
