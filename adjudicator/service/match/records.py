"""Replay files of game records of any games, each game by its own rules."""

from collections.abc import Iterable, Iterator

from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say, tell
from adjudicator.core.orders import nearest, shown
from adjudicator.core.record import Refused, Replayed, Transcript, transcripts
from adjudicator.games import GAMES
from adjudicator.service.base.loaded_match import load
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.report import report_body
from adjudicator.service.report.standing import read_log
from adjudicator.store.database import Store


def replay_files(files: Iterable[tuple[str, Iterable[str]]]) -> Iterator[Replayed | str]:
    """Yield every game of every file as it comes, or a sentence with file, line and reason."""
    for name, lines in files:
        for found in replay_lines(lines):
            if isinstance(found, Refused):
                yield tell(_place(name, found))
            else:
                yield found


def _place(name: str, refused: Refused) -> Message:
    return say(
        "{file}, line {line}: {reason}", file=name, line=refused.line, reason=refused.message
    )


def replay_lines(lines: Iterable[str]) -> Iterator[Replayed | Refused]:
    """Yield the games of one file, one at a time."""
    empty = True
    for transcript in transcripts(lines):
        empty = False
        yield transcript if isinstance(transcript, Refused) else _replay(transcript)
    if empty:
        yield Refused(1, say("there is no game in the file"))


def _replay(transcript: Transcript) -> Replayed | Refused:
    if "Game" not in transcript.tags:
        return transcript.refused("Game", say("the tag {name} is missing", name="Game"))
    title = transcript.tags["Game"].value
    game = _game(title)
    if game is None:
        return transcript.refused("Game", _unknown(title))
    if game.record.replay is None:
        return transcript.refused(
            "Game", say("records of {game} cannot be replayed", game=game.title)
        )
    return game.record.replay(transcript)


def _game(title: str) -> AnyGame | None:
    return next((g for g in GAMES.values() if g.title.casefold() == title.casefold()), None)


def _unknown(title: str) -> Message:
    titles = [game.title for game in GAMES.values()]
    if meant := nearest(title, titles):
        return say(
            "there is no game '{seen}'; did you mean {meant}?", seen=shown(title), meant=meant
        )
    return say(
        "there is no game '{seen}'; it is one of: {words}",
        seen=shown(title),
        words=", ".join(titles),
    )


def export(store: Store, name: str) -> str:
    """Return the record of a match that has ended.

    Raises Refusal for one that goes on: a record holds everything that its players may not know
    yet.
    """
    with store.reading() as tx:
        loaded = load(tx, name)
        if loaded.match.status != "over":
            raise Refusal(say("{match} has not ended; its record is secret until then", match=name))
        log = read_log(tx, loaded.match, loaded.game)
        return report_body.record(loaded, [event for _, event in log])
