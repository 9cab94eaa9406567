"""What became of one error: resolved and by what, transient, or still open."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from core.flows.harvest.changes import DELEGATES, Change, texts_of
from core.flows.harvest.command import Command, parse_command
from core.flows.harvest.command_relation import Relation
from core.flows.harvest.events import Confidence, Cost, HarvestedError, Ran, Statement, StepLink, Strength, Worth
from core.flows.harvest.explanation import (
    QUOTE_LIMIT,
    Near,
    claims_action,
    explanation_of,
    relative,
    resolution_text,
)
from core.flows.harvest.fixes.clues import NOTHING, Clue, as_written, base_name, names_in
from core.flows.harvest.fixes.correction import (
    AFTER_QUESTION,
    BY_A_PERSON,
    OUTSIDE,
    Corrected,
    changed_command,
    does_part_of,
    filtered,
    removed_option,
    retried,
    waited,
)
from core.flows.harvest.fixes.lesson import (
    Outline,
    differing_commands,
    is_bare_script,
    is_proven,
    is_where_named,
    lesson_of,
    marked,
    marked_command,
    plain_command,
    strength_of,
    worth_of,
)
from core.flows.harvest.fixes.likelihood import WINDOW, Likely, Trial, likely_steps
from core.flows.harvest.fixes.linking import EXPLAINED, ONLY, Candidate, Failure, Linked, is_check, link_steps
from core.flows.harvest.outcome import Outcome
from core.flows.harvest.signatures import Named, with_program
from core.text import words

FAR: Final = 60
"""Steps between an error and its fix from which the link between the two is weak."""
FAR_HOURS: Final = 12.0
_KEPT = 2_000
_SHORT: Final = 600
_ASKING: Final = frozenset(("AskUserQuestion", "request_user_input", "ask_user", "ask_followup_question"))


@dataclass(frozen=True, slots=True)
class Step:
    """One successful tool call: its place in the events (`at`) and in its session (`idx`), and what it changed."""

    at: int
    tool: str
    session_id: str
    idx: int
    change: Change | None
    called: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A result that was judged (its text dropped), with the command that gave it."""

    at: int
    ran: Ran
    command: Command
    outcome: Outcome
    escalated: bool = False
    began: int | None = None

    @property
    def call_idx(self) -> int:
        """The message with the result of the call that ran it, which may only have started it."""
        return self.ran.idx if self.began is None else self.began


@dataclass(frozen=True, slots=True)
class Verified:
    """The run that showed an error gone, and how it relates to the failing one.

    `correction`: why that run, another command than the failing one, is itself the fix. `proof`: a later run in
    which the check passed, where in `run` others of its findings were left.
    """

    run: Run
    relation: Relation
    replaced: bool = False
    correction: Corrected | None = None
    proof: Run | None = None


@dataclass(slots=True)
class OpenError:
    """An error that no run has shown gone yet, and what is known of it."""

    named: Named
    first: Run
    keys: int
    mentions: frozenset[str]
    clue: Clue = NOTHING
    attempts: int = 1
    commands: list[Command] = field(default_factory=list[Command])
    programs: set[str] = field(default_factory=set[str])
    last: Run = field(init=False)
    replaced: Verified | None = None
    narrower: Verified | None = None
    trials: list[Trial] = field(default_factory=list[Trial])
    runs: dict[int, Run] = field(default_factory=dict[int, "Run"])
    _tried: dict[tuple[str, int], int] = field(init=False, default_factory=dict[tuple[str, int], int])

    def __post_init__(self) -> None:
        self.last = self.first
        self._ran_as(self.first.command)

    def is_older(self, session: str, called: int | None) -> bool:
        """Whether a call was made before this error was last seen, as calls of one message are: no answer to it."""
        return called is not None and session == self.last.ran.session_id and called <= self.last.ran.idx

    def reopen(self, run: Run, clue: Clue) -> None:
        """It is still there: whatever seemed to have fixed it did not."""
        self.last, self.clue = run, clue
        self.attempts += 1
        self.replaced = self.narrower = None
        self.trials, self.runs, self._tried = [], {}, {}
        self._ran_as(run.command)

    @property
    def is_past(self) -> bool:
        """Whether so much was done since this error was last seen that seeing it again is another failure."""
        return len(self.trials) >= WINDOW

    def tried(self, trial: Trial, run: Run | None) -> None:
        """Remember a call after the last run that showed this error, and the run that it was.

        Of a call that goes on in the background, what became of it takes the place of its start.
        """
        if self.is_older(trial.session_id, trial.called):
            return
        begun = self._tried.get((trial.session_id, trial.idx))
        if begun is None and len(self.trials) >= WINDOW:
            return
        if begun is None:
            self._tried[trial.session_id, trial.idx] = len(self.trials)
            self.trials.append(trial)
        else:
            was = self.trials[begun]
            self.trials[begun] = trial._replace(spoken=was.spoken, has_request=was.has_request)
        if run is not None:
            self.runs[trial.at] = run

    def _ran_as(self, command: Command) -> None:
        if command not in self.commands:
            self.commands.append(command)
            self.programs.update(part.program for part in command.members)


