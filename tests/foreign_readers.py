"""Every reader of text from elsewhere as one function of that text: what `bench growth` and the growth tests ask."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from core.align import AlignSettings, Session, align_quote
from core.base.fault import Fault
from core.base.wire import dumps
from core.errors import fingerprint, identify, normalize_error
from core.errors.equivalence import opposites, plain_words
from core.errors.exchange.case_export import code, fenced, read_markdown
from core.errors.identity.codes import codes
from core.errors.retrieval.embed_text import embed_text
from core.flows.harvest.changes import patch_hints
from core.flows.harvest.command import parse_command
from core.flows.harvest.events import Ran, Statement
from core.flows.harvest.explanation import claims_action, explanation_of, sentences
from core.flows.harvest.outcome import judge
from core.flows.harvest.signatures import named_errors
from core.flows.hook.payload import read_payload
from core.lexical import match_query
from core.library.ask.features import sentences_of
from core.library.ask.markers import checked_markers, sounds_like_giving_up
from core.library.ask.question import read_question
from core.library.ask.verdict import claims
from core.library.chunk import ChunkPolicy
from core.library.citations.citation import parse as parse_citation
from core.library.citations.store import cited_in
from core.library.documents.rows import Media
from core.library.ingest.readers import reader_of
from core.library.parse.markdown import frontmatter
from core.library.parse.text import decode
from core.library.search.lexical import lexical_query, snippet
from core.library.search.rows import Passage
from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse_text
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall
from core.text import clean, clean_with_offsets, redact, visible
from core.text.tokenizing import words
from core.transcripts.claude_code import read_claude_code
from core.transcripts.codex import read_codex
from core.transcripts.commands import call_lines
from core.transcripts.lines import Line
from core.transcripts.plain import read_plain
from tests.adversarial import PLAIN

Read = Callable[[str], object]

# Ordinary text of its kind: what each costs is what its reader has to do.
_LOG: Final = (
    "\x1b[1m$ npm run build\x1b[0m\n> web@1.0.0 build\n> tsc -p .\n\n\x1b[96msrc/app.ts\x1b[0m:\x1b[93m12\x1b[0m:5 - "
    "\x1b[91merror\x1b[0m TS2322: Type 'string' is not assignable to type 'number'.\n\n"
    "12     count: name,\n       ~~~~~\n"
    'Traceback (most recent call last):\n  File "/srv/app/main.py", line 41, in run\n    read(path)\n'
    "FileNotFoundError: [Errno 2] No such file or directory: '/srv/data/42.csv'\n"
)
_LINE: Final = "Error: cannot read '/srv/data/42.csv' at line 7 of 120 (code 5): password=hunter22 "
_MARKDOWN: Final = (
    "# Title\n\nA paragraph with `code`, **bold** and [a link](https://example.org/a).\n\n- one\n- two\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nmake all\n```\n\n> quoted\n\n"
)
_PYTHON: Final = '@cache\ndef read(path: str) -> str:\n    """Read it."""\n    return open(path).read()  # 1\n\n\n'
_CPP: Final = "static int read(const char *path) {\n  return open(path, 0) + 1;  // one\n}\n\n"
_YAML: Final = "kind: a\nmetadata:\n  name: web\nitems:\n  - one: 1\n  - two: [2, 3]\n---\n"
_KEYS: Final = "title: a\ntags: [b, c]\nother: {d: 1}\n"
_TOML: Final = '[a]\nb = 1\nc = ["d", "e"]\n\n'
_DOCKER: Final = "FROM a AS b\nRUN make && make install\n\n"
_RECORDS: Final = "{}\n"
_SHELL: Final = "cd /srv && sudo make -j4 | tee log.txt; echo $?\n"
_PATCH: Final = "*** Update File: a.py\n@@\n-old = 1\n+new = 2\n"
_FIX: Final = "> It is `set` twice.\n\n```sh\nmake\n```\n\n"
_MIXED: Final = "한글 문장에 é 하나와 👩\u200d💻, \x1b[31mred\x1b[0m and e\u0301.\u200b\n"


class Reader(NamedTuple):
    """`read` does with a text what the program does; it reads at most `cap` code points of it (0: all of it). `usual`
    is what it ordinarily gets, again and again; text made to hurt may take `most` times as long."""

    name: str
    read: Read
    cap: int = 0
    usual: str = PLAIN
    most: float = 20.0


_POLICY: Final = ChunkPolicy()
_ALIGN: Final = AlignSettings(max_quote_length=2_000)
_AROUND: Final = "Before it the writer opens the table. {} After it the reader closes the table.\n"
_RULES: Final = """# Rules
## [TERM] **Never push without tests**
**Problem**: `git push` went out before the tests ran.
**Solution**: Run the tests first:
```bash
pytest && git push
```
## [DB] **Close every connection**
**Problem**: connections stay open.
**Solution**: Use `with connect() as con:`.
"""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _document(media: Media, name: str) -> Read:
    """A file's way into the library: decoded, redacted, parsed, cut into passages."""

    def read(text: str) -> object:
        found, decoded = reader_of(media, name, _POLICY), decode(_bytes(text))
        if found is None or decoded is None:
            return None
        parsed = found.read(decoded.text)
        return list(found.used(parsed).cut(parsed.blocks, _POLICY))

    return read


