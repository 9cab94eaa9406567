"""DESIGN 6.2: the fingerprint masks what changes from run to run and keeps names and codes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors.identity.fingerprint import fingerprint
from core.text import MASK, redact

SAME = [
    (
        "web/src/cart.ts(3,1): error TS2304: Cannot find name 'Rate'.",
        "lib/b.ts(120,14): error TS2304: Cannot find name 'Rate'.",
    ),
    ("Error: Cannot find module '/srv/a/index.js'", "Error: Cannot find module 'D:\\work\\a b\\index.js'"),
    ("오류: '/home/민수/개발/a.py' 파일이 없습니다", "오류: 'C:\\Users\\민수\\내 문서\\b.py' 파일이 없습니다"),
    ("no route to 127.0.0.1:6379", "no route to [::1]:6379"),
    ("task 5f31a1b67a4b has left", "task 9b225c0dc918 has left"),
    ("GET https://a.example/v1?x=1 failed", "GET https://b.example/v2/y#z failed"),
    ("request 7c9e6679-7425-40de-944b-e07fc1f90ae7 lost", "request 550e8400-e29b-41d4-a716-446655440000 lost"),
    ("lease expired at 2026-03-02T08:00:00Z", "lease expired at 2025-12-31 23:59:59.123 +09:00"),
    ("took 12ms, limit 5 MB, 3 of 40", "took 9ms, limit 17 MB, 14 of 2"),
    ("‘x’ undeclared", "`x' undeclared"),
    ("fault:\u00a0pump  stalled", "fault: pump stalled"),
    ("thread 'main' panicked at 'no queue', src/q.rs:3:4", "thread 'io' panicked at 'no queue', src/a/q.rs:33:14"),
    ("deploy.sh: line 3: aws: command not found", "release.sh: line 41: aws: command not found"),
    ('pods "web-6d8f7c9b5d-kx2lz" not found', 'pods "web-7f5bcd9c46-qq9zt" not found'),
    ("core dumped at 0x7ffd486443c0", "core dumped at 0x55d0"),
    ("fatal: bad object 1234567", "fatal: bad object a9c1e4f"),
    ("matrices 32x512 and 256x10 do not fit", "matrices 8x4 and 5x10 do not fit"),
    ("! [rejected]        main -> main (fetch first)", "! [rejected] fix/a -> fix/a (fetch first)"),
    ("! [remote rejected] main -> main (protected branch)", "! [remote rejected] v1.0 (protected branch)"),
    ("locked by git@github.com:acme/a.git", "locked by ssh://git@example.org/acme/b.git"),
    (
        "go: example.org/x@v0.0.0-20240102030405-abcdef123456: gone",
        "go: example.org/x@v0.0.0-20250102030405-0123456789ab: gone",
    ),
]

DIFFERENT = [
    ("! [rejected]        main -> main (fetch first)", "! [rejected]        main -> main (stale info)"),
    ("! [rejected]        main -> main (protected branch)", "! [remote rejected] main -> main (protected branch)"),
    ("HTTP 404: no such rate", "HTTP 500: no such rate"),
    ("upload refused with status code 411", "upload refused with status code 413"),
    ("stage two ended with exit code 3.", "stage two ended with exit code 4."),
    ("collect2: error: ld returned 1 exit status", "collect2: error: ld returned 2 exit status"),
    ("error TS2304: x", "error TS2305: x"),
    ("error[E0382]: x", "error[E0505]: x"),
    ("ORA-12154: no name", "ORA-12541: no name"),
    ("OSError: [Errno 13] x", "OSError: [Errno 2] x"),
    ("PermissionError: [WinError 13] y", "PermissionError: [WinError 33] y"),
    ("ERROR 1045 (28000): denied", "ERROR 1049 (42000): denied"),
    ("killed by signal 9", "killed by signal 15"),
    ("SQLSTATE[42S02]: x", "SQLSTATE[23000]: x"),
    ("curl: (6) x", "curl: (7) x"),
    ("make: *** [Makefile:3: all] Error 1", "make: *** [Makefile:3: all] Error 2"),
    ("종료 코드 1(으)로 끝났습니다", "종료 코드 2(으)로 끝났습니다"),
    ("failed with 0x80070005", "failed with 0x80070057"),
    ("No module named 'numpy'", "No module named 'scipy'"),
    ("sh: tofu: command not found", "sh: helm: command not found"),
    ('relation "baskets" does not exist', 'relation "rates" does not exist'),
    ("built for Python 3.9", "built for Python 3.12"),
    ("invalid reference: feature/login", "invalid reference: feature/cart"),
    ("'utf-8' codec can't decode", "'utf-16' codec can't decode"),
    ("stray end of </main>", "stray end of </aside>"),
    ('container name "/web" is in use', 'container name "/db" is in use'),
    ("manifest for node:20-alpine not found", "manifest for redis:7-alpine not found"),
    ("need rates==1.2.3", "need rates==2.0.0"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME)
def test_same_case(left: str, right: str) -> None:
    assert fingerprint(left) == fingerprint(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_other_case(left: str, right: str) -> None:
    assert fingerprint(left) != fingerprint(right)


@pytest.mark.parametrize("text", [text for pair in (*SAME, *DIFFERENT) for text in pair])
def test_a_fingerprint_is_its_own(text: str) -> None:
    assert fingerprint(fingerprint(text)) == fingerprint(text)


def test_a_difference_after_the_cut_counts() -> None:
    chain = "failed to create task: " * 20
    left, right = fingerprint(chain + "mount"), fingerprint(chain + "cgroup")
    assert left != right
    assert len(left) == len(right) == 300
    assert fingerprint(left) == left


def test_a_secret_becomes_a_placeholder_whatever_its_length() -> None:
    short, long = (fingerprint(redact(f"refused: password={'k' * n}7z!")) for n in (8, 20))
    assert short == long == "refused: password=<SECRET>"
    assert MASK not in short


@given(st.text(max_size=400))
def test_never_raises_and_is_bounded(text: str) -> None:
    shown = fingerprint(text)
    assert len(shown) <= 300
    assert "\n" not in shown


_SENTENCE = (
    "error: line 12 7, at /srv/a/b.py:3 src/x.ts 'name' \"n\" 0x1f a1b2c3d4e5 v1.2.3 3.14 https://x.example/a "
    "10.0.0.1:80 ::1 HTTP 404 exit code TS2304 C:\\a\\b.c 파일 없음 (os error 2) 2026-03-02 08:00:00 -3 5ms x.rs:1:2"
)
_WORDS = st.sampled_from(_SENTENCE.split())


@given(st.lists(_WORDS, max_size=40).map(" ".join))
def test_idempotent_on_ordinary_words(text: str) -> None:
    once = fingerprint(text)
    assert fingerprint(once) == once
