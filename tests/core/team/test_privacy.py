"""What leaves holds no secret, no home folder, no name and no address of a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.team.privacy import Person, cleaned, cleaned_value, leaks, texts_of

MINA = Person(("mina", "Mina Park"), ("/srv/people/mina",), "/srv/people/mina/shop")
SECRETS = [json.loads(line) for line in Path("tests/data/secrets.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("cat /srv/people/mina/shop/src/a.py", "cat src/a.py"),
        ("cat /srv/people/mina/.npmrc", "cat ~/.npmrc"),
        ("cat /srv/people/mina/notes/private.txt", "cat <path>"),
        ("cat /srv/people/minamoto/x", "cat /srv/people/minamoto/x"),
        ("cat /home/bob/work/x", "cat <path>"),
        ("psql: FATAL: role mina does not exist", "psql: FATAL: role <user> does not exist"),
        ("ssh mina@build", "ssh <user>@build"),
        ("signed off by Mina Park", "signed off by <user>"),
        ("Author: mina.park@example.co.uk", "Author: <email>"),
        ("git clone git@github.com:acme/shop.git", "git clone git@github.com:acme/shop.git"),
        ("npm i left-pad@1.3.0", "npm i left-pad@1.3.0"),
        ("terminal and minato", "terminal and minato"),
        ("mina가 실행했고 Mina Park의 브랜치다", "<user>가 실행했고 <user>의 브랜치다"),
        ("mina@example.com으로 보냄", "<email>으로 보냄"),
        ("로그는 mina@example.com에", "로그는 <email>에"),
        ("/srv/people/mina에 있다", "~에 있다"),
        ("경로는/home/bob/work/x", "경로는<path>"),
        ("at file:///home/bob/work/x.js", "at file://<path>"),
        ("C:\\\\Users\\\\bob\\\\x.py", "<path>"),
        ("open C:\\Users\\Bob Kim\\x.py", "open <path>"),
        ("cat /mnt/c/Users/bob/x", "cat <path>"),
    ],
)
def test_what_belongs_to_a_person_is_replaced(text: str, plain: str) -> None:
    assert cleaned(text, MINA) == plain
    assert leaks([plain], MINA) == ()


@pytest.mark.parametrize(
    ("text", "plain"), [("김민아가 수정", "<user>가 수정"), ("by 김민아", "by <user>"), ("김민아트를", "김민아트를")]
)
def test_a_korean_name_is_replaced_before_a_particle(text: str, plain: str) -> None:
    assert cleaned(text, Person(("김민아",))) == plain


def test_logins_that_machines_come_with_are_words() -> None:
    assert cleaned("npm test as root", Person(("root", "test", "a"))) == "npm test as root"


@pytest.mark.parametrize("row", SECRETS, ids=range(len(SECRETS)))
def test_no_secret_leaves(row: dict[str, str]) -> None:
    for text in (row["text"], f"run as mina\n{row['text']}\n"):
        assert row["secret"] not in cleaned(text, MINA)
        assert leaks([cleaned(text, MINA)], MINA) == ()


words = st.sampled_from(("mina", "/srv/people/mina", "/home/bob/x", "~/", "a@b.io", "token=", "▮", "<user>", " ", "\n"))


@given(st.lists(st.one_of(words, st.text(max_size=8)), max_size=12).map("".join))
def test_cleaning_ends_with_nothing_that_leaks(text: str) -> None:
    once = cleaned(text, MINA)
    assert leaks([once], MINA) == ()


def test_every_text_of_a_value_is_cleaned_and_named() -> None:
    value = {"do": {"text": "su mina"}, "not": ["a", "/home/x/y"], "n": 1, "none": None}
    assert leaks(texts_of(value), MINA) == ("a user name", "a path in a home folder")
    clean = cleaned_value(value, MINA)
    assert clean == {"do": {"text": "su <user>"}, "not": ["a", "<path>"], "n": 1, "none": None}
    assert leaks(texts_of(clean), MINA) == ()


def test_a_long_text_is_cut() -> None:
    assert len(cleaned("word " * 1_000, MINA)) <= 2_000
