"""What names an error: outputs of many tools with their key lines, normalized texts and fingerprints.

A casebook finds an error again by these texts. One that changes makes the cases of every user's casebook unfindable.
"""

from __future__ import annotations

import json
from pathlib import Path

from core.errors import fingerprint, identify, key_line, normalize_error

OUTPUTS = Path(__file__).parent / "data" / "outputs.jsonl"
"""Outputs of some forty tools, one JSON string a line: written by hand, never made again."""


def identities_text(_folder: Path) -> str:
    """Each output with its names, one JSON object a line."""
    lines: list[str] = []
    for given in OUTPUTS.read_text(encoding="utf-8").removesuffix("\n").split("\n"):
        output: str = json.loads(given)
        found = identify(output)
        names = {
            "output": output,
            "tool": found.tool,
            "key_line": key_line(output),
            "key_lines": [[one.text, one.start, one.end, one.tool, one.role] for one in found.key_lines],
            "normalized": normalize_error(output),
            "fingerprint": fingerprint(output),
        }
        assert (found.key_line, found.normalized, found.fingerprint) == (
            names["key_line"],
            names["normalized"],
            names["fingerprint"],
        )
        lines.append(json.dumps(names, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)
