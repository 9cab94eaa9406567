"""Search of the library: by words against the plainest FTS5 query, by meaning and both against numpy alone."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, cast

import apsw

from bench.library.corpus import OUT, corpus, questions, short_corpus
from bench.library.ingest import OURS, PLAIN, SIZE
from bench.table import Row, p95
from core.base.config.settings import EmbeddingSettings
from core.flows.ingest.api import ingest
from core.flows.ingest.search import embed_passages
from core.library.search.api import SearchQuery, search
from core.library.search.hybrid import ChunkSource, place_of
from core.library.search.rows import Mode
from core.store import open_store

if TYPE_CHECKING:
    from core.embedding.models.models import LocalModel
    from core.embedding.runtime.query_model import VectorSearch

ASKED: Final = 100
_MODEL: Final = "all-MiniLM-L6-v2"
_WORD = re.compile(r"[^\W_]+")
_ASK = """
import resource, sys
from pathlib import Path
from bench.library.corpus import questions
from core.library.search.api import SearchQuery, search
from core.store import open_store
with open_store(Path(sys.argv[1])) as store:
    for text in questions(100):
        search(store, SearchQuery(text, "lexical"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def measure(*, quick: bool) -> list[Row]:
    """Warm searches in one process that asks again and again, each question in turn with its control."""
    files, embedded, stored = (1_000, 2_000, 20_000) if quick else (10_000, 20_000, 200_000)
    rows = _words(files)
    found = _model()
    few = _embedded(embedded, found)
    rows += _meaning(few, found, f"{embedded:,} passages")
    return rows + _meaning(_recombined(stored, few, found), found, f"{stored:,} stored vectors")


def _words(files: int) -> list[Row]:
    """By words over the corpus of the ingest; both databases are kept from there, or made."""
    notes, ours, plain = corpus(files, SIZE), OUT / f"library-{files}.db", OUT / f"library-plain-{files}.db"
    for code, path in ((OURS, ours), (PLAIN, plain)):
        if not path.exists():
            subprocess.run([sys.executable, "-c", code, str(notes), str(path)], check=True, stdout=subprocess.DEVNULL)
    con = apsw.Connection(str(plain), flags=apsw.SQLITE_OPEN_READONLY)
    with open_store(ours) as store:
        (passages,) = cast("tuple[int]", store.con.execute("SELECT count(*) FROM chunks").fetchone())
        times = _in_turn(
            lambda text: search(store, SearchQuery(text, "lexical")),
            partial(_plainly, con),
            questions(ASKED),
        )
    what = f"search by words, {files:,} notes, {passages:,} passages"
    said = subprocess.run([sys.executable, "-c", _ASK, str(ours)], check=True, capture_output=True, text=True).stdout
    return [*_rows(what, "plain FTS5", times), Row("its peak memory", int(said) / 1024, None, unit="MiB")]


def _plainly(con: apsw.Connection, text: str) -> object:
    asked = " OR ".join(f'"{word}"' for word in _WORD.findall(text))
    sql = "SELECT path, snippet(notes, 1, '', '', '', 16) FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT 10"
    return con.execute(sql, (asked,)).fetchall()


def _meaning(database: Path, found: LocalModel, what: str) -> list[Row]:
    """By meaning and by both, the question's embedding included, against embedding it and one product of matrices."""
    import numpy as np

    from core.embedding.index.binary_index import CachedBits
    from core.embedding.runtime.local import load
    from core.embedding.runtime.query_model import ModelAtHand, VectorSearch

    embedder = load(found, threads=1)
    at_hand = ModelAtHand(found.model, lambda: embedder)
    asked = [text for text in questions(2 * ASKED) if text.isascii()]
    rows: list[Row] = []
    with open_store(database) as store, VectorSearch(lambda: at_hand, CachedBits()) as vectors:
        kept = _vectors(store.con, found)

        def bare(text: str) -> object:
            question = np.frombuffer(embedder.embed([text], "query")[0][0], "<f4")
            return np.argpartition(kept @ question, -10)[-10:]

        for mode in cast("tuple[Mode, ...]", ("vector", "hybrid")):
            times = _in_turn(partial(_ask, store, vectors, mode), bare, asked)
            rows += _rows(f"{mode} search, {what}", "numpy alone", times)
    return rows


def _ask(store: Any, vectors: VectorSearch, mode: Mode, text: str) -> object:
    found = search(store, SearchQuery(text, mode), vectors)
    if found.mode != mode:
        raise RuntimeError(f"{mode} was answered by {found.mode}")
    return found


def _in_turn(
    ours: Callable[[str], object], control: Callable[[str], object], asked: Sequence[str]
) -> list[tuple[float, float]]:
    """Seconds of processor time of ours and of the control, question by question, after a few that warm up."""
    for text in asked[:10]:
        ours(text)
        control(text)
    return [(_busy(partial(ours, text)), _busy(partial(control, text))) for text in asked]


def _busy(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _rows(what: str, control: str, times: list[tuple[float, float]]) -> list[Row]:
    ours, theirs = ([one * 1000 for one in several] for several in zip(*times, strict=True))
    return [
        Row(f"{what} / {control}, {name}", of(ours) / of(theirs), None, f"{of(ours):.1f} ms / {of(theirs):.1f} ms")
        for name, of in (("p50", median), ("p95", p95))
    ]


def _model() -> LocalModel:
    from core.embedding.models.models import LocalModel, current

    found = current(EmbeddingSettings(model=_MODEL))
    if not isinstance(found, LocalModel):
        raise SystemExit(f"{found.reason}: {found.remedy}")
    return found


def _filled(path: Path, passages: int) -> Path:
    """A library of so many short passages, twenty a note."""
    making = path.with_suffix(".making")
    making.unlink(missing_ok=True)
    with open_store(making, create=True) as store:
        ingest(store, [short_corpus(passages // 20, 19)])  # and the heading
    return making


def _embedded(passages: int, found: LocalModel) -> Path:
    """A library whose passages the model really read; made once and kept."""
    path = OUT / f"library-embedded-{passages}.db"
    if not path.exists():
        making = _filled(path, passages)
        start = time.perf_counter()
        report = embed_passages(making, EmbeddingSettings(model=_MODEL), threads=0)
        took = time.perf_counter() - start
        sys.stderr.write(f"{report.embedded:,} passages embedded in {took:.0f} s\n")
        making.rename(path)
    return path


def _recombined(passages: int, real: Path, found: LocalModel) -> Path:
    """A library whose passages have vectors mixed of two real ones each; made once and kept."""
    import numpy as np

    from core.embedding.index.state import VectorState, write_state
    from core.embedding.index.stored import Made, put

    path = OUT / f"library-stored-{passages}.db"
    if path.exists():
        return path
    with open_store(real) as store:
        kept = _vectors(store.con, found)
    making, place, rng = _filled(path, passages), place_of(found.model), np.random.default_rng(passages)
    with open_store(making, write=True) as store:
        ids = [cast("int", row[0]) for row in store.con.execute("SELECT id FROM chunks ORDER BY id").fetchall()]
        for at in range(0, len(ids), 5_000):
            part = ids[at : at + 5_000]
            mixed = kept[rng.integers(len(kept), size=len(part))] + 0.6 * kept[rng.integers(len(kept), size=len(part))]
            mixed = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype("<f4")
            texts = ChunkSource().texts(store.con, part)
            with store.transaction() as con:
                put(con, place, [Made(i, texts[i], (row.tobytes(),)) for i, row in zip(part, mixed, strict=True)])
        with store.transaction() as con:
            con.execute("DELETE FROM backlog")
            write_state(con, place.kind, VectorState(place.model, place.recipe, place.dim))
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    making.rename(path)
    return path


def _vectors(con: apsw.Connection, found: LocalModel) -> Any:
    """All vectors of passages as one matrix."""
    import numpy as np

    blobs = [cast("bytes", row[0]) for row in con.execute("SELECT blob FROM vector WHERE kind = 'chunk'").fetchall()]
    return np.frombuffer(b"".join(blobs), "<f4").reshape(len(blobs), found.model.dim)
