"""`casebook config`: what the settings are and where each comes from, where the file is, and a new one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from cli.context import Context
from cli.format.layout import one_line
from cli.output import Output
from cli.parser import Group, Parser
from core.base.config.settings import KEYS, template
from core.base.config.settings_sources import Config
from core.base.paths import config_file, make_folder
from core.base.reports import ConfigFile


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = Group(parser, shared, "config_command")
    children.leaf("show", "show every setting with its value and source", run_show)
    path = children.leaf("path", "print the path of the settings file", run_path)
    path.set_defaults(bare=True)
    init = children.leaf("init", "write a settings file with all defaults commented out", run_init)
    init.flag("--force", "replace an existing file")
    init.set_defaults(bare=True)


def run_show(args: argparse.Namespace, context: Context) -> int:
    context.out.result(context.config, _show_lines(context.out, context.config))
    return 0


def _show_lines(out: Output, config: Config) -> Iterator[str]:
    yield f"{one_line(config.path)}" + ("" if config.exists else " (missing. To create it, run: casebook config init)")
    section = ""
    for setting in config.settings:
        group, _, key = setting.name.rpartition(".")
        if setting.name.startswith(f"{KEYS}."):
            group, key = KEYS, setting.name.removeprefix(f"{KEYS}.")
        if group != section:
            section = group
            yield ""
            yield out.paint(f"[{section}]", "bold")
        value = str(setting.value).lower() if isinstance(setting.value, bool) else repr(setting.value)
        origin = f"from {one_line(setting.where)}" if setting.where else setting.origin
        yield f"{key} = {one_line(value)}  " + out.paint(f"# {origin}", "dim")


def run_path(args: argparse.Namespace, context: Context) -> int:
    place = _place(args)
    context.out.result(ConfigFile(str(place), place.is_file()), [one_line(str(place))])
    return 0


def run_init(args: argparse.Namespace, context: Context) -> int:
    """`config init`: write a whole settings file and its schema. An existing file is replaced only with `--force`."""
    import json

    from core.base.atomic import check_target, write_file
    from core.base.config.settings_schema import TITLE, settings_schema

    place = _place(args)
    schema = place.with_suffix(".schema.json")
    make_folder(place.parent)
    check_target(place, replace=args.force)
    own = schema.is_file() and TITLE in schema.read_text("utf-8", "replace")
    write_file(schema, [json.dumps(settings_schema(), indent=2) + "\n"], replace=own or args.force)
    write_file(place, [template(schema.name)], replace=args.force)
    context.out.result(ConfigFile(str(place), True), [f"wrote {one_line(str(place))}"])
    return 0


def _place(args: argparse.Namespace) -> Path:
    named: str | None = getattr(args, "config", None)
    return config_file() if named is None else Path(named)
