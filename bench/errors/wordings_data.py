"""The labelled wordings of tests/data, their split by hash, and a base of any size that none of them belongs to.

`fresh` and `third` are further sets, each written and committed after the matcher had been tuned and before it was
tuned again: none of it is looked at while tuning. Templates of the base that say the same as one of its causes stay out
of its bases.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

DATA: Final = Path(__file__).parents[2] / "tests" / "data"
Half = Literal["tuned", "reported", "fresh", "third"]
_SETS: Final = {"fresh": "wordings_fresh", "third": "wordings_third"}
_FIRST: Final = "wordings"

# Tools that print their own name before a message; before any other template the name only says where it comes from.
_SAYS_ITS_NAME = (
    "curl ssh scp rsync make bash tar unzip gzip sed awk grep jq mount chown useradd crontab gpg nginx ninja wget "
    "systemd kernel dns smtp golangci-lint clippy vite webpack angular protoc"
)
_LABEL = re.compile(r"([\w.+-]+): (?=.)")
_SLOT = re.compile(r"\{(\w+)\}")
_ADJECTIVES = "user order invoice cart payment report session upload search cache metric audit batch draft label theme"
_NOUNS = "list view handler store item queue model router client parser index builder config worker token form map"
_PACKAGES = (
    "chalk execa fastify undici sharp knex zod ajv yargs tslib rxjs luxon d3-scale three gsap immer nanoid pino bull "
    "sentencepiece gevent cryptography shapely scipy uvloop orjson httptools grpcio lightgbm polars anyio clap syn "
    "rayon hyper axum bytes regex libc rand chrono"
)
_BRANCHES = "feature/cart fix/login release/3 hotfix-12 dev wip/theme chore/deps staging topic/index spike/cache"
_HOSTS = "api db cache files auth mail ci build mirror edge search queue metrics vault proxy node1 node7 worker3"
_FOLDERS = "/srv/app /home/dev/work /opt/build /var/lib/svc ./src ../shared /workspace/repo /tmp/run packages/core"


@dataclass(frozen=True, slots=True)
class Wording:
    """One message of a cause, as a tool or a program prints it."""

    cause: str
    tool: str
    lang: Literal["en", "ko"]
    text: str


@dataclass(frozen=True, slots=True)
class Near:
    """Two messages of one tool that look alike and have different causes."""

    tool: str
    one: str
    other: str


def half_of(name: str) -> Half:
    """The half of the first set a cause belongs to, by its name's hash: only `tuned` may be looked at while tuning."""
    return "tuned" if hashlib.sha256(name.encode()).digest()[0] % 2 else "reported"


def wordings(half: Half | None = None) -> tuple[Wording, ...]:
    """The labelled messages: of one half of the first set, all of that, or of a later set."""
    rows = (Wording(**json.loads(line)) for line in _lines(f"{_SETS.get(half or '', _FIRST)}.jsonl"))
    return tuple(row for row in rows if half is None or half in _SETS or half_of(row.cause) == half)


def near(half: Half | None = None) -> tuple[Near, ...]:
    """The pairs of near strangers: of one half of the first set, all of that, or of a later set."""
    rows = (Near(**json.loads(line)) for line in _lines(f"{_SETS.get(half or '', _FIRST)}_near.jsonl"))
    return tuple(row for row in rows if half is None or half in _SETS or half_of(row.one + row.other) == half)


def strangers(count: int, seed: int = 7, half: Half | None = None) -> tuple[str, ...]:
    """`count` distinct messages of causes that no labelled wording of the half has, the templates taken in turn."""
    rng = random.Random(seed)
    same = set(_lines(f"{_SETS[half]}_same.txt")) if half in _SETS else set[str]()
    templates = [line for line in _lines("wordings_base.txt") if line not in same]
    rng.shuffle(templates)
    found: dict[str, None] = {}
    for _ in range(200):
        for template in templates:
            found.setdefault(_filled(template, rng), None)
            if len(found) == count:
                return tuple(found)
    raise ValueError(f"the templates give only {len(found)} messages, not {count}")


def _lines(name: str) -> list[str]:
    return [line for line in (DATA / name).read_text(encoding="utf-8").split("\n") if line]


def _filled(template: str, rng: random.Random) -> str:
    label = _LABEL.match(template)
    if label and label[1] not in _SAYS_ITS_NAME.split():
        template = template[label.end() :]
    return _SLOT.sub(lambda slot: _value(slot[1], rng), template)


def _value(slot: str, rng: random.Random) -> str:
    one, two = rng.choice(_ADJECTIVES.split()), rng.choice(_NOUNS.split())
    host = f"{rng.choice(_HOSTS.split())}.{rng.choice(('acme.dev', 'corp.example', 'internal', 'example.org'))}"
    values = {
        "id": rng.choice((f"{one}_{two}", f"{one}{two.title()}", two, f"{one}-{two}")),
        "col": f"{one}_{rng.choice(('id', 'name', 'total', 'state', 'at', 'count'))}",
        "table": f"{one}_{two}s",
        "fn": rng.choice((f"get{one.title()}{two.title()}", f"{rng.choice(('load', 'make', 'drop'))}_{one}_{two}")),
        "Cls": f"{one.title()}{two.title()}",
        "file": rng.choice((f"{one}-{two}", f"{one}_{two}", one)),
        "mod": rng.choice((f"{one}_{two}", f"acme.{one}", one)),
        "svc": f"{one}-{rng.choice(('api', 'worker', 'web', 'agent', 'sync'))}",
        "pkg": rng.choice(_PACKAGES.split()),
        "branch": rng.choice(_BRANCHES.split()),
        "host": host,
        "path": f"{rng.choice(_FOLDERS.split())}/{one}/{two}.{rng.choice(('ts', 'py', 'json', 'yaml', 'go', 'conf'))}",
        "ver": f"{rng.randrange(12)}.{rng.randrange(30)}.{rng.randrange(9)}",
        "n": str(rng.randrange(2, 10 ** rng.randrange(1, 5))),
        "port": str(rng.randrange(1024, 9999)),
        "ip": f"10.{rng.randrange(99)}.{rng.randrange(255)}.{rng.randrange(255)}",
        "hex": f"{rng.getrandbits(40):010x}",
        "addr": f"0x{rng.getrandbits(44):x}",
    }
    return values.get(slot, "{" + slot + "}")


def by_cause(rows: tuple[Wording, ...]) -> Iterator[tuple[str, tuple[Wording, ...]]]:
    """Each cause with its wordings, in the order of the file."""
    causes = dict.fromkeys(row.cause for row in rows)
    return ((cause, tuple(row for row in rows if row.cause == cause)) for cause in causes)
