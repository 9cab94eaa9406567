"""`python -I -m agent_casebook` is `casebook`."""

import sys

from agent_casebook import main

if __name__ == "__main__":  # a worker process reads this file again under another name
    sys.exit(main())
