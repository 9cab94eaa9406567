"""Work in pieces, shared with a second process: it has the next few, and this one does what it would wait for."""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from core.base.fault import Fault
from core.process.worker import RARE_GC, Call, Handler

if TYPE_CHECKING:
    from core.process.child import Child, Reply

_DEPTH: Final = 5
"""Pieces the second process has at a time; while it has them, this one does further ones itself."""
MOST: Final = 8
"""Pieces kept until their turn comes."""

Piece = TypeVar("Piece")
Result = TypeVar("Result")


Question = tuple[Handler, tuple[object, ...]]
"""A function of a module, and what to call it with behind its `Call`."""


@contextmanager
def calm_garbage() -> Generator[None]:
    """Look for garbage seldom: rows go as their last reference does. What switched the search off (0) keeps it off."""
    before = gc.get_threshold()
    gc.set_threshold(max(RARE_GC, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class NoWorkerError(Exception):
    """There is no second process (any more), and its work must be done here."""


class Second:
    """A second process, started when it is first asked; a context manager that ends it, if it was."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._works: list[_Work[Any, Any]] = []
        self._waking: Reply[Any] | None = None
        self._refused = _cores() < 2

    def __enter__(self) -> Second:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether it was started, and no question found it gone."""
        return self._child is not None

    @property
    def ready(self) -> bool:
        """Return whether it can take work soon: not while a process that was asked to `wake` still starts."""
        if self._waking is not None and self._waking.arrived:
            from core.process.child import ChildExitedError  # as below: the second process itself starts none

            waking, self._waking = self._waking, None
            try:
                waking.result()
            except (Fault, ChildExitedError):
                self._give_up()
        return self._waking is None

    def wake(self, *modules: str) -> None:
        """Start it if needed and let it import these modules, while this process continues."""
        if self._child is None and not self._refused:
            with suppress(NoWorkerError):
                self._waking = self._started().call(_import, modules)

    def ask(self, question: Question) -> Reply[Any]:
        """Let it call a function; what that returns is taken with `take`. Raises NoWorkerError."""
        handler, args = question
        return self._started().call(handler, *args)

    def _started(self) -> Child:
        if self._child is None:
            if self._refused:
                raise NoWorkerError
            from core.process.child import Child

            self._child = Child(path=sys.path)  # a library user may have added to it
            try:
                self._child.start()
            except OSError as error:
                self._give_up()
                raise NoWorkerError from error
        return self._child

    def take(self, reply: Reply[Any]) -> Any:
        """The answer to a question; waits for it. Raises NoWorkerError."""
        from core.process.child import ChildExitedError

        try:
            return reply.result()
        except (Fault, ChildExitedError) as error:
            self._give_up()
            raise NoWorkerError from error

    @contextmanager
    def serving(self, work: _Work[Any, Any]) -> Generator[None]:
        """Let other work that must wait begin pieces of this one."""
        self._works.append(work)
        try:
            yield
        finally:
            self._works.remove(work)

    def begin_other(self, waiting: _Work[Any, Any]) -> bool:
        """Begin a piece of work other than `waiting`; False if there is none."""
        return any(work.begin() for work in self._works if work is not waiting)

    def hand_over_other(self, ahead: _Work[Any, Any]) -> None:
        """Give the process pieces of other work, as `ahead` has none left for it."""
        for work in self._works:
            if work is not ahead:
                work.hand_over()

    def close(self) -> None:
        """End the process, whatever it does; the next question starts another."""
        child, self._child = self._child, None
        self._waking = None
        if child is not None:
            child.kill()
            child.stop()
            child.wait()

    def _give_up(self) -> None:
        """One that was killed or cannot be started is not tried again."""
        self._refused = True
        self.close()


def _import(_call: Call, modules: tuple[str, ...]) -> None:
    for module in modules:
        import_module(module)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shared(
    second: Second,
    pieces: Iterable[Piece],
    elsewhere: Callable[[Piece], Question | None],
    here: Callable[[Piece], Result],
    ahead: Callable[[Piece], Result | None] | None = None,
    weight: Callable[[Piece], int] | None = None,
    depth: int = _DEPTH,
    most: int = MOST,
) -> Generator[tuple[Piece, Result]]:
    """Each piece with its result, in order.

    `elsewhere` says what the second process is asked for a piece, None for one that is not for it; where that answers
    None, or is gone, `here` does it. `ahead` does a piece here before its turn, None where it must wait for that; it is
    `here` where nothing else is given. At `most` so many pieces are begun, `depth` of them there. By `weight` the
    heaviest of all pieces are done there, so that what is left at the end is light; then `most` does not count.
    Where two works share a second process, one begins pieces, ahead, while the other one waits or has none left for it.
    """
    work = _Work(second, pieces, elsewhere, here, ahead or here, weight, depth, most)
    with second.serving(work):
        try:
            while True:
                work.hand_over()  # before each piece is taken, so that it never runs out while its results are used
                if work.has_room:
                    second.hand_over_other(work)
                if work.due() or not work.begin_here():
                    if not work.begun:
                        return
                    yield work.next_result()
        finally:
            if work.pending:
                second.close()  # nobody waits for its answers any more


@dataclass(slots=True)
class _Begun(Generic[Piece, Result]):
    """A piece, whether nobody has begun it, the reply of the second process if that was asked, and its result, if that
    is known."""

    piece: Piece
    free: bool = True
    reply: Reply[Any] | None = None
    result: Result | None = None


class _Work(Generic[Piece, Result]):
    """The pieces that are begun, in their order; by weight all of them."""

    def __init__(
        self,
        second: Second,
        pieces: Iterable[Piece],
        elsewhere: Callable[[Piece], Question | None],
        here: Callable[[Piece], Result],
        ahead: Callable[[Piece], Result | None],
        weight: Callable[[Piece], int] | None,
        depth: int,
        most: int,
    ) -> None:
        self.second, self.elsewhere, self.here, self.ahead = second, elsewhere, here, ahead
        self.depth, self.most = depth, most
        self.gone = False
        self._replies: list[Reply[Any]] = []
        known = [] if weight is None else [_Begun[Piece, Result](piece) for piece in pieces]
        self.begun, self._coming, self._lightest = deque(known), deque(known), known
        self._pieces = iter(pieces) if weight is None else iter(())
        if weight is not None:
            self._lightest = sorted(known, key=lambda one: weight(one.piece))

    @property
    def pending(self) -> int:
        """Pieces that the second process still has."""
        self._replies = [reply for reply in self._replies if not reply.arrived]
        return len(self._replies)

    def hand_over(self) -> bool:
        """Let the second process have enough to do; whether it was asked something."""
        is_busy = False
        while not self.gone and self.second.ready and self.pending < self.depth:
            one = self._next() or self._heaviest()
            if one is None:
                break
            one.free = False
            question = self.elsewhere(one.piece)
            if question is not None and self.second.ready:
                with suppress(NoWorkerError):
                    one.reply = self.second.ask(question)
                    self._replies.append(one.reply)
                    is_busy = True
                self.gone = one.reply is None
        return is_busy

    @property
    def has_room(self) -> bool:
        """Whether the second process could take more than there is left."""
        return not self.gone and self.second.running and self.pending < self.depth

    def due(self) -> bool:
        """Whether the next piece has its result, or waits for nothing but its turn."""
        if not self.begun:
            return False
        one = self.begun[0]
        return one.reply is None or one.reply.arrived or self.gone

    def begin(self) -> bool:
        """Begin a piece while other work waits; False if there is none, or enough are kept."""
        return self.hand_over() or self._begin_here(self.ahead)

    def begin_here(self) -> bool:
        """Do the next free piece; False if there is none, or enough are kept."""
        return self._begin_here(self.ahead if self.begun else self.here)

    def _begin_here(self, act: Callable[[Piece], Result | None]) -> bool:
        one = self._next() or self._free(self._coming.popleft, self._coming)
        if one is not None:
            one.free = False
            one.result = act(one.piece)
        return one is not None

    def _next(self) -> _Begun[Piece, Result] | None:
        """The next piece of those that come one by one."""
        if len(self.begun) >= self.most:
            return None
        for piece in self._pieces:
            self.begun.append(_Begun(piece))
            return self.begun[-1]
        return None

    def _heaviest(self) -> _Begun[Piece, Result] | None:
        """The heaviest free piece but the next one, which this process does itself."""
        one = self._free(self._lightest.pop, self._lightest)
        if one is not None and one is self.begun[0]:
            one = self._free(self._lightest.pop, self._lightest)
        return one

    @staticmethod
    def _free(
        take: Callable[[], _Begun[Piece, Result]], left: Sequence[_Begun[Piece, Result]]
    ) -> _Begun[Piece, Result] | None:
        while left:
            one = take()
            if one.free:
                return one
        return None

    def next_result(self) -> tuple[Piece, Result]:
        """The next piece with its result; waits for it."""
        one = self.begun.popleft()
        one.free = False
        result = one.result if one.reply is None else self._answer(one.reply)
        return one.piece, self.here(one.piece) if result is None else result

    def _answer(self, reply: Reply[Any]) -> Result | None:
        while not reply.arrived and self.second.begin_other(self):
            pass
        self._replies = [other for other in self._replies if other is not reply]
        try:
            return self.second.take(reply)
        except NoWorkerError:
            self.gone = True
            return None
