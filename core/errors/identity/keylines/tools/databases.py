"""Database shells and servers: PostgreSQL, MySQL, SQLite, Redis, MongoDB, Oracle, SQL Server, ClickHouse, ORMs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.identity.keylines.entry import CAUSE, REPORT, WRAPPER, Found, Tool, rule, whole
from core.errors.identity.keylines.lines import Page


def _sql_server(page: Page) -> Iterator[Found]:
    """`Msg n, Level …` and the message below it."""
    for number in page.having(("Msg ",)):
        if re.match(r"Msg \d+, Level \d+", page.text(number)) and page.text(number + 1):
            yield whole(page, number + 1, CAUSE)


def _oracle(page: Page) -> Iterator[Found]:
    for number in page.having(("ORA-", "PLS-", "SP2-", "TNS-")):
        if re.match(r"(?:.{0,40}: )?(?:ORA|PLS|SP2|TNS)-\d{4,5}: ", page.text(number)):
            yield whole(page, number, CAUSE)


TOOLS = (
    Tool(
        "psql",
        rules=(
            rule(
                ("ERROR:  ", "FATAL:  ", "PANIC:  ", "오류:  ", "치명적오류:  "),
                r"(?:ERROR|FATAL|PANIC|오류|치명적오류):  \S.*",
                CAUSE,
            ),
            rule("psql: ", r"psql: (?:error: |오류: |FATAL: ).*", CAUSE),
            rule(
                ("pg_", "createdb", "dropdb", "initdb", "postgres: "),
                r"(?:pg_\w+|createdb|dropdb|initdb|postgres): (?:error|오류|fatal|database .*failed).*",
                CAUSE,
            ),
        ),
    ),
    Tool(
        "mysql",
        rules=(
            rule("ERROR ", r"ERROR \d{4} \([0-9A-Z]{5}\)(?: at line \d+)?: .*", CAUSE),
            rule("mysqldump", r"mysql\w*: (?:Got error|\[ERROR\]|Couldn't|Error).*", CAUSE),
        ),
    ),
    Tool(
        "sqlite",
        rules=(
            rule("Parse error", r"Parse error(?: near line \d+)?: .*", CAUSE),
            rule("Runtime error", r"Runtime error(?: near line \d+)?: .*", CAUSE),
            rule(
                "Error: ",
                r"Error: (?:near |in prepare|stepping|unable to open|no such|file is not|database|UNIQUE|cannot).*",
                CAUSE,
            ),
        ),
    ),
    Tool(
        "redis",
        rules=(
            rule("(error) ", r"\(error\) .*", CAUSE),
            rule("Could not connect to Redis", r"Could not connect to Redis.*", CAUSE),
        ),
    ),
    Tool("mongodb", rules=(rule("Mongo", r"(?:Uncaught:?\s*)?Mongo\w*(?:Error|Exception)(?:\[\w+\])?: .*", CAUSE),)),
    Tool("oracle", signs=("ORA-", "PLS-", "SP2-", "TNS-"), find=_oracle),
    Tool("sqlserver", signs=("Msg ",), find=_sql_server),
    Tool(
        "clickhouse",
        rules=(
            rule(
                "DB::Exception",
                r"(?:Received exception from server.*|Code: \d+\. DB::Exception: .*|DB::Exception: .*)",
                CAUSE,
            ),
            rule("Received exception from server", r"Received exception.*", WRAPPER),
        ),
    ),
    Tool(
        "cassandra",
        rules=(
            rule(("InvalidRequest", "SyntaxException"), r"(?:InvalidRequest|SyntaxException|Unauthorized): .*", CAUSE),
        ),
    ),
    Tool(
        "prisma",
        rules=(
            rule("P", r"(?:Error: )?P[1-6]\d{3}\b(?!\Z).*", CAUSE),
            rule("Error: P", r"Error: P[1-6]\d{3}\Z", WRAPPER + 4),
            rule("Error code: P", r"Error code: P\d{4}", REPORT),
            rule("Prisma", r"Prisma\w+Error: .*", CAUSE),
        ),
    ),
    Tool(
        "liquibase",
        rules=(rule("Unexpected error running Liquibase", r"Unexpected error running Liquibase: .*", CAUSE),),
    ),
)
