"""The model service: what a fresh process pays for a vector of a loaded model, and what the way there costs.

The model is the real MiniLM, converted into a temporary cache from the installed weights.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.table import Row, paired, seconds
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.models.models import LocalModel
from core.embedding.service.client import Served, connect, stop
from core.process.endpoint import Endpoint, service_place

_QUERY = "Module not found: Can't resolve 'react' in src"
_SEARCH = "from core.errors import search\n"
_ASK = f"""
from core.embedding.service.client import connect
met = connect({MINILM!r}, deadline_ms=60_000)
met.embed([{_QUERY!r}], "query")
"""
_MISS = f"""
from core.embedding.service.client import connect
connect({MINILM!r})
"""


def measure(*, quick: bool) -> list[Row]:
    """Fresh processes in turn with `python -c pass`; then calls of a kept connection and of the model."""
    rounds = 5 if quick else 25
    with _service() as env:
        rows = [
            _fresh("a vector from the service, fresh process / python -c pass", _ASK, "pass", env, rounds, 10),
            _fresh("a search's imports and a vector / its imports", _SEARCH + _ASK, _SEARCH, env, rounds, 1.5),
            _way(rounds * 4),
        ]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        nobody = dict(os.environ, XDG_RUNTIME_DIR=folder)
        rows.append(
            _fresh(
                "no service runs: a search's imports and asking / its imports",
                _SEARCH + _MISS,
                _SEARCH,
                nobody,
                rounds,
                1.2,
            )
        )
    return rows


def _fresh(what: str, code: str, control: str, env: dict[str, str], rounds: int, most: float) -> Row:
    ratio, ours, theirs = paired(lambda: _run(code, env), lambda: _run(control, env), rounds)
    return Row(what, ratio, most, f"{ours * 1000:.0f} ms / {theirs * 1000:.0f} ms")


def _run(code: str, env: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, env=env)


def _way(rounds: int) -> Row:
    """One query through the service and in this process, both warm."""
    from core.embedding.runtime.local import load

    here = load(LocalModel(CATALOGUE[MINILM], Path(os.environ["XDG_CACHE_HOME"]) / "casebook" / "models" / MINILM))
    there = connect(MINILM, deadline_ms=60_000)
    if not isinstance(there, Served):
        raise SystemExit(f"the service does not answer: {there.reason}")
    for embedder in (here, there):
        embedder.embed([_QUERY] * 3, "query")
    pairs = [
        (seconds(lambda: there.embed([_QUERY], "query")), seconds(lambda: here.embed([_QUERY], "query")))
        for _ in range(rounds)
    ]
    here.close()
    there.close()
    ours, control = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    note = f"{ours * 1000:.1f} ms / {control * 1000:.1f} ms"
    return Row("a query through the service / in this process, warm", ratio, 2, note)


@contextmanager
def _service() -> Iterator[dict[str, str]]:
    """A service with MiniLM loaded, in folders of its own; yields the environment in which it is found."""
    folder = Path(tempfile.mkdtemp(prefix="cb-", dir="/tmp"))
    ours = {f"XDG_{name}": str(folder) for name in ("RUNTIME_DIR", "CACHE_HOME", "STATE_HOME", "CONFIG_HOME")}
    before = dict(os.environ)
    os.environ.update(ours)
    place = service_place()
    try:
        subprocess.run([sys.executable, "-m", "cli", "serve-model", "--background"], check=True, capture_output=True)
        _wait(place)
        yield dict(os.environ)
    finally:
        stop(place)
        os.environ.clear()
        os.environ.update(before)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(place: Endpoint) -> None:
    until = time.monotonic() + 120
    while not isinstance(met := connect(MINILM, place=place, deadline_ms=1000), Served):
        if time.monotonic() > until:
            raise SystemExit(f"the service does not answer: {met.reason}")
        time.sleep(0.1)
    met.close()
