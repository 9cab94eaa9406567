"""A folder of notes and code, English and Korean, read into a casebook; the Library pane opened on it."""

from __future__ import annotations

import os
from pathlib import Path

from textual.pilot import Pilot

from core.flows.ingest.api import ingest
from core.library.search.rows import SectionHits
from core.store import open_store
from tests.tui.support import app_on, until
from tui.panes.library.screen import LibraryScreen
from tui.shell.app import CasebookApp

BACKUP = """\
---
tags: [storage, backup]
---
# Backups

How the harbour keeps its logs.

## When the night copy runs

The night copy runs at **two** in the morning. It begins with the `ledger`,
goes on with the crane logs, and ends before the first ship.

- the ledger is copied whole
- crane logs are copied as they grew
  since the night before

| what | kept |
| --- | --- |
| ledger | 90 days |
| crane logs | 14 days |

## Restoring

> Restore into an empty folder first.

```sh
harbour restore --into /tmp/empty   # never over the real one
```
"""
KOREAN = """\
# 야간 백업

## 복사 시각

야간백업은 새벽 두 시에 시작한다. 장부를 먼저 복사하고 크레인 기록을 이어서 복사한다.

## 복원

빈 폴더에 먼저 복원한 다음 비교한다.
"""
CODE = '''\
"""Cranes of the harbour."""


def lift(weight: int) -> str:
    """Lift a load; the ledger knows its weight."""
    return f"lifted {weight}"


def restore_ledger(folder: str) -> None:
    """Restore the ledger into a folder."""
    print(folder)
'''
LONG_AGO = 1_700_000_000


def put_notes(folder: Path) -> Path:
    """The notes as files."""
    for name, text in (("backup.md", BACKUP), ("ko/야간백업.md", KOREAN), ("src/cranes.py", CODE)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (LONG_AGO, LONG_AGO))
    return folder


def read_notes(casebook: Path, folder: Path) -> Path:
    """Read the folder into a casebook, which is made if need be."""
    with open_store(casebook, write=True, create=True) as store:
        ingest(store, [folder])
    return casebook


def idle(app: CasebookApp) -> bool:
    """Whether nothing is read or searched."""
    lanes = ("library", "library-page", "library-doc", "library-meaning", "library-values", "library-passage")
    return not any(map(app.jobs.busy, lanes))


def narrow(app: CasebookApp) -> bool:
    """Whether the document is not on the screen beside the list."""
    return app.size.width < 100


async def opened(pilot: Pilot[None], app: CasebookApp) -> LibraryScreen:
    """The pane, once its rows, or what there is to say in their place, are there."""
    await pilot.pause()
    await pilot.press("alt+4")
    await until(pilot, lambda: isinstance(app.screen, LibraryScreen) and app.screen.hits.holds is not None)
    screen = app.screen
    assert isinstance(screen, LibraryScreen)
    await until(pilot, lambda: idle(app) and (screen.document.laid is not None or not screen.hits.total or narrow(app)))
    return screen


async def searched(pilot: Pilot[None], app: CasebookApp, text: str) -> LibraryScreen:
    """The pane with what a search for `text` has found, and the document of the first hit."""
    screen = await opened(pilot, app)
    await pilot.press(*("space" if sign == " " else sign for sign in text))
    await until(pilot, lambda: screen.searching.found is not None and screen.searching.text == text and idle(app))
    await until(pilot, lambda: screen.hit is None or narrow(app) or at_hit(screen))
    return screen


def at_hit(screen: LibraryScreen) -> bool:
    """Whether the document shows what the chosen hit cites."""
    shown, hit = screen.document.laid, screen.hit
    return shown is not None and hit is not None and shown.wanted.uri == hit.citation.uri


def library_app(casebook: Path, *, ascii_only: bool = False) -> CasebookApp:
    """The workbench on a casebook with a library."""
    return app_on(casebook, ascii_only=ascii_only, name="sample")


def paths(screen: LibraryScreen) -> list[str]:
    """The documents of the list, in its order."""
    rows = screen.hits.rows.rows
    shown = [row for at in range(rows.total) if (row := rows.get(at)) is not None]
    return [(row.best if isinstance(row, SectionHits) else row).doc_path for row in shown]  # pyright: ignore[reportAttributeAccessIssue]
