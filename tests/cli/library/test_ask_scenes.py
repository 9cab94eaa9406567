"""The plain output draws the four scenes of asking in the frozen design (1.1 to 1.4) to the letter."""

from __future__ import annotations

from dataclasses import replace

from cli.format.ask import answer_lines
from cli.output import Output
from core.base.trace import Step, facts
from core.library.ask.answer import (
    Answer,
    AnswerCitation,
    AnswerCut,
    AnswerRetrieval,
    Claim,
    ClaimConcern,
    InventedCitation,
    TokenUsage,
)
from core.library.citations.citation import Citation, LineCitation, PageCitation
from core.llm.language_model import ModelRef

RUST = "notes/rust/kebab-architecture.md"
SCENE_1 = """\

heading boundary 우선 [1]. code block 중간 분할 금지 [2]. table 가능한 한
단일 chunk 유지 [2]. 긴 section 은 paragraph 단위로 분할 [1]. chunk 마다
heading_path 와 source_span 보존 [1].

─────────────────────────────────────────────────────────
[1] notes/rust/kebab-architecture.md#L661-L672
§14 Chunking 정책
[2] notes/rust/kebab-architecture.md#L665-L668
§14 Chunking 정책

grounded ✓ qwen2.5:14b-instruct rag-v1 3 chunks
"""
SCENE_2 = """\

▎ heading boundary 우선
└ notes/rust/kebab-architecture.md#L662
「heading boundary를 우선한다」

▎ code block 중간 분할 금지
└ notes/rust/kebab-architecture.md#L663
「code block은 중간에서 자르지 않는다」

▎ table 단일 chunk 유지
└ notes/rust/kebab-architecture.md#L664
「table은 가능한 한 하나의 chunk로」

▎ heading_path / source_span 보존
└ notes/rust/kebab-architecture.md#L668-L670

retrieval trace
query "Markdown chunking 규칙은?"
mode hybrid
k 8
threshold (gate) 0.30 → top-1 0.82 pass
fusion rrf (k=60)
chunks (used) 3 / 8 returned
#1 0.82 notes/rust/kebab-architecture.md#L661-L672 bm25=12.4 vec=0.78
#2 0.78 notes/rust/kebab-architecture.md#L692-L713 bm25=10.1 vec=0.74
#3 0.55 guides/markdown-style.md#L4-L18 bm25=8.2 vec=0.61

grounded ✓ qwen2.5:14b-instruct rag-v1 3 chunks
prompt 1184 tokens completion 312 tokens latency 1842 ms
embedding multilingual-e5-large index v1.0
"""
SCENE_3 = """\

근거 부족. KB 에 해당 내용 없음.
가까운 후보 (모두 임계 0.30 미만):
· ~/notes/finance/personal-budget.md#L1-L8 (score 0.21)

grounded ✗ qwen2.5:14b-instruct rag-v1 0 chunks used
"""
SCENE_4 = """\

근거 부족. 제공된 chunk 중 결론 내용 없음.
검색은 됨, LLM 이 결론 부재 판단:
· papers/book.pdf#p=23 (score 0.61)
· papers/book.pdf#p=24 (score 0.58)

grounded ✗ qwen2.5:14b-instruct rag-v1 3 chunks searched, 0 grounded
"""
CHUNKING = (
    "heading boundary 우선 [1]. code block 중간 분할 금지 [2]. table 가능한 한 단일 chunk 유지 [2]. "
    "긴 section 은 paragraph 단위로 분할 [1]. chunk 마다 heading_path 와 source_span 보존 [1]."
)


def _cited(marker: str | None, citation: Citation, score: float, *scores: float) -> AnswerCitation:
    bm25, cosine = scores or (None, None)
    return AnswerCitation(marker, citation, "§14 Chunking 정책", score, bm25, cosine)


def _answer(query: str, text: str, *citations: AnswerCitation, used: int, refusal: str | None = None) -> Answer:
    return Answer(
        query=query,
        answer=text,
        citations=citations,
        packed=(),
        grounded=refusal is None,
        refusal_reason=refusal,  # type: ignore[arg-type]
        model=ModelRef("qwen2.5:14b-instruct", "ollama"),
        embedding=ModelRef("multilingual-e5-large", "fastembed", 1024),
        prompt_template_version="rag-v1",
        retrieval=AnswerRetrieval("ret_4a8b2c1e", "hybrid", 8, 0.30, 0.82, 8, used, "v1.0"),
        usage=TokenUsage(1184, 312, 1842),
        created_at="2026-04-27T15:42:11+09:00",
        conversation_id=None,
        turn_index=None,
        claims=(),
        hops=None,
        verification=None,
        trace=(),
    )


