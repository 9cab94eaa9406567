"""Aligning quotes: time against `rapidfuzz.fuzz.partial_ratio_alignment` on the same texts, with edlib and langextract
beside it where they are installed (`uv sync --group dev --group bench`); and a whole session of quotes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from rapidfuzz import fuzz

from bench.table import Row
from core.align import AlignSettings, Session, align_quote

SETTINGS = AlignSettings()
BUDGETS = {"verbatim": (4.0, 40.0), "typo": (4.0, 60.0), "absent": (4.0, 40.0)}
"""At 200,000 characters: with a cached view, and the first quote (DESIGN.md 10)."""
_PROSE = (
    "the cache is cleared before each run and broker checks its chain of files when worker reads header "
    "설정 파일의 캐시를 먼저 지운다 서버가 다시 시작하면 로그를 남긴다 사용자는 결과를 확인한다 "
    "src/main.py `retry` 42 3.5 index writes rows into table after merge while reader waits for lock on queue shard"
)
_WORDS = _PROSE.split()


@dataclass(frozen=True, slots=True)
class Case:
    """One text and the quotes looked for in it."""

    text: str
    quotes: tuple[str, ...]


def text_of(size: int, rng: random.Random) -> str:
    """Mixed English and Korean prose with Markdown, of about `size` characters."""
    lines: list[str] = []
    length = 0
    while length < size:
        line = " ".join(rng.choices(_WORDS, k=rng.randint(6, 18))) + f" n{rng.randint(0, 10**6)}."
        lines.append(rng.choice(("", "", "- ", "> ")) + line)
        length += len(lines[-1]) + 1
    return "\n".join(lines)[:size]


def misspelt(quote: str, rng: random.Random) -> str:
    """A quote with two letters wrong, no longer to be found word for word."""
    letters = list(quote)
    for at in rng.sample([at for at, letter in enumerate(quote) if letter.isascii() and letter.isalpha()], 2):
        letters[at] = "z" if letters[at] != "z" else "q"
    return "".join(letters)


def case_of(kind: str, size: int, count: int, rng: random.Random) -> Case:
    """`count` quotes of about 90 characters of one kind in one text."""
    text = text_of(size, rng)
    starts = [rng.randint(0, size - 120) for _ in range(count)]
    quotes = [text[start : start + 90].strip() for start in starts]
    if kind == "typo":
        quotes = [misspelt(quote, rng) for quote in quotes]
    elif kind == "absent":
        quotes = [
            f"{number} owls hunted quietly above frozen meadows; 올빼미가 눈 덮인 들판 위를 난다"
            for number in range(count)
        ]
    return Case(text, tuple(quotes))


def cpu(run: Callable[[], object]) -> float:
    """CPU seconds of one call: others may load the machine."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(*, quick: bool) -> list[Row]:
    """Ratios by size and kind, then a session of 466 messages with 100 quotes."""
    rng = random.Random(11)
    rows: list[Row] = []
    for size in (2_000, 20_000) if quick else (2_000, 20_000, 200_000):
        for kind in BUDGETS:
            rows += _rows(kind, size, case_of(kind, size, 4 if quick else 12, rng))
    rows += _session(rng)
    return rows


def _rows(kind: str, size: int, case: Case) -> Iterator[Row]:
    rounds = max(1, 20_000 // size)
    control = [
        cpu(
            lambda quote=quote: [fuzz.partial_ratio_alignment(quote, case.text, score_cutoff=85) for _ in range(rounds)]
        )
        / rounds
        for quote in case.quotes
    ]
    base = max(median(control), 1e-7)
    first, cached = _ours(case, rounds)
    budgets = BUDGETS[kind] if size == 200_000 else (None, None)
    where = f"{kind}, {size // 1000}k"
    note = f"{base * 1e3:.2f} ms rapidfuzz"
    yield Row(f"{where}: view cached / rapidfuzz", cached / base, budgets[0], f"{cached * 1e3:.2f} ms, {note}")
    yield Row(f"{where}: first quote / rapidfuzz", first / base, budgets[1], f"{first * 1e3:.2f} ms, {note}")
    for name, peer in _peers():
        times = [cpu(lambda quote=quote, peer=peer: peer(quote, case.text)) for quote in case.quotes[:4]]
        yield Row(f"{where}: {name} / rapidfuzz", median(times) / base, None, f"{median(times) * 1e3:.2f} ms")


def _ours(case: Case, rounds: int) -> tuple[float, float]:
    """CPU seconds of the first quote in a new session, and of one in a session that has seen the text."""
    firsts = [cpu(lambda quote=quote: align_quote(Session([case.text]), 0, quote, SETTINGS)) for quote in case.quotes]
    session = Session([case.text])
    for quote in case.quotes[:2]:
        align_quote(session, 0, quote, SETTINGS)
    cached = [
        cpu(lambda quote=quote: [align_quote(session, 0, quote, SETTINGS) for _ in range(rounds)]) / rounds
        for quote in case.quotes
    ]
    return median(firsts), median(cached)


def _session(rng: random.Random) -> Iterator[Row]:
    """466 messages, 100 quotes: a third misspelt, a third with a wrong index, the rest as they stand."""
    messages = [text_of(rng.randint(200, 1_300), rng) for _ in range(466)]
    wanted: list[tuple[int, str]] = []
    for number in range(100):
        index = rng.randrange(466)
        quote = messages[index][20:110].strip()
        wanted.append(
            ((index + 7) % 466 if number % 3 == 1 else index, misspelt(quote, rng) if number % 3 == 2 else quote)
        )
    session = Session(messages)
    ours = cpu(lambda: [align_quote(session, index, quote, SETTINGS) for index, quote in wanted])
    whole = "\n".join(messages)
    control = cpu(lambda: [fuzz.partial_ratio_alignment(quote, whole, score_cutoff=85) for _, quote in wanted])
    note = f"{ours * 1e3:.0f} ms, {control * 1e3:.0f} ms rapidfuzz over the joined text"
    yield Row("466 messages, 100 quotes / rapidfuzz", ours / control, None, note)


def _peers() -> Iterator[tuple[str, Callable[[str, str], object]]]:
    """The other aligners that are installed."""
    try:
        import edlib
    except ImportError:
        pass
    else:
        yield "edlib", lambda quote, text: _edlib(edlib, quote, text)
    try:
        from langextract import resolver
        from langextract.core import data
    except ImportError:
        return
    aligner = resolver.WordAligner()

    def langextract(quote: str, text: str) -> object:
        extraction = data.Extraction(extraction_class="quote", extraction_text=quote)
        return aligner.align_extractions([[extraction]], text)

    yield "langextract", langextract


def _edlib(edlib: object, quote: str, text: str) -> object:
    """edlib tells 256 symbols apart: whatever the quote does not have is one of them."""
    codes = {letter: chr(code) for code, letter in enumerate(dict.fromkeys(quote), 1)}
    table = {ord(letter): code for letter, code in codes.items()}
    reduced = "".join(codes.get(letter, "\0") for letter in text)
    most = int(0.15 * len(quote))
    return edlib.align(quote.translate(table), reduced, mode="HW", task="locations", k=most)  # pyright: ignore
