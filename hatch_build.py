"""Compiles the message catalogues while the program is built: `.mo` files are not in git."""

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """An editable build compiles beside the sources, which is where that program looks."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        for source in sorted((root / "adjudicator").rglob("locale/*/LC_MESSAGES/*.po")):
            compiled = source.with_suffix(".mo")
            with source.open("rb") as messages, compiled.open("wb") as file:
                write_mo(file, read_po(messages))
            build_data["artifacts"].append(compiled.relative_to(root).as_posix())