def _chunking() -> Answer:
    first = _cited("[1]", LineCitation(RUST, 661, 672), 0.82, 12.4, 0.78)
    second = _cited("[2]", LineCitation(RUST, 665, 668), 0.78, 10.1, 0.74)
    return _answer("Markdown chunking 규칙은?", CHUNKING, first, second, used=3)


def _told(found: Answer, *, explain: bool = False, colour: bool = False) -> str:
    return "\n".join(answer_lines(Output(colour=colour), found, explain=explain)) + "\n"


def _explained() -> Answer:
    sentences = (
        ("heading boundary 우선", (662, 662), "heading boundary를 우선한다"),
        ("code block 중간 분할 금지", (663, 663), "code block은 중간에서 자르지 않는다"),
        ("table 단일 chunk 유지", (664, 664), "table은 가능한 한 하나의 chunk로"),
        ("heading_path / source_span 보존", (668, 670), ""),
    )
    text, claims = "", list[Claim]()
    for said, lines, quote in sentences:
        start, text = len(text), f"{text}{said} [1].\n"
        claims.append(
            Claim(
                said, start, len(text) - 1, "[1]", "c", "supported", 1.0, 1.0, LineCitation(RUST, *lines), quote, 0, 9
            )
        )
    packed = (
        _cited("[1]", LineCitation(RUST, 661, 672), 0.82, 12.4, 0.78),
        _cited("[2]", LineCitation(RUST, 692, 713), 0.78, 10.1, 0.74),
        _cited("[3]", LineCitation("guides/markdown-style.md", 4, 18), 0.55, 8.2, 0.61),
    )
    return replace(_chunking(), answer=text.strip(), claims=tuple(claims), packed=packed)


def test_an_answer_is_scene_1_1() -> None:
    assert _told(_chunking()) == SCENE_1


def test_explained_it_is_scene_1_2() -> None:
    assert _told(_explained(), explain=True) == SCENE_2


def test_the_gate_refuses_as_in_scene_1_3() -> None:
    near = AnswerCitation(None, LineCitation("~/notes/finance/personal-budget.md", 1, 8), None, 0.21)
    found = _answer("당신의 회사 매출은?", "근거 부족. KB 에 해당 내용 없음.", near, used=0, refusal="score_gate")
    assert _told(found) == SCENE_3
    said = _told(replace(found, citations=(replace(near, excerpt="Rent\x1b[31m is due on the first."),)))
    assert "personal-budget.md#L1-L8 (score 0.21)\n  Rent␛[31m is due on the first.\n" in said


def test_the_model_refuses_as_in_scene_1_4() -> None:
    near = [
        AnswerCitation(None, PageCitation("papers/book.pdf", page), None, score)
        for page, score in ((23, 0.61), (24, 0.58))
    ]
    text = "근거 부족. 제공된 chunk 중 결론 내용 없음."
    assert _told(_answer("이 책의 23쪽 결론은?", text, *near, used=3, refusal="llm_self_judge")) == SCENE_4


def test_what_does_not_hold_is_told_below_the_answer_and_when_explained() -> None:
    concern = ClaimConcern("number", "40", "30", "number: the source has “30”, the answer “40”")
    claim = Claim(
        "Kept 40 days.",
        0,
        17,
        "[1]",
        "c",
        "flagged",
        0.9,
        1.0,
        LineCitation("a.md", 3, 3),
        "Kept 30 days.",
        0,
        13,
        (concern,),
    )
    dropped = Step("citations", "rejected", "1 of 1 cited sentences say otherwise", facts(dropped="[9]"))
    found = _answer(
        "how long?",
        "Kept 40 days [1].",
        _cited("[1]", LineCitation("a.md", 1, 4), 0.5),
        used=1,
        refusal="llm_self_judge",
    )
    found = replace(found, claims=(claim,), trace=(dropped,), invented=(InventedCitation("[9]", "", 17, 17),))
    for told in (_told(found), _told(found, explain=True)):
        assert "number: the source has “30”, the answer “40”" in told
        assert "say otherwise" in told or "「Kept 30 days.」" in told
        assert "grounded ✗" in told
    assert "[9]: citation removed, because the LLM cited a passage that it did not receive" in _told(found)


def test_what_the_model_did_not_say_itself_is_not_said_for_it() -> None:
    near = AnswerCitation(None, LineCitation("a.md", 1, 8), None, 0.61)
    refused = _answer("how long?", "Not enough evidence.", near, used=3, refusal="llm_self_judge")
    uncited = replace(refused, trace=(Step("citations", "rejected", "no passage is cited"),))
    assert "the model found no answer" in _told(refused)
    assert "the model found no answer" not in _told(uncited)
    assert "Not accepted: no passage is cited." in _told(uncited)
    invented = replace(uncited, answer="Kept 40 days.", invented=(InventedCitation("[99]", "Kept 40 days.", 0, 13),))
    for told in (_told(invented), _told(invented, explain=True)):
        assert "Kept 40 days." in told
        assert "[99]: citation removed, because the LLM cited a passage that it did not receive" in told
        assert "a.md#L1-L8" in told or "retrieval trace" in told


