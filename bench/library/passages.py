"""Sections found in foreign documents, against FTS5 over whole sections.

    python -m bench.library.passages FOLDER [QUESTIONS.jsonl[.gz] …] [--words | --model ID] [--store FILE]

FOLDER holds the documents of `tests/data/library/questions/sources.tsv`, by its first and fourth column. A hit is right
if it covers the line that answers, or if most of its lines are in the section around it. Sections are cut here, not by
the program: a heading to the next one; a page of a PDF.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import apsw

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.flows.ingest.search import embed_passages
from core.flows.system.vectors import vector_search
from core.library.citations.citation import CodeCitation, LineCitation, PageCitation
from core.library.evaluation import interval
from core.library.search.api import SearchQuery, search
from core.library.search.rows import Mode, SearchHit
from core.store import open_store

OPEN: Final = Path(__file__).parents[2] / "tests" / "data" / "library" / "questions" / "open.jsonl"
RANKS: Final = (1, 3, 10)
_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS: Final = (
    "a an and are as at be by can do does for from how i in is it my of on or that the this to what when where which "
    "why with you"
)
_STOP: Final = frozenset(_STOP_WORDS.split())
_HEADING: Final = {
    ".md": re.compile(r"#{1,6}\s"),
    ".adoc": re.compile(r"={1,6}\s"),
    "": re.compile(r"\.\s*S[HShs]\b"),
}
_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")

Place = tuple[str, int, int]
"""A path with its first and last line, or twice the same page."""
Found = Sequence[Place]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, and for each section that answers it the line of the quote and the section's lines."""

    text: str
    kind: str
    answers: tuple[tuple[str, int, int, int], ...]

    def is_answered(self, hit: Place) -> bool:
        """Whether a hit is one of the sections that answer."""
        path, first, last = hit
        for file, line, start, end in self.answers:
            inside = min(last, end) - max(first, start) + 1
            if path == file and (first <= line <= last or 2 * inside > last - first + 1):
                return True
        return False


@lru_cache(maxsize=64)
def pages(file: Path) -> tuple[str, ...]:
    """The text of each page of a PDF."""
    from pypdfium2 import PdfDocument

    return tuple(page.get_textpage().get_text_range() for page in PdfDocument(file))


@lru_cache(maxsize=1024)
def sections(file: Path) -> tuple[tuple[int, int], ...]:
    """The first and last line of each section, from 1."""
    if file.suffix == ".pdf":
        return tuple((at, at) for at in range(1, len(pages(file)) + 1))
    lines = file.read_text("utf-8", "replace").split("\n")
    starts = [at for at in range(len(lines)) if _begins(lines, at, file.suffix)]
    edges = sorted({0, *starts, len(lines)})
    return tuple((one + 1, other) for one, other in itertools.pairwise(edges))


def _begins(lines: Sequence[str], at: int, suffix: str) -> bool:
    if suffix in (".rst", ".txt"):
        title = lines[at].strip()
        return bool(title and at + 1 < len(lines) and _RULE.match(lines[at + 1])) and not _RULE.match(title)
    return bool(_HEADING.get(suffix, _HEADING[""]).match(lines[at]))


