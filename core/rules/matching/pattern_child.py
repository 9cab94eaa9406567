"""What tries a user's patterns in a process of its own: a script without a package around it, for it begins at once."""

from __future__ import annotations

import json
import re
import sys


def main() -> None:
    """Say where each pattern on standard input is, on a line of its own and as soon as it is known; `-`: nowhere."""
    given = json.load(sys.stdin)
    text: str = given["text"]
    for source in given["patterns"]:
        found = re.search(source, text, re.MULTILINE)
        print("-" if found is None else f"{found.start()},{found.end()}", flush=True)


if __name__ == "__main__":
    main()
