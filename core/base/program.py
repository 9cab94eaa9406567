"""How casebook starts itself, and how others start it: isolated from the folder and the environment it runs in. And
its version, where reading it costs nothing (the package metadata takes longer than starting Python).

Python's `-I` ignores PYTHONPATH and the other PYTHON variables and does not search the current folder, so that neither
a project's `json.py` nor its `sitecustomize.py` is loaded.
"""

from __future__ import annotations

import os
import sys

VERSION = "0.1.0"
DISTRIBUTION = "agent-casebook"
"""The name on the package index; the command is `casebook`."""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that holds `core`."""


def isolation() -> tuple[str, ...]:
    """Python's options for it. `-I` hides the user's own site-packages: a copy that lies there starts without `-I`."""
    import site

    home = site.getusersitepackages() if site.ENABLE_USER_SITE else ""
    return ("-E", "-P") if home and ROOT.startswith(os.path.join(home, "")) else ("-I",)


def program() -> list[str]:
    """The command line that is `casebook`, by the absolute path of this interpreter."""
    return [sys.executable, *isolation(), "-m", "agent_casebook"]


def python(code: str) -> list[str]:
    """The command line of an interpreter that runs `code` with this copy of casebook's packages."""
    return [sys.executable, *isolation(), "-c", f"import sys; sys.path.insert(0, {ROOT!r}); {code}"]
