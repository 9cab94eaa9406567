"""`casebook serve-model`: one model kept loaded for hooks and searches, until nobody asks any more."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator

from cli.context import Context
from cli.format.layout import one_line
from cli.output import Output
from cli.parser import Parser
from core.base.fault import Fault
from core.base.paths import log_file
from core.embedding.models.models import Absent, LocalModel, current
from core.embedding.runtime.embedder import Embedder
from core.embedding.service.client import ModelService, Unserved, model_service, stop
from core.embedding.service.spawn import detach, note_start
from core.process.endpoint import Endpoint, end_holder, service_place

_ENDS_S = 3.0
"""Seconds that a service which does not answer has to end by itself."""
_STARTS_S = 20.0
"""Seconds that a service started in the background has to be heard of."""

_EXAMPLES = """\
examples:
  casebook serve-model                    serve until nobody has asked for ten minutes; Ctrl-C ends it
  casebook serve-model --background       the same, without the terminal
  casebook serve-model --status           does one answer, and with which model?
  casebook serve-model --stop             end it
"""


def add_to(parser: argparse.ArgumentParser, shared: Parser) -> None:
    """The arguments."""
    parser.epilog = _EXAMPLES
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--foreground", action="store_true", help="serve in this process (the default)")
    act.add_argument("--background", action="store_true", help="start a service of its own and return at once")
    act.add_argument("--status", action="store_true", help="say whether a service answers; exit 1 if none does")
    act.add_argument("--stop", action="store_true", help="end the service; exit 1 if there is none")
    parser.add_argument("--idle", metavar="SECONDS", type=_seconds, help="end after so long without a question")
    parser.add_argument("--model", metavar="ID", help="the model to keep (default: the one in use)")
    parser.set_defaults(run=run_command)


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:10]) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number of seconds from 1 to 1,000,000")
    return int(text)


def run_command(args: argparse.Namespace, context: Context) -> int:
    """`serve-model`: exit 0 when it ended as it should, or there was one already; 2 where there is no model."""
    place = service_place()
    if args.status:
        found = model_service(place)
        context.out.result(found, _status_lines(found))
        return 0 if found.answers else 1
    if args.stop:
        return _stop(context.out, place)
    if args.background:
        return _start(args, context, place)
    return _serve(args, context, place)


def _stop(out: Output, place: Endpoint) -> int:
    asked = stop(place)
    pid = end_holder(place, _ENDS_S) if isinstance(asked, Unserved) else asked.pid
    after = model_service(place)
    out.result(after, _status_lines(after) if pid is None else [f"The model service (process {pid}) has ended."])
    return 1 if pid is None else 0


def _start(args: argparse.Namespace, context: Context, place: Endpoint) -> int:
    if (there := model_service(place)).answers:
        context.out.result(there, _status_lines(there))
        return 0
    found = _model(args, context)
    idle = [] if args.idle is None else ["--idle", str(args.idle)]
    detach(place, ["--model", found.model.id, *idle])
    until = time.monotonic() + _STARTS_S
    while not (there := model_service(place)).answers:
        if time.monotonic() > until:
            hint = f"see {log_file()}, or start it here: casebook serve-model"
            raise Fault("timeout", "the model service was started and does not answer yet", hint)
        time.sleep(0.05)
    context.out.result(there, _status_lines(there))
    return 0


def _serve(args: argparse.Namespace, context: Context, place: Endpoint) -> int:
    from core.embedding.service.service import Offer, serve  # which the other uses need not load
    from core.process.server import Limits

    try:
        found = _model(args, context)
    except Fault as fault:
        asked = args.model or context.settings.embedding.model
        note_start(place, asked, fault.message)  # whoever starts services need not try again at once
        raise

    def load() -> Embedder:
        from core.embedding.runtime.local import load

        return load(found, threads=1)

    idle = context.settings.embedding.service_idle if args.idle is None else args.idle
    ended = serve(
        place,
        Offer(found.model.id, found.model.version, load),
        limits=Limits(idle=idle),
        say=context.log,
        ready=lambda: _announce(context.out, place, found.model.id, idle),
    )
    if ended.why == "taken":
        context.out.line(f"A model service listens already at {one_line(str(place.entrance))}.")
    if not ended.clean:  # its thread hangs in the model, and ending Python around it would crash
        sys.stdout.flush()
        os._exit(2 if ended.why == "failed" else 0)
    if ended.why == "failed":
        raise Fault("model_unreachable", f"the model {found.model.id} does not load", "see casebook doctor")
    return 0


def _announce(out: Output, place: Endpoint, model: str, idle: int) -> None:
    out.line(f"Serving {model} at {one_line(str(place.entrance))}; ends after {idle:,} s without a question.")
    sys.stdout.flush()


def _status_lines(found: ModelService) -> Iterator[str]:
    said = one_line(found.reason)
    yield said[:1].upper() + said[1:] + "."
    if found.answers:
        yield f"It listens at {one_line(found.address)}, has embedded {found.texts:,} texts and ends after"
        yield f"{found.idle_s:,} s without a question."


def _model(args: argparse.Namespace, context: Context) -> LocalModel:
    settings = context.settings.embedding
    found = current(settings if args.model is None else settings.changed(model=args.model))
    if isinstance(found, Absent):
        raise Fault("model_not_pulled", found.reason, found.remedy)
    return found
