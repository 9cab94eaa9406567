"""`casebook evidence`: quotes of files or of an imported session: added, aligned, listed, decided about, promoted."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from cli.context import Context, not_there
from cli.parser import Group, Parser, number, path_name
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.align import AlignSettings, Span
    from core.evidence import Decided
    from core.store import Store


_EXAMPLES = """\
examples:
  casebook evidence align --messages messages.json --extracted entries.json
  casebook evidence align --messages messages.json --extracted - --json < entries.json
  casebook evidence align --session 0f3c4143
  casebook evidence align --session 0f3c4143 --quote "each request waits for one"

messages: a JSON array of strings, or of {"role", "text"}
extracted: {"entries": [{"entryId", "type", "title", "evidence": [{"messageIndex", "quote"}]}]}

exit codes: 0 all quotes are aligned, 1 a quote is not aligned, 2 error
"""


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = Group(parser, shared, "evidence_command")
    align = children.leaf("align", "align quotes with messages", run_align, _EXAMPLES)
    align.argument("--messages", "FILE", "messages of one session, as JSON", type=path_name)
    align.argument("--extracted", "FILE", "entries with quotes, as JSON", type=path_name)
    align.argument("--session", "ID", "use the stored entries of this imported session")
    align.argument("--quote", "TEXT", "check only this quote in the messages or the session (- reads stdin)")
    align.flag("--again", "with --session: also align quotes that are already aligned")
    align.add_argument(
        "--guard",
        choices=("strict", "normal", "off"),
        help="changes that flag a quote (strict: any word, normal: changes of meaning, off: none)",
    )
    add_review(children)


def run_align(args: argparse.Namespace, context: Context) -> int:
    """`evidence align`: every quote with its place, or the reason why it has none. Needs no casebook."""
    if args.quote is not None:
        return run_align_quote(args, context)
    if args.session is not None or args.again:
        return run_align_session(args, context)
    if args.messages is None or args.extracted is None:
        hint = "pass --messages and --extracted, or --session ID. For one quote, add --quote TEXT"
        raise Fault("invalid_input", "nothing to align", hint)
    from cli.format.evidence import alignment_lines
    from core.align import align, read_extracted, read_messages

    if args.messages == "-" and args.extracted == "-":
        raise Fault("invalid_input", "--messages and --extracted cannot both read stdin", "pass a file for one of them")
    messages = read_from(args.messages, read_messages)
    extracted = read_from(args.extracted, read_extracted)
    found = align(messages, extracted, align_settings(context, args.guard))
    context.out.result(found, alignment_lines(context.out, found, extracted))
    return 0 if found.evidence_aligned else 1


def run_align_quote(args: argparse.Namespace, context: Context) -> int:
    """`evidence align --quote`: whether one quote is anywhere in a session, stored or of a file; nothing is stored."""
    from cli.context import read_text_argument
    from cli.format.evidence import quote_alignment_lines
    from core.align import align_anywhere, read_messages
    from core.evidence import session_named
    from core.evidence.rows import StoredMessages

    if args.extracted is not None or args.again or (args.session is None) == (args.messages is None):
        raise Fault(
            "invalid_input", "--quote needs one session", "pass --session ID or --messages FILE, without others"
        )
    quote, settings = read_text_argument(args.quote, "quote").strip("\n"), align_settings(context, args.guard)
    if args.messages is not None:
        found = align_anywhere(read_from(args.messages, read_messages), quote, settings)
    else:
        with context.store() as store:
            session = StoredMessages(store.con, session_named(store.con, args.session))
            found = align_anywhere(session, quote, settings)
    context.out.result(found, quote_alignment_lines(context.out, found))
    return 0 if found.evidence_aligned else 1


_Read = TypeVar("_Read")
MAX_FILE = 256 << 20
"""Bytes of one file of messages or entries."""


def align_settings(context: Context, guard: str | None) -> AlignSettings:
    """How strictly to align: the settings, with the guard's level where that was given."""
    from core.align import AlignSettings

    kept = context.settings.evidence
    level = guard or kept.guard
    return AlignSettings(
        kept.fuzzy_threshold / 100,
        kept.max_quote_length,
        kept.enable_fuzzy,
        level,  # pyright: ignore[reportArgumentType]
    )


def read_from(name: str, reader: Callable[[str], _Read]) -> _Read:
    """What `reader` makes of the text of a file; its faults name the file."""
    text = text_of_file(name)
    try:
        return reader(text)
    except Fault as fault:
        where = "standard input" if name == "-" else name
        raise Fault(fault.code, f"{where}: {fault.message}", fault.hint, **fault.details) from None


