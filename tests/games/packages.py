"""Put packages with games where Python finds them, without an installer."""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path

GROUP = "adjud.games"


def install(
    place: Path,
    package: str,
    version: str,
    files: Mapping[str, str],
    entries: Mapping[str, str],
) -> Path:
    """Write a package as an installer leaves it: its files, and the folder that says what it has.
    Return that folder. `entries` are targets by slug."""
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "utf-8")
    info = place / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {package}\nVersion: {version}\n", "utf-8")
    (info / "entry_points.txt").write_text("\n".join(_lines(entries)), "utf-8")
    importlib.invalidate_caches()
    return info


def _lines(entries: Mapping[str, str]) -> Iterator[str]:
    yield f"[{GROUP}]"
    for slug, target in entries.items():
        yield f"{slug} = {target}"
