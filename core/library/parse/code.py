"""Source code as blocks: one a definition, by tree-sitter (the extra `code`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from core.base.lazy import text_tables
from core.library.documents.rows import CodeSpan, Parsed, ParsedBlock
from core.library.parse.text import parse_text

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LARGEST: Final = 4_000_000
"""Code points; larger code is read as plain paragraphs: no hand wrote it."""
_DEEPEST: Final = 60
_READ: Final = 1 << 12
_LEAST_STEPS: Final = 16
_BYTES_A_STEP: Final = 32
"""A step is a hundred operations of the parser; code takes one for 45 to 300 bytes."""
_GAVE_UP: Final = "parser timeout: read as plain text"
_WORD = re.compile(r"\w")
_GENERIC = re.compile(r"<.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Language:
    """`module` and `factory` give the grammar. `units` are cut out whole; `holders` have units inside them.

    `joint` stands between the parts of a name; `place` says what a name begins with: the file's path as a module, the
    package that the file names, or nothing.
    """

    module: str
    units: frozenset[str]
    holders: frozenset[str]
    joint: str = "."
    place: str = ""
    factory: str = "language"
    rest: str = "<top-level>"


def _types(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WITH_DEFAULTS = frozenset({"typescript", "tsx", "javascript"})
_NAMELESS = _types("function_expression generator_function arrow_function class")
"""What `export default` may export without a name; its symbol is `default`, by which others import it."""


def _language(rows: str) -> Language:
    row = dict(line.split(": ", 1) for line in rows.splitlines())
    return Language(row.pop("module"), _types(row.pop("units")), _types(row.pop("holders", "")), **row)


LANGUAGES: Final = {name: _language(rows) for name, rows in text_tables(__file__).items()}

THROUGH: Final = _types(
    "ERROR block class_body enum_body enum_body_declarations interface_body declaration_list field_declaration_list "
    "statement_block export_statement decorated_definition template_declaration expression_statement "
    "linkage_specification preproc_if preproc_ifdef preproc_else preproc_elif foreign_mod_item"
)
"""Nodes that are looked into on the way to units."""

BEFORE: Final = _types(
    "comment line_comment block_comment multiline_comment attribute_item decorator marker_annotation annotation"
)
"""Nodes that belong to the unit right below them."""


def grammar_of(lang: str | None, name: str = "") -> str | None:
    """Under which name the grammar of a language is known, or None where there is none or it is not installed."""
    grammar = "tsx" if lang == "typescript" and name.lower().endswith(".tsx") else lang or ""
    language = LANGUAGES.get(grammar)
    installed = language is not None and find_spec("tree_sitter") and find_spec(language.module)
    return grammar if installed else None


def parser_version(grammar: str) -> str:
    """Goes into every id below it: any change of what `parse_code` returns changes it."""
    return f"tree-sitter-{grammar}/{2 if grammar in _WITH_DEFAULTS else 1}"


def parse_code(text: str, relative: str, grammar: str, lang: str) -> Parsed:
    """The units of a file of code, in order, each with its lines and its symbol; no line is left out.

    Code that its grammar cannot make anything of is read as plain paragraphs, and says so by its parser version.
    """
    if len(text) > LARGEST:
        return parse_text(text)
    data = text.encode("utf-8", "replace")
    root = _root(grammar, data)
    if root is None:
        return replace(parse_text(text), warnings=(_GAVE_UP,))
    language = LANGUAGES[grammar]
    lines = text.split("\n")
    finder = _Units(data, language, _place(data, language, root, relative))
    finder.look(root, (), 0)
    if not finder.found and (root.has_error or not root.named_child_count):
        return parse_text(text)
    blocks = [_block(lines, run, language, finder.place, lang) for run in _runs(lines, finder.found)]
    return Parsed(parser_version(grammar), tuple(blocks))


def _root(grammar: str, data: bytes) -> Node | None:
    """Return the syntax tree; None if its parser takes too long: on garbage its time grows with the square."""
    parser, left = _parser(grammar), _LEAST_STEPS + len(data) // _BYTES_A_STEP

    def read(at: int, _place: object) -> bytes:
        nonlocal left
        left -= 1  # a token may look at all that follows, again and again
        return data[at : at + _READ] if left >= 0 else b""

    def is_over(_at: int, _error: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        tree = parser.parse(read, progress_callback=is_over)
    except ValueError:  # it was stopped
        parser.reset()
        return None
    return tree.root_node if left >= 0 else None


@lru_cache(maxsize=len(LANGUAGES))
def _parser(grammar: str) -> Parser:
    import tree_sitter

    language = LANGUAGES[grammar]
    grammar_object: object = getattr(import_module(language.module), language.factory)()
    return tree_sitter.Parser(tree_sitter.Language(grammar_object))


class _Units:
    """The units of one file: first and last line (from 0) and symbol, outer ones before those inside them."""

    def __init__(self, data: bytes, language: Language, place: str) -> None:
        self.data = data
        self.language = language
        self.place = place
        self.found: list[tuple[int, int, str]] = []

    def look(self, node: Node, above: tuple[str, ...], depth: int) -> None:
        """Find the units below a node; `above` are the names of what holds it."""
        if depth > _DEEPEST:
            return
        start: int | None = None
        end = -2
        for child in node.named_children:
            first, last = child.start_point.row, _last(child)
            if child.type in BEFORE:
                start = first if start is None or end + 1 < first else start
                end = last
                continue
            begins = start if start is not None and end + 1 >= first else first
            start = None
            self._child(child, begins, last, above, depth)

    def _child(self, child: Node, begins: int, last: int, above: tuple[str, ...], depth: int) -> None:
        nameless = child.child_by_field_name("value") if child.type == "export_statement" else None
        if nameless is not None and nameless.type in _NAMELESS:
            self.found.append((begins, last, self._symbol((*above, "default"))))
            if nameless.type == "class":
                self.look(nameless, (*above, "default"), depth + 1)
            return
        inner = child
        while inner.type in ("decorated_definition", "export_statement", "template_declaration"):
            kinds = (self.language.units, self.language.holders)
            found = next((one for one in inner.named_children if any(one.type in types for types in kinds)), None)
            if found is None:
                break
            inner = found
        if inner.type in self.language.units and (name := _name(self.data, inner)):
            self.found.append((begins, last, self._symbol((*above, name))))
        elif inner.type in self.language.holders and (name := _name(self.data, inner)):
            self.found.append((begins, last, self._symbol((*above, name))))
            self.look(inner, (*above, name), depth + 1)
        elif inner.type in THROUGH or inner.type in self.language.holders:
            self.look(inner, above, depth + 1)

    def _symbol(self, names: tuple[str, ...]) -> str:
        name = self.language.joint.join(names)
        return f"{self.place}.{name}" if self.place else name


def _name(data: bytes, node: Node) -> str:
    """The name of a unit, as its language writes it before the joint."""
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")):
        held = _text(data, receiver).strip("()").split()
        kind = _GENERIC.sub("", held[-1].partition("[")[0]) if held else ""
        holder = f"({kind})" if kind.startswith("*") else kind
        return f"{holder}.{_field(data, node, 'name')}"
    if node.type == "impl_item":
        return _GENERIC.sub("", _field(data, node, "type")).strip()
    if node.type == "type_declaration":
        spec = next((one for one in node.named_children if one.type in ("type_spec", "type_alias")), None)
        return _field(data, spec, "name") if spec else ""
    if node.type == "companion_object":
        return _field(data, node, "name") or "Companion"
    if node.type == "secondary_constructor":
        return "constructor"
    return _field(data, node, "name") or _declared(data, node)


def _declared(data: bytes, node: Node) -> str:
    """The name within a C declarator: `char *f(int)` declares f; `void C::m()` declares C::m."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_DEEPEST):
        if inner is None:
            return ""
        below = inner.child_by_field_name("declarator")
        if below is None:
            return "".join(_text(data, inner).split())[:200]
        inner = below
    return ""


