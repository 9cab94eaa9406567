"""Casebooks of labelled wordings and strangers with the real model's vectors, which are made once and kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.base.config.settings import EmbeddingSettings
from core.embedding import Kind, Vector
from core.embedding.index.state import VectorState, write_state
from core.embedding.index.stored import Made, put
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model
from core.embedding.models.models import Absent, current, find
from core.embedding.runtime.embedder import Embedder
from core.embedding.runtime.local import load
from core.errors.identity.fingerprint import identify
from core.errors.retrieval.embed_text import embed_text, place_of
from core.lexical import bigrams
from core.store import Store

OUT = Path(__file__).parents[1] / "out"
_TS = "2026-10-01T00:00:00.000Z"


class Remembered:
    """The real model, MiniLM or the one that CASEBOOK_EMBEDDING_MODEL names; what it has once embedded is read from a
    file. An `Embedder`."""

    def __init__(self, folder: Path = OUT) -> None:
        name = os.environ.get("CASEBOOK_EMBEDDING_MODEL", MINILM)
        found = None if name == MINILM else find(name)
        if name != MINILM and found is None:
            raise SystemExit(f"there is no model {name} on this machine")
        self.model: Model = CATALOGUE[MINILM] if found is None else found.model
        self._kept: dict[bytes, Vector] = {}
        way = hashlib.sha256(self.model.recipe.encode()).hexdigest()[:8] if found is not None else ""
        self._path = folder / f"vectors-{self.model.version}{way}.bin"
        self._real: Embedder | None = None
        if self._path.exists():
            data = self._path.read_bytes()
            row = 16 + 4 * self.dim
            self._kept = {data[at : at + 16]: data[at + 16 : at + row] for at in range(0, len(data), row)}

    @property
    def id(self) -> str:
        return self.model.id

    @property
    def version(self) -> str:
        return self.model.version

    @property
    def recipe(self) -> str:
        return self.model.recipe

    @property
    def dim(self) -> int:
        return self.model.dim

    def learn(self, texts: Iterable[str], kind: Kind = "document") -> None:
        """Embed what is not known yet, and keep it."""
        lacking = sorted({text for text in texts if text and self._sha(text, kind) not in self._kept}, key=len)
        if not lacking:
            return
        if self._real is None:
            found = current(EmbeddingSettings(model=self.model.id))
            if isinstance(found, Absent):
                raise SystemExit(f"{found.reason}: {found.remedy}")
            self._real = load(found, threads=0)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            for at in range(0, len(lacking), 500):
                part = lacking[at : at + 500]
                for text, vectors in zip(part, self._real.embed(part, kind), strict=True):
                    self._kept[self._sha(text, kind)] = vectors[0]
                    file.write(self._sha(text, kind) + vectors[0])

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        self.learn(texts, kind)
        return [(self._kept[self._sha(text, kind)],) for text in texts]

    def _sha(self, text: str, kind: Kind) -> bytes:
        """MiniLM reads a question as it reads what is stored."""
        asked = f"{kind}: {text}" if self.model.id != MINILM and kind == "query" else text
        return hashlib.blake2b(asked.encode(), digest_size=16).digest()

    def close(self) -> None:
        """Nothing is let go of: one is used for a whole report."""


def fill(store: Store, texts: Sequence[str], embedder: Remembered) -> list[int]:
    """A case with a fix and a vector for each text; their ids. Keys that would be equal are told apart."""
    place = place_of(embedder.model)
    ids: list[int] = []
    keys: set[str] = set()
    with store.transaction() as con:
        for case_id, text in enumerate(texts, 1):
            found = identify(text)
            key = found.normalized if found.normalized not in keys else text
            keys.add(key)
            con.execute(
                "INSERT INTO error_kb(id, ts, error_normalized, error_raw, resolution, use_count)"
                " VALUES (?, ?, ?, ?, 'a fix', 0)",
                (case_id, _TS, key, text),
            )
            con.execute("INSERT OR IGNORE INTO case_key VALUES (?, ?)", (key, case_id))
            con.execute(
                "INSERT OR IGNORE INTO fingerprint VALUES (?, ?, ?, ?, ?, NULL)",
                (found.fingerprint, case_id, found.key_line, found.tool, _TS),
            )
            con.execute(
                "INSERT INTO resolution(case_id, text, status, author, ts) VALUES (?, 'a fix', 'verified', 'bench', ?)",
                (case_id, _TS),
            )
            con.execute("UPDATE case_state SET status = 'verified' WHERE case_id = ?", (case_id,))
            con.execute(
                "INSERT OR REPLACE INTO case_fts(rowid, key_line, raw, resolution, bigrams) VALUES (?, ?, '', '', ?)",
                (case_id, found.key_line, bigrams(found.key_line)),
            )
            ids.append(case_id)
        lines = [embed_text(identify(text).key_line) for text in texts]
        vectors = embedder.embed([line or "nothing" for line in lines], "document")
        put(con, place, [Made(i, "", found) for i, found, line in zip(ids, vectors, lines, strict=True) if line])
        con.execute("DELETE FROM backlog")
        write_state(con, "error", VectorState(place.model, place.recipe, place.dim))
    return ids
