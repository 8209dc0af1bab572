"""The rows that Espionage's templates print, made from a report's plain data alone."""

from collections.abc import Mapping
from typing import Any

from adjudicator.core.message import Words


def page(report: Mapping[str, Any], words: Words) -> Mapping[str, Any]:
    return {}
