"""What a cheat is, and what an audit of the papers that come of it says.

A play takes a match up to where its club cheats, or does not, and returns what the player has then:
emails and files as octets, or what was read from them. `table.py` has all cheats.
"""

import os
import pickle
from collections.abc import Callable, Container, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from adjudicator.core.message import tell
from tests.audits import Document, audit, read_papers
from tests.club import Store
from tests.service.cheats.scene import Scene

Papers: TypeAlias = Sequence[bytes] | Sequence[Document]


class Stage(Struct, frozen=True):
    """What a play gets: `where` is a game, or a kind of tournament."""

    store: Store
    folder: Path
    where: str
    honest: bool

    def scene(self, *options: str, **more: Any) -> Scene:
        return Scene(self.store, self.folder, self.where, *options, **more)


Play: TypeAlias = Callable[[Stage], Papers]


class Cheat(Struct, frozen=True, kw_only=True):
    """A way to do something of the table: in which games it makes sense, with which exit code an
    audit ends, and which rule finds it; `alone` if no other rule does.

    `told` is in what the rule says. `case` names one of several ways.
    """

    play: Play
    where: Sequence[str]
    rule: str
    code: int = 1
    alone: bool = False
    told: str = ""
    case: str = ""

    @property
    def name(self) -> str:
        return self.case or getattr(self.play, "__name__", "")


KEPT = "ADJUD_TEST_PAPERS"  # where papers are kept for the next run, which changes the audit alone


def papers_of(cheat: Cheat, stage: Stage) -> Papers:
    """Return what the player has in the end. `tests/mutants.py` lets each match be played once."""
    folder = os.environ.get(KEPT)
    if not folder:
        return cheat.play(stage)
    name = f"{cheat.rule} {cheat.name} {stage.where} {stage.honest}"
    file = Path(folder) / sha256(name.encode()).hexdigest()
    if not file.exists():
        file.write_bytes(pickle.dumps([*cheat.play(stage)]))
    papers: Papers = pickle.loads(file.read_bytes())  # our own
    return papers


class Done(Struct, frozen=True):
    """Something that a club could do, and how it is found; nothing finds it if it has no cheats,
    unless a test `elsewhere` has its exit code and rule."""

    what: str
    how: str
    cheats: Sequence[Cheat] = ()
    elsewhere: tuple[int, str] | None = None

    @property
    def found(self) -> set[tuple[int, str]]:
        """Return the exit codes and the rules."""
        found = {(cheat.code, cheat.rule) for cheat in self.cheats}
        return found | ({self.elsewhere} if self.elsewhere else set())


class Judged(Struct, frozen=True):
    """What an audit says: its exit code, and what it asks or contradicts."""

    code: int
    told: Sequence[str]

    def by(self, rule: str) -> list[str]:
        return [one for one in self.told if one.startswith(f"{rule}: ")]


_JUDGED: dict[str, Judged] = {}  # of papers that several cheats have honest twins in


def judged(papers: Papers, folder: Path, off: Container[str] = ()) -> Judged:
    """Audit papers, without the rules that are `off`."""
    raws = [one for one in papers if isinstance(one, bytes)]
    key = "".join([sha256(raw).hexdigest() for raw in raws] if not off else [])
    if key and key in _JUDGED:
        return _JUDGED[key]
    read = _read(raws, folder) if raws else [one for one in papers if isinstance(one, Document)]
    found = audit(read, off=off)
    told = [tell(message) for one in found for message in (*one.wrong, *one.asks)]
    codes = {one.exit_code for one in found}
    judged_so = Judged(1 if 1 in codes else max(codes, default=0), told)
    if key:
        _JUDGED[key] = judged_so
    return judged_so


def _read(raws: Sequence[bytes], folder: Path) -> list[Document]:
    place = folder / "papers"
    place.mkdir(exist_ok=True)
    for number, raw in enumerate(raws):
        (place / f"{number:03}.{_ending(raw)}").write_bytes(raw)
    read, unread, _ = read_papers(place)
    assert unread == []
    return [*read]


def _ending(raw: bytes) -> str:
    if raw[:1] == b"{":
        return "adjud.json" if b'"label":"ADJUD3"' in raw else "json"
    return "eml" if b"\nX-Adjud: " in raw or b"\nMIME-Version: " in raw else "txt"
