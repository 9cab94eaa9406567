"""The notices of an empty casebook and of one that is gone: what is there to fill it with, and the keys that do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tui.render.common.empty_states import Notice
from tui.render.common.untrusted import inline
from tui.services.import_sources import Source, describe_sources


def first_run(sources: Sequence[Source] | None) -> Notice:
    """No cases yet: what to do about it. `sources` is None while they are looked for."""
    why = "Errors and their fixes are read from your agents' sessions. "
    why += "Looking for some on this computer." if sources is None else describe_sources(sources)
    any_there = sources is not None and any(one.files for one in sources)
    begin = "reads them in: {list.back} stops it at any time" if any_there else "names a file or a folder to read"
    return Notice(
        "No cases yet",
        why,
        (
            ("{import.begin}", begin),
            ("{import.demo}", "opens samples to look around in; quitting leads back"),
            ("{app.quit}", "quits"),
        ),
    )


def gone(path: Path) -> Notice:
    """The casebook was there, and is not any more."""
    return Notice(
        "The casebook under this workbench is gone",
        f"{inline(str(path), 200)} was deleted or moved, or its disk is away. Once it is back, it is shown again.",
        (
            ("casebook db restore", "brings a backup back"),
            ("{import.begin}", "fills a new one"),
            ("{app.quit}", "quits"),
        ),
        "$cb-bad",
    )
