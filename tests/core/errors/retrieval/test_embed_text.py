"""The text a model reads of an error (DESIGN 7): names kept; wrappers, places and numbers cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors.retrieval.embed_text import LONGEST, embed_text


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("npm ERR! code ERESOLVE", "eresolve"),
        ("error TS2307: Cannot find module './views/Login'", "cannot find module login"),
        ("error[E0382]: borrow of moved value: `rowBuffer`", "borrow of moved value row buffer"),
        ("fatal: unable to access 'https://git.acme.dev/team/tool.git/'", "unable to access git acme dev tool git"),
        ("ERROR 1045 (28000): Access denied for user 'bob'@'db'", "access denied for user bob db"),
        ("Can't resolve 'react' in '/srv/shop/src/pages'", "can't resolve react in pages"),
        ("segfault at 0x7ffd3a2b10 in worker 1234567 of job 42", "segfault at in worker of job 42"),
        ("Unexpected token } in JSON at position 1432", "unexpected token in json at"),
        ("<STR> object has no attribute <STR>", "object has no attribute"),
        ("listen EADDRINUSE :::3000", "address already in use listen"),
        ("listen EADDRINUSE: address already in use :::3000", "listen address already in use"),
        ("java.lang.NullPointerException: name is null", "null pointer exception name is null"),
        ("sqlite3.OperationalError: no such table: carts", "no such table carts"),
        ("curl: (7) Failed to connect to localhost port 8000 after 12 ms", "failed to connect to localhost port after"),
        (
            "An error occurred (NoSuchBucket) when calling the ListObjectsV2 operation: The bucket does not exist",
            "no such bucket the bucket does not exist",
        ),
        ("thread 'main' panicked at src/a.rs:1:2: no entry found", "no entry found"),
        ("undefined: router", "undefined router"),
        ("[Errno 28] No space left on device", "no space left on device"),
        ("write C++ and C# for 10.0.0.7:5432", "write c++ and c# for"),
        ("@types/node and input/output", "types node and input output"),
        (
            "C:\\Users\\kim\\work\\main.py: 모듈 'requests'를 찾을 수 없습니다",
            "main py 모듈 requests 를 찾을 수 없습니다",
        ),
        ("Error:", "error"),
        ("npm ERR!", "npm err"),
        ("   ", ""),
    ],
)
def test_names_stay_and_wrappers_places_and_numbers_go(line: str, read: str) -> None:
    assert embed_text(line) == read


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=()), max_size=300)
    | st.text("aZ0:/\\.'(fF ERR!é가\ud800\x1b[m", max_size=300)
)
def test_any_text_gives_plain_words(line: str) -> None:
    read = embed_text(line)
    read.encode("utf-8")
    assert read == " ".join(read.split())
    assert embed_text(line) == read
    assert not set(read) & set("/\\<>\x1b\x00\ufffd")


@settings(deadline=None)
@given(st.from_regex(r"[a-z]{3,8}", fullmatch=True), st.from_regex(r"(/[a-z]{2,6}){2,5}/", fullmatch=True))
def test_where_a_file_lies_changes_nothing(name: str, folder: str) -> None:
    assert embed_text(f"cannot open '{folder}{name}.txt'") == embed_text(f"cannot open '/x/y/{name}.txt'")


def test_a_monstrous_line_is_read_only_at_its_head() -> None:
    head = "error: cannot open the door " * 200
    assert embed_text(head[:LONGEST] + "x" * 5_000_000) == embed_text(head[:LONGEST])
