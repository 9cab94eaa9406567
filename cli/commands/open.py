"""Opening the workbench: the one place where the command line knows the terminal application."""

from __future__ import annotations

import gc
from pathlib import Path

from cli.context import Context


def open_workbench(
    context: Context,
    database: Path | None = None,
    *,
    title: str = "",
    ascii_only: bool = False,
    rules: tuple[Path, ...] = (),
    cited: str = "",
) -> int:
    """Open the workbench on the casebook in force, or on `database`; returns its exit code.

    `rules`: rule files that hold instead of those of the settings and the project around the current folder.
    `cited`: a citation, at which the library opens.
    """
    gc.disable()  # nothing that is loaded becomes garbage; the app enables it once it is warm
    from tui.shell.app import run

    place = context.database if database is None else database
    return run(
        place,
        title=title,
        ascii_only=ascii_only or context.settings.ui.ascii,
        config=context.config,
        log_line=context.log,  # pyright: ignore[reportArgumentType]  its levels are fewer than any text
        remember=database is None,
        rules=rules,
        cited=cited,
    )