def slim_change(change: Change | None) -> Change | None:
    """`change` without what is too long to be compared or shown, so that a long session needs little memory."""
    if change is None or change.command is None:
        return change
    return change._replace(command=change.command[:_KEPT])


@dataclass(slots=True)
class Past:
    """What a chain remembers while an error is open in it: what was done and what was said, each with its place."""

    project: str
    steps: list[Step] = field(default_factory=list[Step])
    words: list[tuple[int, Statement]] = field(default_factory=list[tuple[int, Statement]])

    def changed_since(self, start: int) -> bool:
        """Whether anything was changed after the place `start`: a file, or what a command changes."""
        return any(step.change is not None for step in self.steps if step.at > start)

    def written_since(self, start: int) -> frozenset[str]:
        """The names of the files that were edited or written after the place `start`."""
        changes = (step.change for step in self.steps if step.at > start and step.change is not None)
        return frozenset(base_name(file) for change in changes for file in change.files)

    def statements_between(self, start: int, end: int | None) -> list[Statement]:
        """What was said after the place `start` and before `end`, if there is one."""
        return [statement for at, statement in self.words if start < at and (end is None or at < end)]


@dataclass(frozen=True, slots=True)
class Fix:
    """What is linked to an error between its last run and the one that showed it gone.

    `by` is what made the error go away, or None if unknown; `statement` a person's own words if they did it.
    `steps` are the linked ones with why; `instead`: why the verifying command itself is the fix, where it is.
    """

    by: str | None
    statement: Statement | None = None
    steps: tuple[tuple[Step, Linked], ...] = ()
    instead: Corrected | None = None
    far: int = 0


NO_FIX: Final = Fix(None)


def _at(step: Step) -> int:
    return step.at


def fix_of(error: OpenError, verified: Verified, past: Past) -> Fix:
    """What fixed `error`, if `verified` showed it gone."""
    run = verified.run
    since = past.steps[bisect_right(past.steps, error.last.at, key=_at) : bisect_left(past.steps, run.at, key=_at)]
    since = [step for step in since if not error.is_older(step.session_id, step.called)]
    if verified.correction is not None:
        why = marked_command(verified.correction, error.last.command.text, run.command.text)
        return Fix(run.ran.tool, instead=why, far=len(since))
    made = [step for step in since if step.change is not None]
    changes, failure = [Candidate(step.at, step.change) for step in made if step.change], failure_of(error)
    spoken = [(at, one) for at, one in past.words if error.last.at < at < run.at]
    links = link_steps(failure, changes, spoken, whole=verified.relation != "narrower")
    steps = tuple((made[link.place], marked(link, changes[link.place].change.command)) for link in links)
    instead = changed_command(failure, run.command, verified.relation, past.project, error.commands, alone=not steps)
    if instead is None and run.escalated and not error.last.escalated:
        instead = OUTSIDE
        steps = tuple(one for one in steps if one[1].rank < ONLY)  # the run was another one, too
    if instead is None and not made:
        instead = retried(failure, run.command)
    if instead is None and not steps:
        instead = waited(failure, run.command) if run.outcome.verdict != "failed" else None
        instead = instead or filtered(failure, run.command) or removed_option(failure, run.command)
    if instead is not None:
        instead = marked_command(instead, error.last.command.text, run.command.text)
    if steps or instead is not None:
        by = steps[-1][0].tool if steps else run.ran.tool
        return Fix(by, None, steps, instead, len(since))
    sure = verified.relation != "narrower"
    if not sure or made:
        return NO_FIX
    statement = claims_action(past.statements_between(error.last.at, run.at)) or _about(error.clue, spoken)
    if statement is None and verified.relation == "same" and any(step.tool in _ASKING for step in since):
        return Fix(run.ran.tool, instead=AFTER_QUESTION, far=len(since))
    return NO_FIX if statement is None else Fix("user", statement)


