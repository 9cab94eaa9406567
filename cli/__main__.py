"""`python -m cli` is `casebook`."""

import sys

from cli.main import main

if __name__ == "__main__":  # a worker process reads this file again under another name
    sys.exit(main())
