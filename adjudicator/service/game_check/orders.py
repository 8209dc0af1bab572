"""Check the orders of a game: text to orders and back, refusals, computers, later turns."""

from collections.abc import Iterator

from msgspec.structs import replace

from adjudicator.core.commands import read_commands
from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.orders import split_lines
from adjudicator.reports.words import words
from adjudicator.service.game_check.sample import (
    PLAYER,
    ContractFault,
    PlayedPly,
    Sample,
    computer_order,
    garble,
)


def read_again(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    begin = set[str]()
    spelled = [spelling_of(game, words(language, game.slug)) for language in LANGUAGES]
    for ply in sample.plies(40):
        for seat, orders in ply.orders.items():
            lines = game.orders.lines(orders)
            begin.update(line.split()[0] for line in map(game.orders.canonical, orders) if line)
            for language, spelling in zip(LANGUAGES, spelled, strict=True):
                sheet = game.orders.parse(split_lines("\n".join(spelling.all(lines))))
                if sheet.problems:
                    why = tell(sheet.problems[0].message)
                    yield sample.fault(f"orders of {seat} in {language} are not read: {why}")
                elif game.orders.lines(sheet.orders) != lines:
                    yield sample.fault(f"orders of {seat} in {language} are read as others")
            yield from _alone(sample, ply, seat)
    lacking = {word for word in begin if word.isalpha()} - game.orders.lexicon.words.keys()
    if lacking:
        yield sample.fault(f"`orders.lexicon` has no {sorted(lacking)}")


def _alone(sample: Sample, ply: PlayedPly, seat: str) -> Iterator[ContractFault]:
    game = sample.game
    for order in ply.orders[seat]:  # type: ignore[index]
        text = game.orders.canonical(order)
        if read_commands(split_lines(text))[0]:
            yield sample.fault(f"{text!r} is a command of emails; no order may begin so")
    sheet = game.orders.parse(split_lines("\n".join(game.orders.lines(ply.orders[seat]))))  # type: ignore[index]
    refused = game.orders.check(game.sight.observe(ply.before, seat), sheet)  # type: ignore[arg-type]
    if refused:
        yield sample.fault(
            f"{seat}'s orders are allowed, but not in canonical text: {tell(refused[0].message)}"
        )
    public = replace(game.sight.observe(ply.before, Seat("")), seat=seat)
    for wrong in game.orders.evident(public, sheet):
        yield sample.fault(
            f"{seat}'s orders are allowed, but `orders.evident` refuses them: {tell(wrong.message)}"
        )


def template_refused(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    for ply in sample.plies(20):
        for seat in ply.orders:
            view = game.sight.observe(ply.before, seat)
            lines = game.orders.template(view)
            sheet = game.orders.parse(split_lines("\n".join(lines)))
            if not sheet.problems and not game.orders.check(view, sheet):
                yield sample.fault(
                    f"{seat}'s template {' / '.join(lines)!r} is an order already; put `..` where "
                    "a player writes"
                )


_STRANGE = ("", "..", "END", "a1", "A1-B2", "ß" * 500, "\x00", "1. 2. 3.", "(" * 300, "é́️☃ 7")


def any_text(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    rng = sample.random("any text")
    for ply in sample.plies(20):
        for seat in ply.orders:
            view = game.sight.observe(ply.before, seat)
            line = "\n".join(game.orders.lines(ply.orders[seat]))
            for text in (*_STRANGE, *(garble(line, rng) for _ in range(4))):
                lines = split_lines(text)
                sheet = game.orders.parse(lines)
                problems = (*sheet.problems, *game.orders.check(view, sheet))
                numbers = {0, *(one.number for one in lines)}
                for one in problems:
                    if not tell(one.message) or one.line not in numbers:
                        yield sample.fault(f"{text!r} is answered without a sentence or its line")


def computers(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    for name in ("computer", PLAYER):
        if name not in game.computers:
            yield sample.fault(f"`computers` has no {name!r}")
    for ply in sample.plies(5):
        for seat in ply.orders:
            for player in game.computers:
                orders = computer_order(game, ply.before, seat, ply.chance, 0, player)
                sheet = game.orders.parse(split_lines("\n".join(game.orders.lines(orders))))
                view = game.sight.observe(ply.before, seat)
                refused = (*sheet.problems, *game.orders.check(view, sheet))
                if refused:
                    yield sample.fault(
                        f"{player} orders for {seat} what is refused: {tell(refused[0].message)}"
                    )
                elif sheet.orders != tuple(orders):
                    yield sample.fault(f"what {player} orders for {seat} is read as other orders")


def in_advance(sample: Sample) -> Iterator[ContractFault]:
    """Turns are compared as plies, so that a sheet is used for its own turn and for no other."""
    game = sample.game
    if game.advance is None:
        return
    for ply in sample.plies(40):
        turn = game.rules.turn(ply.before)
        for seat in game.rules.awaiting(ply.before):
            if game.advance.ply(ply.before, seat, turn) != 0:
                yield sample.fault(f"{seat} is awaited, and its turn is not the coming ply")
        for seat, orders in ply.orders.items() if turn else ():
            sheet = game.orders.parse(split_lines("\n".join(game.orders.lines(orders))))
            for wrong in game.advance.impossible(game.sight.observe(ply.before, seat), sheet):
                told = tell(wrong.message)
                yield sample.fault(f"{seat}'s orders are allowed, but not in advance: {told}")
        if game.rules.outcome(ply.after):
            continue
        for seat in ply.setting.seats:
            for later in range(turn, turn + 4):
                before = game.advance.ply(ply.before, seat, later)
                if before > 0 and game.advance.ply(ply.after, seat, later) != before - 1:
                    yield sample.fault(f"turn {later} of {seat} comes no ply nearer")
