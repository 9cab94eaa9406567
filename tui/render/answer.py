"""Questions and answers: each cited sentence with its verdict, the sources, and stored conversations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from core.base.lazy import lazy_pattern
from core.library.ask.answer import REFUSALS
from core.text import visible
from tui.render.common.amounts import ago, counted
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Mark, Signs
from tui.render.common.lines import hanging
from tui.render.common.markdown import CODE_GROUND, Marked, draw_markdown, quote_bar
from tui.render.common.untrusted import block, inline, pad

if TYPE_CHECKING:
    from core.base.config.settings import LlmSettings
    from core.library.ask.answer import Answer, AnswerCitation, Claim, InventedCitation, Refusal
    from core.library.ask.store import SessionRow, TurnRow


_ANSWER = 20_000
_COMING = 3_000
_QUESTION = 400
"""Characters shown of an answer that still comes, its last ones: it is drawn thirty times a second."""
WIDTH = 76
_QUOTE = 300
_MARKER = lazy_pattern(r"\[\d{1,3}\]")
_URI = 300

CITED = "cited"
"""By this name a place on the screen holds the citation that a click on it opens."""

REFUSED = {reason: f"{words[0].upper()}{words[1:]}." for reason, words in REFUSALS.items()}
"""What each reason of a refusal means, as a sentence."""
_NOT_CALLED: Final = "No answer: casebook did not call the LLM."
"""The verdict where the answer already says what is missing."""
_FILL = "Press {ask.stop}, then {library.ingest} to ingest folders."

_CLAIM = {
    "supported": ("aligned", "supported"),
    "flagged": ("flagged", "contradicted"),
    "unsupported": ("failed", "not supported"),
    "uncited": ("waiting", "no citation"),
    "cut": ("waiting", "truncated"),
}


def draw_ask_notice(llm: LlmSettings) -> Notice:
    """Before the first question of a conversation: what answers, and what is done with the answer."""
    return Notice(
        "Ask a question about the documents of the library",
        f"{inline(llm.model, 60)} at {inline(llm.endpoint, 120)} answers from the passages that casebook finds. "
        "casebook then compares each cited sentence with its source.",
        (
            ("{ask.talks}", "open an earlier conversation"),
            ("casebook config path", "print the path of the settings file, where [models.llm] sets the LLM"),
        ),
    )


def mark_of(status: str, signs: Signs) -> Mark:
    """The mark of a checked sentence, with what its source does."""
    state, words = _CLAIM.get(status, ("failed", status))
    known = signs.quote(state)
    return Mark(known.sign, known.tone, words)


def draw_question(question: str) -> Content:
    """The question, cut where it would push its answer off the screen."""
    text, left = block(question, _QUESTION)
    more = f" ({left:,} more characters)" if left else ""
    return Content.assemble((text, "bold $cb-accent"), (more, "$cb-dim"))


def draw_coming(text: str, found: int | None, hops: int, signs: Signs, *, stopping: bool) -> Content:
    """An answer that is on its way: what has come, and what is going on."""
    if stopping:
        going = "stopping"
    elif text:
        going = "not checked yet ({ask.stop} stops)"
    elif found is None:
        going = "searching for evidence ({ask.stop} stops)"
    else:
        progress = f"{counted(found, 'passage')} found, waiting for the LLM ({{ask.stop}} stops)"
        going = f"step {hops + 1}: {progress}" if hops else progress
    visible, _ = block(text[-_COMING:])
    before = signs.more if len(text) > _COMING else ""
    parts: list[tuple[str, str]] = (
        [(f"{before}{visible}\n", "$cb-text")] if visible else []
    )  # its Markdown when it is whole
    return Content.assemble(*parts, (signs.fill_keys(going) + signs.more, "$cb-dim"))


def draw_cut_off(text: str, why: str, signs: Signs) -> Content:
    """What had come of an answer when its process ended, unchecked."""
    mark = signs.quote("waiting")
    visible, _ = block(text[:_ANSWER])
    head = Content.assemble((f"{mark.sign} ", mark.tone), (REFUSED["llm_stream_aborted"], f"bold {mark.tone}"))
    return Content("\n").join([head, draw_markdown(visible, signs), Content.styled(inline(why, _QUOTE), "$cb-dim")])


def draw_unanswered(notice: Content, found: Sequence[AnswerCitation], signs: Signs, cells: int = 0) -> Content:
    """Why no LLM answered, and the passages that it would have been given."""
    if not found:
        return notice
    head = _sources_head("Passages found", found, signs)
    return Content("\n").join([notice, Content(""), head, *draw_sources(found, signs, cells)])


def draw_answer(answer: Answer, signs: Signs, cells: int = WIDTH) -> Content:
    """All of it: the verdict, the text with its sentences marked, what their sources say, the sources, what it cost.

    `cells`: how wide a table may be.
    """
    empty = answer.refusal_reason == "no_index"
    body = Content.styled(signs.fill_keys(_FILL), "$cb-text") if empty else _text(answer, signs, cells)
    verdicts = [] if _is_own(answer, "llm_stream_aborted") else _verdicts(answer, signs)  # no part of an answer is kept
    parts = verdicts if _is_own(answer, "llm_self_judge") else [*verdicts, body]
    if answer.said:  # the text above is not the reply of the LLM
        parts.append(Content.styled(f"The LLM replied: {inline(answer.said, _QUOTE)}", "$cb-dim"))
    if answer.cited_claims or answer.invented:
        parts += [Content(""), *(_claim(one, answer, signs, cells) for one in answer.cited_claims)]
        parts += [_unknown_marker(one, signs) for one in answer.invented]
    if answer.citations:
        head = "Sources" if any(one.marker for one in answer.citations) else "Closest passages"
        parts += [Content(""), _sources_head(head, answer.citations, signs)]
        parts += draw_sources(answer.citations, signs, cells)
    return hanging(Content("\n").join([*parts, Content(""), _footer(answer, signs)]), cells)


def _is_own(answer: Answer, reason: Refusal) -> bool:
    """Whether the text is casebook's sentence for this refusal, which says the same as the verdict."""
    from core.library.ask.prompt import refusal_text

    return answer.refusal_reason == reason and answer.answer == refusal_text(reason, answer.query)


