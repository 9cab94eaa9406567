"""The practice that an error falls under: by the rule that its key line names, or by what its environment lacked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import apsw

from core.errors.identity.identity import Identity
from core.errors.identity.lack import lack_of
from core.errors.identity.rule import rule_of
from core.errors.practice.practice import Practice
from core.errors.practice.read import practice_about
from core.store import Store, faults

if TYPE_CHECKING:
    from core.errors.cases.case import Case, CaseKeyLine

_LINES: Final = 8
"""Errors of a case that are looked up."""


def practice_of(con: apsw.Connection, found: Identity, text: str, *repositories: str) -> Practice | None:
    """The practice for the first key line that has one (`practice_of_line`); `text` is what `found` was identified in.

    Raises apsw errors.
    """
    lines = ((line.text, line.tool, text[line.end :]) for line in found.key_lines)
    return next((one for line in lines if (one := practice_of_line(con, *line, repositories)) is not None), None)


def practice_of_case(store: Store, case: Case, error: CaseKeyLine | None = None) -> Practice | None:
    """The practice that a case falls under in its repository: by the `error` it is read at, else by its first one.

    Raises Fault of the store.
    """
    lines = case.fingerprints[:_LINES] if error is None else (error,)
    with faults(store.path):
        found = (practice_of_line(store.con, one.key_line, one.tool, "", (case.repository,)) for one in lines)
        return next((one for one in found if one is not None), None)


def practice_of_line(
    con: apsw.Connection, line: str, tool: str, context: str, repositories: tuple[str, ...]
) -> Practice | None:
    """The practice for a key line, in the first of these repositories that has one, else in the only other one.

    `tool` is the entry that found the line, `context` the output behind it. Raises apsw errors.
    """
    rule, lack = rule_of(line, tool, context), lack_of(line)
    if rule is not None:
        several = practice_about(con, "rule", rule.checker, rule.name)
    elif lack is not None:
        several = practice_about(con, "lack", lack.kind, lack.name)
    else:
        return None
    here = (one for name in repositories if name for one in several if one.repository == name)
    alone = len(several) == 1 or (lack is not None and rule is None)  # of one machine the repositories lack the same
    return next(here, several[0] if several and alone else None)
