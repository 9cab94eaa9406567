"""Signs next to words and figures: `chmod +x`, `!ready`, `foo-`, `10^-3`, the `-` of a diff's line.

What only parts or decorates is form: hyphens inside words, dashes, list marks, prompts, quotation marks, brackets,
Markdown, the punctuation of a sentence. Every other sign that a quote changes, drops or adds is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.align.guard.frames.sentence import ahead_of, beyond, lines_of
from core.align.guard.tokens import Token
from core.align.result import Concern

_ITEM = re.compile(r"^[ \t]*(?:(?:[>*+\-|\u30fb#]+|/{2,3}|\d{1,3}[.)])[ \t]+)+", re.MULTILINE)
_PROMPT = re.compile(r"^[ \t]*(?:[$%#\u276f]|>{1,3}|\.\.\.)[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:\-=*_~+#]{3,}$|(?<!\S)([=\-*_~#+<>])\1{2,}(?!\S)|\.{3,}", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|~~)(?=[^\s*])(?:[^*\n`]|`[^`\n]*`){1,400}?(?<=[^\s*])\1(?![\w*])")
_TAG = re.compile(r"<(/?)[A-Za-z][^<>\s]{0,200}?(/?)>")
_FORM = re.compile(r"[\s'\"`()\[\]{}|,;_\u2026\u30fb\u00a7]+|\\(?=[\W_])")
_ESCAPED = re.compile(r"(?:\\\*){2,}|\\(?=[^\w\s]|_)")
_SENTENCE_END = re.compile(r"(?<![.:!?])[.:!?]++(?=[\s)\]}\"'`*])")
_DASH = re.compile(r"(?<=\s)(?:-{1,3}|/{2,3}|#{1,6}|[*+>])(?=\s)")
_SPAN_DIGITS = re.compile(r"[-~]")
_JOINING = frozenset("/:.-")
_KEPT_AT_EDGE = frozenset("!-+~<>^±¬")
_LENGTHS = frozenset(("m", "cm", "mm", "km", "dm", "ft", "in"))
"""Units whose square is written without a sign too: `400 m2`."""
_LINE_SIGN = re.compile(r"[+-](?![+-])")
_LINE_ADDED = re.compile(r"^\+(?!\+)", re.MULTILINE)
_DIFF_HEAD = re.compile(r"^(?:@@ |diff --|```diff)", re.MULTILINE)
_ADDED, _REMOVED = re.compile(r"^[ \t]*\+", re.MULTILINE), re.compile(r"^[ \t]*-", re.MULTILINE)
_FIGURE_BEFORE, _FIGURE_BEHIND = re.compile(r"\d[,:]?$"), re.compile(r"\d|[.,:]\d|\s?%")
_NEAR = 1500
"""Characters around a place in which the rest of a diff is looked for."""
_RUN = 12
_SHOWN = 40


def changed_signs(
    texts: tuple[str, str],
    tokens: tuple[Sequence[Token], Sequence[Token]],
    same: Mapping[int, int],
    *,
    in_diff: bool,
) -> Iterator[Concern]:
    """The signs between tokens that differ. `texts`, `tokens`: of quote and source, as `View.lines`; `same`: which
    token of the quote is which of the source."""
    mine, yours = map(_undecorated, texts)
    if in_diff:
        mine, yours = (_LINE_ADDED.sub(" ", one) for one in (mine, yours))
    ours, theirs = tokens
    for at, there in same.items():
        if at + 1 < len(ours) and same.get(at + 1) == there + 1:
            here = mine[ours[at].end : ours[at + 1].start], yours[theirs[there].end : theirs[there + 1].start]
            figures = ours[at].kind == ours[at + 1].kind == "number"
            bare = [
                _FORM.sub("", text[side[at].end : side[at + 1].start])
                for text, side, at in ((texts[0], ours, at), (texts[1], theirs, there))
            ]
            raised = ours[at].measured and ours[at].canon in _LENGTHS and ours[at + 1].canon in ("2", "3")
            if raised and {*bare} == {"", "^"}:
                continue
            if bare[0] != bare[1] and _differ(
                *here, between_figures=figures, before_figure=ours[at + 1].kind == "number"
            ):
                wide = (
                    texts[0][ours[at].start : ours[at + 1].end],
                    texts[1][theirs[there].start : theirs[there + 1].end],
                )
                yield Concern("sign", *map(_quote_sign, wide))
        else:
            yield from _alone(mine, yours, ours, theirs, at, there)
        broken = _breaks(texts[0], ours, at) or _breaks(texts[1], theirs, there)
        if at and broken and (one := _line_signs(texts, ours[at], theirs[there], in_diff=in_diff)):
            yield one


def cut_signs(text: str, start: int, end: int, quote: str) -> Iterator[Concern]:
    """Yield the signs next to `text[start:end]` that the quote lacks; signs of the quote are its own."""
    before, after = ahead_of(text, start), beyond(text, end)
    inside, quoted = lines_of(text[start:end]), lines_of(quote)
    if inside[:1].isdigit() and _FIGURE_BEFORE.search(before):
        yield Concern("number", "", f"{before.split()[-1]}{inside.split()[0]}")
    if inside[-1:].isdigit() and _FIGURE_BEHIND.match(after):
        yield Concern("number", "", f"{inside.split()[-1]}{after.split()[0]}")
    if one := _cut_line(f"{before}{inside}", len(before), quoted, text, start):
        yield one
    there, here = _lead(f"{before}{inside}", len(before)), _lead(quoted, 0)
    if there is None or here is None or there[0] == here[0]:
        pass
    elif here[0] or (there[0][:1] in _KEPT_AT_EDGE and not (there[0] == "+" and is_diff(text, start))):
        yield Concern("sign", here[1], there[1])
    tail, own = _tail(inside, after), _tail(quoted, "")
    if tail != own and not own and tail[:1] in "-+^" and tail:
        yield Concern("sign", "", f"{inside.split()[-1]}{tail}")


def is_diff(text: str, at: int) -> bool:
    """Whether the lines around a place are those of a diff: a head of one, or lines both added and taken out."""
    low = max(text.rfind("\n\n", max(0, at - _NEAR), at), at - _NEAR, 0)
    high = text.find("\n\n", at, at + _NEAR)
    block = text[low : high if high >= 0 else at + _NEAR]
    added = _ADDED.findall(block)
    return bool(_DIFF_HEAD.search(block) or len(added) > 1 or (added and _REMOVED.search(block)))


def _cut_line(lines: str, start: int, quoted: str, text: str, at: int) -> Concern | None:
    """The sign of a diff's line before the first word of a place, where the quote has another or none."""
    first = next((at for at in range(start, len(lines)) if lines[at].isalnum()), len(lines))
    own = next((at for at in range(len(quoted)) if quoted[at].isalnum()), len(quoted))
    heads = _head_of_line(quoted, own), _head_of_line(lines, first)
    if heads[0] == heads[1]:
        return None
    word = re.match(r"\w*", lines[first:])
    return _line_sign(heads, word[0] if word else "", in_diff=is_diff(text, at))