def _pdf(text: str) -> object:
    """The text as that of a page whose lines are what a PDF shows."""
    from core.library.parse.pdf import parse_pdf

    found = reader_of("pdf", "a.pdf", _POLICY)
    if found is None:
        return None
    shown = "".join(f"({_escaped(line)}) Tj T*\n" for line in text.split("\n"))
    try:
        return list(found.cut(parse_pdf(_one_page(f"BT /F1 9 Tf 9 TL 9 700 Td\n{shown}ET")).blocks, _POLICY))
    except ValueError:
        return None


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").replace("\r", r"\r")


def _one_page(content: str) -> bytes:
    """A PDF of one page with that content."""
    data = content.encode("latin-1", "replace")
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(data), data),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places: list[int] = []
    for number, one in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
    return out.getvalue()


def _citation(text: str) -> object:
    try:
        return parse_citation(text)
    except Fault:
        return cited_in(f"> {text}\n{text}\n\n`{text}`")


@cache
def _book() -> Book:
    return book_of(parse_text(_RULES, "rules.md").rules)


def _call(tool: str, **given: Callable[[str], object]) -> Read:
    """A match of a call whose fields are made of the text."""
    return lambda text: match(_book(), ToolCall(tool, {name: make(text) for name, make in given.items()}))


def _rules(text: str) -> object:
    return book_of(parse_text(text, "rules.md").rules)


def _said(text: str) -> str:
    return text


def _session(text: str) -> Session:
    return Session([text, _AROUND.format(text)])


def _align(quote: Callable[[str], str]) -> Read:
    return lambda text: align_quote(_session(text), 0, quote(text), _ALIGN)