def text_of_file(name: str) -> str:
    """The text of a file, or of standard input where it is `-`. Raises Fault io_error, invalid_input."""
    try:
        data = sys.stdin.buffer.read(MAX_FILE + 1) if name == "-" else _bytes_of(Path(name))
    except OSError as error:
        raise Fault("io_error", f"{name}: {error.strerror or error}", "check the path") from None
    if len(data) > MAX_FILE:
        raise Fault("invalid_input", f"{name} is larger than {MAX_FILE >> 20} MiB", "pass one session at a time")
    return data.decode("utf-8-sig", "replace")


def _bytes_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_FILE + 1)


_STATUSES = ("failed", "ambiguous", "flagged", "waiting", "aligned", "accepted", "rejected")
_AT = re.compile(r"(\d{1,15}):(\d{1,15})-(\d{1,15})", re.ASCII)
_ADD = """\
examples:
  casebook evidence add entries.json --session 0f3c4143

the file: {"entries": [{"entryId", "type", "title", "evidence": [{"messageIndex", "quote"}]}]}
Messages are numbered from 0, as in casebook evidence show. The exit code is 1 if no entry was added.
"""
_ACCEPT = """\
examples:
  casebook evidence accept 12                 accept the location found, or the best near miss (with --confirm)
  casebook evidence accept 12 --place 2       accept the second location listed by show
  casebook evidence accept 12 --at 4:120-168  accept characters 120 to 168 of message 4
  casebook evidence accept 12 --end -1        accept the location without its last word
  casebook evidence accept 12 --words         replace the quote with the source text

If the meaning may differ, pass --confirm. For a long quote, a location of one or two words is refused.
exit codes: 0 accepted, 1 refused, 2 error
"""
_PROMOTE = """\
examples:
  casebook evidence promote e12                verify one entry
  casebook evidence promote e12 --back         make it a candidate again
  casebook evidence promote --ready --dry-run  list the entries that are ready
  casebook evidence promote --ready            verify all ready entries as one change

exit codes: 0 verified, 1 an entry is blocked or no entry is ready, 2 error
"""


def add_review(children: Group) -> None:
    """The sub-commands and their arguments."""
    add = children.leaf("add", "add extracted entries to an imported session", run_add, _ADD)
    add.argument("file", "FILE", "entries with quotes, as JSON (- reads stdin)", type=path_name)
    add.argument("--session", "ID", "session id, or its first characters", required=True)
    add.flag("--no-align", "do not align the quotes")
    add.add_argument(
        "--guard",
        choices=("strict", "normal", "off"),
        help="changes that flag a quote (strict: any word, normal: changes of meaning, off: none)",
    )
    found = children.leaf("list", "list quotes and their status", run_list)
    found.add_argument("--status", choices=_STATUSES, action="append", help="only this status (repeatable)")
    found.flag("--open", "only undecided quotes")
    found.flag("--entries", "list entries instead of quotes")
    found.add_argument("--stage", choices=("candidate", "verified"), help="with --entries: only this stage")
    found.flag("--ready", "only entries that can be promoted")
    found.argument("--session", "ID", "only this session")
    found.argument("--type", "TYPE", "only entries of this type")
    found.argument("--limit", "N", "rows per page (default 50)", type=number, default=50)
    found.argument("--after", "ID", "cursor of the next page")
    show = children.leaf("show", "show a quote with its locations, or an entry with its quotes", run_show)
    show.argument("id", "ID", "quote number or entry id")
    show.flag("--entry", "treat a numeric ID as an entry id")
    _add_acts(children)


def _add_acts(children: Group) -> None:
    accept = children.leaf("accept", "accept the location of a quote", run_accept, _ACCEPT)
    accept.argument("id", "ID", "quote number", type=number)
    where = accept.add_mutually_exclusive_group()
    where.add_argument("--place", metavar="N", type=number, help="accept this location, as numbered by show")
    where.add_argument("--at", metavar="MSG:START-END", help="accept this range of a message, numbered from 0")
    accept.argument("--start", "N", "start this many words earlier (negative: later)", type=number)
    accept.argument("--end", "N", "end this many words later (negative: earlier)", type=number)
    accept.flag("--words", "replace the quote with the source text")
    accept.flag("--confirm", "accept even if the meaning may differ")
    reject = children.leaf("reject", "reject a quote", run_reject)
    reject.argument("id", "ID", "quote number", type=number)
    reject.argument("--reason", "TEXT", "why", required=True)
    for leaf in (accept, reject):
        leaf.argument("--expect", "MARK", "change nothing if the quote has changed since this version")
    about = "verify an entry whose quotes are all aligned or accepted"
    promote = children.leaf("promote", about, run_promote, _PROMOTE)
    promote.argument("id", "ENTRY", "entry id", nargs="?")
    promote.flag("--ready", "every entry whose quotes are all aligned or accepted")
    promote.flag("--dry-run", "with --ready: only show what would change")
    promote.flag("--back", "make the entry a candidate again")


