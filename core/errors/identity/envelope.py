"""The envelope of an output (agents' headers, JSON, CI stamps, log prefixes) removed, with positions mapped back.

Likewise the words that a tool or library puts before all its messages: they make its unrelated errors look alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.lines import Chunk, Line, Page, page
from core.text import OffsetMap, clean, clean_with_offsets, redact
from core.text.cleaning import Edit, Layer, apply, spelled_colours, without_spelled_colours

WINDOW: Final = 128 * 1024
"""Code points read at the head and at the tail of an output longer than both."""
LINE: Final = 8192
_MOST_RESULTS: Final = 40
"""Code points of a line that are read."""

_ODD_SPACE = lazy_pattern("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")

# An agent's result as a JSON object: the string that holds the output. Tried in this order.
_JSON_STRING = r'"{}"\s{{0,4}}:\s{{0,4}}"((?>(?:[^"\\]++|\\.)*))(?:"|\Z|\\\Z)'
_JSON_OUTPUT = tuple(
    lazy_pattern(_JSON_STRING.format(name), re.DOTALL)
    for name in ("output", "aggregated_output", "stderr", "content", "stdout", "text")
)
_JSON_HINT = lazy_pattern(
    r'"(?:output|aggregated_output|stderr|stdout|tool_use_id|exit_code|is_error|returnCodeInterpretation)"\s{0,4}:'
)
_JSON_ESCAPE = lazy_pattern(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_JSON_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}

# Lines that an agent or a CI puts before the output.
_HEADER = lazy_pattern(
    r"(?:Error: )?(?:Exit|exit) (?:code|status):? -?\d+\s*\Z|Chunk ID: |Wall time:? |Process (?:exited|running) |"
    r"Original token count: |Total output lines: |Output:\s*\Z|Command: |Script (?:completed|failed|running)\b|"
    r"Warning: truncated output \(original token count: |"
    r"</?(?:\w+[-_])*(?:error|stderr|stdout|output|result)>\s*\Z|"
    r"\[?(?:exit|return)(?: ?code|_code)[ =:]+\d+\]?\s*\Z|```\w*\s*\Z",
    re.ASCII,
)
_CODEX_OUTPUT = lazy_pattern(r"Output:\s*\Z")
_CODEX_HEAD = lazy_pattern(
    r"\s*(?:Script (?:completed|failed)[^\n]{0,80}\n+)?(?:Wall time[^\n]{0,80}\n+)?(?:Output:[ \t]*\n+)?"
    r"(?:Warning: truncated output[^\n]{0,80}\n+)?(?:Total output lines: \d+\n+)?(?=\{|\[\{)"
)
_SCRIPT_RESULT = lazy_pattern(r'"(?:exit_code|chunk_id|original_token_count)"\s{0,4}:')
_STAMP = (
    r"\[?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d|"
    r"[A-Z]{3,4}(?= \[)))?\]?:?(?:\s+\[\d+\](?=\s+\S))?(?:\s+[|-])?\s+"
)
_PREFIX = lazy_pattern(
    rf"{_STAMP}"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?(?: [AP]M)?\]?:?\s+(?:\|\s+)?(?=\S)"
    r"|##\[(?:error|warning|group|command|debug|section)\]|::(?:error|warning|notice)(?: [^:\n]{0,300})?::"
    r"|[\w.-]{1,60}[-_]\d+\s+\| ?"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|"
    r"Dec) [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,80} \(?[\w./@-]{1,80}\)?(?:\[\d+\])?: "
    r"|[EWFI]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w./-]{1,100}:\d+\] "
    r"|\d\d-\d\d \d\d:\d\d:\d\d\.\d+\s+\d+\s+\d+ [VDIWEF] [\w.$/-]{1,60}\s*: "
    r"|[VDIWEF]/[\w.$-]{1,60}\(\s*\d+\): "
    r"|\[(?:stderr|stdout|err|out)\] ?|(?:stderr|STDERR|stdout|STDOUT): "
    r"|INTERNALERROR> |[│┃] ?(?=\S)|<(?:tool_use_error|(?:\w+-)?(?:stderr|stdout)|error|output)>",
    re.ASCII,
)
# `gh run view --log`: job, step and time before each line of the log.
_JOB = lazy_pattern(r"[^\t\n]{1,100}\t[^\t\n]{1,100}\t\ufeff?(?=\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3,9}Z )")
_PREFIX_START = frozenset("[#:<│┃EWFIVDsS0123456789JFMASOND")
_BUILDKIT_SIGN = lazy_pattern(r"#\d+ +(?:\[|\d+\.\d|ERROR|CANCELED|DONE|CACHED|sha256)| > \[", re.ASCII)
_BUILDKIT = lazy_pattern(r"#\d+ +(?:\d+\.\d+ )?(?=\S)|\d+\.\d{2,4} (?=\S)", re.ASCII)
_SHARED = lazy_pattern(
    r"(?:[@\w./-]{1,60} +\| |Step #\d+(?: - \"[^\"]{1,60}\")?: |\[(?!(?:ERROR|INFO|WARNING|DEBUG|error|warn|"
    r"info)\])[\w./@: -]{1,40}\] |[@\w./-]{1,60}:[\w.-]{1,40}: |> )",
    re.ASCII,
)
# A runner of several tasks announces each once, by its name, before it puts the name before what the task prints.
_ANNOUNCED = lazy_pattern(
    r"(?P<tag>\[[\w.:@/-]{1,60}\] )(?:\$ |> |ERROR task |Finished in |.{1,200} exited with code \d)"
    r"|(?P<task>[@\w./-]{1,80} [\w:.-]{1,40})\$ \S"
    r"|(?P<run>[@\w./#-]{1,80}:[\w:.-]{1,40}: )(?:> |\$ |cache (?:miss|hit|bypass))",
    re.ASCII,
)
_TAG = lazy_pattern(r"\[[\w.:@/-]{1,60}\] |[@\w./-]{1,80} [\w:.-]{1,40}: ?|[@\w./#-]{1,80}:[\w:.-]{1,40}: ", re.ASCII)
_CLOSING = lazy_pattern(r"</(?:tool_use_error|error|stderr|stdout|output|(?:\w+-)(?:stderr|stdout))>\Z", re.ASCII)
_PRIVATE_KEY_END = lazy_pattern(r"-----END [A-Z ]{0,20}PRIVATE KEY-----")


def unwrap(text: str) -> Page:
    """Return the lines of `text`, redacted and cleaned, without their envelope; each has its raw span.

    Long outputs are read at both ends, lines up to 8 Ki code points. Linear.
    """
    lines = [line for start, piece in _windows(text) for line in _lines(start, piece)]
    lines = _without_header(lines)
    return page(_without_shared(_without_tags(_without_prefixes(lines))))


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """The stretches that are read, each with its place: all of a short text, head and tail of a long one."""
    if len(text) <= 2 * WINDOW:
        yield 0, redact(text)
        return
    cut = text.rfind("\n", WINDOW - LINE, WINDOW)
    yield 0, redact(text[: cut if cut >= 0 else WINDOW])
    start = len(text) - WINDOW
    following = text.find("\n", start, start + LINE)
    start = following + 1 if following >= 0 else start
    tail = text[start:]
    if (key := _PRIVATE_KEY_END.search(tail)) and "-----BEGIN " not in tail[: key.start()]:
        start += key.end()
        tail = tail[key.end() :]
    yield start, redact(tail)


def _lines(base: int, piece: str) -> Iterator[Line]:
    """The cleaned lines of a stretch of raw text, or of the outputs inside if it is an agent's JSON."""
    outputs = _json_outputs(piece)
    for begin, end in outputs:
        shown, layer = apply(piece[begin:end], list(_json_edits(piece[begin:end])))
        yield from _cleaned(base + begin, shown, (layer,) if layer.out_starts else ())
    if not outputs:
        yield from _cleaned(base, piece, ())


