"""How a label names a rule: by its id; where several rules have that id, with its title (`ERR-002: Force push`).

An id alone, as in labels of earlier days, is any rule that has it and that the label does not name with its title.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from typing import Final, Protocol

from core.rules.format.headings import rule_id
from core.text import redact

_SIGN: Final = ": "
_TITLE: Final = 120


class Titled(Protocol):
    """A rule, or what is told of one."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def title(self) -> str:
        """Its title."""
        ...


def read_name(text: str) -> str:
    """A name as a person wrote it down (`err-2: Force  push`)."""
    head, sign, title = text.partition(_SIGN)
    return f"{rule_id(head.strip())}{_SIGN}{_plain(title)}" if sign and title.strip() else rule_id(text)


def id_of(name: str) -> str:
    """The id in a name."""
    return name.partition(_SIGN)[0]


def with_title(rule: Titled) -> str:
    """The name of a rule whose id is not its own alone; secrets masked, as it is written down."""
    title = _plain(redact(rule.title))
    return f"{rule.id}{_SIGN}{title}" if title else rule.id


def name_among(names: Collection[str], rule: Titled) -> str:
    """What these names call the rule; of a rule that none of them names, what they would."""
    if not any(one.startswith(rule.id + _SIGN) for one in names):
        return rule.id
    full = with_title(rule)
    return rule.id if full not in names and rule.id in names else full


def name_to_say(names: Collection[str], rule: Titled, *, doubled: bool) -> str:
    """What to call a rule that something is said of, where `names` were said before: with its title where its id is
    `doubled`, or where it is called so already."""
    full = with_title(rule)
    return full if doubled or full in names else rule.id


def known_names(rules: Iterable[Titled], names: Iterable[str]) -> set[str]:
    """The names that these rules go by; those with a title only of ids that `names` have with one."""
    told = {id_of(one) for one in names if _SIGN in one}
    kept = tuple(rules)
    return {rule.id for rule in kept} | {with_title(rule) for rule in kept if rule.id in told}


def _plain(title: str) -> str:
    return " ".join(unicodedata.normalize("NFC", title).split())[:_TITLE].rstrip()
