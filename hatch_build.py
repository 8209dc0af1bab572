"""Makes what is not in git while the program is built: message catalogues and man pages."""

import sys
import tempfile
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
        if self.target_name == "wheel" and version == "standard":
            for folder in sorted((root / "examples").iterdir()):
                if folder.name != "games":  # packages of their own
                    build_data["force_include"][str(folder)] = (
                        f"adjudicator/_examples/{folder.name}"
                    )
        if self.target_name == "wheel":
            self._man = tempfile.TemporaryDirectory()
            build_data["shared_data"] |= _man_pages(root, Path(self._man.name))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.target_name == "wheel":
            self._man.cleanup()


def _man_pages(root: Path, folder: Path) -> dict[str, str]:
    """Write the pages into a folder; return where each is installed."""
    sys.path.insert(0, str(root))  # the program that is built, not one that is installed
    try:
        from adjudicator.cli import main
        from adjudicator.cli.man_pages import SECTION, pages
    finally:
        sys.path.remove(str(root))
    for name, text in pages(main).items():
        (folder / name).write_text(text, "utf-8")
    return {str(path): f"share/man/man{SECTION}/{path.name}" for path in sorted(folder.iterdir())}
