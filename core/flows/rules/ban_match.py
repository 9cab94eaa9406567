"""The bans that a call breaks: files are read once while they stay the same, and each ban has its place as id
(`CLAUDE.md:75`). They come before the ranked rules of a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.base.config.settings import RuleSettings
from core.flows.rules.files import BanPlace, ban_places
from core.rules.bans.reader import Ban, Bans, read_bans
from core.text.cleaning import encoding_of

if TYPE_CHECKING:
    from core.flows.rules.bans import Act
    from core.rules.matching.api import MatchedRule, RuleMatch
    from core.rules.matching.call import ToolCall

MOST_BYTES: Final = 1 << 20
"""A larger file is not read."""
HEAD: Final = 4_000
"""Code points at the start of a file in which it says that it is generated."""


@dataclass(frozen=True, slots=True)
class PlacedBan:
    """A ban, and where it is written."""

    ban: Ban
    place: BanPlace

    @property
    def id(self) -> str:
        """File and line, as in `CLAUDE.md:75`."""
        return f"{self.place.name}:{self.ban.line}"

    @property
    def key(self) -> str:
        """The same for a sentence that several files repeat."""
        return f"{self.ban.kind} {self.ban.code} {' '.join(self.ban.sentence.split()).casefold()}"


@dataclass(frozen=True, slots=True)
class BanSource:
    """The files whose bans count: those of the settings and of the project around `folder`, or `named` ones."""

    settings: RuleSettings = field(default_factory=RuleSettings)
    folder: Path | None = None
    named: tuple[Path, ...] = ()

    def places(self, file: str = "") -> tuple[BanPlace, ...]:
        """The files there are, those of a folder above an edited `file` of the project among them."""
        if self.named:
            return tuple(BanPlace(path, path.absolute().parent, path.name) for path in self.named if path.is_file())
        return ban_places(self.settings, self.folder, file)

    def every(self) -> tuple[PlacedBan, ...]:
        """All bans of the files, each once. Files that cannot be read have none. Never raises."""
        found: dict[str, PlacedBan] = {}
        for place in self.places():
            for ban in _bans_of(place.path).bans:
                one = PlacedBan(ban, place)
                found.setdefault(one.key, one)
        return tuple(found.values())

    def broken(self, tool: str, tool_input: Mapping[str, Any]) -> tuple[PlacedBan, ...]:
        """The bans that a call breaks, each once. Files that cannot be read have none. Never raises."""
        named = (tool_input.get(name) for name in _FILES)
        file = next((path for path in named if isinstance(path, str)), "")
        read = [(place, bans) for place in self.places(file) if (bans := _bans_of(place.path)).bans]
        if not read:
            return ()
        from core.flows.rules.bans import act_of  # loads the parser of commands

        act = act_of(tool, tool_input)
        if act.files and any(ban.kind == "generated" for _, bans in read for ban in bans.bans):
            act = replace(act, head=self._text(act.files[0], HEAD))
        found = _broken(read, act)
        if found and act.whole and (now := self._text(act.files[0])):
            return _broken(read, replace(act, old=now))
        return found

    def _text(self, file: str, most: int = -1) -> str:
        """The start of a file that a call edits, as it is before; empty if there is none, or all of it is too long."""
        path = (self.folder or Path()) / file
        try:
            if not path.is_file() or (most < 0 and path.stat().st_size > MOST_BYTES):
                return ""
            with path.open(encoding="utf-8", errors="replace") as stream:
                return stream.read(most)
        except (OSError, ValueError):
            return ""


_FILES: Final = ("file_path", "filePath", "path", "notebook_path")
"""Fields that name an edited file."""


def _broken(read: Sequence[tuple[BanPlace, Bans]], act: Act) -> tuple[PlacedBan, ...]:
    """The broken bans; that of generated files only where none names the edited file."""
    from core.flows.rules.bans import broken

    found: dict[str, PlacedBan] = {}
    for place, bans in read:
        for ban in bans.bans:
            if broken(ban, act, bans.advised, str(place.folder)):
                one = PlacedBan(ban, place)
                found.setdefault(one.key, one)
    first = next((one for kind in ("edit", "generated") for one in found.values() if one.ban.kind == kind), None)
    return tuple(one for one in found.values() if one.ban.kind != "generated" or one is first)


def _bans_of(path: Path) -> Bans:
    try:
        info = path.stat()
        return _read(path, info.st_mtime_ns, info.st_size) if info.st_size <= MOST_BYTES else Bans()
    except OSError:
        return Bans()


@lru_cache(maxsize=64)
def _read(path: Path, mtime_ns: int, size: int) -> Bans:
    """A file as it is now. Raises OSError."""
    data = path.read_bytes()
    text = data.decode(encoding_of(data), "replace")
    return read_bans(text.replace("\r\n", "\n").replace("\r", "\n"))


def matched_ban(one: PlacedBan) -> MatchedRule:
    """A broken ban as a rule of a match: its sentence is the title, its advice the solution."""
    from core.rules.matching.api import MatchedRule  # a hook that finds no broken ban loads no matching
    from core.rules.matching.keyword import KeywordHit

    ban = one.ban
    shown = ban.code if ban.kind == "generated" else f"`{ban.code}`"
    advice = ", ".join(f"`{code}`" for code in ban.instead)
    return MatchedRule(
        id=one.id,
        title=ban.sentence,
        relevance_score=1.0,
        match_type="exact",
        similarity=None,
        keyword_score=0.0,
        why=(f"forbidden {_WHAT[ban.kind]} {shown} (exact match)",),
        solution=f"Use {advice}." if advice else ban.sentence,
        hits=(KeywordHit(ban.code, "ban", 1.0),),
        path=str(one.place.path),
        line=ban.line,
    )


_WHAT: Final = {
    "use": "code",
    "run": "command",
    "call": "call",
    "import": "import",
    "edit": "edit of",
    "generated": "edit of",
    "push": "push to",
}


def with_bans(found: RuleMatch, bans: Sequence[MatchedRule], limit: int, elapsed_ms: float = 0.0) -> RuleMatch:
    """The match with broken bans before its rules, at most `limit` together."""
    from core.base.trace import Step, facts

    step = Step(
        "bans",
        "hit" if bans else "miss",
        "forbidden code (exact match)" if bans else "no forbidden code",
        facts(broken=", ".join(one.id for one in bans[:limit])) if bans else (),
        elapsed_ms=elapsed_ms,
    )
    shown = tuple(bans[:limit])
    rules, left = found.rules[: limit - len(shown)], found.rules[limit - len(shown) :]
    scores = (*(None for _ in shown), *found.similarity_scores[: len(rules)])
    return replace(
        found, rules=(*shown, *rules), below=(*left, *found.below), similarity_scores=scores, trace=(step, *found.trace)
    )


def add_bans(found: RuleMatch, source: BanSource, call: ToolCall, limit: int) -> RuleMatch:
    """The match with the bans that the call breaks; as it is where there is no file of bans."""
    from core.base.trace import Stopwatch

    watch = Stopwatch()
    bans = [matched_ban(one) for one in source.broken(call.tool_name, call.tool_input)]
    return with_bans(found, bans, limit, watch.ms()) if bans else found


def only_bans(bans: Sequence[MatchedRule], limit: int) -> RuleMatch:
    """A match of bans alone, where there is no rule to rank."""
    from core.rules.matching.api import RuleMatch
    from core.rules.matching.score import CUTOFF

    empty = RuleMatch((), (), (), fallback_used=False, cutoff=CUTOFF, trace=())
    return with_bans(empty, bans, limit)
