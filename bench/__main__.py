"""`python -m bench [NAME …] [--quick]`: measure and print the table; exits 1 where a budget does not hold."""

from __future__ import annotations

import argparse
import importlib
import sys

from bench.table import Row, show

PARTS = {
    "startup": "bench.startup",
    "identify": "bench.errors.identify",
    "growth": "bench.growth",
    "align": "bench.align.aligner",
    "quotes": "bench.align.quotes",
    "search": "bench.errors.search",
    "wordings": "bench.errors.wordings",
    "vector_search": "bench.errors.vector_search",
    "importing": "bench.transcripts.importing",
    "library_ingest": "bench.library.ingest",
    "library_search": "bench.library.search",
    "library_pane": "bench.library.pane",
    "library_rounds": "bench.library.rounds",
    "ask_gate": "bench.library.ask_gate",
    "asking": "bench.library.asking",
    "embedding": "bench.embedding.runs",
    "rules": "bench.rules",
    "ablation": "bench.ablation",
    "knn": "bench.embedding.knn",
    "workbench": "bench.tui.workbench",
    "service": "bench.embedding.service",
    "hooks": "bench.hooks",
    "journeys": "bench.journeys",
    "team": "bench.team",
    "team_search": "bench.team_search",
}
"""The module of each part, in the order of the table."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument(
        "--only",
        metavar="GROUP",
        help="of `workbench`: paint, stalls, embedding, quit, …; of `quotes`: reserved, third, fourth, fifth; "
        "of `ablation`: rules, gate, checks",
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes: a look, not a measurement")
    args = parser.parse_args()
    rows: list[Row] = []
    for name in args.parts or PARTS:
        if name not in PARTS:
            parser.error(f"no part called {name}; there are {', '.join(PARTS)}")
        print(f"measuring {name} …", file=sys.stderr)
        only = {"only": args.only} if args.only and name in ("workbench", "quotes", "ablation") else {}
        rows.extend(importlib.import_module(PARTS[name]).measure(quick=args.quick, **only))
    if rows:
        print(show(rows))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
