"""Runs coroutines on non-blocking sockets: edge-triggered epoll and nothing more.

Each socket is registered once for everything, so reading and writing cost no further system call
than themselves; a coroutine waits only where the socket has nothing to give or no room.
Every wait may end without cause, so whoever waits asks again.
"""

from __future__ import annotations

import heapq
import itertools
import select
import sys
import time
import traceback
import types
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

IDLE_S = 600.0
"""How long a coroutine waits for a socket before it gets a TimeoutError."""
_SWEEP_S = 5.0


@types.coroutine
def _suspend() -> Iterator[None]:
    yield


class Task:
    """A coroutine that runs."""

    __slots__ = ("coroutine", "deadline", "done", "queued")

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.coroutine = coroutine
        self.queued = False
        self.done = False
        self.deadline = 0.0


class Signal:
    """Something that coroutines wait for; whoever changes the condition calls `wake`."""

    __slots__ = ("_loop", "_waiting")

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._waiting: list[Task] = []

    def wake(self) -> None:
        """Let everybody who waits ask again."""
        waiting, self._waiting = self._waiting, []
        for task in waiting:
            self._loop.wake(task)

    def watch(self) -> None:
        """Have the running coroutine woken as well; it then suspends by another wait."""
        self._waiting.append(self._loop.running)

    async def wait(self) -> None:
        """Wait until the next `wake`, or shorter."""
        self.watch()
        await self._loop.suspend()


class Loop:
    """The one loop of the process."""

    def __init__(self) -> None:
        self.epoll = select.epoll()
        self.handlers: dict[int, Callable[[int], None]] = {}
        self.running: Task = None  # type: ignore[assignment]
        self._ready: deque[Task] = deque()
        self._tasks: set[Task] = set()
        self._timers: list[tuple[float, int, Task]] = []
        self._numbers = itertools.count()
        self._next_sweep = time.monotonic() + _SWEEP_S

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> Task:
        """Let a coroutine run beside the others."""
        task = Task(coroutine)
        self._tasks.add(task)
        self.wake(task)
        return task

    def wake(self, task: Task) -> None:
        """Let a suspended task go on."""
        if not task.queued and not task.done:
            task.queued = True
            self._ready.append(task)

    async def suspend(self, seconds: float = IDLE_S) -> None:
        """Wait until somebody wakes this task.

        Raises:
            TimeoutError: nobody did in time.
        """
        self.running.deadline = time.monotonic() + seconds
        await _suspend()

    async def sleep(self, seconds: float) -> None:
        """Wait for a while."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            heapq.heappush(self._timers, (until, next(self._numbers), self.running))
            await self.suspend(seconds + IDLE_S)

    def register(self, fd: int, handler: Callable[[int], None], events: int) -> None:
        """Have a handler called with what epoll says of a file descriptor."""
        self.handlers[fd] = handler
        self.epoll.register(fd, events)

    def forget(self, fd: int) -> None:
        """Undo `register`, before the descriptor is closed."""
        if self.handlers.pop(fd, None) is not None:
            self.epoll.unregister(fd)

    def run(self) -> None:
        """Run for good."""
        while True:
            self._run_ready()
            for fd, events in self.epoll.poll(self._pause(), 512):
                handler = self.handlers.get(fd)
                if handler is not None:
                    handler(events)
            self._wake_by_time()

    def _pause(self) -> float:
        now = time.monotonic()
        until = min(self._next_sweep, self._timers[0][0] if self._timers else self._next_sweep)
        return max(0.0, until - now)

    def _run_ready(self) -> None:
        while self._ready:
            task = self._ready.popleft()
            task.queued = False
            self._step(task, None)

    def _step(self, task: Task, error: BaseException | None) -> None:
        self.running = task
        try:
            if error is None:
                task.coroutine.send(None)
            else:
                task.coroutine.throw(error)
        except StopIteration:
            self._end(task)
        except Exception:  # one session's end must not be everybody's
            traceback.print_exc(file=sys.stderr)
            self._end(task)

    def _end(self, task: Task) -> None:
        task.done = True
        self._tasks.discard(task)

    def _wake_by_time(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            self.wake(heapq.heappop(self._timers)[2])
        if now >= self._next_sweep:
            self._next_sweep = now + _SWEEP_S
            for task in [task for task in self._tasks if not task.queued and task.deadline < now]:
                self._step(task, TimeoutError("nothing happened for too long"))
