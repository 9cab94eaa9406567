"""What may leave this machine in a lesson: texts without secrets, home folders, names of people and their addresses.

`cleaned` is applied to each text that leaves; `leaks` names what it must not let through, and is asked once more of
the finished line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, cast

from core.base.wire import canonical
from core.team.lessons_file import Record, Stamped
from core.text import clean, redact
from core.text.placeholders import with_placeholders, without_home

LONGEST: Final = 2_000
"""Code points of one text that leaves."""
SHARED_ACCOUNTS: Final = frozenset(
    (
        "admin", "administrator", "app", "build", "builder", "circleci", "codespace", "debian", "dev", "docker",
        "ec2-user", "git", "gitpod", "jenkins", "me", "node", "postgres", "root", "runner", "test", "ubuntu", "user",
        "vagrant", "vscode", "www-data",
    )
)  # fmt: skip
"""Logins that machines come with: they name no person, and are words of commands and errors."""
_PLACEHOLDERS: Final = frozenset(("branch", "email", "id", "message", "number", "path", "user"))
_EMAIL: Final = re.compile(
    r"(?<![\w.+-])(?!git@)[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])"
)
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_PARTICLE: Final = "이|가|은|는|을|를|의|에|에게|에서|께서|님|씨|와|과|도|로|으로|한테|さん|は|が|の|を|に|と"
"""What follows a name without a blank."""
_CUT: Final = "…"
_MOST_PASSES: Final = 5


@dataclass(frozen=True)
class Person:
    """The sharing user: their logins and names, and their home folders. `project`: the folder that paths become
    relative to."""

    names: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    project: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Finds a name as a word of its own."""
        names = sorted({one for one in self.names if is_personal(one)}, key=lambda one: (-len(one), one))
        if not names:
            return None
        before, after = rf"(?:(?<![^\W_])|(?<=[{_CJK}]))", rf"(?:(?![^\W_])|(?=(?:{_PARTICLE})(?![^\W_])))"
        latin = rf"(?<![{_CJK}])(?=[{_CJK}])"
        return re.compile(rf"{before}(?:{'|'.join(map(re.escape, names))})(?:{after}|{latin})", re.IGNORECASE)

    @cached_property
    def home_pattern(self) -> re.Pattern[str] | None:
        """Finds a home folder, wherever it lies."""
        homes = sorted({bare for one in self.homes if (bare := one.rstrip("/\\"))}, key=lambda one: (-len(one), one))
        return re.compile(rf"(?:{'|'.join(map(re.escape, homes))})(?![A-Za-z0-9_.-])") if homes else None


def is_personal(name: str) -> bool:
    """Return whether a login or name identifies a person."""
    return len(name) > 1 and name.lower() not in SHARED_ACCOUNTS | _PLACEHOLDERS


def cleaned(text: str, person: Person, most: int = LONGEST) -> str:
    """A text as it may leave, cut at `most` code points. Idempotent."""
    for _ in range(_MOST_PASSES):
        before, text = text, _pass(text, person)
        if text == before:
            break
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}{_CUT}"


def _pass(text: str, person: Person) -> str:
    """Run all replacements once: a removed name may isolate a path or a secret."""
    text = with_placeholders(clean(redact(text)), person.project)
    if person.home_pattern is not None:
        text = with_placeholders(person.home_pattern.sub("~", text))
    if "@" in text:
        text = _EMAIL.sub("<email>", text)
    return text if person.pattern is None else person.pattern.sub("<user>", text)


def cleaned_value(value: object, person: Person) -> object:
    """A JSON value whose every text is `cleaned`."""
    return mapped_texts(value, lambda text: cleaned(text, person))


def mapped_texts(value: object, change: Callable[[str], str]) -> object:
    """A JSON value whose every text was changed, names of objects left out."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped_texts(one, change) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: mapped_texts(one, change) for name, one in cast("dict[str, object]", value).items()}
    return value


def redacted(record: Record) -> Record:
    """A lesson that another client wrote, as it may be stored: ours writes none with a secret."""
    values = record.values()
    held = {name: redacted_value(value) for name, value in values.items()}
    fields = {
        name: one if held[name] == values[name] else Stamped(one.time, canonical(held[name]))
        for name, one in record.fields.items()
    }
    return record._replace(fields=fields)


def redacted_value(value: object) -> object:
    """A JSON value without secrets."""
    return mapped_texts(value, _redacted)


def _redacted(text: str) -> str:
    return _redacted_often(text) if len(text) <= _OFTEN else redact(text)


_OFTEN: Final = 300
"""Code points of a text that many lessons have, as a tool, or one lesson twice, as its error."""
_redacted_often: Final = lru_cache(maxsize=256)(redact)


def leaks(texts: Iterable[str], person: Person) -> tuple[str, ...]:
    """What is still private in texts that are to leave, in plain words; empty for none."""
    found: dict[str, None] = {}
    for text in texts:
        if redact(text) != text:
            found["a secret"] = None
        if without_home(text) != text or (person.home_pattern is not None and person.home_pattern.search(text)):
            found["a path in a home folder"] = None
        if _EMAIL.search(text):
            found["an e-mail address"] = None
        if person.pattern is not None and person.pattern.search(text):
            found["a user name"] = None
    return tuple(found)


def texts_of(value: object) -> list[str]:
    """Every text of a JSON value, names of objects left out."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for one in cast("Mapping[str, object]", value).values() for text in texts_of(one)]
    if isinstance(value, list):
        return [text for one in cast("list[object]", value) for text in texts_of(one)]
    return []
