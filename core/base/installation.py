"""How this copy of casebook was installed, and the commands that add an extra to it or update it."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from core.base.program import DISTRIBUTION, ROOT

Installer = Literal["checkout", "uv tool", "pipx", "uv", "pip"]


@dataclass(frozen=True, slots=True)
class Installation:
    """`extras` are those it was installed with, if that is known. `source`: what it came from if that is no index."""

    installer: Installer
    python: str
    extras: tuple[str, ...] = ()
    source: str = ""

    def remedy(self, extra: str) -> str:
        """The shell command that installs an extra into this copy."""
        requirement = f"{DISTRIBUTION}[{','.join(dict.fromkeys((*self.extras, extra)))}]{self.source}"
        named = shlex.quote(requirement)
        return {
            "checkout": f"uv sync --extra {extra}",
            "uv tool": f"uv tool install {named}",
            "pipx": f"pipx install --force {named}",
            "uv": f"uv pip install --python {shlex.quote(self.python)} {named}",
            "pip": f"{shlex.quote(self.python)} -m pip install {named}",
        }[self.installer]

    def upgrade(self) -> str:
        """The shell command that installs the newest version in the place of this copy."""
        named = shlex.quote(f"{DISTRIBUTION}{self.source}")
        return {
            "checkout": "git pull && uv sync",
            "uv tool": f"uv tool upgrade {DISTRIBUTION}",
            "pipx": f"pipx upgrade {DISTRIBUTION}",
            "uv": f"uv pip install --python {shlex.quote(self.python)} --upgrade {named}",
            "pip": f"{shlex.quote(self.python)} -m pip install --upgrade {named}",
        }[self.installer]


@cache
def installed() -> Installation:
    """How the running copy was installed."""
    return look(Path(sys.prefix), Path(ROOT), sys.executable)


def remedy(extra: str) -> str:
    """The shell command that installs an extra into the running copy."""
    return installed().remedy(extra)


def look(prefix: Path, root: Path, python: str) -> Installation:
    """How the copy in `root` (the folder of its packages) was installed in the environment `prefix`.

    What cannot be read counts as an installation by pip.
    """
    if root.name != "agent_casebook" and (root / "pyproject.toml").is_file():
        return Installation("checkout", python)
    import json
    import tomllib

    try:
        if (receipt := prefix / "uv-receipt.toml").is_file():
            return _uv_tool(tomllib.loads(receipt.read_text(encoding="utf-8")), python)
        if (metadata := prefix / "pipx_metadata.json").is_file():
            return _pipx(json.loads(metadata.read_text(encoding="utf-8")), python)
        written = next(root.parent.glob(f"{DISTRIBUTION.replace('-', '_')}-*.dist-info/INSTALLER"), None)
        by_uv = written is not None and written.read_text(encoding="utf-8").strip() == "uv"
        source = "" if written is None else _direct(written.with_name("direct_url.json"))
        return Installation("uv" if by_uv else "pip", python, source=source)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return Installation("pip", python)


def _uv_tool(receipt: Any, python: str) -> Installation:
    """`requirements = [{ name, extras, directory | path | url | git }]` of the section `tool`."""
    own = next(one for one in receipt["tool"]["requirements"] if one["name"] == DISTRIBUTION)
    place = own.get("directory") or own.get("path") or own.get("editable")
    source = f" @ {Path(place).absolute().as_uri()}" if place else ""
    if "git" in own or "url" in own:
        source = f" @ {'git+' + own['git'] if 'git' in own else own['url']}"
    return Installation("uv tool", python, tuple(own.get("extras", ())), source)


def _direct(record: Path) -> str:
    """Where a copy that is from no index came from, as its installer recorded it (PEP 610).

    Without it the command would ask an index, where the name can belong to anybody.
    """
    import json

    if not record.is_file():
        return ""
    found = json.loads(record.read_text(encoding="utf-8"))
    return f" @ {found['vcs_info']['vcs']}+{found['url']}" if "vcs_info" in found else f" @ {found['url']}"


def _pipx(metadata: Any, python: str) -> Installation:
    """`main_package.package_or_url`: a requirement, a folder or an address."""
    import re

    found = re.fullmatch(
        r"(?P<what>[^\[@]*?)(?:\[(?P<extras>[^\]]*)\])?\s*(?:@\s*(?P<place>.*))?",
        metadata["main_package"]["package_or_url"],
    )
    if found is None:
        return Installation("pipx", python)
    extras = tuple(one.strip() for one in (found["extras"] or "").split(",") if one.strip())
    place = found["place"] or ("" if found["what"] == DISTRIBUTION else found["what"])
    if place and "://" not in place:
        place = Path(place).absolute().as_uri()
    return Installation("pipx", python, extras, f" @ {place}" if place else "")