def _verdicts(answer: Answer, signs: Signs) -> list[Content]:
    """Return the verdict; a truncation too, alone if there is nothing worse."""
    worth = _verdict(answer, signs)
    if answer.cut is None:
        return [worth]
    mark = signs.quote("flagged")
    words = f"{inline(answer.cut.reason, _QUOTE).capitalize()}."
    cut = Content.assemble((f"{mark.sign} ", mark.tone), (words, f"bold {mark.tone}"))
    sound = answer.grounded and not (_wrong(answer) or answer.invented or answer.uncited or answer.outdated)
    return [cut] if sound else [worth, cut]


def _wrong(answer: Answer) -> list[Claim]:
    """Return the sentences that their source contradicts or lacks; a truncated one is separate."""
    return [one for one in answer.cited_claims if one.status != "supported" and not _is_cut(one, answer)]


def _is_cut(one: Claim, answer: Answer) -> bool:
    return answer.cut is not None and one.start == answer.cut.start


def _verdict(answer: Answer, signs: Signs) -> Content:
    state, words = _worth(answer)
    mark = signs.quote(state)
    return Content.assemble((f"{mark.sign} ", mark.tone), (words, f"bold {mark.tone}"))


def _worth(answer: Answer) -> tuple[str, str]:
    """The state of an answer, as a quote's, and in words: the worst that is known of it."""
    if answer.unverified:
        return "failed", f"Not verified: {inline(answer.why, _QUOTE)}."
    if answer.refusal_reason is not None:
        return "waiting", _refused(answer)
    if wrong := _wrong(answer):
        return "flagged", f"Check the answer: {_in_other_words(wrong, answer)}"
    if answer.invented:
        return "flagged", f"Check the answer: {_markers(answer)} cites a source that was not provided."
    if uncited := len(answer.uncited):
        return (
            "flagged",
            f"Check the answer: {uncited} {'sentence has' if uncited == 1 else 'sentences have'} no citation.",
        )
    if old := answer.outdated:
        return "flagged", f"Check the answer: {' '.join(inline(one.marker or '', 12) for one in old[:9])} {_now(old)}."
    return "aligned", "Grounded: every sentence is in its source."


def _markers(answer: Answer) -> str:
    """The markers that cite nothing that was given."""
    return inline(" ".join(dict.fromkeys(one.marker for one in answer.invented)), 60)


def _now(old: Sequence[AnswerCitation]) -> str:
    """What became of the files of these sources."""
    be, have = ("is", "has") if len(old) == 1 else ("are", "have")
    if all(one.since_read == "gone" for one in old):
        return f"{be} gone"
    gone = any(one.since_read == "gone" for one in old)
    return f"{have} changed since {'it was' if len(old) == 1 else 'they were'} read{' or are gone' if gone else ''}"


def _refused(answer: Answer) -> str:
    """What the reason means, or what was wrong with that which the model said."""
    reason = answer.refusal_reason or ""
    if reason == "llm_self_judge" and answer.invented:
        return f"Not accepted: {_markers(answer)} cites a source that was not provided."
    if reason == "llm_self_judge" and answer.why:
        return f"Not accepted: {inline(answer.why, _QUOTE)}."
    means = _NOT_CALLED if reason in ("score_gate", "no_chunks") else REFUSED.get(reason, reason)
    return f"{means} ({inline(answer.why, _QUOTE)})" if answer.why else means


