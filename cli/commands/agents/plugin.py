"""`casebook plugin`: write casebook's plugin for Claude Code and Codex."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from cli.commands.agents.hooks import options_of
from cli.context import Context
from cli.format.layout import one_line
from cli.parser import Parser, path_name
from core.base.paths import user_folder


def add_to(parser: Parser, shared: Parser) -> None:
    parser.argument("dir", "DIR", "the folder (default: plugin in casebook's data folder)", nargs="?", type=path_name)
    parser.set_defaults(run=run_plugin)


def run_plugin(args: argparse.Namespace, context: Context) -> int:
    """`plugin`: write or update the folder, and say how to install it."""
    from core.base.installation import remedy
    from core.base.program import program
    from core.flows.hook.agents.forms import CLAUDE_CODE, CODEX
    from core.flows.hook.registration import read_settings, registered_lines
    from core.flows.plugin import installation_steps, write_plugin_folder
    from core.flows.system.capabilities import has_mcp

    folder = Path(args.dir).absolute() if args.dir else user_folder("data") / "plugin"
    plugin = write_plugin_folder(folder, program(), options_of(args), mcp=has_mcp())
    places = {form.agent: form.path(os.environ) for form in (CLAUDE_CODE, CODEX)}
    installed = {agent: bool(registered_lines(read_settings(path), str(path))) for agent, path in places.items()}
    lines = [
        f"{one_line(plugin.path)}: version {plugin.version}, {len(plugin.written)} of {len(plugin.files)} files written"
    ]
    lines += [f"  {name}" for name in plugin.files]
    if not plugin.mcp:
        lines.append(f"The plugin has no MCP server. To add one, run: {remedy('mcp')}, then casebook plugin")
    context.out.result(plugin, [*lines, "", *map(one_line, installation_steps(plugin, installed))])
    return 0
