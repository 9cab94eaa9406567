"""Before a tool is used: which rules does the call meet? Their solutions go to the agent, and the call goes on.

The vector of the call comes from the model service within its deadline; without one keywords answer. Nothing is
embedded here: rules that wait for their vectors are embedded by a process of its own, which nobody waits for.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.base.xdg import make_folder
from core.flows.hook.payload import Payload
from core.flows.rules.files import ScopedFiles
from core.rules.format.book import Book, book_of
from core.rules.format.rule import RuleFile, Scope
from core.rules.matching.api import RuleMatch, match
from core.rules.matching.call import ToolCall
from core.rules.matching.languages import project_type
from core.rules.matching.tables import Tables, load_tables, shipped_tables

COUNT_WAIT_MS = 200
"""How long counting waits for the lock of another writer: what was shown is told all the same."""
AGAIN_S = 60.0
"""A process that embeds rules is started at most so often."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The rules that a call meets, the files that were read, whether rules of them wait for a vector, and what could
    not be read, in words."""

    found: RuleMatch
    files: ScopedFiles
    waiting: bool
    unread: tuple[str, ...] = ()


def advise(
    payload: Payload, files: ScopedFiles, folder: Path | None, database: Path, embedding: EmbeddingSettings, most: int
) -> Advice:
    """What there is to tell before this call by the rules of these files. A file that cannot be read, or a table of the
    user's that is wrong, costs what is in it and nothing else."""
    unread: list[str] = []
    try:
        tables = load_tables()
    except Fault as fault:
        tables = shipped_tables()
        unread.append(fault.message)
    day = int(time.time() // 86_400)
    read: list[tuple[Path, Scope]] = []
    stamps: list[_Stamp] = []
    for path, scope in files:
        try:
            stamp = (str(path), scope, *_stamp(path), day)
            _file(*stamp)
        except Fault as fault:
            unread.append(fault.message)
        else:
            read.append((path, scope))
            stamps.append(stamp)
    book = _book(tuple(stamps), tables)
    kind = project_type(folder) if folder else ()
    call = ToolCall(payload.tool, payload.tool_input, kind)
    found, waiting = _matched(book, call, database, embedding, most)
    return Advice(found, tuple(read), waiting, tuple(unread))


def count_shown(advice: Advice, database: Path) -> str:
    """Count the rules of a reply that was written to the agent; why they were not counted ("": they were)."""
    from core.flows.hook.rules_reply import rules_in_reply
    from core.rules.evaluation.usage import count_use
    from core.store import open_store

    shown = [(one.path, one.id) for one in rules_in_reply(advice.found)]
    try:
        with open_store(database, write=True, create=True, timeout_ms=COUNT_WAIT_MS) as store:
            if store.readonly is None:
                count_use(store, shown, "shown")
    except Fault as fault:
        return f"the rules shown were not counted: {fault.message}"
    except OSError as error:
        return f"the rules shown were not counted: {error}"
    return ""


def embed_soon(files: ScopedFiles, database: Path, embedding: EmbeddingSettings) -> bool:
    """Start a process that embeds what waits, where there is a model, and none was started just now. Raises OSError."""
    from core.base.paths import user_folder
    from core.embedding.models.models import Absent, current

    sign = user_folder("state") / "rules-embedded"
    try:
        if 0 <= time.time() - sign.stat().st_mtime < AGAIN_S:
            return False
    except OSError:
        pass  # none was ever started
    if not embedding.service or isinstance(current(embedding), Absent):
        return False
    from core.process.spawn import start_detached

    make_folder(sign.parent)
    sign.touch()
    start_detached(["rules", "refresh", "--db", str(database), "--rules", *(str(path) for path, _ in files)])
    return True


_Stamp = tuple[str, Scope, int, int, int]
"""A file and whose it is, with time and size, and the day on which it was read."""


def _stamp(path: Path) -> tuple[int, int]:
    try:
        info = path.stat()
    except OSError as error:
        raise Fault("io_error", f"cannot read the rules {path}: {error.strerror}") from error
    return info.st_mtime_ns, info.st_size


@lru_cache(maxsize=16)
def _file(path: str, scope: Scope, mtime_ns: int, size: int, day: int) -> RuleFile:
    """A file as it is now; kept by the hook host from one call to the next, for a day. Raises Fault."""
    from core.rules.format.parse import parse

    return parse(Path(path), scope=scope)


@lru_cache(maxsize=4)
def _book(files: tuple[_Stamp, ...], tables: Tables) -> Book:
    """The rules of these files, ready; kept while files and tables are the same."""
    from core.rules.format.parse import joined

    return book_of(joined(_file(*one) for one in files).rules, tables)


def _matched(
    book: Book, call: ToolCall, database: Path, embedding: EmbeddingSettings, most: int
) -> tuple[RuleMatch, bool]:
    from core.flows.system.vectors import vector_search
    from core.rules.matching.semantic import kept_semantic
    from core.store import open_store

    if not database.exists():
        return match(book, call, None, limit=most), True
    with ExitStack() as stack:
        try:
            store = stack.enter_context(open_store(database))
        except Fault:  # a casebook that does not open costs the meaning, not the words
            return match(book, call, None, limit=most), False
        vectors = stack.enter_context(vector_search(embedding, "service"))
        semantic, waiting = kept_semantic(store.con, book, vectors)
        return match(book, call, semantic, limit=most), waiting