def _in_other_words(wrong: list[Claim], answer: Answer) -> str:
    are = "differs from its source" if len(wrong) == 1 else "differ from their sources"
    return f"{len(wrong)} of {len(answer.cited_claims)} cited sentences {are}."


def _text(answer: Answer, signs: Signs, cells: int) -> Content:
    """Return the answer; an unsupported sentence is emphasized and has a sign."""
    text = visible(answer.answer[:_ANSWER]).replace("\t", " ")
    cited = {one.start for one in answer.cited_claims}
    wrong = [(one.start, one.end, one.status) for one in _wrong(answer)]
    if answer.cut is not None and answer.cut.start is not None and answer.cut.end is not None:
        wrong.append((answer.cut.start, answer.cut.end, "cut"))
    wrong += [(one.start, one.end, "unsupported") for one in answer.invented if one.start not in cited]
    wrong += [(one.start, one.end, "uncited") for one in answer.uncited if answer.claims]
    marked: list[Marked] = []
    at = 0
    for start, end, status in sorted(wrong):
        if at <= start < end <= len(text):
            marked.append(Marked(start, end, mark_of(status, signs)))
            at = end
    left = len(answer.answer) - _ANSWER
    drawn = _with_markers(draw_markdown(text, signs, marked, cells), answer)
    if left <= 0:
        return drawn
    return Content("\n").join([drawn, Content.styled(f"{signs.more} {left:,} more characters", "$cb-text")])


def _with_markers(drawn: Content, answer: Answer) -> Content:
    """The text with the color of a key on each marker of a source; a click opens the source. Code has no markers."""
    code = [one for one in drawn.spans if CODE_GROUND in str(one.style)]
    uris = {one.marker: one.citation.uri for one in answer.citations if one.marker}
    for found in _MARKER.finditer(drawn.plain):
        uri = uris.get(found[0])
        if uri is not None and not any(one.start <= found.start() < one.end for one in code):
            drawn = drawn.stylize("$cb-accent", *found.span())
            drawn = drawn.stylize(Style.from_meta({CITED: uri}), *found.span())
    return drawn


def _claim(one: Claim, answer: Answer, signs: Signs, cells: int) -> Content:
    """A sentence's marker, what its source does, where, in which words, and what differs."""
    mark = mark_of("cut" if _is_cut(one, answer) else one.status, signs)
    if one.status == "supported" and any(old.marker == one.marker for old in answer.outdated):
        mark = Mark(signs.quote("flagged").sign, signs.quote("flagged").tone, "supported before the file changed")
    parts: list[tuple[str, str] | Content] = [
        (f"{mark.sign} {inline(one.marker or '', 12)} {mark.words} ", mark.tone),
        cited(one.citation.uri if one.citation else "", "$cb-soft"),
    ]
    if one.quote:
        parts += _quote_lines(one.quote, signs, cells)
    for concern in one.concerns[:5]:
        parts += [("\n    ", ""), (inline(concern.text, 200), mark.tone)]
    return Content.assemble(*parts)


def _quote_lines(text: str, signs: Signs, cells: int) -> list[tuple[str, str] | Content]:
    """Words of a source, with a bar before each line. `cells`: the width, 0 if lines are not wrapped here."""
    quoted = Content.styled(inline(text, _QUOTE), "$cb-soft")
    bar = f"\n    {quote_bar(signs)}"
    lines = quoted.wrap(max(1, cells - len(bar) + 1)) if cells else (quoted,)
    return [part for line in lines for part in ((bar, "$cb-faint"), line)]


def _unknown_marker(one: InventedCitation, signs: Signs) -> Content:
    """Return a marker without a source, and the sentence before it."""
    mark = mark_of("unsupported", signs)
    parts = [(f"{mark.sign} {inline(one.marker, 12)} was not provided", mark.tone)]
    if one.text:
        parts += [("\n    ", ""), (inline(one.text, _QUOTE), "$cb-dim")]
    return Content.assemble(*parts)


def cited(uri: str, tone: str = "$cb-text") -> Content:
    """A citation; a click opens it."""
    return Content.styled(inline(uri, _URI), tone).stylize(Style.from_meta({CITED: uri}))


def sources(citations: Sequence[AnswerCitation]) -> dict[int, AnswerCitation]:
    """The sources by the number each is shown with, which is also the key that opens it."""
    return {_number(one, at): one for at, one in enumerate(citations, 1)}


def _number(one: AnswerCitation, at: int) -> int:
    """The number of its marker; its place where the answer cites nothing."""
    digits = (one.marker or "").strip("[]")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else at


def _sources_head(name: str, citations: Sequence[AnswerCitation], signs: Signs) -> Content:
    return Content.assemble((name, "bold $cb-soft"), (f" {signs.dot} {len(sources(citations)):,}", "$cb-dim"))


