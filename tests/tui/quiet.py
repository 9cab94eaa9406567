"""When an app in a test has nothing more to do: known from its loop and its lanes, not guessed from a silent processor.

Textual's `Pilot` sleeps 20 ms twice a key and once a pause, and looks whether the processor had rested: half of the
time of a pane's test. On a busy machine it even rests when the app does not. Where nothing is ready, nothing is due
within the time that would have been slept, and no lane works, that sleep would change nothing, so it is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_native_id
from time import monotonic, process_time, thread_time
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import active_app, visible_screen_stack
from textual._styles_cache import StylesCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.geometry import Region
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.reactive import Reactive
from textual.widget import Widget

from core.process.child import Child
from tui.shell.app import CasebookApp

SLEPT = 0.02
"""How long `Pilot` sleeps at a time; what is due sooner is waited for, as it would be."""
RESTED = 0.001
LOOKS = 5
"""Where a machine has no time for a test, one look may take as long as `SLEPT`: so many are needed."""
LONGEST = 60.0
"""For jobs that work so long, on a machine that has no time for them."""
TURNS = 50
"""How many turns of the loop an app that works is looked at, before it is asked as Textual asks it."""
DRAW = Compositor.render_update
"""Textual's own, which draws what changed."""
ASK = Pilot._wait_for_screen
"""Textual's own, which sends each widget a message and waits until all are read: half of all messages of a test."""


def quiet(within: float = SLEPT) -> bool:
    """Whether the app of this test does nothing `within` so many seconds, unless a key comes or another process tells.

    A lane reports before it ends, and a report is ready in the loop at once: there is no gap between the two.
    """
    app = active_app.get(None)
    return isinstance(app, CasebookApp) and app.jobs.is_idle(within) and _loop_rests(within)


def _loop_rests(within: float) -> bool:
    """Whether nothing is ready in the loop, and nothing is due within so many seconds."""
    loop = asyncio.get_running_loop()
    return not _ready(loop) and not any(
        timer._when <= loop.time() + within and not timer._cancelled
        for timer in loop._scheduled  # pyright: ignore[reportAttributeAccessIssue]
    )


def _ready(loop: asyncio.AbstractEventLoop) -> bool:
    return bool(loop._ready)  # pyright: ignore[reportAttributeAccessIssue]


async def wait_for_screen(self: Pilot[Any], timeout: float = 30.0) -> bool:
    """As `ASK`: until the app and each widget of its screen have read what was sent to them.

    Nothing has to be sent where nothing is ready in the loop and each of them waits for its next message."""
    loop, app = asyncio.get_running_loop(), self.app
    for _ in range(TURNS):
        if not app._screen_stack or app._exception_event.is_set():
            break
        if not _ready(loop):
            if all(_waits(pump) for pump in (app, *app.screen.walk_children(with_self=True))):
                return True
            break  # what one of them waits for comes from elsewhere
        await asyncio.sleep(0)
    return await ASK(self, timeout)


def _waits(pump: MessagePump) -> bool:
    """Whether it waits for its next message, with none on its way, or takes none any more."""
    arrived = pump._message_queue.ready_event
    return pump._closing or pump._closed or bool(arrived._waiters and not arrived.is_set())


async def wait_until_quiet(min_sleep: float = SLEPT, max_sleep: float = 1) -> None:
    """In the place of Textual's `wait_for_idle`: until all is quiet; where that cannot be known, as Textual does it.

    A job may wait for what a test holds back: then the threads rest, and the loop has nothing to do, however often it
    is looked at. One that only waits for its turn on a busy machine uses as little of the processor, but does not rest.
    What these looks cost is not counted: on a slow machine that alone would be work, and each key would wait `LONGEST`
    for a job that waits.
    """
    start, loop = monotonic(), asyncio.get_running_loop()
    while True:
        window, used, looks, rests = monotonic(), None, 0, True
        while (now := monotonic()) - window < SLEPT or looks < LOOKS:
            await asyncio.sleep(0)
            looks += 1
            if min_sleep <= now - start and quiet():
                return
            used = _used_by_others() if used is None else used  # to ask costs more than the first look
            if _ready(loop):
                rests = False
            else:
                await asyncio.sleep(0.002)
        await asyncio.sleep(0)
        rests = rests and _loop_rests(SLEPT) and _used_by_others() - (used or 0.0) < RESTED and not _threads_work()
        if rests and now - start > min_sleep:
            return
        if now - start >= (LONGEST if _lanes_work() or _ready(loop) else max_sleep):
            return


