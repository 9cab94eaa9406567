"""casebook's one name in site-packages: finds the folder that holds `core`, `cli`, `tui` and `styles`, and starts them.

`import agent_casebook` puts this folder first on `sys.path`. After that `import core` is casebook's core. The packages
have no other name: `agent_casebook.core` does not exist, so nothing is loaded twice. Raises ImportError if another
package named `core` is loaded already.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
HOME = _HERE if os.path.isfile(os.path.join(_HERE, "core", "__init__.py")) else os.path.dirname(_HERE)
"""The folder that holds `core`: this one in an installed copy, its parent in a checkout."""
_STARTED_WITH = sys.path[:1]

for _name in ("core", "cli", "tui", "styles"):
    sys.modules[f"{__name__}.{_name}"] = None  # pyright: ignore[reportArgumentType]  an import of it fails
_core = sys.modules.get("core")
if _core is not None and os.path.dirname(os.path.dirname(os.path.abspath(_core.__file__ or ""))) != HOME:
    raise ImportError(f"another package named core is already loaded: {_core.__file__}")
if sys.path[:1] != [HOME]:
    sys.path.insert(0, HOME)


def main() -> int:
    """Run the command line `sys.argv` and return its exit code. `hook` returns 0 even if casebook is damaged."""
    _drop_foreign_paths()
    try:
        from cli.main import main as run

        return run()
    except KeyboardInterrupt:  # before the command began, or after its end
        return 130
    except Exception:
        if sys.argv[1:2] == ["hook"]:
            return 0
        raise


def _drop_foreign_paths() -> None:
    """Take PYTHONPATH, the script's folder and the current folder out of `sys.path`: they may hold a `json.py`.

    A folder of PYTHONPATH that holds this package is searched last instead. With `python -I` there is nothing to do.
    """
    if sys.flags.isolated:
        return
    given = "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")
    foreign = {os.path.abspath(name) for name in given.split(os.pathsep)} if given else set()
    if not sys.flags.safe_path:
        foreign.update(os.path.abspath(name) for name in _STARTED_WITH)
    above = os.path.dirname(_HERE)
    kept = [name for name in sys.path if os.path.abspath(name) not in foreign or name == HOME]
    sys.path[:] = [*kept, above] if above in foreign and above != HOME else kept