def _cleaned(base: int, piece: str, layers: tuple[Layer, ...]) -> Iterator[Line]:
    """The lines of a text whose own edits are `layers`."""
    if edits := spelled_colours(piece):
        piece, layer = apply(piece, edits)
        layers = (*layers, layer)
    cleaned = clean_with_offsets(piece)
    chunk = Chunk(base, OffsetMap((*layers, *cleaned.offsets.layers)))
    at = 0
    for text in cleaned.text.split("\n"):
        shown = _unclosed(text[:LINE].rstrip())
        yield Line(shown if shown.isascii() else _ODD_SPACE.sub(" ", shown), at, chunk)
        at += len(text) + 1


def _unclosed(text: str) -> str:
    """Without the closing tag of an agent's envelope."""
    if text.endswith(">") and (tag := _CLOSING.search(text, max(0, len(text) - 40))):
        return text[: tag.start()].rstrip()
    return text


def _json_outputs(piece: str) -> list[tuple[int, int]]:
    """Where the outputs lie in an agent's JSON result, quotes not included; of a script's several results each."""
    head = _CODEX_HEAD.match(piece[:4096])
    if head is None or not _JSON_HINT.search(piece):
        return []
    if _SCRIPT_RESULT.search(piece):
        results = _JSON_OUTPUT[0].finditer(piece, head.end())
        if spans := [match.span(1) for match in islice(results, _MOST_RESULTS)]:
            return spans
    for pattern in _JSON_OUTPUT:
        if (match := pattern.search(piece, head.end())) and match[1].strip():
            return [match.span(1)]
    return []


