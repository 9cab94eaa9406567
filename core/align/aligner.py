"""Align one quote: exact, folded, in fragments, fuzzy; in the message it names, then in the nearest others.

The guard judges each place: aligned, or flagged with the reasons and a diff. A quote with an ellipsis is fragments in
their order in one text, with the least between them (decision 10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.align.exact_match import ExactMatches, find, variants
from core.align.fuzzy import LEAST_LETTERS, Stretch, likest
from core.align.guard import adjacent_concerns, compare, cut_article, cut_off, cut_signs, is_diff
from core.align.guard.ellipsis import elided
from core.align.normalized_view import View, ViewCache
from core.align.result import Aligned, Concern, Difference, Method, NearMiss, Span, failed, hash_of
from core.align.settings import AlignSettings
from core.base.trace import Step, Stopwatch, facts

_SIGN = re.compile(
    r"[\[(<{]\s{0,4}(?:\.{2,}|…+|snip|omitted|중략|생략|후략|전략)\s{0,4}[\])>}]|\.{3,}|…+|⋯+", re.IGNORECASE
)
_PLACES = 40
"""Places of one fragment that are looked at."""
_FRAGMENT_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Fragments:
    """The fragments of a quote in a text: their ranges in the quote's order, how like they are, and whether some of
    them stand against that order. `rivals`: other ways to place them just as well."""

    spans: tuple[tuple[int, int], ...]
    similarity: float
    exact: bool
    in_order: bool
    rivals: tuple[tuple[int, int], ...] = ()


def fragments_of(quote: str) -> tuple[str, ...]:
    """The parts of a quote between its ellipses; empty if it has none or if a part is too short."""
    parts = [part.strip() for part in _SIGN.split(quote)]
    if len(parts) < 2:
        return ()
    filled = tuple(part for part in parts if part)
    if not filled or any(len(View(part).letters) < _FRAGMENT_LETTERS for part in filled):
        return ()
    return filled


def place_fragments(view: View, parts: tuple[str, ...], threshold: float) -> Fragments | None:
    """Return the places of the fragments; None unless all of them are found."""
    places: list[list[tuple[int, int]]] = []
    similarity, exact = 1.0, True
    for part in parts:
        quote = View(part)
        found = find(view, quote)
        if found is not None:
            places.append(list(found.spans[:_PLACES]))
            exact = exact and found.form == "plain"
            continue
        if len(quote.letters) < LEAST_LETTERS:
            return None
        likes = [one for one in likest(view, quote, 3) if one.similarity >= threshold]
        if not likes:
            return None
        places.append([(one.start, one.end) for one in likes])
        similarity, exact = min(similarity, likes[0].similarity), False
    chains = sorted(_chains(places), key=_gap)
    if chains:
        rivals = [chain for chain in chains[1:] if _gap(chain) == _gap(chains[0]) and chain[0] != chains[0][0]]
        return Fragments(chains[0], similarity, exact, True, tuple((c[0][0], c[-1][1]) for c in rivals))
    separate = tuple(spans[0] for spans in places)
    return Fragments(separate, similarity, exact, False)


def _gap(chain: tuple[tuple[int, int], ...]) -> int:
    return chain[-1][1] - chain[0][0]


def _chains(places: list[list[tuple[int, int]]]) -> list[tuple[tuple[int, int], ...]]:
    """Return the tightest chain of fragments in order, for each place of the first fragment."""
    chains: list[tuple[tuple[int, int], ...]] = []
    for first in places[0]:
        chain = [first]
        for spans in places[1:]:
            later = [span for span in spans if span[0] >= chain[-1][1]]
            if not later:
                break
            chain.append(min(later))
        else:
            # The nearest last fragment may allow a nearer first one: only the start is free, and each is tried.
            chains.append(tuple(chain))
    return chains


_WORD = re.compile(r"[a-z\u00c0-\u024f]{3,}|[가-힣]{2,}")


class Session:
    """Messages by index, their views, and their words. Belongs to one thread."""

    def __init__(self, messages: Sequence[str], cache: ViewCache | None = None) -> None:
        self.messages = messages
        self._cache = ViewCache() if cache is None else cache
        self._words: set[str] | None = None
        self._last: tuple[int, View] | None = None

    def view(self, index: int) -> View:
        if self._last is None or self._last[0] != index:
            self._last = index, self._cache.view(self.messages[index])
        return self._last[1]

    def others(self, index: int) -> Iterator[int]:
        """Every other message, the nearest first; of two as near, the earlier one."""
        for distance in range(1, len(self.messages)):
            for other in (index - distance, index + distance):
                if 0 <= other < len(self.messages):
                    yield other

    def knows(self, word: str) -> bool:
        """Return whether a message contains the word (lower case)."""
        if self._words is None:
            self._words = {word for text in self.messages for word in _WORD.findall(text.lower())}
        return word in self._words


def judged(
    session: Session,
    span: Span,
    quote: str,
    settings: AlignSettings,
    method: Method,
    confidence: float,
    similarity: float,
) -> Aligned:
    """What the guard says of `quote` at `span`; its trace is the guard's one step, or none where it had no question."""
    text, level = session.messages[span.message_index], settings.guard
    watch = Stopwatch()
    concerns: list[Concern] = []
    verdict = None
    if method != "exact":
        source = text[span.start : span.end]
        verdict = compare(quote, source, session.knows, level, in_diff=is_diff(text, span.start))
        concerns += verdict.concerns
    if level != "off":
        concerns += cut_signs(text, span.start, span.end, quote)
        concerns += cut_article(text, span.start, span.end, quote)
        concerns += cut_off(text, span.start, span.end, quote)
        concerns += adjacent_concerns(text, span.start, span.end)
    trace: tuple[Step, ...] = ()
    if method != "exact" or concerns:
        reason = "; ".join(str(one) for one in concerns) or "same meaning"
        about = facts(message=span.message_index)
        trace = (Step("guard", "rejected" if concerns else "hit", reason, about, elapsed_ms=watch.ms()),)
    return Aligned(
        "flagged" if concerns else "aligned",
        method,
        confidence,
        (span,),
        similarity,
        concerns=tuple(dict.fromkeys(concerns)),
        diff=() if verdict is None else verdict.diff,
        trace=trace,
    )


