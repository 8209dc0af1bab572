"""The club's site, as tests build it and look for its pages."""

from adjudicator.service.site.build import ClubSite, note_built
from adjudicator.service.site.club_pages import place_of_player
from adjudicator.service.site.club_view import board_of_variant, board_place
from adjudicator.service.site.match_pages import (
    SEATS,
    onlookers_ply,
    seat_folder_of,
    seat_link,
    watched_page,
)
from adjudicator.service.site.publish import Draft, served_version

__all__ = [
    "SEATS",
    "ClubSite",
    "Draft",
    "board_of_variant",
    "board_place",
    "note_built",
    "onlookers_ply",
    "place_of_player",
    "seat_folder_of",
    "seat_link",
    "served_version",
    "watched_page",
]