def _about(clue: Clue, spoken: Sequence[tuple[int, Statement]]) -> Statement | None:
    """The last words of a person, if they name what the error names."""
    requests = [one for _, one in spoken if one.role == "user"]
    if not requests or len(requests[-1].text) > _SHORT:
        return None
    named = any(word in requests[-1].text.lower() for word in clue.words if re.search(r"\d\D{3}", word))
    return requests[-1] if named or clue.names & names_in(requests[-1].text) else None


def unresolved(error: OpenError) -> HarvestedError:
    """`error` as one that nothing has fixed."""
    return HarvestedError(
        key=with_program(error.named.key, error.first.command),
        normalized=error.named.normalized,
        fingerprint=error.named.fingerprint,
        tool=error.first.ran.tool,
        command=error.first.command.text,
        session_id=error.first.ran.session_id,
        message_idx=error.first.ran.idx,
        ts=error.first.ran.ts,
        worth=_worth(error),
    )


@dataclass(frozen=True, slots=True)
class Weighed:
    """The likely fix of an error, and the run that shows the error gone: `first` is the one that was asked about."""

    first: Verified | None
    fix: Fix
    verified: Verified | None


def weigh(error: OpenError, verified: Verified | None, past: Past) -> Weighed:
    """The likely fix of `error`, if `verified` showed it gone."""
    fix = NO_FIX if verified is None else fix_of(error, verified, past)
    return Weighed(verified, *_weighed(error, fix, verified))


def settle(error: OpenError, verified: Verified | None, past: Past, weighed: Weighed | None = None) -> HarvestedError:
    """What became of `error`, if `verified` showed it gone; `weighed` is its fix, where that is known already."""
    still_open = unresolved(error)
    weighed = weighed or weigh(error, verified, past)
    fix, verified = weighed.fix, weighed.verified
    if verified is None:
        return still_open
    green = verified.run.ran
    if fix.by is None:
        transient = verified.relation in ("same", "covers") and not verified.replaced
        return still_open._replace(
            transient=transient,
            untouched=transient and not _was_changed(error, verified.run, past),
            verified_session=green.session_id,
            verified_idx=green.idx,
            verified_ts=green.ts,
            worth="none" if transient else still_open.worth,
        )
    spoken = past.statements_between(error.first.at, verified.run.at)
    return _resolved(still_open, error, verified, fix, spoken, past)


def _was_changed(error: OpenError, green: Run, past: Past) -> bool:
    """Whether a file was changed or a command ran that is no check between an error and the run that shows it gone."""
    steps = any(error.last.at < step.at < green.at and step.change is not None for step in past.steps)
    return steps or _acted(error, green)


def _acted(error: OpenError, green: Run) -> bool:
    """Whether a call that is no check changed or ran something between an error and the run that shows it gone."""
    return any(one.at < green.at and one.acts and not _only_checks(one.command) for one in error.trials)


def _only_checks(command: Command | None) -> bool:
    return command is not None and bool(command.members) and all(map(is_check, command.members))


