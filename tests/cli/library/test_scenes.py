"""The plain output draws the two scenes of the frozen design (1.5 and 1.6) to the letter."""

from __future__ import annotations

from dataclasses import replace

from cli.format.library import response_lines
from cli.output import Output
from core.library.citations.citation import LineCitation
from core.library.search.rows import Retrieval, SearchHit, SearchResponse, by_section

SCENE_5 = """\
1. 0.82 notes/rust/kebab-architecture.md#L661-L672
§14 Chunking 정책
heading boundary 우선. code block 중간 분할 금지.
table 가능한 한 단일 chunk…

2. 0.71 notes/rust/kebab-architecture.md#L692-L713
§15 검색과 RAG 정책
검색은 처음부터 hybrid 로 설계하되 구현은 단계적…

3. 0.55 guides/markdown-style.md#L4-L18
§1 Heading 규약
문서는 항상 H1 으로 시작한다. H2 부터는…

3 hits hybrid index v1.0 bm25+e5-small/RRF
"""

SCENE_6 = """\
├ lexical (bm25) rank 1 score 12.4
├ vector (e5-s) rank 2 score 0.78
└ rrf fusion rank 1 score 0.82
chunker md-heading-v1 chunk_id 9b4a8c…
"""


def _hit(rank: int, score: float, path: str, lines: tuple[int, int], label: str, snippet: str, model: str) -> SearchHit:
    return SearchHit(
        rank=rank,
        score=score,
        score_kind="rrf",
        chunk_id="9b4a8c1e7d3f2a059b4a8c1e7d3f2a05",
        doc_id="3f9a2c10ee4d6b783f9a2c10ee4d6b78",
        doc_path=path,
        title="",
        heading_path=(label,),
        section_label=label,
        snippet=snippet,
        snippet_full_text=False,
        matched=(),
        words=(),
        missing=(),
        citation=LineCitation(path, *lines, section=label),
        retrieval=Retrieval("hybrid", 12.4, 0.78, score, 1, 2),
        index_version="v1.0",
        embedding_model=model,
        chunker_version="md-heading-v1",
        indexed_at="2026-04-27T00:00:00Z",
        stale=False,
    )


def _scene(model: str) -> SearchResponse:
    rust = "notes/rust/kebab-architecture.md"
    first = "heading boundary 우선. code block 중간 분할 금지.\ntable 가능한 한 단일 chunk…"
    hits = (
        _hit(1, 0.82, rust, (661, 672), "§14 Chunking 정책", first, model),
        _hit(2, 0.71, rust, (692, 713), "§15 검색과 RAG 정책",
             "검색은 처음부터 hybrid 로 설계하되 구현은 단계적…", model),
        _hit(3, 0.55, "guides/markdown-style.md", (4, 18), "§1 Heading 규약",
             "문서는 항상 H1 으로 시작한다. H2 부터는…", model),
    )  # fmt: skip
    return SearchResponse("Markdown chunking 규칙", "hybrid", hits, None, False, None, "v1.0", model)


def test_the_dense_form_is_scene_1_5() -> None:
    assert "\n".join(response_lines(Output(), _scene("e5-small"))) + "\n" == SCENE_5


def test_the_last_line_says_that_hits_were_reranked() -> None:
    scene = _scene("e5-small")
    reranked = replace(scene, hits=tuple(replace(hit, score_kind="rerank") for hit in scene.hits))
    assert [*response_lines(Output(), reranked)][-1] == "3 hits hybrid index v1.0 bm25+e5-small/RRF/rerank"


def test_explained_each_hit_ends_as_in_scene_1_6() -> None:
    told = "\n".join(response_lines(Output(), _scene("e5-s"), explain=True))
    first = told.partition("\n\n")[0] + "\n"
    assert first == SCENE_5.partition("\n\n")[0] + "\n" + SCENE_6
    assert told.count("└ rrf fusion rank") == 3


def test_hostile_words_are_shown_inert() -> None:
    nasty = "\x1b]52;c;ZXZpbA==\x07[red]\u202e\ud800"
    one = _hit(1, 0.5, f"a{nasty}.md", (1, 1), nasty, nasty * 3, nasty)
    told = "\n".join(response_lines(Output(colour=True), SearchResponse(
        "q", "hybrid", (one,), None, False, nasty, nasty, nasty), explain=True))  # fmt: skip
    for sign in ("\x1b]", "\x07", "\u202e", "\ud800"):
        assert sign not in told


def test_hits_of_one_section_are_one_entry_with_their_lines() -> None:
    scene = _scene("e5-small")
    first, second, third = scene.hits
    under = replace(third, rank=4, heading_path=first.heading_path, doc_id="another")
    sibling = replace(first, rank=3, citation=LineCitation(first.doc_path, 640, 652))
    page = replace(first, rank=5, heading_path=(), chunk_id="f00", citation=LineCitation(first.doc_path, 1, 9))
    grouped = replace(scene, hits=(first, second, sibling, under, page))
    told = "\n".join(response_lines(Output(), grouped)).split("\n\n")
    assert told[0] == SCENE_5.split("\n\n", maxsplit=1)[0] + "\nalso L640-L652"
    assert told[1] == SCENE_5.split("\n\n")[1]
    assert [entry.partition(".")[0] for entry in told[2:-1]] == ["4", "5"], "another document; no section"
    assert "5 hits" in told[-1]
    explained = "\n".join(response_lines(Output(), grouped, explain=True))
    assert "also" not in explained
    assert explained.count("└ rrf fusion rank") == 5


def test_grouping_loses_no_hit() -> None:
    from itertools import chain, product

    hits = _scene("x").hits
    for picked in product(hits, repeat=4):
        rows = by_section(picked)
        assert sorted(map(id, chain.from_iterable((row.best, *row.others) for row in rows))) == sorted(map(id, picked))
        assert [row.best for row in rows] == list(dict.fromkeys(picked)), "in the order of the best of each"
