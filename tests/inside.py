"""Modules whose insides tests look at: where they put a fault, a smaller limit or a watch.

`from tests.inside import delivery` gives the module of that name, wherever in the service or the
store it lies; one of several of a name is asked for with its folder, as `doctor_files`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import adjudicator

PACKAGE = Path(adjudicator.__file__).parent


@cache
def places() -> Mapping[str, Sequence[str]]:
    """Return where the modules of each name are, with and without their folder."""
    found: dict[str, list[str]] = {}
    for path in (*PACKAGE.glob("service/**/*.py"), *PACKAGE.glob("store/*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        for name in (parts[-1], "_".join(parts[-2:])):
            found.setdefault(name, []).append(".".join(parts))
    return found


def __getattr__(name: str) -> ModuleType:
    match places().get(name, []):
        case [place]:
            return import_module(place)
        case several:
            raise AttributeError(f"no one module is named {name}: {several}")
