"""The forms in which a case can be copied."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tui.render.errors.case import Fix
from tui.screens.copy_menu import Form

if TYPE_CHECKING:
    from core.errors import Case


def forms_of(case: Case, fix: Fix | None, key_line: str, raw: str, database: Path | None) -> tuple[Form, ...]:
    """Every form of a case; the fix only if there is one."""
    from core.base.wire import dumps
    from core.errors.exchange.case_markdown import case_markdown

    forms = (Form("f", "fix", fix.text),) if fix is not None else ()
    return (
        *forms,
        Form("k", "key line", key_line),
        Form("r", "error as it was seen", raw),
        Form("m", "case as Markdown", case_markdown(case, raw)),
        Form("j", "case as JSON", dumps(case), exact=True),
        Form("c", "shell command", command_of(case, database)),
    )


def command_of(case: Case, database: Path | None) -> str:
    """The command that prints this case, also from another folder; the user's own casebook needs no path."""
    from core.base.paths import database_file

    words = ["casebook", "errors", "show", str(case.id)]
    if database is not None and database != database_file():
        words += ["--db", str(database.absolute())]
    return shlex.join(words)