def _used_by_others() -> float:
    """The processor's time that the other threads of this process have had, in seconds."""
    return process_time() - thread_time()


def _lanes_work() -> bool:
    app = active_app.get(None)
    return isinstance(app, CasebookApp) and not app.jobs.is_idle(SLEPT)


def _threads_work() -> bool:
    """Whether another thread of this process runs, waits for its turn, or for the disk; where Linux does not tell: no.

    The interpreter's lock is not looked at: who has it is one of these, or comes to be."""
    own, tasks = str(get_native_id()), Path("/proc/self/task")
    states = list[str]()
    for task in tasks.iterdir() if tasks.is_dir() else ():
        with suppress(OSError):  # it has ended
            states += (task / "stat").read_text().rpartition(")")[2].split()[:1] if task.name != own else []
    return bool({"R", "D"} & set(states))


@contextmanager
def nothing_slept_for_nothing() -> Iterator[None]:
    """`Pilot` goes on as soon as the app has nothing more to do, and what changed is drawn at once."""
    with pytest.MonkeyPatch.context() as patch:
        for place in ("textual.app.wait_for_idle", "textual.pilot.wait_for_idle"):
            patch.setattr(place, wait_until_quiet)
        patch.setattr(Pilot, "_wait_for_screen", wait_for_screen)
        patch.setattr("textual.screen.UPDATE_PERIOD", 1 / 250)
        yield


_NONE: set[int] = set()


def _draw_changed(compositor: Compositor, behind: list[Any]) -> None:
    """Draw the content of each widget that changed, as an update does.

    Borders and padding are of whole frames alone, and the lines are not put together to a screen."""
    visible_screen_stack.set(behind)
    whole, changed = compositor.size.region, compositor._dirty_regions
    crop = whole if whole in changed else Region.from_union(changed).intersection(whole)
    changed.clear()
    for widget, (region, clip) in compositor.visible_widgets.items():
        if crop.overlaps(clip):
            shown = region.intersection(clip)
            _draw_content(widget, range(shown.y - region.y, shown.bottom - region.y))


def _draw_content(widget: Widget, lines: Iterable[int]) -> None:
    """Draw these lines of a widget where they are content and have changed since they were drawn."""
    cache = widget._styles_cache
    width, above, height = widget.region.width, widget.gutter.top, widget.content_region.height
    if width != cache._width:
        cache.clear()
        cache._width = width
    drawn: set[int] = cache.__dict__.setdefault("_drawn", set())
    for y in lines:
        if 0 <= y - above < height and y not in drawn and (y in cache._dirty_lines or y not in cache._cache):
            widget.render_line(y - above)
            drawn.add(y)


