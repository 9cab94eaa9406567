"""Whatever SQLite or the system says becomes one Fault with a code, a line and a hint."""

from __future__ import annotations

import errno
from pathlib import Path

import apsw
import pytest

from core.base.fault import Fault
from core.store import as_fault, faults

PATH = Path("/data/casebook.db")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (apsw.BusyError("x"), "db_locked"),
        (apsw.LockedError("x"), "db_locked"),
        (apsw.NotADBError("x"), "db_damaged"),
        (apsw.CorruptError("x"), "db_damaged"),
        (apsw.FullError("x"), "io_error"),
        (apsw.IOError("x"), "io_error"),
        (apsw.CantOpenError("x"), "io_error"),
        (apsw.ReadOnlyError("x"), "db_readonly"),
        (apsw.InterruptError("x"), "timeout"),
        (apsw.TooBigError("x"), "invalid_input"),
        (apsw.ConstraintError("x"), "invalid_input"),
        (apsw.SQLError("no such column: mood"), "db_damaged"),
        (apsw.SQLError("near SELECT: syntax error"), "generic"),
        (apsw.MisuseError("x"), "generic"),
        (OSError(errno.ENOSPC, "No space left on device"), "io_error"),
        (OSError(errno.EROFS, "Read-only file system"), "db_readonly"),
        (PermissionError(errno.EACCES, "Permission denied", "/data"), "io_error"),
    ],
)
def test_every_error_is_a_fault(error: Exception, code: str) -> None:
    with pytest.raises(Fault) as caught, faults(PATH):
        raise error
    assert caught.value.code == code
    assert "\n" not in caught.value.message
    assert caught.value.__cause__ is error


def test_every_kind_of_apsw_error_is_known() -> None:
    kinds = [kind for kind in vars(apsw).values() if isinstance(kind, type) and issubclass(kind, apsw.Error)]
    assert len(kinds) > 30
    assert all(as_fault(kind("x"), PATH).message for kind in kinds)


def test_damage_names_the_way_out() -> None:
    assert "casebook db salvage" in as_fault(apsw.CorruptError("x"), PATH).hint


def test_a_fault_and_a_mistake_of_ours_pass_through() -> None:
    fault = Fault("timeout", "x")
    assert as_fault(fault, PATH) is fault
    with pytest.raises(KeyError), faults(PATH):
        raise KeyError


def test_that_nobody_reads_what_is_printed_is_no_fault_of_the_database() -> None:
    with pytest.raises(BrokenPipeError), faults(PATH):
        raise BrokenPipeError(32, "Broken pipe")


def test_a_shm_file_that_cannot_grow_is_a_full_disk() -> None:
    fault = as_fault(apsw.exception_for(apsw.SQLITE_IOERR_SHMSIZE), PATH)
    assert (fault.code, fault.message) == ("io_error", f"the disk is full: {PATH} could not be written")