def _weighed(error: OpenError, fix: Fix, verified: Verified | None) -> tuple[Fix, Verified | None]:
    """The fix without the calls that are not likely part of it, and with those that are though no rule ties them to
    the error; with the run that shows the error gone."""
    if fix.statement is not None or fix.instead in (AFTER_QUESTION, OUTSIDE) or error.last.outcome.elsewhere:
        return fix, verified
    if any(step.tool in DELEGATES for step, _ in fix.steps):
        return fix, verified
    if verified is not None and verified.relation == "same" and fix.by is None and not _acted(error, verified.run):
        return fix, verified
    trials, ruled = list(error.trials), {step.at: (step, link) for step, link in fix.steps}
    if trials:
        trials += [_trial_of(step) for step, _ in fix.steps if step.at > trials[-1].at]
    linked = {*ruled, *({verified.run.at} if verified is not None and fix.instead is not None else ())}
    if verified is not None and fix.instead is not None and all(one.at != verified.run.at for one in trials):
        trials.append(_trial_of_run(verified.run))
    alone = fix.instead is not None and fix.instead.linked
    likely = likely_steps(failure_of(error), trials, linked, alone=alone)
    instead, run = _instead(error, fix, verified, likely)
    steps = tuple(
        ruled.get(one.trial.at) or (_step_of(one.trial), _link_of(one))
        for one in likely
        if one.trial.change is not None and (run is None or one.trial.at < run.at)
    )
    if not steps and instead is None:
        return NO_FIX, verified
    if instead is None and (run is None or run.at < steps[-1][0].at):
        failed, last = error.last.command, steps[-1][0]
        later = (error.runs.get(one.at) for one in trials if one.passed and one.at >= last.at)
        runs = [one for one in later if one is not None]
        ran = last.change is not None and not last.change.hints
        run = next((one for one in runs if ran or one.command.family == failed.family), None)
        written = (file for step, _ in steps if step.change is not None for file in step.change.files)
        files = () if any(one.is_about_it for one in likely) else tuple(map(base_name, written))
        run = run or next((one for one in runs if does_part_of(failed, one.command, files)), None)
    if run is None:
        return NO_FIX, verified
    if verified is None or run is not verified.run:
        verified = Verified(run, "variant", correction=instead)
    by = steps[-1][0].tool if steps else run.ran.tool
    return Fix(by, None, steps, instead, fix.far or len(error.trials)), verified


def _instead(
    error: OpenError, fix: Fix, verified: Verified | None, likely: Sequence[Likely]
) -> tuple[Corrected | None, Run | None]:
    """The likeliest run that was itself the fix, with why; else the run that showed the error gone."""
    green = verified.run if verified is not None else None
    # Where the same command passed later, a change that ran it again in between made it pass: it is no other way.
    end = green.at if green is not None and verified is not None and verified.relation == "same" else None
    between = [one for one in likely if end is None or one.trial.change is None or one.trial.at >= end]
    ruled = green.at if green is not None and fix.instead is not None else None
    runs = [one for one in between if one.trial.change is None or one.is_again or one.trial.at == ruled]
    best = max((one for one in runs if one.trial.command is not None), key=lambda one: one.probability, default=None)
    if best is None:
        return None, green
    if green is not None and best.trial.at == green.at and fix.instead is not None:
        return fix.instead, green
    run = error.runs.get(best.trial.at)
    if run is None:
        return None, green
    why = Corrected(best.why, linked=False)
    return marked_command(why, error.last.command.text, run.command.text), run


def _step_of(trial: Trial) -> Step:
    return Step(trial.at, trial.tool, trial.session_id, trial.idx, trial.change, trial.called)


def _link_of(one: Likely) -> Linked:
    change = one.trial.change or Change()
    return marked(Linked(0, EXPLAINED, one.why, change.hints), change.command)


def _trial_of(step: Step) -> Trial:
    text = step.change.command if step.change is not None else None
    command = parse_command(text) if text else None
    return Trial(
        step.at, step.tool, step.session_id, step.idx, step.called, step.change, command, text is not None, True, False
    )


