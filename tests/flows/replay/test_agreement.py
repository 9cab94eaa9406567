"""Whether two fixes say the same."""

from __future__ import annotations

import pytest

from core.flows.replay import agreement, steps_of

_EDIT = "**Change** `{}`\n\n```diff\n{}\n```\n\n**Checked**: `go test` no longer shows the error (message 9)."


def _ran(command: str) -> str:
    return f"**Run**\n\n- `{command}`\n\n**Checked**: `make` no longer shows the error (message 3)."


@pytest.mark.parametrize(
    ("known", "real", "agreed"),
    [
        (_ran("pip install pyyaml"), _ran("pip install pyyaml"), True),
        (_ran("kill 4711 && make"), _ran("kill 5812 && make"), True),
        (_ran("pip install pyyaml"), _ran("pip install requests"), False),
        (
            "**Run** `gh pr diff --name-only`\n\n**instead of** `gh pr diff --stat`",
            "**Run** `gh pr diff --patch`\n\n**instead of** `gh pr diff --stat`",
            False,
        ),
        (_EDIT.format("a.go", "- x := 1\n+ x := load(y)"), _EDIT.format("b.go", "-  x := 1\n+   x := load(y)"), True),
        (_EDIT.format("a.go", "+ total = price(cart)"), _EDIT.format("a.go", "+ if price(cart) > total {"), True),
        (_EDIT.format("a.go", "+ total = price(cart)"), _EDIT.format("a.go", "+ return nil"), False),
        (_EDIT.format("a.go", "+ total = price(cart)"), _ran("go mod tidy"), False),
        ("Talk to the administrators.", _ran("go mod tidy"), None),
    ],
)
def test_agreement(known: str, real: str, agreed: bool | None) -> None:
    assert agreement(known, real)[0] is agreed


def test_what_a_fix_rests_on_is_no_step() -> None:
    text = _ran("npm ci") + "\n\n**Linked**\n\n- line 3: `npm test` passed"
    assert steps_of(text).commands == {"npm ci"}
