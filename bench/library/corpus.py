"""Folders of Markdown notes, Korean and English: made from a seed, so every run has the same.

Words come as often as in real text (Zipf's law over 60,000 words): an index of 1 GB has rare words and common ones.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

OUT = Path(__file__).parents[1] / "out"
LONG_AGO: Final = 1_700_000_000
"""When the files were last changed: their size and time tell that they did not change since."""
_ENGLISH_WORDS = (
    "pump valve deploy rollback ledger index cache socket thread queue replica schema migration token session harbour "
    "reading gauge limit timeout retry budget window parser chunk heading passage citation anchor review merge branch "
    "build runner image volume secret policy router probe alert graph trace span metric cluster node lease quorum"
)
_KOREAN_WORDS = (
    "배포 점검 절차 밸브 압력 기록 색인 검색 문서 인용 단락 제목 설정 오류 원인 해결 재시작 대기 시간 초과 연결 "
    "저장소 복구 백업 권한 사용자 요청 응답 지연 경보 지표 일정 담당자 승인 변경 이력 시험 결과 비교 분석 보고"
)
_ENGLISH_SOUNDS = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zan bre cli dro fle gri plo stu"
_SYLLABLES: Final = (
    "가나다라마바사아자차카타파하고노도로모보소오조초코토포호구누두루무부수우주추기니디리미비시이지치강산문선정"
)
_PARTICLES = ("은", "는", "이", "가", "을", "를", "에서", "으로", "의", "")
_WORDS: Final = 30_000
_STOP: Final = 30
"""As many of the most common words stand for those of a real language that no question is answered by."""


class Language:
    """The words of one language, common ones first, drawn as often as their rank says."""

    def __init__(self, chance: random.Random, first: Sequence[str], sounds: Sequence[str]) -> None:
        made = dict.fromkeys(first)
        while len(made) < _WORDS:
            made["".join(chance.choices(sounds, k=chance.randint(2, 4)))] = None
        self.chance = chance
        self.words = list(made)
        self.weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(self.words))))

    def some(self, count: int) -> list[str]:
        """So many words."""
        return self.chance.choices(self.words, cum_weights=self.weights, k=count)


class Writer:
    """Writes notes, half of them Korean."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.english = Language(self.chance, _ENGLISH_WORDS.split(), _ENGLISH_SOUNDS.split())
        self.korean = Language(self.chance, _KOREAN_WORDS.split(), _SYLLABLES)

    def note(self, number: int, size: int) -> str:
        """A note of about `size` bytes."""
        korean = number % 2 == 0
        tags = f"---\ntitle: {self._title(korean)} {number}\ntags: [t{number % 17}]\n---\n"
        parts = [f"{tags}\n# {self._title(korean)}\n"]
        length = 0
        for part in itertools.count(1):
            if length >= size:
                break
            parts.append(f"\n## {part}. {self._title(korean)}\n\n{self._body(korean)}")
            length += len(parts[-1].encode())
        return "".join(parts)

    def short_note(self, number: int, passages: int) -> str:
        """An English note of so many short sections."""
        made = (f"## {self._title(False)}\n\n{self._sentence(False, 6, 10)}\n" for _ in range(passages))
        return f"# Note {number}\n\n" + "\n".join(made)

    def question(self, korean: bool) -> str:
        """Two to five words, none of them as common as the words that a search leaves out (the, is, 그리고)."""
        language = self.korean if korean else self.english
        wanted = self.chance.randint(2, 5)
        common = frozenset(language.words[:_STOP])
        return " ".join([word for word in language.some(20 * wanted) if word not in common][:wanted])

    def _body(self, korean: bool) -> str:
        kind = self.chance.random()
        text = "\n\n".join(self._sentence(korean) for _ in range(self.chance.randint(1, 4))) + "\n"
        if kind < 0.2:
            lines = "\n".join(f"  {word}_{n} = {n * 7 % 999}" for n, word in enumerate(self.english.some(8)))
            return f"{text}\n```ini\n[{self.english.some(1)[0]}]\n{lines}\n```\n"
        if kind < 0.4:
            return f"{text}\n" + "".join(f"- **{self._title(korean)}**: {self._sentence(korean)}\n" for _ in range(4))
        if kind < 0.5:
            rows = "".join(f"| {word} | {n * 13 % 99} |\n" for n, word in enumerate(self.english.some(5)))
            return f"{text}\n| name | value |\n|---|---|\n{rows}"
        return text

    def _title(self, korean: bool) -> str:
        return " ".join((self.korean if korean else self.english).some(3))

    def _sentence(self, korean: bool, least: int = 20, most: int = 60) -> str:
        count = self.chance.randint(least, most)
        words = self.english.some(count)
        if korean:
            ends = self.chance.choices(_PARTICLES, k=count)
            words = [
                other if at % 7 == 3 else word + end
                for at, (word, end, other) in enumerate(zip(self.korean.some(count), ends, words, strict=True))
            ]
        elif count > 19:
            words[7] = f"`{words[7]}_{count}`"
        return " ".join(words) + "."


def corpus(files: int, size: int) -> Path:
    """A folder of `files` notes of about `size` bytes each; made once and kept."""
    return _made(f"library-{files}x{size}", files, lambda writer, number: writer.note(number, size))


def short_corpus(files: int, passages: int) -> Path:
    """A folder of English notes of so many short passages each; made once and kept."""
    return _made(f"library-short-{files}x{passages}", files, lambda writer, number: writer.short_note(number, passages))


def questions(count: int, seed: int = 11) -> list[str]:
    """Questions over the corpus, in turn English and Korean."""
    writer = Writer(7)
    writer.chance.seed(seed)
    return [writer.question(number % 2 == 1) for number in range(count)]


def size_of(folder: Path) -> int:
    """Bytes of the notes in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*.md"))


def _made(name: str, files: int, write: Callable[[Writer, int], str]) -> Path:
    folder = OUT / name
    if folder.exists():
        return folder
    OUT.mkdir(exist_ok=True)
    making, writer = OUT / f"{name}.making", Writer(7)
    shutil.rmtree(making, ignore_errors=True)
    (making / ".git").mkdir(parents=True)  # a repository of its own: this one ignores bench/out
    for number in range(files):
        path = making / f"part{number % 20:02d}" / f"note-{number:05d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(writer, number), encoding="utf-8")
        os.utime(path, (LONG_AGO, LONG_AGO))
    making.rename(folder)
    return folder