def _trial_of_run(run: Run) -> Trial:
    ran = run.ran
    return Trial(run.at, ran.tool, ran.session_id, ran.idx, ran.called, None, run.command, True, True, True)


def _resolved(
    unresolved: HarvestedError,
    error: OpenError,
    verified: Verified,
    fix: Fix,
    spoken: Sequence[Statement],
    past: Past,
) -> HarvestedError:
    run, project = verified.run, past.project
    commands = tuple(dict.fromkeys(step.change.command for step, _ in fix.steps if step.change and step.change.command))
    hints = [hint._replace(file=relative(hint.file, project)) for _, link in fix.steps for hint in link.hints]
    changed = ((step.change, link.hints) for step, link in fix.steps if step.change)
    named = [file for change, hunks in changed for file in ([hunk.file for hunk in hunks] or change.files)]
    files = tuple(dict.fromkeys(relative(path, project) for path in named))
    instead = (error.last.command.text, run.command.text) if fix.instead is not None else None
    about = " ".join((*files, *commands, *(hint.new for hint in hints), *(instead[1:] if instead else ())))
    near = _near(error, fix, run)
    explanation = _explanation(error, fix, spoken, about, near)
    links = _links(fix, run, error)
    outline = _outline(error, verified, fix, past, explanation, links, unresolved.worth)
    of_it = near is not None and explanation is not None and any(explanation[0] in one for one in near.texts)
    lesson = lesson_of(outline._replace(explains_it=of_it))
    text = resolution_text(
        files=files,
        hints=hints,
        commands=[plain_command(parse_command(command), project) for command in commands],
        instead=instead and differing_commands(error.last.command, run.command, error.named.key.text, project),
        explanation=explanation,
        by_a_person=fix.statement is not None,
        lesson=lesson,
        checked_idx=run.ran.idx,
    )
    places = [(error.first.ran.session_id, error.first.ran.idx), *((link.session_id, link.idx) for link in links)]
    return unresolved._replace(
        resolved=True,
        resolved_by=fix.by,
        tool_sequence=tuple(step.tool for step, _ in fix.steps),
        files_changed=files,
        commands=commands,
        explanation=explanation,
        resolution_text=text,
        verified_session=run.ran.session_id,
        verified_idx=run.ran.idx,
        verified_ts=run.ran.ts,
        message_ids=tuple(sorted({idx for session, idx in places if session == run.ran.session_id} | {run.ran.idx})),
        confidence=_confidence(error, verified, fix),
        links=tuple(links),
        strength=_strength(verified, error, fix),
        cost=_cost(error, run),
        hints=tuple(hints),
        instead=instead,
        lesson=lesson,
        obvious=error.attempts == 1 and unresolved.worth != "general" and is_where_named(lesson, error.clue),
        worth="project" if unresolved.worth == "general" and is_bare_script(lesson) else unresolved.worth,
    )


def _outline(
    error: OpenError,
    verified: Verified,
    fix: Fix,
    past: Past,
    explanation: tuple[str, int] | None,
    links: Sequence[StepLink],
    worth: Worth,
) -> Outline:
    check = (verified.proof or verified.run).command if fix.instead is None else verified.run.command
    since = [step for step in past.steps if error.first.at < step.at < verified.run.at and step.change is not None]
    made = [Candidate(step.at, step.change) for step in since if step.change is not None]
    return Outline(
        failure=failure_of(error),
        tried=error.commands,
        check=check,
        steps=[(step.change, link) for step, link in fix.steps if step.change is not None],
        earlier=[one for one in made if one.at < error.last.at],
        between=[one.change for one in made],
        instead=fix.instead,
        explanation=None if explanation is None else explanation[0],
        links=links,
        worth=worth,
        project=past.project,
        described=str(verified.run.ran.tool_input.get("description", "")) if fix.instead is not None else "",
        outside=verified.run.escalated and not error.last.escalated,
    )


def failure_of(error: OpenError) -> Failure:
    """What its last run showed, as steps are compared with it."""
    return Failure(error.named.key.text, error.named.key.tool, error.clue, error.last.command)


