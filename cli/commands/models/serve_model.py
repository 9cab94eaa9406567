"""`casebook serve-model`: one model kept loaded for hooks and searches, until it is idle."""

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
"""Seconds until a service started in the background must respond."""

_EXAMPLES = """\
examples:
  casebook serve-model                    run until Ctrl-C or ten idle minutes
  casebook serve-model --background       run in the background
  casebook serve-model --status           show whether a service is running, and its model
  casebook serve-model --stop             stop the service
"""


def add_to(parser: Parser, shared: Parser) -> None:
    parser.epilog = _EXAMPLES
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--foreground", action="store_true", help="run in this process (default)")
    act.add_argument("--background", action="store_true", help="start a background service and return")
    act.add_argument("--status", action="store_true", help="show whether a service is running (exit 1 if not)")
    act.add_argument("--stop", action="store_true", help="stop the service (exit 1 if no service is running)")
    parser.argument("--idle", "SECONDS", "stop after this many idle seconds", type=_seconds)
    parser.argument("--model", "ID", "model to load (default: the selected model)")
    parser.set_defaults(run=run_command)


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:10]) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not an integer from 1 to 1,000,000")
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
    stopping = stop(place)
    pid = end_holder(place, _ENDS_S) if isinstance(stopping, Unserved) else stopping.pid
    after = model_service(place)
    out.result(after, _status_lines(after) if pid is None else [f"Stopped the model service (process {pid})."])
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
            hint = f"see {log_file()}, or start the service in the foreground: casebook serve-model"
            raise Fault("timeout", "the model service has started but does not respond yet", hint)
        time.sleep(0.05)
    context.out.result(there, _status_lines(there))
    return 0


def _serve(args: argparse.Namespace, context: Context, place: Endpoint) -> int:
    from core.embedding.service.service import Offer, serve  # which the other uses need not load
    from core.process.server import Limits

    try:
        found = _model(args, context)
    except Fault as fault:
        model = args.model or context.settings.embedding.model
        note_start(place, model, fault.message)  # whoever starts services need not try again at once
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
        context.out.line(f"A model service is already listening on {one_line(str(place.entrance))}.")
    if not ended.clean:  # its thread hangs in the model, and ending Python around it would crash
        sys.stdout.flush()
        os._exit(2 if ended.why == "failed" else 0)
    if ended.why == "failed":
        raise Fault("model_unreachable", f"cannot load the model {found.model.id}", "run: casebook doctor")
    return 0


def _announce(out: Output, place: Endpoint, model: str, idle: int) -> None:
    out.line(
        f"Serving {model} at {one_line(str(place.entrance))}. The service stops after {idle:,} s without a request."
    )
    sys.stdout.flush()


def _status_lines(found: ModelService) -> Iterator[str]:
    sentence = one_line(found.reason)
    yield sentence[:1].upper() + sentence[1:] + "."
    if found.answers:
        yield f"Address: {one_line(found.address)}. Embedded texts: {found.texts:,}."
        yield f"The service stops after {found.idle_s:,} s without a request."


def _model(args: argparse.Namespace, context: Context) -> LocalModel:
    settings = context.settings.embedding
    found = current(settings if args.model is None else settings.changed(model=args.model))
    if isinstance(found, Absent):
        raise Fault("model_not_pulled", found.reason, f"run: {found.remedy}")
    return found