@contextmanager
def drawn_when_quiet() -> Iterator[None]:
    """The widgets are drawn at each pause of the `Pilot`, not at every change in between: nobody sees those frames.

    Regions that changed add up until then. Whole frames, as for `frame` and snapshots, are drawn when asked for. An
    error in drawing still ends the test, at the next pause."""
    draw, pause, change, forget = DRAW, Pilot.pause, StylesCache.set_dirty, StylesCache.clear

    def draw_whole(
        self: Compositor, full: bool = False, screen_stack: list[Any] | None = None, simplify: bool = False
    ) -> Any:
        return draw(self, full, screen_stack, simplify) if full or simplify else None

    async def pause_and_draw(self: Pilot[Any], delay: float | None = None) -> None:
        await pause(self, delay)
        if (compositor := self.app.screen._compositor)._dirty_regions:
            _draw_changed(compositor, self.app._background_screens)

    def set_dirty(self: StylesCache, *regions: Region) -> None:
        change(self, *regions)
        for region in regions:
            self.__dict__.get("_drawn", _NONE).difference_update(region.line_range)

    def clear(self: StylesCache) -> None:
        forget(self)
        self.__dict__.pop("_drawn", None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", draw_whole)
        patch.setattr(Pilot, "pause", pause_and_draw)
        patch.setattr(StylesCache, "set_dirty", set_dirty)
        patch.setattr(StylesCache, "clear", clear)
        yield


@contextmanager
def styles_parsed_once() -> Iterator[None]:
    """The same style sheet under the same colours is parsed once, not for every app: half of what a start costs."""
    parse = Stylesheet._parse_rules
    parsed: dict[object, list[RuleSet]] = {}
    colours: dict[tuple[tuple[str, str], ...], int] = {}
    last: tuple[dict[str, str], int] = {}, -1

    def number(variables: dict[str, str]) -> int:
        """The same for the same colours; an app parses a hundred sheets with them."""
        nonlocal last
        if last[0] is not variables:
            last = variables, colours.setdefault(tuple(variables.items()), len(colours))
        return last[1]

    def parse_once(self: Stylesheet, *sheet: object, **more: object) -> list[RuleSet]:
        key = sheet, tuple(more.items()), number(self._variables)
        if key not in parsed:
            parsed[key] = parse(self, *sheet, **more)  # pyright: ignore[reportArgumentType]
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


@contextmanager
def looked_up_once() -> Iterator[None]:
    """Which methods of a class handle a kind of message is looked up once, not for each message. A reactive value that
    is there and is not computed is taken as it is, without what Textual asks first."""
    own, read = MessagePump._get_dispatch_methods, Reactive.__get__
    found: dict[tuple[type, type, str], list[tuple[type, str]] | None] = {}

    def find(self: MessagePump, name: str, message: Message) -> Iterable[tuple[type, Any]]:
        key = type(self), type(message), name
        if key not in found:
            found[key] = _handlers(*key)
        if (handlers := found[key]) is None:
            yield from own(self, name, message)
            return
        for cls, handler in handlers:
            if message._no_default_action:
                break
            yield cls, cls.__dict__[handler].__get__(self, cls)

    def get(self: Reactive[Any], node: Any, kind: type) -> Any:
        if node is None or self.internal_name not in node.__dict__ or hasattr(kind, self.compute_name):
            return read(self, node, kind)
        return node.__dict__[self.internal_name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MessagePump, "_get_dispatch_methods", find)
        patch.setattr(Reactive, "__get__", get)
        yield


def _handlers(pump: type, message: type, name: str) -> list[tuple[type, str]] | None:
    """The classes that handle such a message, and the names of their methods; None where a selector may decide.

    The methods are read at each message: a test may replace one that a class has."""
    found = list[tuple[type, str]]()
    for cls in pump.__mro__:
        if any(one in (cls.__dict__.get("_decorated_handlers") or ()) for one in message.__mro__):
            return None
        handler = f"_{name}" if cls.__dict__.get(f"_{name}") else name
        if (method := cls.__dict__.get(handler)) is not None and not getattr(method, "_textual_on", None):
            found.append((cls, handler))
    return found


@contextmanager
def nothing_gives_way() -> Iterator[None]:
    """The processes that an app starts run like any other: where others take every core, they would hardly run at all.
    One that is to end has a minute for what it is at.

    That they give way elsewhere is tested with `Child` itself."""
    made = Child.__init__

    def make(self: Child, *, nice: int = 0, one_core: bool = False, grace: float = 0.0, **more: Any) -> None:
        made(self, grace=max(grace, 60.0) if grace else 0.0, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Child, "__init__", make)
        yield
