"""Write the chosen model into the settings file, and leave everything else in it as it is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from core.base.atomic import write_file
from core.base.config.settings_sources import key_lines
from core.base.fault import Fault
from core.base.paths import make_folder

_SECTION, _KEY = "embedding", "model"
_MOST = 1 << 20


def choose_model(file: Path, model: str) -> None:
    """Set `[embedding] model` in `file` to `model` (made if it is not there; empty: the best that is there).

    Every other line keeps every character, comments too. A link to a file stays a link. Raises Fault config_invalid
    where the file cannot be read as settings, io_error where it cannot be written.
    """
    place = file.resolve()  # settings are often a link into a folder of such files
    text = _read(place)
    changed = with_model(text, model)
    before, after = _parsed(place, text), _parsed(place, changed)
    after.setdefault(_SECTION, {})
    if after[_SECTION].get(_KEY) != model or _without(before) != _without(after):
        message = f"cannot set the model in {file} without changing other lines"
        raise Fault("config_invalid", message, f'add this manually: [{_SECTION}] {_KEY} = "{model}"')
    make_folder(place.parent)
    write_file(place, [changed], replace=True)


def with_model(text: str, model: str) -> str:
    """The settings `text` with the model set: its line replaced, or one put below the section's head."""
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
        with place.open("rb") as file:
            return file.read(_MOST).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise Fault(
            "config_invalid", f"cannot read the settings file {place}", "check that it is UTF-8 text"
        ) from error


def _parsed(place: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise Fault("config_invalid", f"{place} is not valid TOML: {error}", "correct the file first") from error


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in settings.items() if name != _SECTION}
    inner = {name: value for name, value in settings.get(_SECTION, {}).items() if name != _KEY}
    return {**rest, _SECTION: inner}
