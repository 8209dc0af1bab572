"""What the lines below an email say of its club, from the settings."""

from collections.abc import Sequence

from adjudicator.core.message import Words
from adjudicator.service.base.context import Context, reach_game_master
from adjudicator.service.emails import footer as lines
from adjudicator.service.emails.value import ClubLines


def club_lines(context: Context) -> ClubLines:
    return ClubLines(name=context.club, reach=reach_game_master(context), site=context.site_url)


def footer(context: Context, tell: Words) -> Sequence[str]:
    """Return the lines below an email of the club."""
    return lines.footer(club_lines(context), tell)
