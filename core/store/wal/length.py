"""A short WAL, however many write: what SQLite does by itself never ends while others go on appending."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import apsw

_WRITE_BACK: Final = 1_000
"""Pages (4 MiB) from which what can be written back without waiting for anybody is."""
_BEGIN_ANEW: Final = 2_048
"""Pages (8 MiB) from which the others wait a moment, so that the WAL can begin anew."""
_PATIENCE_MS: Final = 100
"""How long that waits for readers; a later commit tries again."""


def keep_wal_short(con: apsw.Connection, timeout_ms: int) -> None:
    """After each commit of `con`, write the WAL back where it has grown. `timeout_ms`: its busy timeout, put back."""

    def committed(con: apsw.Connection, name: str, pages: int) -> int:
        if pages >= _WRITE_BACK:
            mode = apsw.SQLITE_CHECKPOINT_RESTART if pages >= _BEGIN_ANEW else apsw.SQLITE_CHECKPOINT_PASSIVE
            con.set_busy_timeout(min(_PATIENCE_MS, timeout_ms))
            with suppress(apsw.Error):  # a full disk, or a reader that stays: the commit stands all the same
                con.wal_checkpoint(mode=mode)
            con.set_busy_timeout(timeout_ms)
        return apsw.SQLITE_OK

    con.set_wal_hook(committed)
