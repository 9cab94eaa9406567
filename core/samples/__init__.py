"""Sample transcripts shipped with casebook: invented sessions in the record shapes of Claude Code and Codex.

They feed `casebook demo` through the real importer: errors of a dozen tools in English and Korean, most of them fixed,
some open, one that only was slow for a moment; a resumed session, a subagent, a refused call, an invented password.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent


def sample_paths() -> list[Path]:
    """The folders of the samples, one an agent, as an import takes them; also in an installed copy."""
    return [_HERE / "claude-code", _HERE / "codex"]


def sample_rules() -> tuple[Path, Path]:
    """A rule file, and calls labelled with its rules, as `casebook rules compare` takes them."""
    return _HERE / "rules.md", _HERE / "rule-calls.jsonl"


DEMO_QUERIES: Final = (
    # The same error as one of the samples, in another file on another line.
    """Traceback (most recent call last):
  File "/srv/shop/checkout.py", line 118, in <module>
    print(total(cart))
  File "/srv/shop/tax.py", line 9, in total
    return net + net * RATES["FR"]
           ~~~~^~~~~~~~~~~~~
TypeError: unsupported operand type(s) for *: 'decimal.Decimal' and 'float'
""",
    # The same kind: another currency, another month.
    """Exception in thread "main" kr.ledger.RateMissing: 환율 표에 'CHF' 통화가 없습니다: 2026-10
\tat kr.ledger.Rates.require(Rates.java:41)
\tat kr.ledger.Report.convert(Report.java:45)
\tat kr.ledger.Main.main(Main.java:12)
""",
    # Begins alike: another library that needs its headers.
    """error: failed to run custom build command for `pq-sys v0.6.3`

Caused by:
  process didn't exit successfully: `/src/target/release/build/pq-sys-77ab/build-script-build` (exit status: 101)
""",
)
"""Errors to paste: one that is the same case as a sample, one of the same kind (Korean), one that only begins alike."""

DEMO_IN_OTHER_WORDS: Final = """could not connect to server: Connection refused
\tIs the server running on host "localhost" (127.0.0.1) and accepting
\tTCP/IP connections on port 5432?
"""
"""A sample's error as an older release words it: only a model of meaning finds it."""

DEMO_SESSION: Final = "eee65f53-e942-4ce5-b211-670eae679f02"
"""The sample session that the demonstration's entries were extracted from."""

DEMO_EXTRACTED: Final = """{"entries": [
  {"entryId": "rates-are-decimal", "type": "decision", "title": "Tax rates are Decimals, made from strings",
   "evidence": [{"messageIndex": 10,
     "quote": "I'll make the rates Decimal as well, built from strings so that no binary fraction sneaks in."}]},
  {"entryId": "database-was-up", "type": "fact", "title": "The database container was running all along",
   "evidence": [{"messageIndex": 27,
     "quote": "Nothing listens on 5432 because the database container is running."}]}
]}"""
"""What a model may have extracted: one quote is in the session word for word, the other lost its "not"."""

DEMO_TO_REVIEW: Final = (
    (
        DEMO_SESSION,
        """{"entries": [
  {"entryId": "all-tests-pass", "type": "observation", "title": "The whole suite passes after the change",
   "evidence": [{"messageIndex": 24, "quote": "All 57 tests pass. Next, the migration."}]},
  {"entryId": "column-from-migration", "type": "observation", "title": "The missing column comes with a migration",
   "evidence": [
     {"messageIndex": 36, "quote": "The colum comes with migration 4f1c, which has not been aplied to this database."},
     {"messageIndex": 41, "quote": "The migration was applied to the production database as well."}]},
  {"entryId": "rebase-before-push", "type": "lesson", "title": "Rebase before pushing a shared branch",
   "evidence": [{"messageIndex": 41, "quote": "this branch doesn't have, so it needs a rebase first"}]},
  {"entryId": "money-is-decimal", "type": "lesson", "title": "Money is Decimal everywhere",
   "evidence": [{"messageIndex": 10, "quote": "Decimal"}]}
]}""",
    ),
    (
        "ca75c98c-070e-44a5-8131-d962bf403345",
        """{"entries": [
  {"entryId": "constructor-left-null", "type": "observation", "title": "생성자가 환율 표를 채우지 않았다",
   "evidence": [{"messageIndex": 18, "quote": "생성자가 rates를 채우지 않아서 null인 채로 쓰입니다."}]},
  {"entryId": "unrelated-histories", "type": "lesson", "title": "공통 조상이 없는 저장소를 합칠 때",
   "evidence": [
     {"messageIndex": 42, "quote": "의도한 합치기라면 --allow-unrelated-histories가 필요 없습니다."},
     {"messageIndex": 35, "quote": "그래서 변경을 먼저 커밋했습니다."}]}
]}""",
    ),
)
"""More of it, for the review: a number, slips, a wrong message, one word in two places, a denial, inventions."""


DEMO_LIBRARY: Final = ("which requests are safe to retry?", "환율")
"""Questions about the sample notes: one in English, one Korean word that occurs inside longer ones."""


def sample_notes() -> Path:
    """The folder of sample notes, in English and Korean, for the library."""
    return _HERE / "notes"
