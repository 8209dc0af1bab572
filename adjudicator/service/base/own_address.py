"""The address of a person beside those of his seats (club, 2)."""

from adjudicator.mail.address import MailDomain, personal_address
from adjudicator.store.players import Player


def own_address(post: MailDomain, player: Player) -> str:
    """Return the personal address of a player as it is now."""
    return personal_address(post, player.token, player.number)