def settle(
    session: Session,
    quote: str,
    found: Aligned,
    span: Span,
    settings: AlignSettings,
    reason: str = "chosen manually",
) -> Aligned:
    """An ambiguous quote at one of its places, guarded there. Raises ValueError where `span` is none of them."""
    if found.status != "ambiguous" or span not in found.spans:
        raise ValueError("choose one of the locations of the ambiguous quote")
    made = judged(session, span, quote, settings, found.method, found.confidence, found.similarity)
    text = session.messages[span.message_index]
    step = Step("choice", "hit", reason, facts(start=span.start, places=len(found.spans)))
    return replace(
        made,
        matched_hash=hash_of(text[span.start : span.end]),
        relocated_from=found.relocated_from,
        trace=(*found.trace, step, *made.trace),
    )


NEAR = 0.5
"""A place less like the quote than this is no near miss."""
TIE = 0.005
"""Two places whose similarities differ by no more are as good as each other."""
MOVES_FROM = 8
"""A quote with fewer letters and digits is not looked for in other messages: it would be found anywhere."""
FUZZY_MOVES_FROM = 20
_OFFERED = 3
"""Places of a quote whose index is one too high that are offered."""


def align_quote(session: Session, message_index: int | None, quote: str, settings: AlignSettings) -> Aligned:
    """Return the place of a quote in its message, else in another, or the reason for a failure. Raises nothing."""
    if message_index is None:
        return failed("index_out_of_range", (Step("index", "rejected", "the message index is not an integer"),))
    if not 0 <= message_index < len(session.messages):
        reason = f"message {message_index} not found: the session has {len(session.messages)}"
        near = _counted_from_one(session, quote) if message_index == len(session.messages) else ()
        step = Step("index", "rejected", f"{reason}. The quote is in message {message_index - 1}" if near else reason)
        return failed("index_out_of_range", (step,), near)
    if not View(quote).normal.strip():
        return failed("empty_quote", (Step("quote", "rejected", "the quote contains only whitespace"),))
    return _Search(session, message_index, quote, settings).run()


