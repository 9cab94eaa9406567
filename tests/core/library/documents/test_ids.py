"""The ids: a frozen recipe. Each literal below is what any other program that follows it makes of the same parts."""

from __future__ import annotations

import unicodedata

import pytest
import rfc8785
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from core.library.documents import rows as ids
from core.library.documents.rows import CodeSpan, LineSpan, PageSpan, span_object, span_of

DOC = "0f" * 16


def _hex(canonical: str) -> str:
    return blake3(canonical.encode()).hexdigest()[:32]


def test_each_id_is_the_hash_of_its_canonical_json() -> None:
    assert ids.asset_id("ab" * 32) == _hex('{"asset_blake3":"' + "ab" * 32 + '","kind":"asset"}')
    assert ids.doc_id("guides/시작.md", "aa", "p-1") == _hex(
        '{"asset_id":"aa","kind":"doc","parser_version":"p-1","workspace_path":"guides/시작.md"}'
    )
    assert ids.block_id(DOC, "list", ["설치", "Linux"], 2, LineSpan(4, 9)) == _hex(
        '{"block_kind":"list","doc_id":"' + DOC + '","heading_path":["설치","Linux"],"kind":"block","ordinal":2,'
        '"source_span":{"end":9,"kind":"line","start":4}}'
    )
    assert ids.chunk_id(DOC, "c-1", ["b1", "b0"], "f00d", "#seg3") == _hex(
        '{"block_ids":["b1","b0"],"chunker_version":"c-1","doc_id":"' + DOC + '","kind":"chunk",'
        '"policy_hash":"f00d#seg3"}'
    )
    assert ids.embedding_id("c", "m", "v1", 384) == _hex(
        '{"chunk_id":"c","dimensions":384,"kind":"embedding","model_id":"m","model_version":"v1"}'
    )
    assert ids.index_id("notes", "m", 384, "v1", "flat", "00") == _hex(
        '{"collection":"notes","dimensions":384,"embedding_model":"m","index_kind":"flat","index_params_hash":"00",'
        '"index_version":"v1","kind":"index"}'
    )


def test_the_recipe_never_changes() -> None:
    """Whoever changes one of these makes every citation of every casebook point nowhere."""
    asset = ids.asset_id(ids.content_hash(b"# Pumps\n"))
    doc = ids.doc_id("plant/pumps.md", asset, "markdown-it/1")
    code = ids.block_id(doc, "code", ["Pumps"], 0, CodeSpan(3, 5, "start", "python"))
    page = ids.block_id(doc, "page", [], 0, PageSpan(2))
    assert (asset, doc, code, page, ids.chunk_id(doc, "md-heading-v2", [code], "0011223344556677")) == GOLDEN


GOLDEN = (
    "a887e0b0618eafb72e54ae27a0e61c70",
    "5458c0dba6f1389a03952c44a929d02c",
    "d3a39aa656597d3d27a436c8bf04521a",
    "acbc3a18586f9261839abac7c85039f8",
    "e9d1d7edaba69934b90553a609b798a5",
)

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
_PARTS = st.recursive(
    _TEXT | st.integers(-(2**53) + 1, 2**53 - 1) | st.none(), lambda inner: st.lists(inner, max_size=4), max_leaves=8
)


@given(st.dictionaries(st.text(st.characters(codec="ascii"), max_size=12), _PARTS, max_size=6))
def test_what_is_hashed_is_canonical_json(parts: dict[str, object]) -> None:
    def composed(value: object) -> object:
        if isinstance(value, str):
            return unicodedata.normalize("NFC", value)
        return [composed(one) for one in value] if isinstance(value, list) else value

    canonical = rfc8785.dumps({name: composed(value) for name, value in parts.items()})  # type: ignore[arg-type]
    assert ids.id_from(parts) == blake3(canonical).hexdigest()[:32]
    assert ids.id_from(dict(reversed(parts.items()))) == ids.id_from(parts)


def test_a_decomposed_heading_is_the_same_heading() -> None:
    span = LineSpan(1, 1)
    assert ids.block_id(DOC, "paragraph", [unicodedata.normalize("NFD", "한글")], 0, span) == ids.block_id(
        DOC, "paragraph", ["한글"], 0, span
    )


def test_half_a_surrogate_pair_has_no_id() -> None:
    with pytest.raises(ValueError, match="cannot compute an id"):
        ids.doc_id("\ud800.md", "a", "p")


class TestCascade:
    """The matrix of what a change reaches (frozen design 4.3), row by row."""

    def chain(self, **changed: object) -> dict[str, str]:
        part: dict[str, object] = {
            "content": b"text", "path": "a.md", "parser": "p1", "chunker": "c1", "policy": "00", "model": "m",
            "version": "v1", "dim": 3, "index": "flat",
        } | changed  # fmt: skip
        asset = ids.asset_id(ids.content_hash(bytes(part["content"])))  # type: ignore[arg-type]
        doc = ids.doc_id(str(part["path"]), asset, str(part["parser"]))
        block = ids.block_id(doc, "paragraph", ["H"], 0, LineSpan(1, 2))
        chunk = ids.chunk_id(doc, str(part["chunker"]), [block], str(part["policy"]))
        dim = int(str(part["dim"]))
        return {
            "asset": asset,
            "doc": doc,
            "block": block,
            "chunk": chunk,
            "embedding": ids.embedding_id(chunk, str(part["model"]), str(part["version"]), dim),
            "index": ids.index_id("notes", "m", 3, "v1", str(part["index"]), "00"),
        }

    @pytest.mark.parametrize(
        ("changed", "reached"),
        [
            ({"content": b"other"}, {"asset", "doc", "block", "chunk", "embedding"}),
            ({"path": "b/a.md"}, {"doc", "block", "chunk", "embedding"}),
            ({"parser": "p2"}, {"doc", "block", "chunk", "embedding"}),
            ({"chunker": "c2"}, {"chunk", "embedding"}),
            ({"policy": "01"}, {"chunk", "embedding"}),
            ({"model": "n"}, {"embedding"}),
            ({"version": "v2"}, {"embedding"}),
            ({"dim": 4}, {"embedding"}),
            ({"index": "ivf"}, {"index"}),
        ],
    )
    def test_a_change_reaches_what_lies_below_it_and_nothing_else(
        self, changed: dict[str, object], reached: set[str]
    ) -> None:
        before, after = self.chain(), self.chain(**changed)
        assert {name for name in before if before[name] != after[name]} == reached


@pytest.mark.parametrize("span", [LineSpan(1, 4), CodeSpan(1, 2, "f", "go"), CodeSpan(3, 3), PageSpan(7, 0, 90)])
def test_a_span_comes_back_from_its_object(span: LineSpan | CodeSpan | PageSpan) -> None:
    assert span_of(span_object(span) | {"later": 1}) == span  # type: ignore[operator]


@pytest.mark.parametrize("broken", [{}, {"kind": "orbit"}, {"kind": "line", "start": 3}])
def test_half_a_span_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="span"):
        span_of(broken)
