"""Write the frozen contracts again: `python -m tests.contracts --write [NAME ...]`. Without `--write`, compare them."""

from __future__ import annotations

import argparse
import sys

from tests.contracts.goldens import DATA, GOLDENS, make


def main() -> int:
    """Write or compare; exit code 1 if a golden is out of date."""
    parser = argparse.ArgumentParser(prog="python -m tests.contracts", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write what differs")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(GOLDENS)}; none: all")
    given = parser.parse_args()
    stale = 0
    for name in given.names or GOLDENS:
        text, path = make(name).encode(), DATA / name
        fresh = path.exists() and path.read_bytes() == text
        stale += not fresh
        sys.stdout.write(f"{'fresh  ' if fresh else 'written' if given.write else 'stale  '}  {name}\n")
        if given.write and not fresh:
            path.write_bytes(text)
    return 1 if stale and not given.write else 0


if __name__ == "__main__":
    sys.exit(main())