def _middle(text: str) -> str:
    return text[len(text) // 3 : len(text) // 3 + 400]


def _wrong(text: str) -> str:
    """A part of the text with a word of its own in its middle: found by likeness, if at all."""
    part = _middle(text)
    return f"{part[: len(part) // 2]} zebra {part[len(part) // 2 :]}"


def _elided(text: str) -> str:
    part = _middle(text)
    return f"{part[:60]} … {part[-60:]}"


def _long(text: str) -> str:
    """The text itself as a quote of a sentence that nearly holds it."""
    return text[:2_000]


def _transcript(read: Callable[[Iterable[Line]], Iterable[object]], record: Callable[[str], Mapping[str, Any]]) -> Read:
    """A transcript of which one record holds the text, and one line is the text."""

    def run(text: str) -> object:
        data = json.dumps(record(text)).encode()
        raw = [(at, line.encode("utf-8", "replace")) for at, line in enumerate(text.split("\n"), 2)]
        return sum(1 for _ in read([(1, data), *raw]))

    return run


def _claude(text: str) -> Mapping[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": text}
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": [block]}, "toolUseResult": text}


def _codex(text: str) -> Mapping[str, Any]:
    said = {"type": "function_call_output", "call_id": "c", "output": text}
    return {"timestamp": "t", "type": "response_item", "payload": said}


def _plain(text: str) -> Mapping[str, Any]:
    return {"role": "user", "text": text}


def _payload(text: str) -> object:
    given = {"hook_event_name": "PostToolUseFailure", "session_id": text[:300], "tool_name": "Bash"}
    data = json.dumps({**given, "tool_input": {"command": text}, "error": text})
    return read_payload(data.encode()), read_payload(_bytes(text))


def _judged(text: str) -> object:
    ran = Ran("s", 1, "main", "Bash", {"command": "pytest; echo $?"}, text, "none", 0)
    return judge(ran, parse_command("pytest; echo $?")), named_errors(text)


def _explained(text: str) -> object:
    told = [Statement("s", 1, "main", "user", text), Statement("s", 2, "main", "assistant", text)]
    return sentences(text), explanation_of(told, "error: no such table", "CREATE TABLE"), claims_action(told)


def _asked(text: str) -> object:
    """An answer made of the text, checked against a passage made of it."""
    passage = Passage(
        1, "c", "d", text, "[]", None, '[{"kind":"line","start":1,"end":2}]', "t", 1, 2, "a.md", "A", "", None, None
    )
    answer = f"{text[:1_000]} [1]. The table has 3 rows, not 4 [1]."
    return checked_markers(answer, 1), claims(answer, [passage]), sounds_like_giving_up(text)


# Beyond 20 times: a grammar is stopped after so many steps, of which some are long; a ligature is two letters.
READERS: Final = (
    Reader("redact", redact, usual=_LOG),
    Reader("clean", clean, usual=_MIXED),
    Reader("clean with offsets", clean_with_offsets, usual=_MIXED),
    Reader("visible", visible, usual=_MIXED),
    Reader("words", words, usual=_MIXED),
    Reader("wire dump", dumps, usual=_MIXED),
    Reader("key lines", identify, 262_144, usual=_LOG),
    Reader("key lines, one line", lambda text: identify(" ".join(text.split("\n"))), 8_192, usual=_LINE),
    Reader("normalized error", normalize_error, 262_144, usual=_LOG),
    Reader("fingerprint", fingerprint, 262_144, usual=_LOG),
    Reader("fingerprint, one line", lambda text: fingerprint(" ".join(text.split("\n"))), 8_192, usual=_LINE),
    Reader("embed text", embed_text, 4_096, usual=_LINE),
    Reader("error codes, words, opposites", lambda text: (codes(text), plain_words(text), opposites(text))),
    Reader(
        "fix as Markdown", lambda text: (code(text), fenced(text), list(read_markdown(text.split("\n")))), usual=_FIX
    ),
    Reader("Markdown", _document("markdown", "a.md"), usual=_MARKDOWN),
    Reader("code, Python", _document("code", "a.py"), usual=_PYTHON, most=100.0),
    Reader("code, C++", _document("code", "a.cpp"), usual=_CPP, most=100.0),
    Reader("code, YAML", _document("code", "a.yaml"), usual=_YAML),
    Reader("code, TOML", _document("code", "a.toml"), usual=_TOML),
    Reader(
        "manifest, YAML", lambda text: _document("manifest", "a.yaml")(f"apiVersion: v1\nkind: a\n{text}"), usual=_YAML
    ),
    Reader("manifest, Dockerfile", _document("manifest", "Dockerfile"), usual=_DOCKER),
    Reader("plain text", _document("text", "a.txt"), usual=_LOG),
    Reader("PDF", _pdf),
    Reader("frontmatter, YAML", lambda text: frontmatter(f"---\n{text}\n---\n"), 65_536, usual=_KEYS),
    Reader("frontmatter, TOML", lambda text: frontmatter(f"+++\n{text}\n+++\n"), 65_536, usual=_TOML),
    Reader("citations", _citation, usual=_FIX),
    Reader("rule file", _rules, usual=_RULES),
    Reader(
        "rule of one solution",
        lambda text: _rules(f"## [A] **B**\n**Problem**: a\n**Solution**: {text}\n"),
        usual=_RULES,
    ),
    Reader("rules for a command", _call("Bash", command=_said), 20_000, usual=_SHELL),
    Reader("rules for a write", _call("Write", file_path=lambda _: "/a/b.py", content=_said), 20_000, usual=_PYTHON),
    Reader(
        "rules for an edit", _call("Edit", old_string=lambda text: text[::-1], new_string=_said), 20_000, usual=_PYTHON
    ),
    Reader(
        "rules for a patch",
        _call("apply_patch", input=lambda t: f"*** Begin Patch\n{t}\n*** End Patch"),
        20_000,
        usual=_PATCH,
    ),
    Reader("rules for words", _call("Task", prompt=_said, description=_said), 20_000),
    Reader("quote, exact", _align(_middle), usual=_MIXED),
    Reader("quote, one word wrong", _align(_wrong), usual=_MIXED, most=30.0),
    Reader("quote, ellipsis", _align(_elided), usual=_MIXED),
    Reader("quote, long", _align(_long), usual=_MIXED),
    Reader("transcript, Claude Code", _transcript(read_claude_code, _claude), usual=_RECORDS),
    Reader("transcript, Codex", _transcript(read_codex, _codex), usual=_RECORDS),
    Reader("transcript, plain", _transcript(read_plain, _plain), usual=_RECORDS),
    Reader(
        "transcript, call as read",
        lambda text: (call_lines(text), call_lines(json.dumps({"content": text}))),
        usual=_PATCH,
    ),
    Reader("harvest, command", lambda text: parse_command.__wrapped__(text[:16_384]), 16_384, usual=_SHELL),
    Reader("harvest, output", _judged, 262_144, usual=_LOG),
    Reader("harvest, explanation", _explained, 8_000),
    Reader(
        "harvest, patch", lambda text: patch_hints(f"*** Begin Patch\n*** Update File: a\n{text}"), 50_000, usual=_PATCH
    ),
    Reader("hook payload", _payload),
    Reader("answer of ask", _asked, 1_000),
    Reader("question of ask", read_question, 20_000),
    Reader("sentences", sentences_of, 20_000),
    Reader("search words", lambda text: (match_query(text, prefix_last=True), lexical_query(text)), 8_192),
    Reader("snippet", lambda text: snippet(text, lexical_query("writer table a").terms), 200_000),
)
