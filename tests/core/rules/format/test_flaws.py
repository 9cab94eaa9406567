"""What is wrong with rule files: what costs most first, and a field that was probably mistyped is told."""

from __future__ import annotations

import pytest

from core.rules.format.parse import parse_text
from core.rules.format.rule import Flaw, dearest_first

WHOLE = "**Problem**: it breaks\n**Root Cause**: haste\n**Solution**: go slowly\n**Prevention**: a checklist\n"
DROWNED = f"""\
### ERR-001: no Prevention
**Problem**: it breaks
**Root Cause**: haste
**Solution**: go slowly
### ERR-002: no date
{WHOLE}**Date**: yesterday
## Notes
**Problem**: it stands under no rule
### ERR-003: one
{WHOLE}
### ERR-003: again
{WHOLE}```sh
rm -rf dist
"""


def slips(text: str) -> list[tuple[int, str]]:
    found = parse_text(text).flaws
    return [(flaw.line, flaw.message.rpartition(" ")[2]) for flaw in found if "mistyped" in flaw.message]


def test_what_costs_most_comes_first_and_what_can_be_done_without_last() -> None:
    flaws = dearest_first(parse_text(DROWNED, "m.md").flaws)
    assert [(one.cost, one.line) for one in flaws] == [
        ("lost", 12), ("lost", 19), ("lost", 24), ("odd", 10), ("missing", 1),
    ]  # fmt: skip
    assert flaws[-1].message == "ERR-001 has no Prevention"


def test_files_keep_their_order_and_what_is_told_of_two_of_them_is_not_put_apart() -> None:
    given = [Flaw("z.md", 9, "a"), Flaw("a.md", 1, "b"), Flaw("z.md", 2, "c"), Flaw("z.md", 1, "d", cost="missing")]
    assert [one.message for one in dearest_first(given)] == ["c", "a", "b", "d"]


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("Solutoin", "Solution"), ("Solutio", "Solution"), ("solutiom", "Solution"), ("Prevetion", "Prevention"),
        ("Root Cuase", "Cause"), ("RootCausse", "Cause"), ("Porblem", "Problem"), ("Dtae", "Date"),
        ("Porject", "Project"), ("Catgeory", "Category"), ("Solutions", "Solution"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sign", ["", "- "])
def test_a_mistyped_field_is_told_with_its_line(label: str, meant: str, sign: str) -> None:
    fields = [f"{sign}**{name}**: long enough" for name in ("Problem", "Root Cause", "Solution", "Prevention")]
    fields = [line for line in fields if meant not in line]
    fields.insert(1, f"{sign}**{label}**: long enough")
    text = "### ERR-001: t\n" + "\n".join(fields)
    assert slips(text) == [(3, meant)]
    assert not any("unknown field" in flaw.message for flaw in parse_text(text).flaws), "it is told once"


@pytest.mark.parametrize(
    "label",
    [
        "Data", "Rate", "Gate", "Dates", "Protect", "Note", "Step 1", "Problem 2", "Solution B", "Solutions",
        "Projekt", "Projet", "Problema", "Probleem", "Solución", "Solucion", "Prevencion", "Fix", "Cause", "해결",
        "문제점", "対処法", "対処", "解决", "予防案", "Status", "Prevented", "Solve", "`solution_`x", "해겸",
        "Resolution",
    ],
)  # fmt: skip
@pytest.mark.parametrize("sign", ["", "- "])
def test_notes_and_names_in_any_language_are_no_slips(label: str, sign: str) -> None:
    assert slips(f"### ERR-001: t\n{WHOLE}{sign}**{label}**: of its own\n") == []


def test_what_a_fence_shows_is_no_slip() -> None:
    assert slips(f"### ERR-001: t\n{WHOLE}```\n**Solutoin**: x\n```\n") == []