def read_questions(path: Path, folder: Path) -> Iterator[Question]:
    """The questions of a file of labels."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in data.decode("utf-8").splitlines():
        item = json.loads(line)
        answers = [_answer(folder, one) for one in (item, *item.get("also", ()))]
        yield Question(item["question"], item["kind"], tuple(answers))


def _answer(folder: Path, item: dict[str, Any]) -> tuple[str, int, int, int]:
    file = folder / item["file"]
    if file.suffix == ".pdf":
        page = int(item["section"].split()[-1])
        return item["file"], page, page, page
    text = file.read_text("utf-8", "replace")
    found = re.search(r"\s+".join(map(re.escape, item["quote"].split())), text)
    if found is None:
        raise ValueError(f"{item['file']}: no such quote: {item['quote']}")
    line = text.count("\n", 0, found.start()) + 1
    start, end = next((start, end) for start, end in sections(file) if start <= line <= end)
    return item["file"], line, start, end


def baseline(folder: Path, files: Sequence[Path], *, porter: bool) -> Callable[[str], Found]:
    """FTS5 over whole sections: every word but stop words, joined with OR, by bm25."""
    con = apsw.Connection(":memory:")
    con.execute(f"CREATE VIRTUAL TABLE s USING fts5(text, tokenize = '{'porter ' * porter}unicode61')")
    places: list[Place] = []
    for file in files:
        lines = list(pages(file)) if file.suffix == ".pdf" else file.read_text("utf-8", "replace").split("\n")
        for start, end in sections(file):
            con.execute("INSERT INTO s(text) VALUES (?)", ("\n".join(lines[start - 1 : end]),))
            places.append((str(file.relative_to(folder)), start, end))

    def ask(text: str) -> Found:
        asked = [word for word in _WORD.findall(text.lower()) if word not in _STOP] or _WORD.findall(text)
        match = " OR ".join(f'"{word}"' for word in asked)
        rows = con.execute("SELECT rowid FROM s WHERE s MATCH ? ORDER BY bm25(s) LIMIT 10", (match,))
        return [places[int(str(row[0])) - 1] for row in rows]

    return ask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", type=Path, nargs="*", default=[OPEN])
    parser.add_argument("--words", action="store_true", help="without a model")
    parser.add_argument("--model", default="", help="which model (default: the one a new machine uses)")
    parser.add_argument("--store", type=Path, help="keep the database here, and use it again")
    parser.add_argument("--missed", action="store_true", help="print what the last way does not find in ten")
    args = parser.parse_args()
    folder: Path = args.folder.resolve()
    asked = [one for path in args.questions for one in read_questions(path, folder)]
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    ways: dict[str, Callable[[str], Found]] = {
        "FTS5, sections": baseline(folder, files, porter=False),
        "FTS5 porter, sections": baseline(folder, files, porter=True),
    }
    with tempfile.TemporaryDirectory() as made:
        database = args.store or Path(made) / "casebook.db"
        settings = EmbeddingSettings(model=args.model)
        with open_store(database, create=True) as store:
            ingest(store, [folder])
            count, short = store.con.execute("SELECT count(*), sum(length(text) < 80) FROM chunks").fetchall()[0]
            mean = store.con.execute("SELECT avg(token_estimate) FROM chunks").fetchall()[0][0]
            print(f"{count:,} passages, {100 * int(short) / int(count):.0f} % under 80 characters, {mean:.0f} tokens")
        vectors = None if args.words else vector_search(settings, "process")
        if vectors is not None:
            embed_passages(database, settings, threads=2)
        with open_store(database) as store:

            def way(mode: Mode, *, rerank: bool = False) -> Callable[[str], Found]:
                def ask(text: str) -> Found:
                    query = SearchQuery(text, mode, k=10, rerank=rerank)
                    try:
                        return [_place(hit) for hit in search(store, query, vectors).hits]
                    except Fault:  # a Korean question, and a model that reads English
                        return ()

                return ask

            modes: tuple[Mode, ...] = ("lexical",) if args.words else ("lexical", "vector", "hybrid")
            ways |= {f"casebook {mode}": way(mode) for mode in modes}
            if not args.words:
                ways["casebook reranked"] = way("hybrid", rerank=True)
            found = {name: [ask(one.text) for one in asked] for name, ask in ways.items()}
    _show(asked, found)
    if args.missed:
        for one, hits in zip(asked, list(found.values())[-1], strict=True):
            if not any(map(one.is_answered, hits)):
                print(f"{one.kind}: {one.text}\n  {one.answers[0]}\n  {hits[:3]}")


def _place(hit: SearchHit) -> Place:
    match hit.citation:
        case LineCitation(path, start, end):
            return path, start, end
        case CodeCitation(path, start, end):
            return path, start, end
        case PageCitation(path, page):
            return path, page, page
        case other:
            return other.path, 0, 0


def _show(asked: Sequence[Question], found: dict[str, list[Found]]) -> None:
    kinds = list(dict.fromkeys(one.kind for one in asked))
    print(f"{'':24}" + "".join(f"{kind:>24}" for kind in kinds))
    for name, answers in found.items():
        cells: list[str] = []
        for kind in kinds:
            of = [(one, hits) for one, hits in zip(asked, answers, strict=True) if one.kind == kind]
            right = [sum(any(map(one.is_answered, hits[:rank])) for one, hits in of) for rank in RANKS]
            cells.append(f"{' '.join(map(str, right))} of {len(of)}")
        print(f"{name:24}" + "".join(f"{cell:>24}" for cell in cells))
    _show_differences(asked, found)


def _show_differences(asked: Sequence[Question], found: dict[str, list[Found]]) -> None:
    """What the last way finds among its first three more than each other one, question by question."""
    last = list(found)[-1]
    for name in list(found)[:-1]:
        cells: list[str] = []
        for kind in dict.fromkeys(one.kind for one in asked):
            pairs = zip(asked, found[last], found[name], strict=True)
            more = [
                float(any(map(one.is_answered, ours[:3]))) - float(any(map(one.is_answered, theirs[:3])))
                for one, ours, theirs in pairs
                if one.kind == kind
            ]
            cell = interval(more)
            cells.append(f"{cell.value:+.2f} [{cell.low:+.2f}, {cell.high:+.2f}]")
        print(f"more at 3: {name:24}" + "".join(f"{cell:>24}" for cell in cells))


if __name__ == "__main__":
    main()