def _undecorated(lines: str) -> str:
    """The text with blanks for what decorates it; as long as it was."""
    lines = _ESCAPED.sub(lambda m: "'" * len(m[0]), lines)
    for pattern in (_ITEM, _PROMPT, _RULE):
        lines = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), lines)
    lines = _TAG.sub(lambda m: f" {' ' * len(m[1])}{m[0][1 + len(m[1]) : -1 - len(m[2])]}{' ' * len(m[2])} ", lines)
    return _EMPHASIS.sub(
        lambda m: f"{' ' * len(m[1])}{m[0][len(m[1]) : -len(m[1])]}{' ' * len(m[1])}",
        lines,
    )


def _differ(mine: str, yours: str, *, between_figures: bool, before_figure: bool) -> bool:
    """Whether two gaps between the same words have other signs."""
    if mine == yours or _FORM.sub("", mine) == _FORM.sub("", yours):
        return False
    (one, loose), (other, free) = (
        _signs(gap, between_figures=between_figures, before_figure=before_figure) for gap in (mine, yours)
    )
    if one == other:
        return False
    if between_figures or (one and other):
        return True
    # `read/write` may lose what joins it; `/srv`, `.env` and `foo-` may not.
    return (loose if one else free) or not set(one + other) <= _JOINING


def _signs(gap: str, *, between_figures: bool = False, before_figure: bool = False) -> tuple[str, bool]:
    """The signs of a gap that say something, without what is form, and whether the gap has a blank."""
    bare = _DASH.sub(" ", _SENTENCE_END.sub("", gap))
    bare = re.sub(r"(?<=\s)\*{2,}|(?<!\*)\*{2,}+(?=[\s.,:;!?]|$)", "", bare)
    parted = bool(re.search(r"\s", bare))
    bare = _FORM.sub("", bare)
    if between_figures and not parted:
        return _SPAN_DIGITS.sub("-", bare), False
    if before_figure and bare.endswith("#"):
        bare = bare[:-1]
    return ("" if bare in ("-", "--") and not parted else bare), parted


