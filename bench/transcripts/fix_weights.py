"""Fit the weights of `core.flows.harvest.fixes.likelihood` from labelled sessions, and print what they are worth.

    python -m bench.transcripts.fix_weights LABELS.jsonl … --transcripts FOLDER …

A labelled transcript is the file of that name in the first FOLDER that has one. The model is a logistic regression
with an L2 penalty. Each repository is judged by weights that were fitted without it. The weights that are printed
last are fitted on all repositories.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from core.flows.harvest import reducer, resolve
from core.flows.harvest.fixes import likelihood
from core.flows.transcripts import inspection

SOURCES = Path(__file__).parent.parent.parent / "tests" / "data" / "real" / "sources.tsv"
PENALTY = 2.0
SMALLEST = 0.1
"""Weights nearer to 0 are left out."""
THRESHOLDS = (0.3, 0.38, likelihood.LIKELY, 0.46, 0.5, 0.6)
_ROUNDS = 30


class Call(NamedTuple):
    """A call after a failure: its signs, and whether the label names it as a step of the fix."""

    signs: frozenset[str]
    true: bool


class Failure(NamedTuple):
    """An error of a labelled result with the calls after it."""

    repository: str
    reuse: str
    fixed: bool
    calls: tuple[Call, ...]


def failures_of(labels: Sequence[dict[str, Any]], transcript: Path, repository: str) -> Iterator[Failure]:
    """The errors of labelled results that have calls after them."""
    weighed, shown = _harvested(transcript)
    for label in labels:
        if label["verdict"] not in ("incident", "flaky"):
            continue
        wanted = set(label.get("fix_lines") or ())
        for error in dict.fromkeys(shown.get(label["line"], ())):
            if calls := weighed.get(error):
                signs = tuple(Call(signs, line in wanted) for line, signs in calls)
                yield Failure(repository, label.get("reuse") or "none", bool(wanted), signs)


_Error = tuple[str, int]
"""The fingerprint of an error and the message that first showed it."""


def _harvested(transcript: Path) -> tuple[dict[_Error, list[tuple[int, frozenset[str]]]], dict[int, list[_Error]]]:
    """By error, the line and the signs of each call after it; by line of a result, the errors that it shows."""
    found: dict[_Error, list[tuple[int, frozenset[str]]]] = {}
    shown: dict[int, list[_Error]] = {}
    lines: dict[int, int] = {}
    current: list[_Error] = []
    settle, weigh = reducer.settle, reducer.weigh
    likely_steps, judged = resolve.likely_steps, inspection._Report.judged

    def naming(act: Callable[..., Any]) -> Callable[..., Any]:
        def named(error: Any, *rest: Any) -> Any:
            current[:] = [(error.named.fingerprint, error.first.ran.idx)]
            return act(error, *rest)

        return named

    def weighing(failure: Any, trials: Any, linked: Any, **alone: bool) -> Any:
        signs = likelihood.signs_of(failure, trials, linked)
        found[current[0]] = [(trial.idx, signs) for trial, signs in signs] if current else []
        return likely_steps(failure, trials, linked, **alone)

    def reporting(report: Any, result: Any, judgement: Any) -> Any:
        lines.update({idx: call.line for idx, call in report.events.of_result.items()} if not lines else {})
        errors = (report._error(result.ran, named) for named in result.outcome.errors)
        at = report.events.lines[result.ran.idx]
        shown.setdefault(at, []).extend((one.fingerprint, one.message_idx) for one in errors if one is not None)
        return judged(report, result, judgement)

    with (
        patch.object(reducer, "settle", naming(settle)),
        patch.object(reducer, "weigh", naming(weigh)),
        patch.object(resolve, "likely_steps", weighing),
        patch.object(inspection._Report, "judged", reporting),
    ):
        inspection.inspect_transcript(transcript)
    return {
        error: [(lines[idx], signs) for idx, signs in calls if idx in lines] for error, calls in found.items()
    }, shown


def read_failures(labels: Sequence[Path], folders: Sequence[Path]) -> list[Failure]:
    """The failures of all labelled transcripts that lie in one of the folders; a transcript in two sets counts once."""
    with SOURCES.open(encoding="utf-8", newline="") as file:
        repositories = {row["file"]: row["repository"] for row in csv.DictReader(file, delimiter="\t")}
    of_file: dict[str, dict[int, dict[str, Any]]] = {}
    for path in labels:
        for line in path.read_text(encoding="utf-8").splitlines():
            label = json.loads(line)
            of_file.setdefault(label["file"], {})[label["line"]] = label
    failures: list[Failure] = []
    for name, wanted in sorted(of_file.items()):
        transcript = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if transcript is not None:
            repository = repositories.get(name) or "/".join(name.split("__")[:2])
            failures += failures_of(list(wanted.values()), transcript, repository)
    return failures


def fit(failures: Sequence[Failure], penalty: float = PENALTY) -> tuple[float, dict[str, float]]:
    """The intercept and the weight of each sign that make the labels likeliest, by Newton's method."""
    calls = [call for failure in failures for call in failure.calls]
    names = sorted({sign for call in calls for sign in call.signs})
    column = {name: at for at, name in enumerate(names)}
    given = np.zeros((len(calls), len(names) + 1))
    given[:, -1] = 1.0
    for row, call in enumerate(calls):
        given[row, [column[sign] for sign in call.signs]] = 1.0
    true = np.array([float(call.true) for call in calls])
    ridge = np.eye(len(names) + 1) * penalty
    ridge[-1, -1] = 1e-6
    weights = np.zeros(len(names) + 1)
    for _ in range(_ROUNDS):
        said = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (said - true) + ridge @ weights
        curve = (given * (said * (1 - said))[:, None]).T @ given + ridge
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return float(weights[-1]), dict(zip(names, map(float, weights), strict=False))


