"""Check what a game says of itself as a whole."""

from collections.abc import Iterator

from adjudicator.core.game import CONTRACT
from adjudicator.core.match import Option
from adjudicator.core.orders import folded
from adjudicator.games.packaged import is_slug
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN
from adjudicator.service.game_check.findings import ContractFault
from adjudicator.service.game_check.sample import Sample


def names(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    if game.contract != CONTRACT:
        yield sample.fault(
            f"it is written for the contract {game.contract}, and this adjud has {CONTRACT}"
        )
    if not is_slug(game.slug):
        yield sample.fault(f"slug {game.slug!r} is not one word of 2 to 20 letters from a to z")
    if set(game.seat_titles) != set(game.seats):
        yield sample.fault("`seat_titles` are not those of `seats`")
    if set(game.variant_titles) != set(game.variants) or not game.variants:
        yield sample.fault("`variants` are at least one, and each has its title")
    if strangers := set(game.seat_words.values()) - set(game.seats):
        yield sample.fault(f"`seat_words` are for no seat: {sorted(strangers)}")
    if not game.players or max(game.players) > len(game.seats):
        yield sample.fault("`players` are more than there are seats")
    for name, option in game.options.items():
        if option.default not in (option.values or ("0",)):
            yield sample.fault(f"option {name} has no default")
        if name in DEFAULTS or name in UNCHOSEN:
            yield sample.fault(f"option {name} is one of every match; give it another name")
        yield from _defaults(sample, name, option)
    for word, seat in game.seat_words.items():
        plain = folded(word)
        if word != word.casefold():
            yield sample.fault(f"seat word {word!r} is never found: small letters are looked for")
        elif game.seat_words.get(plain, plain) != seat:
            yield sample.fault(
                f"seat word {plain!r}, which is {word!r} without accents, is missing"
            )


def _defaults(sample: Sample, name: str, option: Option) -> Iterator[ContractFault]:
    for players, value in option.by_seats.items():
        if players not in sample.game.players or value not in (option.values or (value,)):
            yield sample.fault(f"option {name} has no value {value!r} for {players} players")
