"""`casebook library ask`: a grounded answer with its sources, or an honest refusal; and its sessions."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from cli.context import Context, not_there, read_text_argument
from cli.format.layout import clip, one_line
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.flows.ask.options import AskOptions
    from core.library.ask.answer import AnswerCitation, AnswerEvent
    from core.library.ask.store import SessionDeleted, SessionList, StoredSession
    from core.store import Store

_STOPPED = 130
_SESSIONS = ("list", "show", "delete")


def run_ask(args: argparse.Namespace, context: Context) -> int:
    """`library ask`: exit 0 answered, 1 refused, 130 stopped by Ctrl-C (what came is kept).

    On a terminal the words come as they are said.
    """
    if args.text[:1] == ["sessions"] and (len(args.text) == 1 or args.text[1] in _SESSIONS):
        return _sessions(args.text[1:] or ["list"], context)
    from cli.format.ask import Spoken, answer_lines, unanswered_lines
    from cli.progress import stoppable
    from core.flows.ask.api import ask_library
    from core.flows.ingest.search import model_search
    from core.llm.factory import language_model

    question = read_text_argument(" ".join(args.text) if args.text else None, "question")
    settings = context.settings
    explain = args.explain or settings.rag.explain_default
    stream = not context.out.json and sys.stdout.isatty()
    spoken = Spoken() if stream else None
    going = _Progress(settings.llm.model) if sys.stderr.isatty() and not context.out.json else None

    passages: tuple[AnswerCitation, ...] = ()

    def hear(event: AnswerEvent) -> None:
        nonlocal passages
        passages = event.citations or passages
        if going is not None:
            going.hear(event)
        if spoken is not None:
            spoken.hear(event)

    with going or nullcontext(), model_search(settings.embedding) as vectors, stoppable() as stopped:
        try:
            found = ask_library(
                context.database,
                question,
                _options(args, context),
                language_model(settings.llm),
                None if args.mode == "lexical" else vectors,
                on_event=hear,
                cancelled=stopped,
            )
        except Fault:
            if passages and not context.out.json:  # found without the model, and worth reading
                if going is not None:
                    going.clear()
                for line in unanswered_lines(context.out, passages):
                    context.out.line(line)
            raise
    wipes = context.out.colour and os.environ.get("TERM") != "dumb"
    streamed = spoken is not None and spoken.end(draws=wipes)
    context.out.result(found, answer_lines(context.out, found, explain=explain, streamed=streamed))
    for step in found.trace:
        if step.stage == "keep" and step.outcome == "failed":
            context.out.note(f"casebook: answer not saved: {step.reason}")
    if found.refusal_reason == "llm_stream_aborted" and stopped():
        return _STOPPED
    return 0 if found.grounded else 1


def _options(args: argparse.Namespace, context: Context) -> AskOptions:
    from cli.commands.library.search import filters_of
    from core.flows.ask.api import ask_options

    more: dict[str, object] = {
        "mode": args.mode,
        "filters": filters_of(args),
        "session": args.session,
        "multi_hop": args.multi_hop,
    }
    if args.k is not None:
        more["k"] = args.k
    if args.template is not None:
        more["template"] = args.template
    return ask_options(context.settings, **more)


class _Progress:
    """What is going on until the model speaks, in one line on stderr that is written over; nothing is left of it."""

    def __init__(self, model: str) -> None:
        self._model = one_line(model)
        self._steps = 0
        self._shown = False

    def __enter__(self) -> None:
        self._show("searching for evidence")

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Leave the line to what is written next."""
        self._show("")

    def hear(self, event: AnswerEvent) -> None:
        if event.kind == "retrieval_done":
            found = len(event.citations or ())
            self._show(f"{found} passage{'' if found == 1 else 's'} found, waiting for {self._model}")
        elif event.kind == "hop" and event.hop is not None and event.hop.kind != "synthesize":
            self._steps += 1
            more = event.hop.context_chunks_added
            self._show(f"step {self._steps}: {len(event.hop.sub_queries)} searches, {more} new passages")
        else:
            self._show("")

    def _show(self, line: str) -> None:
        if not line and not self._shown:  # the line may be the answer's by now
            return
        self._shown = bool(line)
        sys.stderr.write(f"\r\x1b[K{clip(line, 78)}{'…' if line else ''}")
        sys.stderr.flush()


def _sessions(words: list[str], context: Context) -> int:
    """`ask sessions list|show NAME|delete NAME`."""
    from cli.format.ask import session_lines, session_list_lines
    from core.flows.ask.draft_file import take_up
    from core.library.ask.store import SessionDeleted, SessionList

    what, *names = words
    if len(names) != (what != "list"):
        raise Fault(
            "invalid_input",
            f"sessions {what} takes {'one name' if what != 'list' else 'no argument'}",
            "see casebook library ask --help",
        )
    take_up(context.database)
    lost: Fault | None = None
    found: SessionList | StoredSession | SessionDeleted = SessionList(())
    try:
        with context.store(write=what == "delete") as store:
            try:
                found = _session_act(what, names, store)
            except Fault as fault:
                lost = fault
    except Fault as fault:
        if fault.code != "not_indexed" or what != "list":
            raise
    if lost is not None:
        return not_there(lost, context)
    if isinstance(found, SessionList):
        lines = session_list_lines(context.out, found)
    elif isinstance(found, SessionDeleted):
        lines = ["deleted, with 1 turn" if found.turns == 1 else f"deleted, with {found.turns} turns"]
    else:
        lines = session_lines(context.out, found)
    context.out.result(found, lines)
    return 0


def _session_act(what: str, names: list[str], store: Store) -> SessionList | StoredSession | SessionDeleted:
    from core.library.ask.store import delete_session, list_sessions, show_session

    if what == "list":
        return list_sessions(store.con)
    return delete_session(store, names[0]) if what == "delete" else show_session(store.con, names[0])
