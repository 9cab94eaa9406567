"""Code by its syntax: every line is in a unit, units follow each other, and what no grammar reads is plain text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.flows.ingest.api import ingest
from core.library.chunk import ChunkPolicy, by_units
from core.library.documents.read import chunks_of, document_at
from core.library.documents.rows import CodeSpan
from core.library.parse import code
from core.library.parse.code import grammar_of, parse_code
from core.library.parse.text import parse_manifest
from core.store import Store

DATA = Path(__file__).parents[3] / "data" / "library" / "code"
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in sorted(DATA.iterdir()) if path.is_file()}
LANGS = {
    **{"pumps.py": "python", "valve.rs": "rust", "gauge.go": "go", "Plant.java": "java", "Plant.kt": "kotlin"},
    **{
        "plant.cpp": "cpp",
        "plant.c": "c",
        "plant.ts": "typescript",
        "plant.js": "javascript",
        "Panel.tsx": "typescript",
    },
}


@st.composite
def broken(draw: st.DrawFn) -> tuple[str, str]:
    """A source with lines taken out, doubled and put in: what is being written has no syntax half of the time."""
    name = draw(st.sampled_from(sorted(SOURCES)))
    lines = SOURCES[name].split("\n")
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        change = draw(st.sampled_from(["cut", "double", "brace", "blank", "korean"]))
        lines[at : at + 1] = {
            "cut": [],
            "double": [lines[at]] * 2,
            "brace": [lines[at], "}"],
            "blank": ["", lines[at]],
            "korean": ["가 {"],
        }[change] or [""]
    return name, "\n".join(lines)


@settings(max_examples=60)
@given(broken())
def test_no_line_is_lost_and_each_stands_where_it_is_said_to(given_code: tuple[str, str]) -> None:
    name, text = given_code
    grammar = grammar_of(LANGS[name], name)
    assert grammar is not None
    lines = text.split("\n")
    covered: list[int] = []
    for block in parse_code(text, name, grammar, LANGS[name]).blocks:
        span = block.span
        first, last = (span.line_start, span.line_end) if isinstance(span, CodeSpan) else (span.start, span.end)  # type: ignore[union-attr]
        assert block.text == "\n".join(line.rstrip() for line in lines[first - 1 : last])
        covered += range(first, last + 1)
    assert covered == sorted(set(covered))
    assert {at for at, line in enumerate(lines, 1) if line.strip()} <= set(covered)


def test_a_unit_of_many_lines_is_split_with_lines_of_its_own() -> None:
    text = "def long():\n" + "".join(f"    x{n} = {n}\n" for n in range(449)) + "\n\ndef short():\n    pass\n"
    found = list(by_units(parse_code(text, "a.py", "python", "python").blocks, ChunkPolicy()))
    assert [(one.heading_path, one.lines, one.split) for one in found] == [
        (("a.long",), (1, 200), "#L1"),
        (("a.long",), (201, 400), "#L201"),
        (("a.long",), (401, 450), "#L401"),
        (("a.short",), (453, 454), ""),
    ]
    assert found[1].spans == (CodeSpan(201, 400, "a.long", "python"),)


@pytest.mark.parametrize("grammar", ["javascript", "typescript", "tsx"])
@pytest.mark.parametrize("said", ["function () {", "async () => {", "function* () {", "class {"])
def test_a_default_export_without_a_name_is_a_unit(grammar: str, said: str) -> None:
    body = "  draw() {\n    return rows\n  }" if said == "class {" else "  return rows"
    text = f"import rows from './rows'\n\nexport default {said}\n{body}\n}}\n"
    parsed = parse_code(text, "src/list.js", grammar, "javascript")
    symbols = [one.span.symbol for one in parsed.blocks if isinstance(one.span, CodeSpan)]
    assert symbols[0] == "src/list.<module>"
    assert symbols[1] == "src/list.default"
    assert ("src/list.default.draw" in symbols) == ("draw" in body)
    assert parsed.parser_version == f"tree-sitter-{grammar}/2"


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "}{)(" * 500, "(" * 50_000, "class " * 3000, "\ufffd\u202e" * 100],
    ids=["empty", "blank", "brackets", "open", "words", "signs"],
)
def test_what_has_no_syntax_is_still_read(text: str) -> None:
    for name, lang in LANGS.items():
        grammar = grammar_of(lang, name)
        assert grammar is not None
        parsed = parse_code(text, name, grammar, lang)
        assert "".join("".join(one.text.split()) for one in parsed.blocks) == "".join(text.split())


def test_resources_of_two_namespaces_have_two_names() -> None:
    part = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels:\n    namespace: x\n{}  name: web\n"
    text = "---\n".join((part.format("  namespace: shop\n"), part.format("  namespace: bank\n"), part.format("")))
    spans = [one.span for one in parse_manifest(text, "web.yaml").blocks]
    symbols = [span.symbol for span in spans if isinstance(span, CodeSpan)]
    assert symbols == ["Deployment/shop/web", "Deployment/bank/web", "Deployment/web"]


def test_a_function_is_found_by_its_name_and_cited_by_its_lines(library: Store, notes: Path, put: object) -> None:
    put("src/pumps.py", SOURCES["pumps.py"])  # type: ignore[operator]
    put("odd.py", "((((")  # type: ignore[operator]
    put("run.sh", "echo hello\n")  # type: ignore[operator]
    ingest(library, [notes])
    document = document_at(library.con, "src/pumps.py")
    assert document is not None
    assert (document.code_lang, document.chunker_version, document.title) == (
        "python",
        "code-python-ast-v1",
        "pumps.py",
    )
    chunk = next(one for one in chunks_of(library.con, document.doc_id) if one.section_label == "pumps.Pump.stop")
    assert (chunk.line_start, chunk.line_end) == (22, 23)
    assert chunk.spans == (CodeSpan(22, 23, "pumps.Pump.stop", "python"),)
    for path in ("odd.py", "run.sh"):
        plain = document_at(library.con, path)
        assert plain is not None
        assert (plain.chunker_version, plain.parser_version) == ("code-text-paragraph-v1", "plain-text/1")


def test_without_a_grammar_code_is_plain_text_until_it_comes(
    library: Store, notes: Path, put: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("pumps.py", SOURCES["pumps.py"])  # type: ignore[operator]
    with monkeypatch.context() as without:
        without.setattr(code, "find_spec", lambda _: None)
        ingest(library, [notes])
        document = document_at(library.con, "pumps.py")
        assert document is not None
        assert document.chunker_version == "code-text-paragraph-v1"
    assert ingest(library, [notes]).updated == 1
    assert ingest(library, [notes]).unchanged == 1
