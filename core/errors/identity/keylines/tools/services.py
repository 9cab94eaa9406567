"""Services: clouds (Terraform, Ansible, web servers, curl), containers (Docker, Kubernetes, Helm), databases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, read_tools
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, whole


def _terraform(page: Page) -> Iterator[KeyLineCandidate]:
    """The headline of each box; its gutter was taken off."""
    for number in page.having(("Error: ",)):
        if page.text(number).lstrip("╷│ ").startswith("Error: "):
            yield whole(page, number, REPORT)


def _ansible(page: Page) -> Iterator[KeyLineCandidate]:
    """`fatal: [host]: FAILED! => …`; one that the play ignores comes after the others."""
    for number in page.having(("FAILED!", "UNREACHABLE!")):
        if re.match(r"(?:fatal|failed): \[.*?\].*(?:FAILED|UNREACHABLE)!", page.text(number)):
            yield whole(page, number, REPORT - 1 if page.text(number + 1).startswith("...ignoring") else REPORT)


def _wrangler(page: Page) -> Iterator[KeyLineCandidate]:
    """`A request … failed.` wraps what the service answered, on the next line."""
    for number in page.having(("[ERROR] A request to the Cloudflare API",)):
        message_number = page.next_filled(number + 1, 3)
        yield whole(page, number, DETAIL)
        if message_number is not None:
            yield whole(page, message_number, CAUSE + 1)


CLOUDS = read_tools("clouds", _wrangler, _terraform, _ansible)


_RUN = r"(?:process|executor failed running|The command) .*(?:did not complete|returned a non-zero|exit code).*"


def _solve(page: Page) -> Iterator[KeyLineCandidate]:
    """`failed to solve` wraps what the step said, unless it names the reason itself."""
    for number in page.having(("failed to solve", "ERROR: ")):
        text = page.text(number).lstrip()
        if not re.match(r"(?:ERROR: )?(?:failed to solve|" + _RUN[3:], text) and "failed to solve" not in text:
            continue
        hollow = "did not complete successfully" in text or "executor failed running" in text or "exit code" in text
        yield whole(page, number, WRAPPER if hollow else REPORT)


CONTAINERS = read_tools("containers", _solve, RUN=_RUN)


def _sql_server(page: Page) -> Iterator[KeyLineCandidate]:
    """`Msg n, Level …` and the message below it."""
    for number in page.having(("Msg ",)):
        if re.match(r"Msg \d+, Level \d+", page.text(number)) and page.text(number + 1):
            yield whole(page, number + 1, CAUSE)


def _oracle(page: Page) -> Iterator[KeyLineCandidate]:
    for number in page.having(("ORA-", "PLS-", "SP2-", "TNS-")):
        if re.match(r"(?:.{0,40}: )?(?:ORA|PLS|SP2|TNS)-\d{4,5}: ", page.text(number)):
            yield whole(page, number, CAUSE)


_DBT = re.compile(
    r".{0,40}(?:(?:Compilation|Database|Dependency|Parsing|Runtime|Validation) Error in \w+ |Failure in test )\S+ "
)


def _dbt(page: Page) -> Iterator[KeyLineCandidate]:
    """The message below the heading of a model, a test or a macro that failed."""
    for number in page.having((" Error in ", "Failure in test ")):
        below = page.next_filled(number + 1, 2)
        if below is not None and _DBT.match(page.text(number)):
            yield whole(page, below, CAUSE)


DATABASES = read_tools("databases", _dbt, _oracle, _sql_server)
