"""Run workers in processes of their own that begin at the same moment."""

import multiprocessing
import traceback
from collections.abc import Callable
from multiprocessing.synchronize import Barrier

LIMIT = 120  # seconds


def at_once(workers: int, work: Callable[[int], object]) -> None:
    """Run `work(n)` in so many processes; raise AssertionError with its traceback if any fails.

    The processes are forked, so `work` may be any function; nothing that it uses may be open
    already.
    """
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(workers)
    answers = context.SimpleQueue()

    def begin(number: int, ready: Barrier) -> None:
        ready.wait(LIMIT)
        try:
            work(number)
            answers.put("")
        except BaseException:
            answers.put(traceback.format_exc())

    started = [context.Process(target=begin, args=(n, ready)) for n in range(workers)]
    for process in started:
        process.start()
    told = [answers.get() for _ in started]
    for process in started:
        process.join(LIMIT)
    assert not any(told), "\n".join(told)
