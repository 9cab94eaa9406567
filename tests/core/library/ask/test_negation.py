"""A `not` that only the answer has, or only its source, is told, in English and Korean; one that both have is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.library.ask.negation import denials, plain, read
from core.library.ask.verdict import claims, contradicts, holds
from core.library.search.rows import Passage

RETRY = (
    "A client waits 200 ms before the first retry, then twice as long each time, up to five retries. A failed payment "
    "is not retried."
)
SLOW = "Every request has a timeout of 30 seconds. A request that is slower is cancelled and never repeated."
FREEZE = "The code is frozen on Thursday. Only the release manager, Maria Okafor, may lift the freeze."
ROLLBACK = "A rollback takes about 10 minutes. The on-call engineer decides on a rollback, not the release manager."
POOL = "connections | 20\nConnections are closed after 90 idle seconds.\nThe pool holds at most 20 connections."
BACKUP = "백업은 30일 동안 보관한다. 암호화하지 않은 백업은 보관하지 않는다. 매일 새벽 3시에 백업을 만든다."
RESTORE = (
    "복구는 관리자 두 명이 함께 승인해야 한다. 관리자가 승인하지 않으면 복구할 수 없다. 훈련은 분기마다 한다. "
    "음식물은 반입 금지다."
)
HOUSE = (
    "Backups are unencrypted. Telemetry is disabled by default. Food is forbidden in the server room. Do not restart "
    "the server during a backup. Nobody but the owner can delete a project. The curtain is closed while a beam is open."
)
GLOSSARY = {"결제": "payment", "재시도": "retry", "요청": "request", "취소": "cancel", "반복": "repeat", "느린": "slow",
            "실패": "fail", "클라이언트": "client", "기다리": "wait"}  # fmt: skip


def passage(text: str, at: int = 1) -> Passage:
    spans = '[{"kind":"line","start":1,"end":9}]'
    return Passage(at, f"chunk{at}", "doc", text, json.dumps(("Notes",)), "Notes", spans, "v", 1, 9,
                   f"n{at}.md", "Notes", "2026-01-01T00:00:00Z", None, None)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("A client does not wait 200 ms before the first retry", RETRY),
        ("A client doesn’t wait 200 ms before the first retry", RETRY),
        ("A client **never** waits 200 ms before the first retry", RETRY),
        ("Clients do not wait before the first retry", RETRY),
        ("No client waits 200 ms before the first retry", RETRY),
        ("A client fails to wait 200 ms before the first retry", RETRY),
        ("A client does not wait 200 ms before the first retry, and makes no more than five retries", RETRY),
        ("A failed payment is retried", RETRY),
        ("Requests do not have a timeout of 30 seconds", SLOW),
        ("A slower request is not cancelled", SLOW),
        ("A slower request is cancelled and then repeated", SLOW),
        ("The code is frozen, but not on Thursday", FREEZE),
        ("The release manager may not lift the freeze", FREEZE),
        ("The on-call engineer does not decide on a rollback", ROLLBACK),
        ("The release manager decides on a rollback, not the on-call engineer", ROLLBACK),
        ("The release manager decides on a rollback", ROLLBACK),
        ("The pool doesn't hold 20 connections", POOL),
        ("The curtain is not closed while a beam is open", HOUSE),
        ("You can restart the server during a backup", HOUSE),
        ("백업은 30일 동안 보관하지 않는다", BACKUP),
        ("백업은 30일간 보관되지 않습니다", BACKUP),
        ("백업은 30일 동안 안 보관한다", BACKUP),
        ("암호화한 백업은 보관하지 않는다", BACKUP),
        ("암호화하지 않은 백업도 보관한다", BACKUP),
        ("백업을 만들지 않는다", BACKUP),
        ("복구는 관리자 두 명이 함께 승인하지 않아도 된다", RESTORE),
        ("복구는 관리자 승인이 필요 없다", "복구는 관리자 두 명이 함께 승인해야 한다. 훈련은 분기마다 한다."),
        ("관리자가 승인하지 않으면 복구할 수 있다", RESTORE),
        ("음식물은 반입할 수 있다", RESTORE),
        ("실패한 결제는 재시도한다", RETRY),
        ("느린 요청은 취소되지 않는다", SLOW),
        ("느린 요청은 취소되고 반복된다", SLOW),
        ("클라이언트는 첫 재시도 전에 200ms를 기다리지 않는다", RETRY),
    ],
)
def test_a_denial_that_only_one_side_has_is_told_and_refutes(said: str, text: str) -> None:
    (one,) = claims(f"{said} [1].", [passage(text)], GLOSSARY)
    assert any(concern.kind == "negation" for concern in one.concerns)
    assert contradicts(one)
    assert not holds(one)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("No failed payment is retried", RETRY),
        ("Failed payments don't get a retry", RETRY),
        ("Payments that failed are never retried", RETRY),
        ("A client makes no more than five retries", RETRY),
        ("A client not only waits 200 ms before the first retry but also doubles the wait", RETRY),
        ("The client waits 200 ms before the first retry, but a failed payment is not retried", RETRY),
        ("A slower request is cancelled without being repeated", SLOW),
        ("Requests that are slower are cancelled and not repeated", SLOW),
        ("No one except Maria Okafor may lift the freeze", FREEZE),
        ("Others may not lift the freeze", FREEZE),
        ("The on-call engineer decides on a rollback", ROLLBACK),
        ("The pool never holds more than 20 connections", POOL),
        ("Backups are not encrypted", HOUSE),
        ("Telemetry is not enabled by default", HOUSE),
        ("Food is not allowed in the server room", HOUSE),
        ("The server must not be restarted during a backup", HOUSE),
        ("암호화되지 않은 백업은 보관되지 않습니다", BACKUP),
        ("암호화 안 한 백업은 보관 안 함", BACKUP),
        ("관리자가 승인하지 않으면 복구할 수 없습니다", RESTORE),
        ("관리자 두 명이 승인하지 않으면 안 된다", RESTORE),
        ("음식물을 반입하면 안 된다", RESTORE),
        ("결제가 실패하면 재시도하지 않는다", RETRY),
        ("느린 요청은 취소되고 반복되지 않습니다", SLOW),
    ],
)
def test_a_denial_that_the_source_has_in_other_words_is_let_be(said: str, text: str) -> None:
    assert denials(said, [text], GLOSSARY) == ()


def test_no_more_than_is_a_denial_where_the_source_says_more_than() -> None:
    assert denials("Backups stay for no more than 30 days", ["Backups stay for more than 30 days."])
    assert denials("Backups stay for no less than 30 days", ["Backups stay for up to 30 days."])
    assert not denials("Backups stay for no more than 30 days", ["Backups stay for up to 30 days."])


def test_a_denial_may_stand_in_any_cited_passage() -> None:
    said = "Slower requests are cancelled, and a failed payment is not retried"
    assert not denials(said, [SLOW, RETRY])
    assert denials("Slower requests are not cancelled, and a failed payment is not retried", [SLOW, RETRY])


def test_what_the_sources_do_not_speak_of_is_told_only_of_a_sentence_that_stands_on_them() -> None:
    said = "The notes do not mention jitter or anything else about a client"
    assert denials(said, [RETRY], held=False) == ()
    assert denials(said, [RETRY]) != ()


def test_a_denial_bears_on_its_word_and_reaches_to_the_end_of_its_clause() -> None:
    (one,) = read(plain("Files that cannot be read are left out, and told")).denials
    assert one.bears is not None
    assert (one.bears.text, [term.text for term in one.over]) == ("read", ["read"])
    assert [one.text for one in read("백업을 만들지 않는다, 그리고 안 지운다").denials] == [
        "만들지 않는다",
        "안 지운다",
    ]
    assert read("It doesn't wait").denials[0].text == "doesn't wait"
    assert read(plain("Whether or not it waits, there is no. 5")).denials == ()


_SUBJECTS = ("A backup", "The server", "Every request", "An invoice", "The night guard", "A visitor of the archive")
_VERBS = ("is", "was", "must be", "can be", "will be", "has been")
_DONE = ("checked twice", "kept for 30 days", "sent to Oslo", "paid in March", "locked at 18:00", "seen by two people")


_ROW = st.tuples(st.sampled_from(_SUBJECTS), st.sampled_from(_VERBS), st.sampled_from(_DONE))


@given(
    st.lists(_ROW, min_size=1, max_size=5, unique_by=lambda row: (row[0], row[2])),
    st.integers(0, 4),
    st.sampled_from(("not", "never")),
)
@settings(max_examples=150, deadline=None)
def test_any_sentence_of_a_source_with_a_not_added_is_flagged_and_never_held(
    rows: list[tuple[str, str, str]], at: int, word: str
) -> None:
    text = " ".join(f"{' '.join(row)}." for row in rows)
    subject, verb, done = rows[at % len(rows)]
    first, _, rest = verb.partition(" ")
    said = " ".join(one for one in (subject, first, word, rest, done) if one)
    (wrong,) = claims(f"{said} [1].", [passage(text)])
    assert wrong.status != "supported"
    assert contradicts(wrong)
    (right,) = claims(f"{subject} {verb} {done} [1].", [passage(text)])
    assert right.status == "supported"


@given(st.lists(st.text(alphabet="ab 가는 not않다no.,;\n없안'", max_size=60), max_size=3), st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_what_a_source_says_itself_is_never_a_denial_of_its_own(others: list[str], said: str) -> None:
    denials(said, others, GLOSSARY)
    for one in (part for part in said.split("\n") if part.strip()):
        assert not any(concern.quote for concern in denials(one, [*others, one]))


@pytest.mark.parametrize("piece", ["not ", "not, ", "않다 ", "a ", "a;", "no b. ", "n't", "안 ", "-지 않는다\n"])
def test_no_text_takes_long(piece: str) -> None:
    denials(piece * 4000, [piece * 4000], GLOSSARY)
