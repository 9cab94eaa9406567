"""Texts that a user can see: strings of the code, prose of the pages. See `python -m tests.words.strings --help`."""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from tests.syntax import nodes_of

ROOT = Path(__file__).parent.parent.parent
CODE = ("core", "cli", "tui", "agent_casebook")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs")

_DATA = re.compile(
    r"core/(rules/data|samples|schemas|store/schema|text/secrets|text/(redaction|cleaning|tokenizing)|align/guard"
    r"|errors/identity|errors/equivalence|lexical|transcripts/(commands|fields|lines|plain|claude\w+|codex)"
    r"|flows/harvest/(programs|words|signatures|fixes/likelihood)|rules/matching/languages)"
)
"""Modules whose strings are data: vocabulary, patterns, samples."""
_NO_PROSE = re.compile(
    r"\b(SELECT|CASE|iif|INSERT|UPDATE|DELETE FROM|CREATE|DROP|PRAGMA|FROM|WHERE|ORDER BY|LEFT JOIN|UNION ALL|VALUES)\b"
    r"|\(\?[:=!<iams]|\\[bsdwSDWn.\[(]|\[\^"  # SQL, then patterns
)
_PATTERNS = frozenset({"re", "regex", "_re", "struct"})
"""Modules whose functions take patterns and formats."""
LONGEST = 20
"""Words of a sentence."""
BANNED = re.compile(
    r"\b(stands?(?! for\b)|stood|standing|told|tells|lit|leads?|mend(?:s|ed|ing)?|anew|beside|merely|go(?:es)? on"
    r"|went on|meets?|met|whole number|(?<!there )is no(?! longer)|some(?:body|one)|any(?:body|one)|nobody|no one"
    r"|whoever|whose|who|one(?= (?:can|may|must|does|looks|wants|needs|asks|knows)\b)|of (?:its|their) own"
    r"|at hand|heard|apart|pictures?|words alone|in other words|variables of the environment"
    r"|there is no (?:file|folder|casebook|line|page|backup|message))\b",
    re.IGNORECASE,
)
ALLOWED = re.compile(
    r"generic leads?|requirements? (?:is|are) met|whose (?:name|path|id|fix|quotes)\b|apart from", re.IGNORECASE
)
"""Uses of banned words that are plain English."""

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_HOLE = "◦"
"""Stands for an expression in an f-string, and for code in a page."""


@dataclass(frozen=True, slots=True)
class Text:
    place: str
    """`path:line`."""
    kind: str
    """`interface` or `page`."""
    text: str


def strings(root: Path = ROOT, folders: tuple[str, ...] = CODE) -> Iterator[Text]:
    """Strings of the code that hold at least two words of prose; f-strings with `◦` for their expressions."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if not _DATA.match(name):
                for line, text in _of_nodes(nodes_of(path.read_text(encoding="utf-8"))):
                    if _is_prose(text):
                        yield Text(f"{name}:{line}", "interface", text)


def prose(root: Path = ROOT, pages: tuple[str, ...] = PAGES) -> Iterator[Text]:
    """Paragraphs, list items, headings and table cells of the Markdown pages, code as `◦`."""
    for page in pages:
        for path in [root / page] if page.endswith(".md") else sorted((root / page).rglob("*.md")):
            if not path.exists() or "generated" in path.read_text(encoding="utf-8")[:200]:
                continue
            line = 0
            for token in MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8")):
                line = token.map[0] + 1 if token.map else line
                if token.type == "inline":
                    text = "".join(_of_inline(child.type, child.content) for child in token.children or ())
                    if _is_prose(text):
                        yield Text(f"{path.relative_to(root).as_posix()}:{line}", "page", text)


def sentences(text: Text) -> list[str]:
    """Its sentences. A line end and a `·` end one in the interface, in a page a line end does not."""
    parts = re.split(r"\n+| · | — " if text.kind == "interface" else r"\n\n", text.text)
    return [
        one.strip() for part in parts for one in re.split(r"(?<=[.!?])[)\"”’]*\s+(?=\S)", part) if _WORD.search(one)
    ]


def words(sentence: str) -> int:
    """How many words it has; an expression or a piece of code is one."""
    return len(re.findall(rf"{_HOLE}|{_WORD.pattern}|\d[\d.,]*", sentence))


def faults(text: Text) -> list[tuple[str, str]]:
    """What STYLE forbids and a program can see: `word`, `length` (more than 20 words), `semicolon` (interface only)."""
    found = [("word", one[0]) for one in BANNED.finditer(ALLOWED.sub("", text.text))]
    found += [("length", sentence) for sentence in sentences(text) if words(sentence) > LONGEST]
    if text.kind == "interface" and "; " in text.text:
        found.append(("semicolon", text.text))
    return found


def _of_nodes(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    inside: set[int] = set()  # parts of what was yielded whole, docstrings, patterns
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))  # a docstring, of a name too
        elif isinstance(node, ast.Call) and _begins_with_module(node.func):
            inside |= {id(one) for one in ast.walk(node)}
        elif isinstance(node, ast.Attribute) and node.attr == "split":
            inside.add(id(node.value))  # words of a list
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            inside |= {id(one) for one in ast.walk(node.annotation)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast":
            inside |= {id(one) for one in ast.walk(node.args[0])}
        if id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            inside |= {id(one) for one in node.values}
            for one in node.values:  # the format after `:` is none of ours
                if isinstance(one, ast.FormattedValue) and one.format_spec:
                    inside |= {id(part) for part in ast.walk(one.format_spec)}
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else _HOLE for one in node.values)
            yield node.lineno, text
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _begins_with_module(function: ast.expr) -> bool:
    """Whether it is an attribute of a module of `_PATTERNS`, or of what such an attribute gives."""
    inner: ast.expr = function
    while True:
        match inner:
            case ast.Attribute(value=ast.Name(id=name)):
                return name in _PATTERNS
            case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Call(func=value):
                inner = value
            case _:
                return False


def _of_inline(kind: str, content: str) -> str:
    if kind in ("text", "softbreak", "hardbreak"):
        return content if kind == "text" else " "
    return _HOLE if kind in ("code_inline", "image") else ""


def _is_prose(text: str) -> bool:
    """True for two words of letters with a space between them, and neither SQL nor a pattern."""
    found = _WORD.findall(text)
    if len(found) > LONGEST and not re.search(r"[.,:;?!◦]", text):
        return False  # a list of words
    return len(found) > 1 and bool(
        re.search(r"[a-z](?:[\w'’-]*)[,;:.?!)]? [(\"“]?[a-z◦]", text) and not _NO_PROSE.search(text)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="List the texts that a user can see.")
    parser.add_argument(
        "under", nargs="*", help="only places that begin with one of these: tui/panes, docs/reference/cli.md"
    )
    parser.add_argument("--faults", action="store_true", help="only what test_words.py counts")
    parser.add_argument("--sample", type=int, metavar="N", help="N random sentences")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    given = parser.parse_args()
    texts = [*strings(), *prose()]
    texts = [one for one in texts if not given.under or one.place.startswith(tuple(given.under))]
    if given.sample:
        found = [f"{one.place}\t{sentence}" for one in texts for sentence in sentences(one)]
        print(*random.Random(given.seed).sample(found, given.sample), sep="\n")
    elif given.faults:
        print(*(f"{one.place}: {kind}: {what}" for one in texts for kind, what in faults(one)), sep="\n")
    else:
        print(*(f"{one.place}\t{one.text!r}" for one in texts), sep="\n")


if __name__ == "__main__":
    main()
