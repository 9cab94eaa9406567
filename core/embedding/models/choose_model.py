"""Write the chosen model into the settings file, and leave everything else in it as it is."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any, cast

from core.base.atomic import write_file
from core.base.config.settings_sources import key_lines
from core.base.fault import Fault
from core.base.managed_block import read_small_file
from core.base.paths import make_folder

_SECTION, _KEY = "embedding", "model"
_BOM = "\ufeff"


def choose_model(file: Path, model: str) -> None:
    """Set `[embedding] model` in `file` to `model` (made if it is not there; empty: the best that is there).

    Every other line keeps every character, comments too, and the file its rights. A link to a file stays a link. Raises
    Fault config_invalid where the file cannot be read as settings, io_error where it cannot be written.
    """
    place = file.resolve()  # settings are often a link into a folder of such files
    text = _read(place)
    try:
        before = tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as error:
        raise Fault("config_invalid", f"{place} is not valid TOML: {error}", "correct the file first") from error
    changed = with_model(text, model)
    if not _is_set(before, changed, model):
        message = f"cannot set the model in {file} without changing other lines"
        raise Fault("config_invalid", message, f'set this manually: {_SECTION}.{_KEY} = "{model}"')
    make_folder(place.parent)
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    write_file(place, [changed], replace=True, mode=mode)


def _is_set(before: dict[str, Any], changed: str, model: str) -> bool:
    """Whether a changed text has the model, and all else as it was before."""
    try:
        after = tomllib.loads(changed.removeprefix(_BOM))
    except (
        tomllib.TOMLDecodeError
    ):  # the section is written in a form that takes no line: an inline table, a dotted key
        return False
    return _section(after).get(_KEY) == model and _without(before) == _without(after)


def with_model(text: str, model: str) -> str:
    """The settings `text` with the model set: its line replaced, or one put below the section's head."""
    if text.startswith(_BOM):
        return _BOM + with_model(text.removeprefix(_BOM), model)
    line = f'{_KEY} = "{model}"'
    lines = text.split("\n")
    end = "\r" if lines[0].endswith("\r") else ""
    places = key_lines(text)
    at = places.get((_SECTION, _KEY))
    if at is not None:
        old = lines[at - 1]
        dotted = re.match(r"[^=]*=\s*", old)
        comment = re.search(r"""(?:"[^"]*"|'[^']*')(\s*#.*)$""", old.rstrip("\r"))
        lines[at - 1] = (
            f'{dotted.group() if dotted else _KEY + " = "}"{model}"{comment.group(1) if comment else ""}{end}'
        )
        return "\n".join(lines)
    head = next((n for n, one in enumerate(lines) if re.fullmatch(rf"\s*\[\s*{_SECTION}\s*\]\s*(#.*)?\r?", one)), None)
    if head is not None:
        lines.insert(head + 1, line + end)
        return "\n".join(lines)
    gap = "" if not text or text.endswith("\n") else f"{end}\n"
    return f"{text}{gap}{f'{end}' + chr(10) if text else ''}[{_SECTION}]{end}\n{line}{end}\n"


def _read(place: Path) -> str:
    try:
        return (read_small_file(place) or b"").decode("utf-8")
    except (Fault, ValueError) as error:
        raise Fault(
            "config_invalid", f"cannot read the settings file {place}", "check that it is UTF-8 text"
        ) from error


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in settings.items() if name != _SECTION}
    return {**rest, _SECTION: {name: value for name, value in _section(settings).items() if name != _KEY}}


def _section(settings: dict[str, Any]) -> dict[str, Any]:
    found: Any = settings.get(_SECTION)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
