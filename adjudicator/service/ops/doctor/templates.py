"""Check the templates of matches in the configuration (club, 6.2)."""

from collections.abc import Iterator

from adjudicator.core.message import say
from adjudicator.games import GAMES
from adjudicator.service.base.context import MatchTemplate, Refusal
from adjudicator.service.base.options import agree
from adjudicator.service.matches.creation import variant_of
from adjudicator.service.ops.doctor.checking import Finding, Patient, bad, well


def templates(patient: Patient) -> Iterator[Finding]:
    """Say of each template whether a match can be made like it."""
    for name, template in patient.at.templates.items():
        try:
            _try(template)
        except Refusal as refusal:
            yield bad(say("template {name}: {why}", name=name, why=refusal.messages[0]))
        else:
            yield well(say("template {name}: a match can be made like it", name=name))


def _try(template: MatchTemplate) -> None:
    """Raise Refusal if no match can be made like the template."""
    game = GAMES.get(template.game)
    if game is None:
        raise Refusal(say("there is no game '{name}'", name=template.game))
    variant = variant_of(game, template.variant or None)
    seating = game.seating(variant, "")
    agree(game, template.options, min(seating) if seating else game.players[0])
