"""Codes that part two errors which otherwise read alike: the veto of the exact and of the vector tier."""

from __future__ import annotations

import pytest

from core.errors.identity.codes import codes, codes_differ


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Request failed with status code 401", "Request failed with status code 502"),
        ("curl: (22) The requested URL returned error: 403", "The requested URL returned error: 500"),
        ("401 Client Error: Unauthorized for url", "HTTP Error 404: Not Found"),
        ("npm ERR! code E404", "npm ERR! code E401"),
        ("connect ECONNREFUSED ::1", "connect ETIMEDOUT ::1"),
        ("bind() failed (98: Address already in use)", "bind() failed (13: Permission denied)"),
        ("[Errno 2] No such file", "open EACCES"),
        ("error TS2307: Cannot find module", "error TS2305: no exported member"),
        ("error[E0382]: moved", "error[E0502]: borrowed"),
        ("ERROR 1045 (28000): Access denied", "ERROR 1044 (42000): Access denied"),
        ("An error occurred (NoSuchKey) when calling", "An error occurred (AccessDenied) when calling"),
        ("rpc error: code = Unavailable desc = x", "rpc error: code = NotFound desc = x"),
        ("curl: (6) Could not resolve", "curl: (7) Failed to connect"),
        ("exited with code 137", "exited with code 1"),
    ],
)
def test_codes_of_one_kind_part_two_errors(left: str, right: str) -> None:
    assert codes_differ(left, right)
    assert codes_differ(right, left)
    assert not codes_differ(left, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("connect ECONNREFUSED 127.0.0.1", "[Errno 111] Connection refused"),
        ("[Errno 61] Connection refused", "failed (111: Connection refused)"),
        ("HTTP 404", "returned error: 404 Not Found"),
        ("error TS2307: Cannot find module", "Module not found: Can't resolve"),
        ("exit code 2", "status code 404"),
        ("exit status 1: status code 404", "404 Not Found"),
    ],
)
def test_one_code_in_two_spellings_and_codes_of_two_kinds_part_nothing(left: str, right: str) -> None:
    assert not codes_differ(left, right)


def test_only_known_names_of_the_system_are_codes() -> None:
    assert codes("EXAMPLE EVERYTHING ENOENT") == {("errno", "ENOENT")}
