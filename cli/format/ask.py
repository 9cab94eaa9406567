"""An answer as lines for people, as kebab-frozen-design 1.1 to 1.4 draws it: text, sources, what it rests on."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from cli.format.layout import clip, one_line, width, wrap
from cli.format.markdown import markdown
from cli.output import Output
from core.library.ask.answer import CUT_OFF, REFUSALS, Answer, AnswerCitation, AnswerEvent, Claim
from core.library.ask.markers import sentences
from core.library.ask.prompt import may_refuse
from core.library.ask.store import SessionList, StoredSession
from core.text import hangul_share, visible

_RULE: Final = "─" * 57
_BY_THE_GATE: Final = ("score_gate", "no_chunks", "no_index")
_QUOTE: Final = 300  # code points shown of a source's words
_NEAR: Final = {  # English, Korean
    "all": ("Nearest passages (all below the threshold {gate:.2f}):", "가까운 후보 (모두 임계 {gate:.2f} 미만):"),
    "some": ("Nearest passages:", "가까운 후보:"),
    "judged": (
        "Passages in which the model found no answer:",
        "검색은 됨, LLM 이 결론 부재 판단:",
    ),
}


def answer_lines(out: Output, found: Answer, *, explain: bool = False, streamed: bool = False) -> Iterator[str]:
    """The answer with its sources. `explain`: each sentence with its place, and how it was found; `said`: the text
    stands on the terminal already."""
    if explain and found.claims:
        yield ""
        yield from _claims(out, found)
    elif not streamed:
        yield ""
        yield from markdown(_narrower(out), found.answer, 0)
    if any(one.marker for one in found.citations):
        yield from _sources(out, found) if not explain else ()
    else:
        yield from _nearest(out, found)
    if found.said and not streamed:
        words = found.said if len(found.said) <= _QUOTE else found.said[:_QUOTE] + "…"
        yield ""
        yield from (out.paint(line, "dim") for line in wrap(f"Reply of the LLM: {words}", out.columns))
    yield from _doubts(out, found, explain=explain)
    yield from _outdated(out, found)
    if found.cut is not None:
        yield ""
        yield from (out.paint(line, "warn") for line in wrap(f"! {found.cut.reason}", out.columns))
    if found.why:
        what = {"llm_stream_aborted": "Incomplete", None: "Not verified"}.get(found.refusal_reason, "Not accepted")
        yield ""
        yield from (out.paint(line, "bad") for line in wrap(f"{what}: {one_line(found.why)}.", out.columns))
    yield ""
    if explain:
        yield from _retrieval(out, found)
        yield ""
    if found.refusal_reason != "no_index":  # no model was asked
        yield _footer(out, found)
    if found.conversation_id is not None:
        turn = "" if found.turn_index is None else f", turn {found.turn_index + 1}"
        yield out.paint(f"session {one_line(found.conversation_id)}{turn}", "dim")
    if explain:
        yield from _costs(out, found)
    if out.verbose:
        from cli.format.cases import trace_lines

        yield from trace_lines(out, found.trace)


def _narrower(out: Output) -> Output:
    return out._replace(columns=out.columns - 4)


def unanswered_lines(out: Output, passages: Sequence[AnswerCitation]) -> Iterator[str]:
    """The passages found for a question that no model answered."""
    yield "The LLM did not answer. Passages found:"
    for one in passages:
        section = f" {one_line(one.section)}" if one.section else ""
        yield clip(f"· {one_line(one.citation.uri)}{section}", out.columns)


def _sources(out: Output, found: Answer) -> Iterator[str]:
    if not found.citations:
        return
    yield ""
    yield out.paint(_RULE, "dim")
    for one in found.citations:
        yield out.paint(f"{one.marker} {one_line(one.citation.uri)}", "bold")
        if one.file_now:
            yield out.paint(one.file_now, "warn")
        if one.speaks_to_model:
            yield out.paint(clip(f"possible prompt injection: {one.speaks_to_model}", out.columns), "warn")
        if one.section:
            yield clip(one.section, out.columns)


def _nearest(out: Output, found: Answer) -> Iterator[str]:
    if not found.citations:
        return
    korean = hangul_share(found.query) > 0.3
    gate = found.retrieval.score_gate
    below = all(one.score < gate for one in found.citations)
    judged = found.refusal_reason == "llm_self_judge" and not found.why
    stopped = found.refusal_reason == "llm_stream_aborted"
    kind = "judged" if judged else "all" if below and not stopped else "some"
    yield _NEAR[kind][korean].format(gate=gate)
    for one in found.citations:
        now = f", {one.file_now}" if one.file_now else ""
        now += ", possible prompt injection" if one.speaks_to_model else ""
        yield f"· {one_line(one.citation.uri)} (score {one.score:.2f}{now})"
        if one.excerpt:
            yield from (out.paint(line, "dim") for line in wrap(one.excerpt, out.columns, "  "))


def _doubts(out: Output, found: Answer, *, explain: bool) -> Iterator[str]:
    """Yield the unsupported parts of the answer; with --explain, the sentences show them already."""
    doubtful = [one for one in found.cited_claims if one.status != "supported" and not explain]
    uncited = found.uncited if found.claims and not explain else ()
    dropped = ", ".join(dict.fromkeys(one.marker for one in found.invented))
    if not doubtful and not dropped and not uncited:
        return
    yield ""
    for one in doubtful:
        what = ": ".join(filter(None, (_mark(one), "; ".join(concern.text for concern in one.concerns))))
        sign = "!" if one.status == "flagged" or one.concerns else "?"
        yield out.paint(clip(f"{sign} {one.marker} {one.text}", out.columns), "warn")
        yield from wrap(what, out.columns, "  ")
    for one in uncited:
        yield out.paint(clip(f"? {one.text}", out.columns), "warn")
        yield "  no citation"
    if dropped:
        yield out.paint(
            f"! {one_line(dropped)}: citation removed, because the LLM cited a passage that it did not receive", "warn"
        )


def _outdated(out: Output, found: Answer) -> Iterator[str]:
    """Which sources are of files that are others today."""
    if not found.outdated:
        return
    yield ""
    for one in found.outdated:
        yield out.paint(clip(f"! {one.marker} {one.citation.path}: {one.file_now}", out.columns), "warn")
    yield "  to index the changes, run: casebook library ingest"


def _claims(out: Output, found: Answer) -> Iterator[str]:
    """Each sentence with the place it rests on."""
    known = {one.start: one for one in found.cited_claims}
    silent = {one.start for one in (*found.uncited, *found.invented)}
    for at, sentence in enumerate(sentences(found.answer)):
        if at:
            yield ""
        claim = known.get(sentence.start)
        first, *more = wrap(claim.text if claim else sentence.text, out.columns - 2)
        yield out.paint(f"▎ {first.rstrip('.')}" if not more else f"▎ {first}", "bold")
        yield from (out.paint(f"▎ {line}", "bold") for line in more)
        if claim is None:
            cut = found.cut is not None and sentence.start == found.cut.start
            if cut or sentence.start in silent:
                yield out.paint("└ truncated" if cut else "└ no citation", "warn")
        else:
            yield from _claim(out, claim)


def _mark(claim: Claim) -> str:
    """The mark of a sentence as the workbench shows it; empty if it is supported, or only truncated."""
    if claim.status == "flagged":
        return "" if claim.concerns and all(one.kind == CUT_OFF for one in claim.concerns) else "contradicted"
    return "not supported" if claim.status == "unsupported" else ""


def _claim(out: Output, claim: Claim) -> Iterator[str]:
    yield f"└ {one_line(claim.citation.uri if claim.citation else '')}"
    if mark := _mark(claim):
        nearest = ", nearest text:" if claim.status == "unsupported" and claim.quote else ""
        yield out.paint(f"{'?' if claim.status == 'unsupported' else '!'} {mark}{nearest}", "warn")
    for concern in claim.concerns:
        yield from (out.paint(line, "warn") for line in wrap(f"! {concern.text}", out.columns))
    if claim.quote:
        quote = " ".join(claim.quote.split())
        quote = quote if len(quote) <= _QUOTE else quote[:_QUOTE] + "…"
        yield from wrap(f"「{quote}」", out.columns)


def _retrieval(out: Output, found: Answer) -> Iterator[str]:
    used = found.retrieval
    passed = "refused" if used.top_score < used.score_gate or found.refusal_reason in _BY_THE_GATE else "pass"
    yield out.paint("retrieval trace", "bold")
    yield f'query "{clip(found.query, out.columns - 8)}"'
    yield f"mode {used.mode}"
    yield f"k {used.k}"
    yield f"threshold (gate) {used.score_gate:.2f} → top-1 {used.top_score:.2f} {passed}"
    refused = next((step for step in found.trace if step.stage == "gate" and step.outcome == "rejected"), None)
    if refused is not None:
        yield from wrap(f"gate: {refused.reason}", out.columns)
    yield {"hybrid": "fusion rrf (k=60)", "lexical": "order bm25", "vector": "order cosine"}[used.mode]
    yield f"chunks (used) {used.chunks_used} / {used.chunks_returned} returned"
    for number, one in enumerate(found.packed, 1):
        yield _packed(number, one)
    for hop in found.hops or ():
        what = f"{hop.kind} {hop.iter}: {len(hop.sub_queries)} searches, {hop.context_chunks_added} passages added"
        yield what + (" (forced stop)" if hop.forced_stop else "")
        yield from (clip(f"  {query}", out.columns) for query in hop.sub_queries)


def _packed(number: int, one: AnswerCitation) -> str:
    scores = (("bm25", one.lexical_score, ".1f"), ("vec", one.vector_score, ".2f"))
    told = " ".join(f"{name}={value:{form}}" for name, value, form in scores if value is not None)
    marked = " possible prompt injection" if one.speaks_to_model else ""
    return f"#{number} {one.score:.2f} {one_line(one.citation.uri)} {told}".rstrip() + marked


def _footer(out: Output, found: Answer) -> str:
    sign = "✓" if found.grounded else "✗"
    used = found.retrieval.chunks_used
    chunks = f"{used} chunks" if used != 1 else "1 chunk"
    if found.refusal_reason == "llm_stream_aborted":
        chunks = f"{chunks}, stopped early"
    elif found.unverified:
        chunks = f"{chunks}, not verified"
    elif not found.grounded:
        chunks = f"{chunks} searched, 0 grounded" if used else "0 chunks used"
    elif found.cut is not None:
        chunks = f"{chunks}, truncated"
    line = f"grounded {sign} {one_line(found.model.id)} {found.prompt_template_version} {chunks}"
    if found.grounded and found.outdated:
        line += ", some files have changed since"
    return out.paint(line, "good" if found.grounded and not found.outdated else "warn")


def _costs(out: Output, found: Answer) -> Iterator[str]:
    usage = found.usage
    yield out.paint(
        f"prompt {usage.prompt_tokens} tokens completion {usage.completion_tokens} tokens"
        f" latency {usage.latency_ms} ms",
        "dim",
    )
    model = f"embedding {one_line(found.embedding.id)} " if found.embedding else ""
    yield out.paint(f"{model}index {found.retrieval.index_version}", "dim")


def session_list_lines(out: Output, found: SessionList) -> Iterator[str]:
    """The conversations, one a line."""
    if not found.sessions:
        yield out.paint("No sessions.", "warn")
    for one in found.sessions:
        turns = "1 turn" if one.turns == 1 else f"{one.turns} turns"
        yield clip(f"{one_line(one.session_id)}  {turns}, {one.updated_at[:16]}  {one.title}", out.columns)


def session_lines(out: Output, found: StoredSession) -> Iterator[str]:
    """One conversation, turn by turn."""
    for one in found.turns:
        yield from (out.paint(line, "bold") for line in wrap(f"{one.turn_index + 1}. {one.question}", out.columns))
        yield from markdown(_narrower(out), one.answer, 0)
        if one.refusal_reason == "llm_stream_aborted":
            yield out.paint("incomplete: the stream was interrupted (llm_stream_aborted)", "warn")
        elif not one.grounded:
            why = one.refusal_reason
            state = "not verified" if why is None else f"refused: {REFUSALS.get(why, one_line(why))}"
            yield out.paint(state, "warn")
        if one.cut is not None:
            yield out.paint(f"truncated after {one.cut:,} tokens", "warn")
        yield from (out.paint(one_line(uri), "dim") for uri in one.citations)
        yield ""


_TAB: Final = 8
_MARKED: Final = re.compile(r"`|\*\*|^ {0,3}(?:#{1,6}|[-*+]|\d+[.)]|>) ", re.MULTILINE)
"""What a drawn answer shows otherwise: code, strong words, headings, lists, quotes."""


class Spoken:
    """Tokens on the terminal as they come, inert. What may be the word of refusal is held back until it is known."""

    def __init__(self) -> None:
        self._held, self._shown, self._begun = "", "", False

    def hear(self, event: AnswerEvent) -> None:
        """Show a token at once."""
        if event.kind != "token" or event.text is None:
            return
        if event.anew:
            self._take_back()
        self._held += event.text
        if not self._held or (not self._shown and may_refuse(self._held)):
            return
        text, self._held = visible(self._held), ""
        sys.stdout.write(text if self._begun else f"\n{text}")
        sys.stdout.flush()
        self._shown, self._begun = self._shown + text, True

    def end(self, *, draws: bool = False) -> bool:
        """End the line; whether anything was said.

        `draws`: Markdown that is still on the screen is taken back, to be drawn.
        """
        if not self._shown:
            return False
        columns, lines = _size()
        if draws and _MARKED.search(self._shown) and rows(self._shown, columns) < lines:
            self._take_back()
            sys.stdout.write("\x1b[1A")  # the empty line above it is written again, too
            return False
        sys.stdout.write("\n")
        return True

    def _take_back(self) -> None:
        """Erase the shown text. Scrolled text, or a terminal without erasing, keeps it with a note."""
        shown, self._shown, self._held = self._shown, "", ""
        if not shown:
            return
        columns, lines = _size()
        up = rows(shown, columns) - 1
        wipes = os.environ.get("TERM") != "dumb"
        if wipes:
            sys.stdout.write("\r" + (f"\x1b[{min(up, lines - 1)}A" if up else "") + "\x1b[J")
        if not wipes or up >= lines:
            sys.stdout.write(("" if wipes else "\n") + "(Reasoning removed.)\n\n")
        sys.stdout.flush()


def rows(text: str, columns: int) -> int:
    """The rows a text takes on a terminal that is so wide."""
    count = 1
    at = 0
    for sign in text:
        if sign == "\n":
            count, at = count + 1, 0
            continue
        cells = _TAB - at % _TAB if sign == "\t" else width(sign)
        if sign == "\t":
            at = min(at + cells, columns - 1)  # a tab stays in its row
        elif at + cells > columns:
            count, at = count + 1, cells
        else:
            at += cells
    return count


def _size() -> tuple[int, int]:
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return 80, 24
    return max(1, found.columns), max(1, found.lines)