def run_add(args: argparse.Namespace, context: Context) -> int:
    """`evidence add`: exit 1 if nothing was taken, 130 where it was stopped."""
    from cli.format.evidence import added_lines
    from cli.progress import reporter, stoppable
    from core.align import read_extracted
    from core.evidence import session_named
    from core.flows.system.evidence import add_extracted

    extracted = read_from(args.file, read_extracted)
    with context.store(write=True) as store, stoppable() as stopped:
        done = add_extracted(
            store,
            session_named(store.con, args.session),
            extracted,
            align_settings(context, args.guard),
            align=not args.no_align,
            on_progress=reporter(context.out),
            cancelled=stopped,
        )
    context.log("info", "evidence added", entries=len(done.added), quotes=done.quotes, left=len(done.left))
    context.out.result(done, added_lines(context.out, done))
    if done.alignment is not None and done.alignment.canceled:
        return 130
    return 0 if done.added or done.known else 1


def run_align_session(args: argparse.Namespace, context: Context) -> int:
    """`evidence align --session`: exit 0 if every quote is aligned or accepted, 1 if not, 130 where it was stopped."""
    from cli.format.evidence import session_lines
    from cli.progress import reporter, stoppable
    from core.evidence import session_named
    from core.flows.system.evidence import align_sessions

    if args.session is None or args.messages is not None or args.extracted is not None:
        raise Fault("invalid_input", "--session cannot be combined with --messages or --extracted", "omit one of them")
    with context.store(write=True) as store, stoppable() as stopped:
        (done,) = align_sessions(
            store,
            [session_named(store.con, args.session)],
            align_settings(context, args.guard),
            again=args.again,
            on_progress=reporter(context.out),
            cancelled=stopped,
        )
    context.log("info", "aligned", quotes=done.quotes, looked=done.looked, changed=done.changed)
    context.out.result(done, session_lines(context.out, done))
    if done.canceled:
        return 130
    return 0 if done.quotes and done.aligned + done.accepted == done.quotes else 1


def run_list(args: argparse.Namespace, context: Context) -> int:
    """`evidence list`: exit 1 if there is none."""
    from cli.format.evidence import entry_list_lines, list_lines
    from core.evidence import list_entries, list_quotes, session_named
    from core.evidence.entries import EntryPage
    from core.evidence.review.queue import OPEN, QuoteFilters
    from core.store.sql import storable

    if not 1 <= args.limit <= 10_000:
        raise Fault("invalid_input", f"--limit {args.limit} is not between 1 and 10,000", "pass a number in this range")
    after = storable(args.after or "")
    with context.store() as store:
        session = None if args.session is None else session_named(store.con, args.session)
        if args.entries:
            which = {"session": session, "stage": args.stage, "ready": args.ready}
            page = list_entries(store, **which, limit=args.limit, after=after)
        else:
            if after and not (after.isascii() and after.isdecimal() and len(after) < 19):
                raise Fault("invalid_input", "--after is not a quote number", "use `next` of the previous page")
            statuses = tuple(args.status or ()) or (OPEN.statuses if args.open else ())
            kind = None if args.type is None else storable(args.type)
            filters = QuoteFilters(statuses, session, kind, ready=args.ready)
            page = list_quotes(store, filters, args.limit, int(after or 0))
    if isinstance(page, EntryPage):
        context.out.result(page, entry_list_lines(context.out, page))
        return 0 if page.entries else 1
    context.out.result(page, list_lines(context.out, page))
    return 0 if page.quotes else 1