def draw_sources(citations: Sequence[AnswerCitation], signs: Signs, cells: int = 0) -> list[Content]:
    """The sources with the number of each, their sections under each other where `cells` have room."""
    widest = max((cell_len(inline(one.citation.uri, _URI)) for one in citations), default=0)
    column = widest if widest <= cells // 2 else 0
    return [_source(number, one, signs, column, cells) for number, one in sources(citations).items()]


def _source(number: int, one: AnswerCitation, signs: Signs, column: int, cells: int) -> Content:
    marker = inline(one.marker, 12) if one.marker else f" {number} "
    section = f"  {inline(one.section, 120)}" if one.section else ""
    speaks = f"  possible prompt injection: {inline(one.speaks_to_model, 80)}" if one.speaks_to_model else ""
    gap = " " * (column - cell_len(inline(one.citation.uri, _URI)))
    body = Content.assemble(
        cited(one.citation.uri), (f"{gap}  evidence {one.score:.2f}", "$cb-faint"), (section, "$cb-dim"),
        (f"  {one.file_now}" if one.file_now else "", signs.quote("flagged").tone),
        (speaks, signs.quote("flagged").tone),
    )  # fmt: skip
    indent = cell_len(marker) + 1
    lines = body.wrap(max(1, cells - indent)) if cells else [body]
    quoted = _quote_lines(one.excerpt, signs, cells) if one.excerpt else ()
    return Content.assemble((f"{marker} ", "$cb-accent"), Content(f"\n{' ' * indent}").join(lines), *quoted)


def _footer(answer: Answer, signs: Signs) -> Content:
    found, used = answer.retrieval, answer.usage
    parts = [
        inline(answer.model.id, 80),
        inline(answer.prompt_template_version, 40),
        f"{found.chunks_used} of {found.chunks_returned} passage{'' if found.chunks_returned == 1 else 's'}",
        f"evidence {found.top_score:.2f}, gate {found.score_gate:.2f}",
        seconds(used.latency_ms),
    ]
    if used.completion_tokens:
        parts.append(f"{used.prompt_tokens:,} tokens in, {used.completion_tokens:,} out")
    return Content.styled(f" {signs.dot} ".join(parts), "$cb-faint")


def seconds(ms: int) -> str:
    """How long it took."""
    return f"{ms / 1000:.1f} s"


def plain_answer(question: str, answer: Answer) -> str:
    """The answer as Markdown, to be copied."""
    sources = [
        f"- {one.marker or '·'} {one.citation.uri}" + (f" ({one.file_now})" if one.file_now else "")
        for one in answer.citations
    ]
    cut = [] if answer.cut is None else [f"({answer.cut.reason})", ""]
    if answer.unverified:
        cut = [f"(not verified: {answer.why})", "", *cut]
    quoted = [f"> {line}" for line in question.split("\n")]
    return "\n".join([*quoted, "", answer.answer, "", *cut, *sources]) + "\n"


_SOURCES = 20
_WHEN, _TURNS = 5, 9


def draw_stored_turn(turn: TurnRow, signs: Signs) -> Content:
    """A turn whose checks cannot be read any more: its words, why it was refused, its sources."""
    text, left = block(turn.answer, _ANSWER)
    parts = [draw_markdown(text, signs)]
    if left:
        parts.append(Content.styled(f"{signs.more} {left:,} more characters", "$cb-dim"))
    if not turn.grounded:
        reason = turn.refusal_reason
        why = "Not verified." if reason is None else REFUSED.get(reason, reason)
        parts.insert(0, Content.styled(inline(why, 200), f"bold {signs.quote('waiting').tone}"))
    parts += [cited(uri) for uri in turn.citations[:_SOURCES]]
    return Content("\n").join([*parts, Content.styled("Only the text was saved, without its checks.", "$cb-dim")])


def draw_hidden_turns(turns: int, signs: Signs) -> Content:
    """That a conversation has so many turns before those that are shown."""
    count = "one earlier question is" if turns == 1 else f"{turns:,} earlier questions are"
    return Content.styled(f"{signs.more} {count} not shown (run: casebook library ask sessions show)", "$cb-dim")


def draw_talk(row: SessionRow, width: int, signs: Signs, now: datetime) -> Content:
    """A conversation in a list: how long ago, how many questions, the first one, its name where a person gave it."""
    count = "1 turn" if row.turns == 1 else f"{row.turns:,} turns"
    before = f"{ago(row.updated_at, now):>{_WHEN}}  {count:>{_TURNS}}  "
    named = "" if row.session_id.startswith("workbench-") else f"{inline(row.session_id, 24)} {signs.dot} "
    room = width - cell_len(before) - cell_len(named)
    return Content.assemble(
        (before, "$cb-dim"), (named, "$cb-accent"), (pad(inline(row.title, max(1, room)), max(0, room)), "$cb-text")
    )
