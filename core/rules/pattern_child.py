"""What tries a user's patterns in a process of its own: a script without a package around it, for it begins at once."""

from __future__ import annotations

import json
import re
import sys


def main() -> None:
    """Say of each pattern on standard input, on a line of its own and as soon as it is known, whether it is there."""
    given = json.load(sys.stdin)
    for source in given["patterns"]:
        print(int(re.search(source, given["text"], re.MULTILINE) is not None), flush=True)


if __name__ == "__main__":
    main()
