"""The door: `casebook` and `python -m cli`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:  # asked by scripts and prompts: no parser for it
        from core.version import VERSION

        print(f"casebook {VERSION}")
        return 0
    if arguments[:1] == ["hook"] and not {"-h", "--help"} & set(arguments):  # nor for agents' hooks
        from cli.hook import run as run_hook

        run_hook(arguments[1:])
    from cli.program import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
