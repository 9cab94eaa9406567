"""Other forms of the same: digit groups, percent, dates, accents, spellings, links; and small words that are not."""

from __future__ import annotations

import pytest

from core.align import AlignSettings, Session, align_quote


def status(source: str, quote: str) -> str:
    return align_quote(Session([f"Notes here. {source} End of it."]), 0, quote, AlignSettings()).status


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The hosts saw 12,400, 9,310 and 801 errors.", "The hosts saw 12400, 9310 and 801 errors."),
        ("About 35 percent of the calls were retried.", "About 35% of the calls were retried."),
        ("전체 호출의 35퍼센트가 다시 시도됐습니다.", "전체 호출의 35%가 다시 시도됐습니다."),
        ("The audit is due on March 3, 2026 at the latest.", "The audit is due on 3 March 2026 at the latest."),
        ("The audit is due on 2026-03-03 at the latest.", "The audit is due on March 3, 2026 at the latest."),
        ("감사는 2026년 3월 3일까지 끝내야 합니다.", "감사는 2026-03-03까지 끝내야 합니다."),
        ("Zoë and Núria wrote the résumé parser last year.", "Zoe and Nuria wrote the resume parser last year."),
        ("지금 배포하면 안 돼서 내일로 미뤘습니다.", "지금 배포하면 안 되서 내일로 미뤘습니다."),
        ("며칠 뒤에 로그 서버를 다시 확인할게요.", "몇일 뒤에 로그 서버를 다시 확인할게요."),
        (
            'Read the [setup notes](https://wiki.example.org/Foo_(bar)#x "Setup") before the first run.',
            "Read the setup notes before the first run.",
        ),
        ("\x1b[32m✓\x1b[39m 14 tests passed in \x1b[1m2.1s\x1b[22m", "✓ 14 tests passed in 2.1s"),
        ("The few tenants that moved are fine.", "few tenants that moved are fine"),
    ],
)
def test_another_form_says_the_same(source: str, quote: str) -> None:
    assert status(source, quote) == "aligned"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The audit is due on March 3, 2026 at the latest.", "The audit is due on March 5, 2026 at the latest."),
        ("The audit is due on 3 March 2026 at the latest.", "The audit is due on 2026-03-13 at the latest."),
        ("감사는 2026년 3월 3일까지 끝내야 합니다.", "감사는 2026-03-04까지 끝내야 합니다."),
        ("감사는 2026년 3월 3일까지 끝내야 합니다.", "감사는 2026-03-03 끝내야 합니다."),
        ("About 35 percent of the calls were retried.", "About 35 of the calls were retried."),
        ("팀장의 결제가 끝나야 배포합니다.", "팀장의 결재가 끝나야 배포합니다."),
        ("The load was at 91% at noon.", "The load was at 91"),
        ("A few tenants have moved already.", "Few tenants have moved already."),
        ("Few tenants have moved already.", "A few tenants have moved already."),
        ("There was a little slack in the plan.", "There was little slack in the plan."),
        ("Quite a few tenants moved last week.", "A few tenants moved last week."),
        ("A number of jobs were late again.", "The number of jobs were late again."),
    ],
)
def test_another_number_date_or_quantity_does_not(source: str, quote: str) -> None:
    assert status(source, quote) == "flagged"


@pytest.mark.parametrize(
    ("text", "quote", "status"),
    [
        ("Loaded 1 250 000 points in one go.", "Loaded 1,250,000 points in one go.", "aligned"),
        ("Loaded 1 250 000 points in one go.", "Loaded 1,250,001 points in one go.", "flagged"),
        ("큐에 5만 건이 쌓였다가 빠졌습니다.", "큐에 50,000건이 쌓였다가 빠졌습니다.", "aligned"),
        ("큐에 5만 건이 쌓였다가 빠졌습니다.", "큐에 5건이 쌓였다가 빠졌습니다.", "flagged"),
        ("큐에 1.5만 건이 쌓였다가 빠졌습니다.", "큐에 15,000건이 쌓였다가 빠졌습니다.", "aligned"),
        ("설정을 바꿨더니 화면이 빨라졌습니다.", "설정을 바꿧더니 화면이 빨라졌습니다.", "aligned"),
        ("이벤트가 두 번 발행되는 문제를 막았습니다.", "이벤트가 두 번 발행돼는 문제를 막았습니다.", "aligned"),
        ("설정을 바꿨더니 화면이 빨라졌습니다.", "설정을 바꾸더니 화면이 빨라졌습니다.", "flagged"),
    ],
)
def test_a_number_or_a_syllable_written_in_another_way_says_the_same(text: str, quote: str, status: str) -> None:
    assert align_quote(Session([text]), 0, quote, AlignSettings()).status == status
