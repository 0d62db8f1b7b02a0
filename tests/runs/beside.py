"""Work beside a block, in a thread that ends with it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def beside(look: Callable[[], None], ended: threading.Event) -> Iterator[None]:
    """Do something for as long as the block lasts.

    Args:
        look: does it, until the event is set.
        ended: that event.
    """
    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