def _json_edits(text: str) -> Iterator[Edit]:
    for match in _JSON_ESCAPE.finditer(text):
        sign = match[0][1]
        if sign == "u" and len(match[0]) == 6:
            code = int(match[0][2:], 16)
            yield match.start(), match.end(), "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)
        else:
            yield match.start(), match.end(), _JSON_SIGNS.get(sign, sign)


def _without_header(lines: list[Line]) -> list[Line]:
    """Without the lines an agent puts before and around the output; a lone one stays."""
    for number, line in enumerate(lines[:12]):
        if _CODEX_OUTPUT.match(line.text) and any(_HEADER.match(before.text) for before in lines[:number]):
            if any(rest.text for rest in lines[number + 1 :]):
                lines = lines[number + 1 :]
            break
    kept = [line for line in lines if not (line.text and line.text[0] in "EeCWPOSTt<[`" and _HEADER.match(line.text))]
    alone = sum(1 for line in lines if line.text) == 1
    return lines if alone and not any(line.text for line in kept) else kept


def _without_prefixes(lines: list[Line]) -> list[Line]:
    """Without time stamps, CI marks and log gutters at the start of each line."""
    buildkit = any(_is_buildkit(line.text) for line in lines)
    cuts = ((line, message_start(line.text, buildkit=buildkit)) for line in lines)
    return [Line(line.text[cut:], line.at + cut, line.chunk) if cut else line for line, cut in cuts]


def _is_buildkit(text: str) -> bool:
    """Whether a line, with or without a time before it, is one of BuildKit's."""
    if text[:1] in ("#", " "):
        return _BUILDKIT_SIGN.match(text) is not None
    return " #" in text[:40] and _BUILDKIT_SIGN.match(text, message_start(text, buildkit=False)) is not None


def message_start(text: str, *, buildkit: bool) -> int:
    """Where a line begins behind its log prefixes; 0 with its indentation when it has none."""
    start = 0
    for _ in range(4):
        begin = len(text) - len(text[start:].lstrip())
        if begin >= len(text):
            break
        match = _PREFIX.match(text, begin) if text[begin] in _PREFIX_START or "|" in text else None
        if match is None and not start and "\t" in text:
            match = _JOB.match(text, begin)
        if match is None and buildkit:
            match = _BUILDKIT.match(text, begin)
        if match is None:
            break
        start = match.end()
    return start


def single_line(text: str) -> str | None:
    """What `unwrap` makes of `text` if that is one line; None if it must be looked at as a whole."""
    if "\n" in text or len(text) > LINE or text.lstrip()[:1] in ("{", "[", "<"):
        return None
    shown = without_spelled_colours(redact(text))
    if not (shown.isascii() and shown.isprintable()):
        shown = _ODD_SPACE.sub(" ", clean(shown))
    shown = _unclosed(shown.rstrip())
    buildkit = shown[:1] in ("#", " ") and _BUILDKIT_SIGN.match(shown) is not None
    return shown[message_start(shown, buildkit=buildkit) :].lstrip()


def _without_tags(lines: list[Line]) -> list[Line]:
    """Without the names of tasks that a runner puts before their output (`[lint] `, `packages/web test: `)."""
    tags = {tag for line in lines if (tag := _announced(line.text))}
    if not tags:
        return lines
    return [
        _cut(line, _TAG) if (match := _TAG.match(line.text)) and match[0].rstrip() in tags else line for line in lines
    ]


def _announced(text: str) -> str:
    if not (text.startswith("[") or "$ " in text or ": > " in text or ": cache " in text):
        return ""
    match = _ANNOUNCED.match(text)
    if match is None:
        return ""
    return f"{match['task']}:" if match["task"] else (match["tag"] or match["run"]).rstrip()


def _without_shared(lines: list[Line]) -> list[Line]:
    """Without a prefix that nearly every line has (`web  | `, `[web] `, `> `), and without shared indentation."""
    filled = list(islice((line for line in lines if line.text), 400))
    if len(filled) > 1:
        share = sum(1 for line in filled if _SHARED.match(line.text))
        if share > 1 and share * 10 >= len(filled) * 8:
            return _without_shared([_cut(line, _SHARED) for line in lines])
        indent = min(line.indent for line in filled)
        if indent and len(filled) < 400:
            return [Line(line.text[indent:], line.at + indent, line.chunk) for line in lines]
    return lines


def _cut(line: Line, prefix: re.Pattern[str]) -> Line:
    match = prefix.match(line.text)
    return Line(line.text[match.end() :], line.at + match.end(), line.chunk) if match else line