class Counts(NamedTuple):
    """What fixes are worth at a threshold."""

    given: int
    right: int
    steps: int
    steps_right: int
    general: int
    general_kept: int

    def __str__(self) -> str:
        parts = (
            ("right", self.right, self.given),
            ("steps right", self.steps_right, self.steps),
            ("general kept", self.general_kept, self.general),
        )
        return ", ".join(f"{what} {some}/{of} ({some / max(1, of):.2f})" for what, some, of in parts)


def counted(failures: Sequence[Failure], models: Sequence[tuple[float, dict[str, float]]], threshold: float) -> Counts:
    """Each failure judged by the model beside it, as `likely_steps` does."""
    counts = Counts(0, 0, 0, 0, 0, 0)
    for failure, (intercept, weights) in zip(failures, models, strict=True):
        chances = [_probability(intercept, weights, call.signs) for call in failure.calls]
        found = list(zip(failure.calls, chances, strict=True))
        best = max(chances)
        if any(chance == best and "linked" in call.signs for call, chance in found):
            found = [one for one in found if "linked" in one[0].signs]
        kept = [call for call, chance in found if chance >= max(threshold, likelihood.TOGETHER * best)]
        right = sum(call.true for call in kept)
        general = failure.reuse == "general" and failure.fixed
        counts = Counts(
            counts.given + bool(kept),
            counts.right + bool(right),
            counts.steps + len(kept),
            counts.steps_right + right,
            counts.general + general,
            counts.general_kept + (general and bool(right)),
        )
    return counts


def _probability(intercept: float, weights: dict[str, float], signs: frozenset[str]) -> float:
    return float(1 / (1 + np.exp(-intercept - sum(weights.get(sign, 0.0) for sign in signs))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="+", type=Path, metavar="LABELS.jsonl")
    parser.add_argument("--transcripts", nargs="+", type=Path, required=True, metavar="FOLDER")
    args = parser.parse_args()
    failures = read_failures(args.labels, args.transcripts)
    if not failures:
        parser.error("no labelled transcript lies in the given folders")
    calls = sum(len(failure.calls) for failure in failures)
    repositories = sorted({failure.repository for failure in failures})
    print(f"{calls:,} calls after {len(failures)} failures of {len(repositories)} repositories")
    shipped = [(likelihood.INTERCEPT, likelihood.WEIGHTS)] * len(failures)
    print(f"weights in use, threshold {likelihood.LIKELY}: {counted(failures, shipped, likelihood.LIKELY)}")
    without = {one: fit([failure for failure in failures if failure.repository != one]) for one in repositories}
    models = [without[failure.repository] for failure in failures]
    for threshold in THRESHOLDS:
        print(f"repositories not fitted, threshold {threshold}: {counted(failures, models, threshold)}")
    intercept, weights = fit(failures)
    print(f"INTERCEPT: Final = {intercept:.2f}")
    for sign, weight in sorted(weights.items(), key=lambda one: -one[1]):
        if abs(weight) >= SMALLEST:
            print(f'    "{sign}": {weight:.2f},')
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