def test_what_the_model_said_when_it_gave_up_is_told() -> None:
    refused = _answer("where?", "Not enough evidence.", used=3, refusal="llm_self_judge")
    gave_up = replace(refused, said="The passages do not mention \x1b[31m Zanzibar.")
    assert "Reply of the LLM: The passages do not mention ␛[31m Zanzibar." in _told(gave_up)
    assert "Reply of the LLM" not in "\n".join(answer_lines(Output(), gave_up, streamed=True)), (
        "it stands there already"
    )
    uncited = replace(gave_up, trace=(Step("citations", "rejected", "no passage is cited"),))
    for explain in (False, True):
        assert "Reply of the LLM: The passages do not mention ␛[31m Zanzibar." in _told(uncited, explain=explain)
    long = "\n".join(answer_lines(Output(), replace(uncited, said="no " * 400)))
    assert long.count("no ") < 120
    assert "…" in long


def test_a_sentence_without_a_citation_is_told() -> None:
    found = _explained()
    loose = replace(found, answer=f"As follows:\n{found.answer}\nThe moon is hollow.")
    assert "? The moon is hollow.\n  no citation" in _told(loose)
    assert _told(loose).count("no citation") == 1
    assert "no citation" not in _told(found)


def test_an_answer_that_was_cut_off_says_so_explained_and_not() -> None:
    found = _explained()
    said = f"{found.answer}\nThe moon is"
    cut = AnswerCut(4096, "models.llm.answer_tokens", len(found.answer) + 1, len(said))
    short = replace(found, answer=said, cut=cut)
    for told in (_told(short), _told(short, explain=True)):
        assert "! truncated after 4,096 tokens (to allow more, raise models.llm.answer_tokens)" in told
        assert "3 chunks, truncated" in told
        assert "no citation" not in told
    assert "▎ The moon is\n└ truncated" in _told(short, explain=True)
    served = replace(short, cut=replace(cut, setting=None))
    assert "(no setting raises this limit)" in _told(served)


def test_an_answer_that_broke_off_says_why() -> None:
    broken = _answer("how long?", "Kept", used=3, refusal="llm_stream_aborted")
    told = _told(replace(broken, trace=(Step("model", "failed", "the answer from \x1b[31m was interrupted"),)))
    assert "Incomplete: the answer from ␛[31m was interrupted." in told
    assert "Incomplete" not in _told(replace(broken, trace=(Step("model", "rejected", "it was stopped"),)))


def test_stopped_before_the_first_word_what_came_near_is_no_source() -> None:
    near = AnswerCitation(None, LineCitation("a.md", 7, 9), None, 0.21)
    stopped = _answer("how long?", "Stopped before the first word.", near, used=3, refusal="llm_stream_aborted")
    for told in (_told(stopped), _told(stopped, explain=True)):
        assert "None" not in told
        assert "───" not in told
        assert "Nearest passages:\n· a.md#L7-L9 (score 0.21)" in told
    cited = replace(stopped, answer="Kept 30 [1]", citations=(replace(near, marker="[1]"),))
    assert "[1] a.md#L7-L9" in _told(cited)


def test_hostile_words_are_shown_inert() -> None:
    nasty = "\x1b]52;c;ZXZpbA==\x07[red]\u202e\ud800"
    claim = Claim(
        nasty * 2,
        0,
        3,
        "[1]",
        "c",
        "flagged",
        0.9,
        1.0,
        LineCitation(f"a{nasty}", 3, 3),
        nasty,
        0,
        13,
        (ClaimConcern("word", nasty, nasty, nasty),),
    )
    found = replace(
        _answer(nasty, nasty * 9 + " [1].", _cited("[1]", LineCitation(f"b{nasty}", 1, 4), 0.5), used=1),
        claims=(claim,),
        model=ModelRef(nasty, nasty),
        embedding=ModelRef(nasty, nasty),
        conversation_id=nasty,
        trace=(Step("citations", "hit", nasty, facts(dropped=nasty)),),
        invented=(InventedCitation(nasty, nasty, 0, 3),),
    )
    for explain in (False, True):
        told = _told(found, explain=explain)
        assert not any(sign in told for sign in ("\x1b", "\x07", "\u202e", "\ud800"))
