"""`casebook library eval`: golden queries, each search mode compared with the baseline."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cli.context import Context
from cli.format.layout import clip, one_line
from cli.output import Output
from core.base.fault import Fault
from core.library.evaluation import Evaluation, Interval, Suite, compared, evaluate, keep, read_suite
from core.library.search.rows import Mode
from core.store import open_store


def run_eval(args: argparse.Namespace, context: Context) -> int:
    """`library eval`: exit 0 if every query ran; 1 if a label no longer exists."""
    suite = read_suite(Path(args.suite))
    if args.ingest and (args.keep or args.compare is not None):
        raise Fault(
            "invalid_input",
            "--ingest cannot be combined with --keep or --compare",
            "omit --ingest, or --keep and --compare",
        )
    if args.ingest:
        with tempfile.TemporaryDirectory(prefix="casebook-eval-", ignore_cleanup_errors=True) as folder:
            database = Path(folder) / "eval.db"
            _fill(database, suite, context, embed=args.mode is None or set(args.mode) != {"lexical"})
            found = _evaluate(args, context, database, suite)
    else:
        found = _evaluate(args, context, context.database, suite)
    context.out.result(found, eval_lines(context.out, found))
    return 1 if found.unanswerable else 0


def _evaluate(args: argparse.Namespace, context: Context, database: Path, suite: Suite) -> Evaluation:
    from core.flows.ingest.search import model_search

    modes: list[Mode] = args.mode or ["lexical", "hybrid"]
    with open_store(database, write=args.keep) as store, model_search(context.settings.embedding) as vectors:
        found = evaluate(store, suite, modes, vectors, args.k)
        if args.compare is not None:
            found = compared(store, found, args.compare or None)
        if args.keep:
            keep(store, found)
    return found


def _fill(database: Path, suite: Suite, context: Context, *, embed: bool) -> None:
    """A library of the suite's corpus, as it lies in the working folder; embedded where there is a model."""
    from core.embedding.models.models import Absent, current
    from core.flows.ingest.api import IngestOptions, ingest
    from core.flows.ingest.search import embed_passages

    if not suite.corpus:
        raise Fault("invalid_input", f"the suite {suite.name} has no corpus", "add: corpus: [docs, README.md]")
    options = IngestOptions(include=tuple(f"/{name}" for name in suite.corpus), korean=context.settings.library.korean)
    with open_store(database, write=True, create=True) as store:
        ingest(store, [Path()], options)
    if embed and not isinstance(current(context.settings.embedding), Absent):
        embed_passages(database, context.settings.embedding)


def eval_lines(out: Output, found: Evaluation) -> Iterator[str]:
    """The table, the differences, and where it falls short."""
    yield f"{found.suite}: {found.systems[0].queries} queries, {found.chunks} passages, index {found.index_version}"
    yield f"model: {one_line(found.embedding_model or 'none')}"
    yield f"{'':10}{'empty':>6}{'hit@1':>7}{'section hit@3':>20}{'hit@10':>8}{'MRR':>6}{'doc@3':>7}"
    for one in found.systems:
        rates = f"{one.hit_at_1:>7.2f}{_interval(one.hit_at_3):>20}{one.hit_at_10:>8.2f}{one.mrr:>6.2f}"
        yield f"{one.name:10}{one.empty:>6}{rates}{one.doc_hit_at_3:>7.2f}"
    for one in found.systems:
        measures = [(f"recall@{found.k} of documents", one.recall_at_k_doc),
                    (f"precision@{found.k} of passages", one.precision_at_k_chunk),
                    ("must contain", one.must_contain), ("forbidden absent", one.forbidden)]  # fmt: skip
        scores = ", ".join(f"{name} {value:.2f}" for name, value in measures if value is not None)
        yield out.paint(f"{one.name:10} {scores}", "dim")
    yield "section hit@3 by kind:"
    for kind in found.kinds:
        scores = "  ".join(f"{name} {value:.2f}" for name, value in kind.hit_at_3.items())
        yield f"  {kind.kind or '-':12}{kind.queries:>3}  {scores}"
    for pair in found.pairings:
        yield f"{pair.better} - {pair.than}, paired: {_interval(pair.difference, sign=True)}"
    if found.unanswerable:
        yield out.paint(clip(f"outdated labels: {', '.join(found.unanswerable)}", out.columns * 2), "warn")
    if found.misses:
        yield out.paint(f"not in the first three: {one_line(', '.join(found.misses))}", "dim")
    if found.compared_with:
        yield f"since {found.compared_with}: " + (
            ", ".join(f"{one.id} {one.verdict} ({one.before or '-'} to {one.rank or '-'})" for one in found.moved)
            or "no change"
        )


def _interval(value: Interval, *, sign: bool = False) -> str:
    shape = "+.2f" if sign else ".2f"
    return f"{value.value:{shape}} [{value.low:{shape}}, {value.high:{shape}}]"