def _near(error: OpenError, fix: Fix, run: Run) -> Near | None:
    """What was said right behind the last run that showed the error, and right before the first step of the fix; None
    where that run showed other errors too, as then it may be of them."""
    if error.keys != 1 or not error.trials:
        return None
    fixed = fix.steps[0][0].at if fix.steps else run.at
    texts = (text for one in error.trials if one is error.trials[0] or one.at == fixed for text in one.spoken)
    command, clue = error.last.command, error.clue
    called = (part.program for part in command.parts)
    return Near(frozenset(texts), frozenset((*words(command.text[:_SHORT]), *called, *clue.missing, *clue.near)))


def _explanation(
    error: OpenError, fix: Fix, spoken: Sequence[Statement], about: str, near: Near | None
) -> tuple[str, int] | None:
    found = explanation_of(spoken, error.named.key.text, about, near)
    if fix.statement is not None:
        found = (fix.statement.text[:QUOTE_LIMIT], fix.statement)
    return None if found is None else (found[0], found[1].idx)


def _links(fix: Fix, run: Run, error: OpenError) -> list[StepLink]:
    key_line, shown = error.named.key.text, error.last.ran.text
    links = [
        StepLink(step.session_id, step.idx, as_written(link.why, key_line, *texts_of(step.change), shown))
        for step, link in fix.steps
    ]
    if fix.instead is not None:
        why = as_written(fix.instead.why, key_line, error.last.command.text, run.command.text, shown)
        links.append(StepLink(run.ran.session_id, run.call_idx, why))
    if fix.statement is not None:
        links.append(StepLink(run.ran.session_id, run.call_idx, BY_A_PERSON))
    return links


def _strength(verified: Verified, error: OpenError, fix: Fix) -> Strength:
    run = verified.proof or verified.run
    linked, corrected = [link for _, link in fix.steps], verified.correction is not None
    passed = run.outcome.verdict == "passed"
    proven = is_proven(verified.relation, run.command, passed, error.clue, correction=corrected)
    return strength_of(linked, fix.instead, proven and fix.statement is None, steps=fix.far)


def would_be_strong(weighed: Weighed) -> bool:
    """Whether the fix is weak for its narrowed check alone."""
    fix = weighed.fix
    if weighed.verified is not weighed.first:
        return False
    return strength_of([link for _, link in fix.steps], fix.instead, fix.statement is None, steps=fix.far) == "strong"


def is_whole(run: Run) -> bool:
    """Whether a run passed with all of its output and its own exit code to be seen."""
    return run.command.view == "whole" and not run.command.masked


def _worth(error: OpenError) -> Worth:
    key = error.named.key
    return worth_of(key.text, key.tool, error.clue.names, error.first.command, error.attempts)


def _cost(error: OpenError, run: Run) -> Cost:
    """From the first failure to the run that showed it gone."""
    one = error.first.ran.session_id == run.ran.session_id
    messages = run.ran.idx - error.first.ran.idx if one else run.at - error.first.at
    return Cost(error.attempts, messages, max(0.0, hours_between(error.first.ran.ts, run.ran.ts) * 3600))


def _confidence(error: OpenError, verified: Verified, fix: Fix) -> Confidence:
    """High: one key, one change, verified by the same command. Low: another command, a long gap, an unseen change."""
    unseen = fix.statement is not None or any(step.change is None or not step.change.certain for step, _ in fix.steps)
    far = fix.far > FAR or hours_between(error.last.ran.ts, verified.run.ran.ts) > FAR_HOURS
    if verified.relation == "narrower" or unseen or far:
        return "low"
    simple = error.keys == 1 and len(fix.steps) == 1 and verified.relation == "same"
    return "high" if simple and fix.instead is None and not verified.replaced else "medium"


def hours_between(start: str, end: str) -> float:
    """Hours from one ISO time to another; 0.0 where either is none."""
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 3600
    except (ValueError, TypeError):
        return 0.0
