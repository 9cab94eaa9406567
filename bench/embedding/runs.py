"""Embedding: the model in this process against bare onnxruntime, and a whole run against fastembed's default call."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.errors.wordings_data import strangers, wordings
from bench.table import Row, paired
from core.base.config.settings import EmbeddingSettings
from core.embedding.models.models import LocalModel, current
from core.embedding.runtime.local import keep_to_itself
from core.embedding.runtime.worker import run
from core.errors import identify
from core.errors.cases.record import Name, ensure_case
from core.errors.retrieval.embed_text import ErrorSource, embed_text
from core.flows.system.embedding import OnDemand
from core.store import Store, open_store


def model(*, threads: int) -> OnDemand:
    """The model as `casebook embed` uses it; the first call on a machine converts it."""
    embedder = OnDemand(_found(), threads)
    embedder.embed(["error"], "document")
    return embedder


def _found() -> LocalModel:
    found = current(EmbeddingSettings(model="all-MiniLM-L6-v2"))
    if not isinstance(found, LocalModel):
        raise SystemExit(f"{found.reason}; {found.remedy}")
    return found


def measure(*, quick: bool) -> list[Row]:
    """Ratios of seconds, taken pair by pair."""
    count = 400 if quick else 1_536
    errors = [*strangers(count * 3 // 4), *(row.text for row in wordings())][:count]
    texts = [embed_text(text) for text in errors]
    rows = [_bare(texts)]
    for threads, budget in ((0, 1 / 2.5), (1, 1 / 1.5)):
        rows.append(_whole_run(errors, texts, threads, budget))
    return rows


def _bare(texts: list[str]) -> Row:
    """Batches of texts of one length, as the worker makes them, through us and through onnxruntime alone."""
    ours = model(threads=1)
    session, tokenizer = _session(threads=1)
    wanted = {one.name for one in session.get_inputs()}
    ordered = sorted(texts, key=len)
    batches = [ordered[at : at + 50] for at in range(0, len(ordered), 50)]

    def bare() -> None:
        for batch in batches:
            encoded = tokenizer.encode_batch(batch)
            session.run(None, _inputs(encoded, wanted))

    ratio, took, control = paired(lambda: [ours.embed(batch, "document") for batch in batches], bare, rounds=5)
    note = f"{len(texts) / took:.0f} / {len(texts) / control:.0f} texts a second, one thread"
    return Row("embed batches / bare onnxruntime", ratio, 1 / 0.9, note)


def _session(threads: int) -> tuple[Any, Any]:
    keep_to_itself()
    import onnxruntime
    from tokenizers import Tokenizer

    folder = _found().folder
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    return session, tokenizer


def _inputs(encoded: Any, wanted: set[str]) -> dict[str, Any]:
    import numpy as np

    offered = {
        "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
        "attention_mask": np.array([one.attention_mask for one in encoded], dtype=np.int64),
        "token_type_ids": np.array([one.type_ids for one in encoded], dtype=np.int64),
    }
    return {name: array for name, array in offered.items() if name in wanted}


def _whole_run(errors: list[str], texts: list[str], threads: int, budget: float) -> Row:
    """All that `casebook embed` does once the model is loaded, writing included, against fastembed as it comes."""
    keep_to_itself()
    from fastembed import TextEmbedding

    ours = model(threads=threads)
    plain = TextEmbedding("sentence-transformers/all-MiniLM-L6-v2", specific_model_path=str(_found().folder))
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "casebook.db", create=True) as store:
        _fill(store, errors)

        def embed() -> None:
            with store.transaction() as con:  # as if nothing were embedded
                con.execute("DELETE FROM vector; DELETE FROM backlog")
                con.execute("INSERT INTO backlog SELECT 'error', id FROM error_kb")
            run(store, ErrorSource(), ours, length=ours.tokens)

        ratio, took, control = paired(embed, lambda: list(plain.embed(texts)), rounds=3)
        (cases,) = store.con.execute("SELECT count(*) FROM vector").fetchone() or (0,)
    what = "all cores" if threads == 0 else "one thread"
    note = f"{took:.1f} s / {control:.1f} s for {cases:,} / {len(texts):,} texts"
    return Row(f"casebook embed, {what} / fastembed's default call", ratio * len(texts) / max(cases, 1), budget, note)


def _fill(store: Store, errors: list[str]) -> None:
    with store.transaction() as con:
        for raw in errors:
            named = identify(raw)
            name = Name(named.key_line, raw, raw, named.tool)  # keys of their own: each text is one case
            ensure_case(con, name, ts="2026-10-01T00:00:00.000Z", raw=raw)
