"""`casebook doctor`: is everything well?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from cli.context import Context
from cli.format.layout import wrap
from cli.output import Output
from cli.parser import Parser
from core.base.config.settings import Settings
from core.base.config.settings_sources import Config, database_path, load_config
from core.flows.system.doctor import Diagnosis, diagnose, repair


def add_to(parser: Parser, shared: Parser) -> None:
    """The argument. It reads the settings itself: broken ones are a finding, not an end."""
    parser.flag("--repair", "rebuild the derived tables before the checks")
    parser.set_defaults(run=run_doctor, bare=True)


def run_doctor(args: argparse.Namespace, context: Context) -> int:
    """`doctor`: exit 0 healthy, 3 not."""
    named: str | None = getattr(args, "config", None)
    given: str | None = getattr(args, "db", None)

    def locate(config: Config | None) -> Path:
        return Path(given) if given else database_path(config.values if config else Settings())

    if args.repair:
        rebuilt = repair(locate(None if given else load_config(None if named is None else Path(named))))
        context.out.note(f"rebuilt the derived tables of {rebuilt:,} cases")
    found = diagnose(lambda: load_config(None if named is None else Path(named)), locate)
    context.out.result(found, _lines(context.out, found))
    return 0 if found.ok else 3


def _lines(out: Output, found: Diagnosis) -> Iterator[str]:
    for check in found.checks:
        mark = out.paint("ok  ", "good") if check.ok else out.paint("FAIL", "bad")
        first, *rest = wrap(check.detail, out.columns, " " * 25)
        yield f"{mark}  {check.name:<18} {first.lstrip()}"
        yield from rest
        if check.hint:
            label = "" if check.hint.startswith("run: ") else "optional: " if check.ok else "fix: "
            yield from wrap(f"{label}{check.hint}", out.columns, " " * 25)
    yield "All checks passed." if found.ok else out.paint("Some checks failed.", "warn")
