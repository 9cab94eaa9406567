"""`python -m screenshots`."""

import sys

from screenshots.make import main

sys.exit(main())