def run_show(args: argparse.Namespace, context: Context) -> int:
    """`evidence show`: exit 1 if there is none of that id."""
    from cli.format.evidence import entry_lines, quote_lines
    from core.evidence import show_entry, show_quote
    from core.store.sql import storable

    number = args.id.isascii() and args.id.isdecimal() and len(args.id) < 19 and not args.entry
    with context.store() as store:
        quote = show_quote(store, int(args.id)) if number else None
        entry = None if number else show_entry(store, storable(args.id))
    if quote is not None:
        context.out.result(quote, quote_lines(context.out, quote))
    elif entry is not None:
        context.out.result(entry, entry_lines(context.out, entry))
    else:
        what = "quote" if number else "entry"
        fault = Fault("not_indexed", f"{what} {args.id[:80]!r} not found", "run: casebook evidence list")
        return not_there(fault, context)
    return 0


def run_accept(args: argparse.Namespace, context: Context) -> int:
    from core.errors.curation.transaction import person
    from core.evidence import accept, adjust, choose, take_words

    if (args.place is not None or args.at is not None) + (args.start is not None) + (args.end is not None) > 1:
        raise Fault("invalid_input", "more than one location given", "pass one of --place, --at, --start, --end")
    if args.words and (args.place is not None or args.start is not None or args.end is not None):
        raise Fault(
            "invalid_input", "--words can only be combined with --at", "accept the quote first, then pass --words"
        )
    spans = None if args.at is None else [_span(args.at)]

    def act(store: Store) -> Decided:
        me, how = person(), {"confirmed": args.confirm, "expect": args.expect}
        if args.words:
            return take_words(store, me, args.id, spans, expect=args.expect)
        if args.place is not None:
            return choose(store, me, args.id, args.place, **how)
        if args.start is not None:
            return adjust(store, me, args.id, "start", args.start, **how)
        if args.end is not None:
            return adjust(store, me, args.id, "end", args.end, **how)
        return accept(store, me, args.id, spans, **how)

    return _decide(args, context, act)


def run_reject(args: argparse.Namespace, context: Context) -> int:
    from core.errors.curation.transaction import person
    from core.evidence import reject

    return _decide(args, context, lambda store: reject(store, person(), args.id, args.reason, expect=args.expect))


def _decide(args: argparse.Namespace, context: Context, act: Callable[[Store], Decided]) -> int:
    from cli.format.evidence import decided_lines

    with context.store(write=True) as store:
        try:
            done = act(store)
        except Fault as fault:
            return not_there(fault, context)
    context.log("info", done.act, quote=done.evidence_id, change=done.change, refused=done.refused)
    context.out.result(done, decided_lines(context.out, done))
    return 0 if done.change is not None else 1


def run_promote(args: argparse.Namespace, context: Context) -> int:
    """`evidence promote`: exit 0 if the entry has the stage asked for, 1 if it is blocked."""
    if args.ready:
        return _promote_ready(args, context)
    if args.id is None:
        raise Fault("invalid_input", "no entry given", "pass an entry id, or --ready")
    if args.dry_run:
        raise Fault("invalid_input", "--dry-run requires --ready", "run: casebook evidence promote --ready --dry-run")
    from cli.format.evidence import promoted_lines
    from core.errors.curation.transaction import person
    from core.evidence import demote, promote
    from core.store.sql import storable

    with context.store(write=True) as store:
        try:
            done = (demote if args.back else promote)(store, person(), storable(args.id))
        except Fault as fault:
            return not_there(fault, context)
    context.log("info", "promoted", entry=done.entry_id, change=done.change, stage=done.promotion.stage)
    context.out.result(done, promoted_lines(context.out, done))
    return 0 if done.promotion.stage == ("candidate" if args.back else "verified") else 1


def _promote_ready(args: argparse.Namespace, context: Context) -> int:
    """`evidence promote --ready`: exit 0 if entries were ready and each of them was promoted, else 1."""
    from cli.format.evidence import promoted_many_lines
    from core.errors.curation.transaction import person
    from core.evidence import promote_many

    if args.id is not None or args.back:
        given = "an entry id" if args.id is not None else "--back"
        raise Fault("invalid_input", f"--ready and {given} cannot be combined", "pass one of them")
    with context.store(write=not args.dry_run) as store:
        done = promote_many(store, person(), dry_run=args.dry_run)
    context.log("info", "promoted all", entries=len(done.promoted), blocked=len(done.blocked), change=done.change)
    context.out.result(done, promoted_many_lines(context.out, done))
    return 0 if done.promoted and not done.blocked else 1


def _span(text: str) -> Span:
    from core.align import Span

    found = _AT.fullmatch(text)
    if found is None or int(found[2]) >= int(found[3]):
        raise Fault("invalid_input", f"--at is not MESSAGE:START-END: {text[:80]}", "use the format 4:120-168")
    return Span(int(found[1]), int(found[2]), int(found[3]))
