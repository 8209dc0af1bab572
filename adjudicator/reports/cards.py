"""The card of a game's rules and orders, which HELP sends."""

from adjudicator.core.command_table import TABLE, help_lines
from adjudicator.core.spelling import Spelling
from adjudicator.reports.render import environment
from adjudicator.reports.words import spoken, words


def card(game: str, language: str, spelled: Spelling) -> str:
    """Return the card as text of at most 78 columns, in the reader's language and order words."""
    template = environment(spoken(language), game).get_template(f"{game}/card.txt.j2")
    commands = "\n".join(help_lines(TABLE.values(), words(language, game)))
    return template.render(spelled=spelled, commands=commands)
