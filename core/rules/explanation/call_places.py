"""Where in a call stands what speaks for a rule and is no word of it: what a pattern matched, what tells a language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.rules.explanation.highlight import Place
from core.rules.matching.call import PATHS, CallText, Part, programs_at
from core.rules.matching.keyword import Asked
from core.rules.matching.languages import TITLES, named_at, of_path
from core.rules.matching.terms import stem

_AROUND = ("workdir", "cwd")


def pattern_places(call: CallText, asked: Asked, name: str) -> tuple[Place, ...]:
    """What the pattern of this name matched: as a whole in one part of the call, else line by line; what stands only
    in lines that an edit leaves as they are is in what is around it."""
    if name not in asked.patterns:
        return ()
    start, end = asked.places[asked.patterns.index(name)]
    said = call.pattern_text[start:end]
    whole = _found(call.parts, said)
    if whole is not None:
        return (whole,)
    lines = (line.strip() for line in said.split("\n"))
    return tuple(place for line in lines if line and (place := _found(call.parts, line)) is not None)


def _found(parts: Sequence[Part], said: str) -> Place | None:
    """The first place of a text, in what is done before what is only around it."""
    if not said:
        return None
    order = sorted(range(len(parts)), key=lambda number: parts[number].name in ("old_string", *_AROUND))
    found = ((number, parts[number].text.find(said)) for number in order)
    return next(((number, at, at + len(said)) for number, at in found if at >= 0), None)


def language_places(call: CallText, term: str) -> tuple[Place, ...]:
    """What tells the language that a term is the name of: the end of a file's name, a program, or a word."""
    wanted = [one for one in call.languages if term in (stem(one), stem(TITLES.get(one, one).casefold()))]
    found = list(dict.fromkeys(place for language in wanted for place in _telling(call, language)))
    return tuple(found)


def _telling(call: CallText, language: str) -> Iterator[Place]:
    paths = [(number, part.text) for number, part in enumerate(call.parts) if part.name in PATHS]
    commands = [(number, part.text) for number, part in enumerate(call.parts) if part.name == "command"]
    for number, path in paths:
        if of_path(path) == language:
            name = max(path.rfind("/"), path.rfind("\\")) + 1
            yield number, max(name, path.rfind(".")), len(path)
    for number, command in commands:
        for told, start, end in programs_at(command, call.programs):
            if told == language:
                yield number, start, end
    if paths or commands:
        return
    for number, part in enumerate(call.parts):
        for told, start, end in named_at(part.text):
            if told == language:
                yield number, start, end