def _field(data: bytes, node: Node, name: str) -> str:
    found = node.child_by_field_name(name)
    return "" if found is None else _text(data, found)[:200]


def _text(data: bytes, node: Node) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _last(node: Node) -> int:
    """The last line of a node; one that ends with a line's end does not reach into the next."""
    return node.end_point.row - (node.end_point.column == 0 and node.end_point.row > node.start_point.row)


def _place(data: bytes, language: Language, root: Node, relative: str) -> str:
    if language.place == "package":
        package = next((one for one in root.named_children if one.type.startswith("package")), None)
        words = _text(data, package).split() if package else []
        return words[-1].rstrip(";") if words else ""
    stem = relative.rpartition(".")[0] or relative
    if language.place == "module":
        parts = [part for part in stem.removeprefix("src/").split("/") if part != "__init__"]
        return ".".join(parts)
    return stem if language.place == "path" else ""


_Run = tuple[int, int, str]
"""First and last line, from 0, and the symbol; empty: the rest."""


def _runs(lines: list[str], found: list[_Run]) -> list[_Run]:
    """The file as runs of lines of one unit each; blank ends are cut, lines without a word go to what is before."""
    owner = [-1] * len(lines)
    for number, (first, last, _) in enumerate(found):
        for at in range(first, min(last + 1, len(lines))):
            owner[at] = number
    runs: list[tuple[int, int, int]] = []
    for at, who in enumerate(owner):
        if runs and runs[-1][2] == who:
            runs[-1] = (runs[-1][0], at, who)
        else:
            runs.append((at, at, who))
    kept: list[_Run] = []
    for first, last, who in runs:
        filled = [at for at in range(first, last + 1) if lines[at].strip()]
        if not filled:
            continue
        if kept and not any(_WORD.search(lines[at]) for at in filled):
            kept[-1] = (kept[-1][0], filled[-1], kept[-1][2])
        else:
            kept.append((filled[0], filled[-1], found[who][2] if who >= 0 else ""))
    return kept


def _block(lines: list[str], run: _Run, language: Language, place: str, lang: str) -> ParsedBlock:
    first, last, symbol = run
    text = "\n".join(line.rstrip() for line in lines[first : last + 1])
    rest = f"{place}.{language.rest}" if place else language.rest
    span = CodeSpan(first + 1, last + 1, symbol or rest, lang)
    return ParsedBlock("code", (symbol,) if symbol else (), span, text, {"lang": lang}, first + 1)
