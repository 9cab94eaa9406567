"""What a closed fence, a comment or `<pre>` shows is never a rule, and costs the rule around it nothing."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.format.parse import parse_text

EXAMPLE = """\
### ERR-900: title
**Problem**: a shown problem
**Root Cause**: a shown cause
**Solution**: a shown cure
**Prevention**: shown care
"""
CODE = "```bash\nls\n```\n"
BEFORE = "### ERR-001: one\n**Problem**: the problem\n**Root Cause**: the cause\n**Solution**: write it so:\n"
BEHIND = "and go on\n**Prevention**: real care\n"
NEXT = """
### ERR-002: two
**Problem**: another
**Root Cause**: its cause
**Solution**: its cure
**Prevention**: its care
"""
WORDS = [
    "",
    "bash",
    "sh",
    "python",
    "console",
    "diff",
    "yaml",
    "jinja",
    "마크다운",
    "markdown",
    "md",
    "text",
    "bash title=x",
]


@pytest.mark.parametrize(
    "shown",
    [
        *(f"```{word}\n{EXAMPLE}```\n" for word in WORDS),
        f"```bash\ncat >> ~/.claude/memory.md <<'EOF'\n{EXAMPLE}EOF\n```\n",
        f"```python\ntext = '''\n{EXAMPLE}'''\n```\n",
        "```bash\n### ERR-900: x\n\n**Problem**: y\n```\n",
        f"```markdown\n{EXAMPLE}{CODE}```\n",
        f"```markdown\n{CODE}{EXAMPLE}```\n",
        f"```sh\n{EXAMPLE}{CODE}{CODE}```\n",
        f"```\n{EXAMPLE}```\nthen\n```\n{EXAMPLE.replace('900', '901')}```\n",
        f"~~~sh\n{EXAMPLE}~~~\n",
        f"text <!--\n{EXAMPLE}-->\n",
        f"<pre>\n{EXAMPLE}</pre>\n",
        f'<PRE class="x">\n{EXAMPLE}</PRE>\n',
    ],
)
@pytest.mark.parametrize("more", ["", CODE, "```\nls\n```\n"])
def test_a_rule_that_is_shown_is_no_rule_and_the_one_around_it_keeps_its_text(shown: str, more: str) -> None:
    found = parse_text(BEFORE + shown + more + BEHIND + NEXT + "```sh\nls\n```\n")
    assert [rule.id for rule in found.rules] == ["ERR-001", "ERR-002"]
    assert found.rules[0].solution.endswith("and go on")
    assert found.rules[0].prevention == "real care"
    assert found.flaws == ()


@pytest.mark.parametrize("said", ["an arrow --> here", "`<!--` begins one", "text <!-- not closed"])
def test_a_line_that_only_speaks_of_comments_opens_none(said: str) -> None:
    found = parse_text(BEFORE + said + "\n" + BEHIND + NEXT + "a --> b\n")
    assert [rule.id for rule in found.rules] == ["ERR-001", "ERR-002"]
    assert found.rules[0].prevention == "real care"


def test_a_fence_of_code_that_ends_its_rule_and_holds_another_is_told() -> None:
    found = parse_text(BEFORE + BEHIND + f"```bash\nrm\n{EXAMPLE}```\n" + NEXT)
    assert [rule.id for rule in found.rules] == ["ERR-001", "ERR-002"]
    assert [(flaw.line, flaw.message) for flaw in found.flaws] == [
        (7, "this code fence contains a rule. casebook reads it as an example")
    ]


_plain = st.sampled_from(["text", "", "- a step", "**Note**: x", "use `git`"])
_code = st.sampled_from([CODE, "```\nls\n```", "~~~\nls\n~~~", "````\n```\n````"])
_shown = st.lists(st.sampled_from([EXAMPLE, "### ERR-901: short", "ls", "EOF", "**Solution**: x", CODE]), max_size=5)


@st.composite
def _fence(draw: st.DrawFn) -> str:
    sign = draw(st.sampled_from(["```", "~~~", "````"]))
    word = draw(st.sampled_from(WORDS))
    return f"{sign}{word}\n" + "\n".join(draw(_shown)) + f"\n{sign}"


@given(st.lists(st.lists(_plain | _code | _fence(), max_size=4), min_size=1, max_size=4))
def test_no_text_of_a_closed_fence_is_ever_a_rule(bodies: list[list[str]]) -> None:
    text = "".join(
        f"### ERR-{at:03}: real\n**Problem**: real\n" + "\n".join(body) + f"\n**Prevention**: real care {at}\n\n"
        for at, body in enumerate(bodies, 1)
    )
    found = parse_text(text)
    assert [rule.id for rule in found.rules] == [f"ERR-{at:03}" for at in range(1, len(bodies) + 1)]
    assert [rule.prevention for rule in found.rules] == [f"real care {at}" for at in range(1, len(bodies) + 1)]
    assert not any("not closed" in flaw.message for flaw in found.flaws)


@pytest.mark.parametrize("opened", ["```bash\nrm\n", "```\nrm\n", "```md\nx\n"])
def test_a_fence_that_is_never_closed_takes_no_rule_whatever_fences_those_have(opened: str) -> None:
    bodies = ["", CODE, "```\nls\n```\n", CODE + "```\nls\n```\n", "```\nls\n```\n" * 2]
    for rest in product(bodies, repeat=3):
        text = "".join(f"### ERR-{at:03}: real\n**Problem**: real\n{x}" for at, x in enumerate((opened, *rest), 1))
        assert len(parse_text(text).rules) == 4, text