_MOST: Final = 8
_LEVEL = (
    r"(?:fatal|error|err|failed|failure|warning|warn|critical|exception|panic|emerg|alert|crit|hint|오류|에러|경고|"
    r"치명적 오류)"
)
_CODE = r"(?: ?(?:[A-Z]{1,8}-?[0-9]{2,6}|[0-9]{3,5}(?: \([0-9A-Z]{5}\))?)|\[[A-Z]{1,8}[0-9]{2,6}\])?"
_PROGRAMS = (
    r"(?:psql|pg_dump|pg_restore|createdb|mysql|mysqldump|sqlite3|redis-cli|mongo(?:sh)?|docker(?:-compose)?|podman|"
    r"nginx|g?make(?:\[\d+\])?|ninja|curl|wget|git|ssh|scp|rsync|go|cargo|rustc|pip3?|npm|yarn|pnpm|npx|node|gyp|deno|bun|"
    r"remote|-?bash|zsh|sh|dash|fish|env|sudo|(?:\S{0,40}/)?(?:ld|gcc|g\+\+|cc1|cc1plus|clang|clang\+\+|collect2)|"
    r"LINK|javac?|kotlinc?|mvn|gradle|helm|kubectl|terraform|ansible|python3?|ruby|perl|php|tsc|cat|cp|mv|rm|ls|mkdir|"
    r"rmdir|touch|chmod|chown|tar|unzip|install\.sh)"
)
# Types that say only that something went wrong; any other type says what.
_VAGUE = (
    r"(?:Runtime|Operational|Programming|Database|Client|HTTP|Internal|System|OS|IO|Axios|MongoServer|Integrity|"
    r"Response|Sqlite|Wrapped|Generic|Unhandled|Base|Standard|Fatal|Data)?(?:Error|Exception|Warning)"
)
_WRAPPER = lazy_pattern(
    r"\s*(?:"
    rf"{_PROGRAMS}: ?(?:\(\d+\)|\*\*\*)?"
    r"|npm (?:ERR!|error|warn)(?: code(?= [A-Z]))?|gyp ERR!|ERR!"
    rf"|\[?{_LEVEL}\]?{_CODE}(?::|!|(?<=\]))(?=\s|\Z)"
    rf"|\((?:{_LEVEL})\)"
    rf"|{_VAGUE}(?: \[\w+\])?:(?=\s)"
    r"|\[(?:Errno|WinError) -?\d+\]|\[(?:plugin[^\]]{0,40}|[!x✖✗])\]|\d+#\d+:|×|✘"
    r"|(?:ERROR|FATAL|FAIL|CRITICAL|E|W)(?=\s)(?!\s+[a-z]+ (?:at|in) )|[EW]:"
    r"|Error response from daemon:|CMake Error(?: at [^\s:]{1,200}(?::\d+)?(?: \(\w+\))?)?:"
    r"|Uncaught(?: \(in promise\))?|Unhandled (?:promise )?rejection:?|Caused by:|Traceback:?"
    r"|(?:panic: )?runtime error:|panic:|thread '[^']{0,200}' panicked at (?:[^\s:]{1,200}:\d+:\d+:|(?='))"
    r"|Warning\s+\w+\s+kubelet|\*{3}|!"
    r")\s*",
    re.IGNORECASE,
)
_DOTTED = lazy_pattern(r"(?<!\w)\w++(?>(?:\.\w++)+)")
_TYPE = lazy_pattern(r"[A-Z]\w*(?:Error|Exception|Warning|Failure|Fault|Timeout)\Z")
_NAME = lazy_pattern("[A-Za-z_]")
_CALL = lazy_pattern(r"An error occurred \((\w{1,80})\) when calling the \w{1,80} operation[^:]{0,60}:?")
_RPC = lazy_pattern(r"\brpc error: code = (\w{1,40}) desc =")


def _without_namespace(match: re.Match[str]) -> str:
    """Return a dotted name without its namespace: `java.io.IOException` is `IOException`."""
    parts = match[0].split(".")
    last = next((at for at in range(len(parts) - 1, 0, -1) if _TYPE.match(parts[at])), 0)
    first = next((at for at in range(last) if _NAME.match(parts[at])), last)
    return ".".join((*parts[:first], *parts[last:]))


def without_wrappers(text: str) -> str:
    """The message itself: without levels, program names, vague types and namespaces; the last word is never cut.

    What a wrapper says of its own stays: `An error occurred (NoSuchBucket) when calling …` becomes `NoSuchBucket`.
    """
    if " error" in text:
        text = _RPC.sub(r"\1", _CALL.sub(r"\1", text))
    text = _DOTTED.sub(_without_namespace, text)
    at = 0
    for _ in range(_MOST):
        match = _WRAPPER.match(text, at)
        if not match or not at < match.end() < len(text):
            break
        at = match.end()
    return text[at:]
