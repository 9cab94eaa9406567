"""Accepted rules in casebook's block of a rule file: put in, taken out, never where the block was edited by hand."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Final, cast

from core.base.fault import Fault
from core.base.managed_block import Block, blocks, edited_by_hand, read_text, write_block
from core.rules.format.parse import parse_text
from core.text import redact, visible

KIND: Final = "rules"
SUFFIXES: Final = (".md", ".markdown", ".mdc", ".mdx")
_TITLE: Final = 80
_CALL: Final = 120
_MARKUP: Final = re.compile(r"<(?=[!/?A-Za-z])")
_NUMBER: Final = re.compile(r"ERR-(\d{1,6})")
_BREAK: Final = re.compile(r"\r\n|\r|\n")


def rule_markdown(rule_id: str, rule: str, call_json: str, day: str) -> str:
    """A rule in the form that `rules match` reads. Every text is one line, and holds no markup of its own."""
    title = rule if len(rule) <= _TITLE else rule[: _TITLE - 1] + "…"
    lines = [f"### {rule_id}: {_line(title)}", f"**Problem**: a person declined {_line(_call(call_json))}"]
    lines += [f"**Solution**: {_line(rule)}", f"**Date**: {_line(day[:10])}"]
    return "\n".join(lines)


def next_rule_id(path: Path) -> str:
    """The first `ERR-nnn` behind those that the file has."""
    rules = parse_text(read_text(path), str(path)).rules
    numbers = [int(found[1]) for rule in rules if (found := _NUMBER.match(rule.id))]
    return f"ERR-{max(numbers, default=0) + 1:03}"


def rules_in(path: Path) -> list[str]:
    """The rules of the file's block, each as casebook wrote it. Raises Fault as `write_block`."""
    return _rules(_body(path)[0])


def put_in(path: Path, rule: str) -> None:
    """Put a rule at the end of the block, once. Raises Fault as `write_block`."""
    body, block = _body(path)
    if rule in _rules(body):
        return
    if block is not None and block.edited:
        raise edited_by_hand(str(path), block.line, "move your text out of the block, then accept the rule again")
    write_block(path, KIND, f"{body}\n\n{rule}" if body else rule)


def take_out(path: Path, rule: str) -> None:
    """Take a rule out of the block, and the block with its last rule. One that is gone already is no fault.

    Raises Fault as `write_block`, and invalid_input where the block was edited by hand and still names the rule.
    """
    if not os.path.lexists(path):
        return
    body, block = _body(path)
    heading = rule.partition(":")[0] + ":"
    if block is None or not any(line.startswith(heading) for line in body.split("\n")):
        return
    left = [one for one in _rules(body) if one != rule]
    if block.edited or len(left) == len(_rules(body)):
        hint = f"nothing was undone: delete {heading[4:-1]} by hand, then run the command again"
        raise edited_by_hand(str(path), block.line, hint)
    write_block(path, KIND, "\n\n".join(left) or None)


def refuse_odd_file(path: Path) -> None:
    """Raise Fault invalid_input for what is no rule file: another suffix, a folder, a file that others write."""
    if path.suffix.lower() not in SUFFIXES:
        raise Fault("invalid_input", f"{path} is not a Markdown file", "name a rule file such as CLAUDE.md")
    if ".git" in path.parts or (os.path.lexists(path) and not path.is_file()):
        raise Fault("invalid_input", f"{path} is not a rule file", "name a rule file such as CLAUDE.md")
    if not path.parent.is_dir():
        raise Fault("invalid_input", f"there is no folder {path.parent}", "make it first, or name another file")


def _body(path: Path) -> tuple[str, Block | None]:
    """The lines of the block, with `\\n` at their ends, and the block; '' and None where there is none."""
    text = read_text(path)
    block = next((one for one in blocks(text, str(path)) if one.kind == KIND), None)
    if block is None:
        return "", None
    return _BREAK.sub("\n", text[block.body : block.body_end]).strip("\n"), block


def _rules(body: str) -> list[str]:
    """The rules of a block as casebook wrote them: each begins with its heading."""
    return [one.strip("\n") for one in re.split(r"\n\n(?=### ERR-)", body)] if body else []


def _line(text: str) -> str:
    """One line that is no structure: no comment or tag begins in it, no fence, no home folder."""
    home = os.path.join(os.path.expanduser("~"), "")  # noqa: PTH111, PTH118  text, not a path
    flat = " ".join(visible(redact(text).replace("\n", " ")).replace(home, "~" + os.sep).split())
    return _MARKUP.sub("‹", flat.replace("```", "ʼʼʼ").replace("~~~", "∼∼∼")).strip() or "(no text)"


def _call(call_json: str) -> str:
    """A declined call in a few words: the command, or the tool and the name of its file."""
    found: object = json.loads(call_json)
    call = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    held = call.get("input")
    given = cast("dict[str, object]", held) if isinstance(held, dict) else {}
    command = given.get("command", given.get("cmd"))
    if isinstance(command, str) and command.strip():
        first = command.strip().split("\n", 1)[0].replace("`", "'")
        return f"`{first[:_CALL]}`"
    name = next((one for key in ("file_path", "path") if isinstance(one := given.get(key), str)), "")
    return f"{call.get('tool', 'a call')} {Path(name).name}".strip()
