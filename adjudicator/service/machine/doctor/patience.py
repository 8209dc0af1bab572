"""Ask questions that may never be answered."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def in_time(ask: Callable[[], T], seconds: float) -> T:
    """Return what `ask` returns, or raise what it raises; raise TimeoutError if that takes longer.

    A late question is then left behind: the system's resolver, for one, cannot be told how long to
    wait.
    """
    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(ask())
        except Exception as trouble:
            answer.set_exception(trouble)

    Thread(target=work, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        raise TimeoutError(f"no answer within {seconds:g} seconds") from None
