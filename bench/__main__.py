"""`python -m bench [NAME …] [--quick]`: measure and print the table; exits 1 where a budget does not hold."""

from __future__ import annotations

import argparse
import importlib
import sys

from bench.table import Row, show

PARTS = (
    "startup",
    "identify",
    "growth",
    "align",
    "quotes",
    "search",
    "wordings",
    "vector_search",
    "importing",
    "library_ingest",
    "library_search",
    "library_pane",
    "library_rounds",
    "ask_gate",
    "asking",
    "embedding",
    "rules",
    "knn",
    "workbench",
    "service",
    "hooks",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument(
        "--only",
        metavar="GROUP",
        help="of `workbench`: paint, stalls, embedding, quit, …; of `quotes`: reserved, third",
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes: a look, not a measurement")
    args = parser.parse_args()
    rows: list[Row] = []
    for name in args.parts or PARTS:
        if name not in PARTS:
            parser.error(f"no part called {name}; there are {', '.join(PARTS)}")
        print(f"measuring {name} …", file=sys.stderr)
        only = {"only": args.only} if args.only and name in ("workbench", "quotes") else {}
        rows.extend(importlib.import_module(f"bench.{name}").measure(quick=args.quick, **only))
    if rows:
        print(show(rows))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
