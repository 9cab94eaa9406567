"""One long call in a process of its own, for an hour if need be: on a thread here every key would wait for it.

Left behind by quitting, it ends after the piece it is at, and the next one goes on from there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from core.base.fault import Fault
from core.process.child import LOW, Child, ChildExitedError, Reply
from core.process.worker import Call

T = TypeVar("T")


class Task(Generic[T]):
    """One run of `handler(call, *args)`. `stop` may be called at any time and from any thread, also more than once."""

    def __init__(
        self,
        what: str,
        handler: Callable[..., T],
        args: tuple[Any, ...],
        *,
        grace: float,
        one_core: bool = False,
        here: bool = True,
    ) -> None:
        """`what` it is, for a fault, like `The import`. `here`: do it in this process where none can be started."""
        self._what, self._handler, self._args, self._here = what, handler, args, here
        self._child = Child(nice=LOW, one_core=one_core, grace=grace)
        self._call = Call(lambda _value: None)
        self._reply: Reply[T] | None = None
        self._guard = threading.Lock()

    def stop(self) -> None:
        """Ask it to stop after the piece it is at; what it has done stays. Returns at once."""
        with self._guard:
            self._call.cancel()
            if self._reply is not None:
                self._child.stop()

    def run(self, tell: Callable[[Any], None]) -> T:
        """Do it, and call `tell` with each progress; waits for the end.

        Raises Fault: what the handler raises; generic where the process has died, or cannot be started.
        """
        try:
            self._child.start()
        except OSError as error:
            if not self._here:
                raise Fault("generic", f"{self._what}: no process could be started ({error.strerror})") from error
            self._call.tell = tell  # slower for whoever types meanwhile, but it is done
            return self._handler(self._call, *self._args)
        with self._child:
            with self._guard:
                self._reply = self._child.call(self._handler, *self._args)
                if self._call.is_cancelled():
                    self._child.stop()
            try:
                return self._reply.result(tell)
            except ChildExitedError:
                raise self._child.died(self._what) from None
