"""Which sentences of a person state a norm, and which only say what to do here and now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.flows.corrections.norms import norms_in

NORMS = """\
always run the formatter before you hand me a patch
Never push to main directly.
no, never use rm -rf on the data folder
from now on use pnpm
From now on, ask me before touching migrations.
please don't use mocks in integration tests
Don't add comments that repeat the code.
do not commit unless I ask you to
don't deploy without asking
we use tabs, not spaces
no, we use pnpm
We never squash merge commits.
In this repo we squash everything.
don't write to the production bucket from here
prefer composition over inheritance
use ripgrep instead of grep
avoid global state
stop adding emojis to commit messages
only commit when I tell you to
when writing tests, use table driven tests
run the tests before pushing
You should never edit generated files.
you must always quote variables in bash scripts
tests must never hit the network
commit messages should always be in English
I want you to always show the diff before committing
next time run the linter before you push
whenever you touch the schema, bump the version
going forward, put invoices in the billing module
make sure to always close database connections
I don't want tokens under my account
we don't use lodash
under no circumstances delete snapshots
In general, keep functions short.
don't mock the clock in unit tests
I don't want keys in my account that are used by others
"""
"""Instructions of several trades: kitchens of code, databases, documents, infrastructure."""

OTHER = """\
don't check this in
don't do that yet
pull rebase first
rebase from main first
let's not make this change in this branch
never mind, we'll look at it later
main is clean
use linear comment for the plan
should we always run the linter?
do we never close it?
it always fails on CI
you never told me about that flag
we always seem to get a timeout
why is it always the same hash
we have more inbound changes coming
we need to rebase on main now
we did a migration yesterday
we just did this exercise
I've done it - keep going
commit, push and open a draft PR
don't worry about it
don't make any changes
do not edit files
don't change anything, just explain
just define filesToArchive and drop standardFiles
no don't set it, let's see if it keeps happening
use checkpointID instead of cpID
can we use the typed CheckpointId inside RewindPoint
retry committing the changes
what does lint say now
is 241 really still a problem
I want the formula to be called tab instead of entire
there should always be a commit matching the session
the tests always pass locally
integration suite never finishes on my machine
keep both fields but always write steps_count now
let's do this as a separate PR
we go from checkpoint to checkpoint yeah
use the other endpoint
don't touch that file
we're in project Troy
the repo is now elsewhere but the binary is still the same
we see failures in CI
check the logs before continuing
I never said commit
like there should always be a row for it
we can always render it later
"""

KOREAN = """\
항상 테스트를 돌리고 커밋해 주세요
앞으로는 pnpm을 사용해 주세요
다음부터는 먼저 물어봐 주세요
절대 main 브랜치에 직접 푸시하지 마세요
테스트에서는 목을 쓰지 마
커밋 메시지에 이모지 넣지 마세요
우리는 탭을 사용합니다
이 저장소에서는 스쿼시 머지를 금지
운영 데이터베이스에는 접속하지 말 것
매번 마이그레이션 버전을 올려야 합니다
"""

KOREAN_OTHER = """\
이거 커밋하지 마
그 파일은 건드리지 마
지금은 푸시하지 마
항상 이렇게 실패하나요?
왜 항상 실패하지
항상 실패했어
테스트 다시 돌려 봐
하지 마
아직 커밋하지 마
일단 여기까지 해줘
계속해
main 브랜치에 푸시했어
"""


FRESH = """\
Never store patient names in the notebook outputs.
please always cast the price to Decimal
from now on translations go through the glossary
we don't deploy on Fridays
In this project we name shaders after their pass.
don't hardcode colours in components
avoid pandas apply
prefer named exports to default exports
only touch terraform state after I confirm
before releasing, update the changelog
Use semantic versions, not dates.
don't use force unwraps in Swift
You must never log access tokens
we never rebase release branches
when you add an endpoint, document it
stop writing docstrings for private helpers
I always want to see the plan before you apply it
contracts must always name both parties
next time ask before you drop a table
Do not edit vendored code without asking.
we keep secrets in vault, not in env files
앞으로 문서는 한국어로 작성해 주세요
절대 운영 서버를 재시작하지 마
이 프로젝트에서는 세미콜론을 쓰지 말아 주세요
테스트 데이터에는 실명을 넣지 마세요
다음부터는 리뷰 없이 머지하지 마
"""
"""Written after the last change to the rules, of other trades, and not looked at by them."""

FRESH_OTHER = """\
drop the second column instead
that texture is wrong, use the other one
why do we always load the model twice?
the job never starts when the queue is empty
don't run it on my machine please
I don't think that helps
no, the left button
we always get a 502 from the gateway
we use the cached value here by mistake
let's keep the old name for now
try with a smaller batch first
don't bother with the docs
it should be blue
the client wants a refund, not a voucher
never mind that
you always rename my files
can we prefer the new parser?
put the invoice in the second folder
we just need the totals
use the staging key
before we go on, show me the diff
whenever I click it the app crashes
no I want the chart on the left
do not merge yet
I prefer the second option
we have two of those
이 파일만 고쳐줘
이번에는 배포하지 마
서버가 항상 느려요
왜 테스트를 안 돌렸어?
두 번째 안으로 가자
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("said", [*lines(NORMS), *lines(KOREAN)])
def test_norm(said: str) -> None:
    (found,) = norms_in(said)
    assert found.reason


@pytest.mark.parametrize("said", [*lines(OTHER), *lines(KOREAN_OTHER)])
def test_no_norm(said: str) -> None:
    assert norms_in(said) == ()


def test_fresh_samples() -> None:
    """No order of the moment is taken for a norm; nine norms of ten would be a fair share, eight a poor one."""
    found = [said for said in lines(FRESH) if norms_in(said)]
    assert len(found) / len(lines(FRESH)) > 0.85
    assert [said for said in lines(FRESH_OTHER) if norms_in(said)] == []


def test_only_the_sentence_that_states_the_norm() -> None:
    said = "hmm, that is wrong. Never push to main. Can you revert it?"
    (found,) = norms_in(said)
    assert said[found.start : found.end] == "Never push to main"


def test_pasted_text_is_no_persons_word() -> None:
    assert norms_in("> never push to main\n```\nalways run tests\n```\n<note>always run tests</note>") == ()
    assert norms_in("always run tests\n" * 500) == ()


@given(st.text(alphabet="aà항상 never always don't use\u202e\x1b[31m\0.?!\n`<>#/-_,1", max_size=300))
def test_span_lies_in_the_text(said: str) -> None:
    for found in norms_in(said):
        assert 0 <= found.start < found.end <= len(said)
        assert said[found.start : found.end] == said[found.start : found.end].strip()
