"""A folder of Markdown notes, Korean and English: made from a seed, so every run has the same."""

from __future__ import annotations

import random
from pathlib import Path

_ENGLISH_WORDS = (
    "pump valve deploy rollback ledger index cache socket thread queue replica schema migration token session harbour "
    "reading gauge limit timeout retry budget window parser chunk heading passage citation anchor review merge branch "
    "build runner image volume secret policy router probe alert graph trace span metric cluster node lease quorum"
)
_KOREAN_WORDS = (
    "배포 점검 절차 밸브 압력 기록 색인 검색 문서 인용 단락 제목 설정 오류 원인 해결 재시작 대기 시간 초과 연결 "
    "저장소 복구 백업 권한 사용자 요청 응답 지연 경보 지표 일정 담당자 승인 변경 이력 시험 결과 비교 분석 보고"
)
_ENGLISH, _KOREAN = _ENGLISH_WORDS.split(), _KOREAN_WORDS.split()
_PARTICLES = ("은", "는", "이", "가", "을", "를", "에서", "으로", "의", "")


def write_corpus(folder: Path, files: int, size: int, seed: int = 7) -> int:
    """Write `files` notes of about `size` bytes each into folders below `folder`; returns the bytes written."""
    chance = random.Random(seed)
    total = 0
    for number in range(files):
        path = folder / f"part{number % 20:02d}" / f"note-{number:05d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        total += path.write_bytes(_note(chance, number, size).encode())
    return total


def _note(chance: random.Random, number: int, size: int) -> str:
    korean = number % 2 == 0
    parts = [
        f"---\ntitle: {_title(chance, korean)} {number}\ntags: [t{number % 17}]\n---\n\n# {_title(chance, korean)}\n"
    ]
    length, part = 0, 0
    while length < size:
        part += 1
        made = f"\n## {part}. {_title(chance, korean)}\n\n{_body(chance, korean)}"
        parts.append(made)
        length += len(made.encode())
    return "".join(parts)


def _body(chance: random.Random, korean: bool) -> str:
    kind = chance.random()
    text = "\n\n".join(_sentences(chance, korean) for _ in range(chance.randint(1, 4))) + "\n"
    if kind < 0.2:
        lines = "\n".join(f"  {chance.choice(_ENGLISH)}_{n} = {chance.randint(0, 999)}" for n in range(8))
        return f"{text}\n```ini\n[{chance.choice(_ENGLISH)}]\n{lines}\n```\n"
    if kind < 0.4:
        return (
            text + "\n" + "".join(f"- **{_title(chance, korean)}**: {_sentences(chance, korean)}\n" for _ in range(4))
        )
    if kind < 0.5:
        rows = "".join(f"| {chance.choice(_ENGLISH)} | {chance.randint(1, 99)} |\n" for _ in range(5))
        return f"{text}\n| name | value |\n|---|---|\n{rows}"
    return text


def _title(chance: random.Random, korean: bool) -> str:
    return " ".join(chance.choice(_KOREAN if korean else _ENGLISH) for _ in range(3))


def _sentences(chance: random.Random, korean: bool) -> str:
    words: list[str] = []
    for at in range(chance.randint(20, 60)):
        if korean and chance.random() < 0.85:
            words.append(chance.choice(_KOREAN) + chance.choice(_PARTICLES))
        elif at % 19 == 7:
            words.append(f"`{chance.choice(_ENGLISH)}_{chance.randint(0, 99)}`")
        else:
            words.append(chance.choice(_ENGLISH))
    return " ".join(words) + "."
