"""One event loop in a thread of its own, for what is asynchronous and called from synchronous code."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
# the loop, its thread, and the process that they belong to: a forked child has neither
_running: tuple[asyncio.AbstractEventLoop, threading.Thread, int] | None = None


def submit(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Run it on the background loop. Canceling the future cancels the coroutine."""
    return asyncio.run_coroutine_threadsafe(coroutine, _loop())


def is_inside() -> bool:
    """Whether the caller runs on the background loop, where waiting for it would wait forever."""
    return _running is not None and threading.current_thread() is _running[1]


def _loop() -> asyncio.AbstractEventLoop:
    global _running
    with _lock:
        if _running is None or _running[2] != os.getpid():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="trimtab-background", daemon=True)
            thread.start()
            _running = (loop, thread, os.getpid())
        return _running[0]
