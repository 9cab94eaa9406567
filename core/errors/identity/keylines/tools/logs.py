"""Structured logs and error bodies: logfmt, JSON lines, level-first lines."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.entry import DETAIL, REPORT, Found, Part, Tool, rule
from core.errors.identity.keylines.lines import Page

_FIELD = lazy_pattern(
    r'"(?:message|error_description|errorMessage|msg|detail|error|title|reason|'
    r'err)"\s*:\s*"(?P<said>(?:[^"\\]|\\.){3,4000})"'
)
_LEVEL = lazy_pattern(r'"(?:level|severity|lvl|levelname|log\.level)"\s*:\s*"?(?P<level>[A-Za-z]+|\d+)')
_BAD = frozenset(["error", "fatal", "critical", "panic", "crit", "err", "severe", "emerg", "alert", "50", "60"])


def _json(page: Page) -> Iterator[Found]:
    """The message in a JSON log line of a bad level, or in a JSON error body."""
    for number in page.having(
        (
            '"message"',
            '"msg"',
            '"error"',
            '"detail"',
            '"errorMessage"',
            '"error_description"',
            '"title"',
            '"reason"',
            '"err"',
        )
    ):
        text = page.text(number)
        if text.lstrip()[:1] not in ("{", '"', "}"):
            continue
        level = _LEVEL.search(text)
        if level and level["level"].lower() not in _BAD:
            continue
        if match := _FIELD.search(text):
            yield Found(REPORT - 5 if level else DETAIL + 5, (Part(number, *match.span("said")),))


TOOLS = (
    Tool(
        "logfmt",
        rules=(rule(("level=", "lvl="), r".*\b(?:level|lvl)=(?:error|fatal|panic|crit|ERROR|FATAL)\b.*", REPORT - 5),),
    ),
    Tool("html", rules=(rule(("<title>", "<h1>"), r".*?<(?:title|h1)>(?P<key>[^<>]{3,300})</", DETAIL + 1),)),
    Tool("json", signs=('"',), find=_json),
    Tool(
        "log",
        rules=(
            rule(
                ("ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC", "[error]", "[fatal]", "ERR "),
                r"\[?(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|error|fatal|ERR)\]?(?:[:\s|-]|\[)\s*"
                r"(?!.*(?:non-zero|exited with|exit (?:code|status)))\S.*",
                REPORT - 6,
            ),
            rule(
                (" ERROR ", "[ERROR]", " FATAL ", "[FATAL]"),
                r"\[[\w .:/@-]{1,80}\] (?:\[?(?:ERROR|FATAL|CRITICAL)\]?) .*",
                REPORT - 6,
            ),
        ),
    ),
)
