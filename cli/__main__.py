"""`python -m cli` is `casebook`."""

import sys

from cli.main import main

sys.exit(main())
