"""An open casebook: one connection, for one thread and one job."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import cast

import apsw

from core.base.fault import Fault, FaultCode
from core.store.sql import READONLY, SPACE, faults


class Store:
    """One connection to the casebook at `path`.

    `con` may be used directly for reading. `readonly` says in plain words why nothing can be written (a read-only
    place, a newer schema); it is None where writing works or was not asked for. A store is a context manager.
    """

    __slots__ = ("_code", "_folder", "_interrupted", "con", "path", "readonly", "write")

    def __init__(
        self,
        path: Path,
        con: apsw.Connection,
        *,
        write: bool = False,
        readonly: str | None = None,
        code: FaultCode = "db_readonly",
        folder: Path | None = None,
    ) -> None:
        self.path = path
        self.con = con
        self.write = write and readonly is None
        self.readonly = readonly
        self._code: FaultCode = code
        self._folder = folder
        self._interrupted = False

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @property
    def place(self) -> Path:
        """The file that is really open: a private copy where the casebook's own could not be read in place.

        It is there until `close`; further readers may open it instead of making a copy each.
        """
        return Path(self.con.filename or self.path)

    @property
    def newer(self) -> bool:
        """Whether a newer casebook wrote it (then `readonly` names the version)."""
        return self._code == "db_newer"

    @contextmanager
    def transaction(self) -> Generator[apsw.Connection]:
        """BEGIN IMMEDIATE, then COMMIT, or ROLLBACK when anything is raised inside; within another one it does nothing.

        Raises Fault db_readonly or db_newer where nothing can be written, db_locked, io_error (disk full), db_damaged.
        """
        if self.con.in_transaction:
            yield self.con
            return
        self.require_write()
        with faults(self.path):
            self.con.execute("BEGIN IMMEDIATE")
            try:
                yield self.con
                self.con.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def moment(self) -> Generator[None]:
        """Read everything inside from one snapshot, whatever other processes write; a transaction does so anyway."""
        if self.con.in_transaction:
            yield
            return
        self.con.execute("BEGIN")
        try:
            yield
        finally:
            self._roll_back()  # nothing was written

    def require_write(self) -> None:
        """Raise the Fault that says why nothing can be written, if so."""
        if self.write:
            return
        why = self.readonly or "it was opened read-only"
        hint = {"db_newer": "update casebook", "io_error": SPACE}.get(self._code, READONLY)
        raise Fault(self._code, f"{self.path} cannot be written: {why}", hint, path=str(self.path))

    def interrupt(self) -> None:
        """Stop the query that runs now; may be called from another thread, also after `close`."""
        self._interrupted = True
        with suppress(apsw.ConnectionClosedError):
            self.con.interrupt()

    def check(self) -> None:
        """Raise Fault timeout if it was interrupted: for work between two queries."""
        if self._interrupted:
            raise Fault("timeout", f"the work on {self.path} was stopped")

    def close(self, *, keep_log: bool = False) -> None:
        """End the connection (an open transaction is rolled back) and remove the private copy, if there was one.

        `keep_log`: do not write the write-ahead log into the file, as the last connection does otherwise.
        """
        with suppress(apsw.Error):
            if keep_log:
                self.con.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self.con.close(True)
        if self._folder is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _roll_back(self) -> None:
        # SQLite has often rolled back by itself (disk full), and a failing disk may refuse this too.
        with suppress(apsw.Error):
            if self.con.in_transaction:
                self.con.execute("ROLLBACK")


def data_version(store: Store) -> int:
    """A number that changes when another connection has committed; meaningful only for this one connection."""
    row = store.con.execute("PRAGMA data_version").fetchone()
    return cast("int", row[0]) if row else 0