def _alone(
    mine: str, yours: str, ours: Sequence[Token], theirs: Sequence[Token], at: int, there: int
) -> Iterator[Concern]:
    """Yield the sign right after a token and the one before the next, with other words between them."""
    gaps = [
        (_between(mine, ours, at, at + 1), _between(yours, theirs, there, there + 1)),
        (_between(mine, ours, at - 1, at), _between(yours, theirs, there - 1, there)),
    ]
    for side, (one, other) in enumerate(gaps):
        if not (one.strip() or other.strip()) or not all(re.search(r"\s", gap) for gap in (one, other)):
            continue
        cut = [gap.split()[0] if side == 0 and not gap[:1].isspace() else "" for gap in (one, other)]
        if side == 1:
            cut = [gap.split()[-1] if not gap[-1:].isspace() else "" for gap in (one, other)]
        made = [_signs(f" {sign}" if side else f"{sign} ")[0] for sign in cut]
        if made[0] != made[1]:
            words = [f"{ours[at].text}", f"{theirs[there].text}"]
            yield Concern("sign", *(f"{s}{w}" if side else f"{w}{s}" for s, w in zip(cut, words, strict=True)))


def _between(text: str, tokens: Sequence[Token], one: int, other: int) -> str:
    if one < 0 or other >= len(tokens):
        return ""
    return text[tokens[one].end : tokens[other].start]


def _breaks(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether a line begins between a token and the one before it."""
    return at > 0 and text.find("\n", tokens[at - 1].end, tokens[at].start) >= 0


def _line_signs(texts: tuple[str, str], mine: Token, yours: Token, *, in_diff: bool) -> Concern | None:
    """The sign of a diff's line that differs before its first word."""
    heads = _head_of_line(texts[0], mine.start), _head_of_line(texts[1], yours.start)
    return None if heads[0] == heads[1] else _line_sign(heads, yours.text, in_diff=in_diff)


def _line_sign(heads: tuple[str | None, str | None], word: str, *, in_diff: bool) -> Concern | None:
    """Return the concern about the text before the first word of a line in the quote and in the source."""
    here, there = heads
    if there is None:
        return None
    (mine, yours) = (head[:1] if head and _LINE_SIGN.match(head) else "" for head in heads)
    taken_off = there[1:].lstrip() == (here or "")
    if yours == "-" and mine != "-" and in_diff and (taken_off or not mine):
        return Concern("removed line", "", f"- {word}")
    if mine and yours and mine != yours and not taken_off:
        return Concern("sign", f"{mine} {word}", f"{yours} {word}")
    if in_diff and mine and not yours and here is not None and here[1:].lstrip() == there:
        return Concern("sign", f"{mine} {word}", word)
    return None


def _head_of_line(text: str, at: int) -> str | None:
    """Return the text of the line before `at`, without blanks at its ends; None if it contains a word."""
    head = text[text.rfind("\n", 0, at) + 1 : at].strip()
    return None if any(letter.isalnum() for letter in head) else head


def _lead(lines: str, start: int) -> tuple[str, str] | None:
    """The signs before the first word from `start`, and the word with them; None where another word goes before."""
    first = next((at for at in range(start, len(lines)) if lines[at].isalnum()), None)
    if first is None:
        return None
    low = first
    while low > 0 and first - low < _RUN and not lines[low - 1].isspace() and not lines[low - 1].isalnum():
        low -= 1
    if low and lines[low - 1].isalnum():
        return None
    word = re.match(r"\w+", lines[first:])
    plain = _undecorated(f"{lines[:low][-1:] or chr(10)}{lines[low:]}")[1:]
    return _lead_signs(plain[: first - low], lines[first]), f"{lines[low:first]}{word[0] if word else ''}"[:_SHOWN]


def _lead_signs(signs: str, first: str) -> str:
    made = _FORM.sub("", re.sub(r"\*{2,}", "", signs))
    return made.replace("#", "").rstrip("+") if first.isdigit() else made


def _tail(inside: str, after: str) -> str:
    """Return the signs right after the last word of a text that `after` continues."""
    last = next((at for at in range(len(inside) - 1, -1, -1) if inside[at].isalnum()), -1)
    rest = re.match(r"[^\s\w]*", f"{inside[last + 1 :]}{after}")
    run = rest[0] if rest else ""
    if f"{inside[last + 1 :]}{after}"[len(run) : len(run) + 1].isalnum():
        return ""
    return _FORM.sub("", _SENTENCE_END.sub("", re.sub(r"\*+|~~", "", f"{run} ")))


def _quote_sign(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
