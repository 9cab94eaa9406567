"""A match among many rules, first and warm, the query's embedding included; and what one edit costs."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from pathlib import Path

from bench.table import Row, p95, seconds
from core.base.config.settings import EmbeddingSettings
from core.embedding.index.binary_index import CachedBits
from core.embedding.runtime.report import EmbedReport
from core.flows.rules.matcher import RuleMatcher
from core.flows.system.vectors import vector_search
from core.rules.evaluation.labels import read_labelled
from core.rules.matching.call import ToolCall

DATA = Path(__file__).parent.parent / "tests" / "data" / "rules"
OUT = Path(__file__).parent / "out"
MOST_MS = 20.0
LOAD_S = 3.0
_SAID = "server branch table image token query cache file thread window price order module driver report index"
_WORDS = _SAID.split()


def measure(*, quick: bool) -> list[Row]:
    """p95 of warm matches at each size, the first match of a process, and the rules embedded after one edit."""
    calls = [one.call for one in read_labelled(DATA / "calls.jsonl")]
    rows: list[Row] = []
    for size in (25, 1_000) if quick else (25, 1_000, 10_000):
        file, database = _filled(size)
        with _matcher(file, database) as matcher:
            first = seconds(lambda: matcher.match(calls[0], wait_s=600.0))
            for call in calls[:10]:
                matcher.match(call)
            times = [_times(matcher, call) for call in calls * 2]
            budget = MOST_MS if size == 1_000 else None
            wall, cpu, alone = (p95([one[at] for one in times]) * 1000 for at in range(3))
            told = f"p95 of CPU time; wall {wall:.0f} ms"
            rows.append(Row(f"match, {size:,} rules, warm", cpu, budget, told, unit="ms"))
            told = f"p95 of CPU time {cpu:.0f} / {alone:.0f} ms"
            rows.append(Row(f"match, {size:,} rules / embedding its query alone", cpu / alone, None, told))
            most = LOAD_S if size <= 1_000 else None
            rows.append(Row(f"match, {size:,} rules, first of a process", first, most, "model loaded", unit="s"))
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace("number 7 ", "number seven ", 1), encoding="utf-8")
            done = matcher.refresh()
            count = done.embedded if isinstance(done, EmbedReport) else 0
            rows.append(Row(f"one edit among {size:,} rules: embedded", count, 1.0, unit=""))
            file.write_text(text, encoding="utf-8")
            matcher.refresh()
    return rows


def _times(matcher: RuleMatcher, call: ToolCall) -> tuple[float, float, float]:
    """Seconds of a match by the wall and of the processor, and of the processor for the query's vector alone."""
    start, busy = time.perf_counter(), time.process_time()
    found = matcher.match(call)
    wall, cpu = time.perf_counter() - start, time.process_time() - busy
    busy = time.process_time()
    if matcher.vectors is not None:
        matcher.vectors.embed(found.query)
    return wall, cpu, time.process_time() - busy


def _matcher(file: Path, database: Path) -> RuleMatcher:
    return RuleMatcher([(file, "project")], database, vector_search(EmbeddingSettings(), "process", kept=CachedBits()))


def _filled(size: int) -> tuple[Path, Path]:
    """A rule file of that size and a casebook that holds its vectors; made once and kept."""
    OUT.mkdir(exist_ok=True)
    file, database = OUT / f"rules-{size}.md", OUT / f"rules-{size}.db"
    if not database.exists():
        rng = random.Random(size)
        file.write_text("\n".join(_rule(at, rng) for at in range(size)), encoding="utf-8")
        with tempfile.TemporaryDirectory(dir=OUT) as folder:
            making = Path(folder) / "rules.db"
            with _matcher(file, making) as matcher:
                matcher.refresh()
            shutil.move(making, database)
    return file, database


def _rule(at: int, rng: random.Random) -> str:
    one, two, three, four = (rng.choice(_WORDS) for _ in range(4))
    return (
        f"### ERR-{at:03d}: The {one} of a {two} number {at} \n**Problem**: the {three} was changed while the {one}"
        f" waited for the {four} number {rng.randrange(10**6)}\n**Root Cause**: haste\n**Solution**: look at the {two}"
        f" first, then change the {three}\n**Prevention**: a check of every {four}\n"
    )