def _counted_from_one(session: Session, quote: str) -> tuple[NearMiss, ...]:
    """Return exact places in the previous message, for a model that counts from 1."""
    if not session.messages or not View(quote).normal.strip():
        return ()
    last = len(session.messages) - 1
    view = session.view(last)
    for reading in (quote, *variants(quote)):
        if found := find(view, View(reading)):
            return tuple(NearMiss(Span(last, *span), 1.0) for span in found.spans[:_OFFERED])
    return ()


class _Search:
    """One search, with the steps it took."""

    def __init__(self, session: Session, index: int, quote: str, settings: AlignSettings) -> None:
        self._session, self._index, self._quote, self._settings = session, index, quote, settings
        self._view = View(quote)
        self._readings = [self._view, *(View(text) for text in variants(quote))]
        self._parts = fragments_of(quote)
        self._trace: list[Step] = []

    def run(self) -> Aligned:
        letters = len(self._view.letters)
        found = self._without_error(self._index) or self._in_fragments(self._index)
        if found is not None:
            return self._aligned_by(found)
        likes, like = self._alike(self._index)
        if like is not None and like.status != "flagged":
            return self._aligned_by(like)
        moved = self._elsewhere(letters, doubtful=like is not None)
        if moved is not None:
            return self._aligned_by(moved)
        return self._aligned_by(like) if like is not None else self._nowhere(likes)

    def _aligned_by(self, found: Aligned) -> Aligned:
        spans = found.spans if found.status != "ambiguous" else found.spans[:1]
        text = self._session.messages[spans[0].message_index]
        matched = hash_of("".join(text[span.start : span.end] for span in spans))
        moved = None if spans[0].message_index == self._index else self._index
        return replace(found, matched_hash=matched, relocated_from=moved, trace=tuple(self._trace))

    def _without_error(self, index: int) -> Aligned | None:
        """Word for word or folded, as written or as it was before it was escaped or put in quotation marks."""
        watch = Stopwatch()
        view = self._session.view(index)
        for quote in self._readings:
            found = find(view, quote)
            if found is None:
                continue
            form = found.form if quote is self._view or found.form != "plain" else "normal"
            outcome = f"{len(found.spans)} places" if len(found.spans) > 1 else "one place"
            self._note(form, "hit", outcome, watch, index)
            return self._placed(index, ExactMatches(form, found.spans), quote)
        if index == self._index:
            self._note("exact match", "miss", "no verbatim or normalized match", watch, index)
        return None

    def _placed(self, index: int, found: ExactMatches, quote: View) -> Aligned:
        if len(found.spans) > 1:
            return Aligned("ambiguous", found.method, found.confidence, _spans(index, found.spans), 1.0)
        return self._guarded(index, next(iter(found.spans)), found.method, found.confidence, 1.0, quote)

    def _in_fragments(self, index: int) -> Aligned | None:
        if not self._parts:
            return None
        watch = Stopwatch()
        threshold = self._settings.fuzzy_threshold if self._may_be_fuzzy() else 1.01
        found = place_fragments(self._session.view(index), self._parts, threshold)
        if found is None:
            self._note("fragments", "miss", "not all fragments are in this message", watch, index)
            return None
        method: Method = "normalized" if found.similarity == 1.0 else "fuzzy"
        confidence = 0.96 if found.similarity == 1.0 else _confidence(found.similarity)
        self._note("fragments", "hit", f"{len(found.spans)} fragments", watch, index)
        if found.rivals:
            places = ((found.spans[0][0], found.spans[-1][1]), *found.rivals)
            return Aligned("ambiguous", method, confidence, _spans(index, places), found.similarity)
        text = self._session.messages[index]
        concerns: list[Concern] = []
        diff: tuple[Difference, ...] = ()
        for part, (start, end) in zip(self._parts, found.spans, strict=True):
            verdict = compare(part, text[start:end], self._session.knows, self._settings.guard)
            concerns += verdict.concerns
            diff += verdict.diff
            if self._settings.guard != "off":
                concerns += cut_signs(text, start, end, part)
        if self._settings.guard != "off":
            concerns += elided(text, found.spans, in_order=found.in_order)
            concerns += adjacent_concerns(text, found.spans[0][0], found.spans[-1][1]) if found.in_order else ()
        status = "flagged" if concerns else "aligned"
        spans = _spans(index, found.spans)
        distinct = tuple(dict.fromkeys(concerns))
        return Aligned(status, method, confidence, spans, found.similarity, concerns=distinct, diff=diff)

    def _may_be_fuzzy(self) -> bool:
        return self._settings.enable_fuzzy and len(self._quote) <= self._settings.max_quote_length

    def _alike(self, index: int) -> tuple[list[Stretch], Aligned | None]:
        """The places most like the quote, and the best of them if it is good enough."""
        watch = Stopwatch()
        quote = max(self._readings, key=lambda one: 0) if len(self._readings) == 1 else self._readings[-1]
        if len(quote.letters) < LEAST_LETTERS or len(self._quote) > self._settings.max_quote_length:
            self._note("fuzzy", "skipped", "the quote is too short or too long for a fuzzy match", watch, index)
            return [], None
        likes = [one for one in likest(self._session.view(index), quote, 3) if one.similarity >= NEAR]
        best = likes[0].similarity if likes else 0.0
        if not self._settings.enable_fuzzy or best < self._settings.fuzzy_threshold:
            self._note("fuzzy", "miss", f"best similarity {best:.3f}", watch, index)
            return likes, None
        self._note("fuzzy", "hit", f"similarity {best:.3f}", watch, index)
        rivals = [one for one in likes if best - one.similarity <= TIE]
        spans = [(one.start, one.end) for one in rivals]
        if len(rivals) > 1:
            return likes, Aligned("ambiguous", "fuzzy", _confidence(best), _spans(index, spans), best)
        return likes, self._guarded(index, spans[0], "fuzzy", _confidence(best), best, quote)

    def _elsewhere(self, letters: int, *, doubtful: bool) -> Aligned | None:
        """In the nearest other message; `doubtful`: there is a place already, so only one without error will do."""
        if letters < MOVES_FROM:
            self._trace.append(
                Step("other messages", "skipped", "the quote is too short for a search in other messages")
            )
            return None
        watch = Stopwatch()
        for other in self._session.others(self._index):
            found = self._without_error(other)
            if found is not None:
                return found
        if doubtful or letters < FUZZY_MOVES_FROM or not self._may_be_fuzzy():
            self._note("other messages", "miss", "no exact match in other messages", watch)
            return None
        for other in self._session.others(self._index):
            if self._parts and (found := self._in_fragments(other)) is not None and found.status == "aligned":
                return found
        best: tuple[float, Aligned] | None = None
        steps = len(self._trace)
        for other in self._session.others(self._index):
            _, like = self._alike(other)
            if like is not None and (best is None or like.similarity > best[0] + TIE):
                best = like.similarity, like
        del self._trace[steps:]
        self._note("other messages", "hit" if best else "miss", "best match" if best else "nowhere", watch)
        return None if best is None else best[1]

    def _nowhere(self, likes: list[Stretch]) -> Aligned:
        near = tuple(NearMiss(Span(self._index, one.start, one.end), round(one.similarity, 4)) for one in likes)
        if len(self._quote) > self._settings.max_quote_length:
            return failed("quote_too_long", tuple(self._trace), near)
        return failed("below_threshold" if near else "not_found", tuple(self._trace), near)

    def _guarded(
        self, index: int, span: tuple[int, int], method: Method, confidence: float, similarity: float, quote: View
    ) -> Aligned:
        """A single place after the guard has looked at it."""
        place = Span(index, *span)
        made = judged(self._session, place, quote.plain, self._settings, method, confidence, similarity)
        self._trace += made.trace
        return made

    def _note(self, stage: str, outcome: str, reason: str, watch: Stopwatch, index: int | None = None) -> None:
        details = facts() if index is None else facts(message=index)
        self._trace.append(Step(stage, outcome, reason, details, elapsed_ms=watch.ms()))  # pyright: ignore[reportArgumentType]


def _spans(index: int, places: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(Span(index, start, end) for start, end in places)


def _confidence(similarity: float) -> float:
    """A raw similarity from 0.85 to 1, set into the band of fuzzy matches."""
    return min(0.85 + 0.1 * (similarity - 0.85) / 0.15, 0.9499)
