"""Measure medians of things that are done in turns, and make the rows that are printed."""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter
from types import ModuleType

from msgspec import Struct

MISSING = "not installed"


class Row(Struct, frozen=True, kw_only=True):
    """One figure of ours beside one of a peer's.

    `least` and `most` are the wished bounds of their ratio; a row that has neither is only printed.
    """

    name: str
    ours: str
    theirs: str = "-"
    ratio: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def wished(self) -> str:
        if self.least is not None:
            return f">= {self.least:g}"
        return f"<= {self.most:g}" if self.most is not None else "-"

    @property
    def is_left_out(self) -> bool:
        """Say whether there is nothing to compare with: a peer is not installed."""
        return self.ratio is None and self.wished != "-"

    @property
    def verdict(self) -> str:
        if self.ratio is None or (self.least is None and self.most is None):
            return "-"
        enough = self.least is None or self.ratio >= self.least
        return "ok" if enough and (self.most is None or self.ratio <= self.most) else "NOT"


def scaled(n: int, scale: float, least: int = 1) -> int:
    return max(least, round(n * scale))


def whole(most: float, scale: float) -> float | None:
    """Return a bound that is one of the whole work: in seconds, bytes or the like, or of something
    that grows beside something that does not. Of a part of it a bound would say nothing."""
    return most if scale >= 1 else None


def peer(name: str) -> ModuleType | None:
    """Return a library with which we compare; None if it is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return import_module(name)
        except ImportError:
            return None


def timed(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def in_turns(
    rounds: int,
    *actions: Callable[[], object],
    before: Callable[[], object] = lambda: None,
    measure: Callable[[Callable[[], object]], float] = timed,
) -> list[float]:
    """Return the median time of each action in seconds; they are done in turns, `rounds` times.

    `measure` may be `spent`, where the machine has other work, too.
    The first time fills caches, ours and theirs, and does not count; nor does `before`, which is
    done before each round.
    """
    taken = []
    for _ in range(rounds + 1):
        before()
        taken.append([measure(action) for action in actions])
    return [median(times) for times in zip(*taken[1:], strict=True)]


def beside(
    action: Callable[[], object],
    rounds: int,
    other: Callable[[], object] | None = None,
    before: Callable[[], object] = lambda: None,
) -> tuple[float, float, float]:
    """Return the processor time of an action, that of another one, and their ratio.

    The other one is a Python that does nothing, if none is given.
    All three are medians; each ratio is of two that were taken one after the other, because others
    use the machine as well. `before` is done before each pair, and does not count.
    """
    pairs = []
    for _ in range(rounds):
        before()
        pairs.append((spent(action), spent(other or _nothing)))
    ratio = median(mine / theirs for mine, theirs in pairs)
    return median(mine for mine, _ in pairs), median(theirs for _, theirs in pairs), ratio


def _nothing() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def spent(action: Callable[[], object]) -> float:
    """Return the seconds of processor time, ours or those of a process for which we wait."""
    before = _processor()
    action()
    return _processor() - before


def _processor() -> float:
    both = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms" if seconds >= 0.01 else f"{seconds * 1e3:,.3f} ms"


def per_second(number: float, seconds: float, what: str) -> str:
    return f"{number / seconds:,.0f} {what}/s"


def adjud() -> Sequence[str]:
    """Return the command as it is installed beside this Python."""
    script = Path(sys.executable).with_name("adjud")
    return [str(script)] if script.exists() else [sys.executable, "-m", "adjudicator"]


def environment(folder: Path, database: str) -> Mapping[str, str]:
    """Return the environment of a new process, ours or a peer's.

    Compiled modules and templates are kept, as they are where a program is installed, and this
    user's own configuration, key and spool are not looked for.
    """
    config = folder / "adjud.toml"
    config.touch()
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        "ADJUD_CONFIG": str(config),
        "ADJUD_DATABASE": database,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }


# A process starts with its parent's largest memory as its own, so its parent must be small.
_MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss, used.ru_utime + used.ru_stime)
"""


def used(command: Sequence[str], env: Mapping[str, str]) -> tuple[float, float]:
    """Return the largest resident memory, in MiB, and the seconds of processor time of a
    command."""
    measure = [sys.executable, "-c", _MEASURE, *command]
    run = subprocess.run(measure, env=env, stdout=subprocess.PIPE, check=True)
    memory, seconds = map(float, run.stdout.split())
    return memory / 1024, seconds


def mebibytes(number: float) -> str:
    return f"{number:.1f} MiB"


def process(command: Sequence[str], env: Mapping[str, str]) -> Callable[[], object]:
    """Return an action that runs a command to its end; it raises CalledProcessError if that
    fails."""
    return lambda: subprocess.run(command, env=env, check=True, capture_output=True)
