"""Read how a case of the email dialog begins: who plays in which matches."""

from collections.abc import Mapping

from tests.club import SEED, NewMatch
from tests.games.casefiles import Section
from tests.service.mailclub import MailClub

SEATS = {"white": "Anna", "black": "Bob"}
NOTED = {"language": "en", "zone": "UTC", "confirmed": "yes"}


class Beginning:
    def __init__(self) -> None:
        self.players: dict[str, Mapping[str, str]] = {name: {} for name in SEATS.values()}
        self.matches: dict[str, Mapping[str, str]] = {"m": {"deadline": "every 3 days"}}

    def __str__(self) -> str:
        return f"{self.players} {self.matches}"

    def takes(self, section: Section) -> bool:
        """Note what a section tells, if it is one of a beginning."""
        if section.word == "PLAYER":
            self.players[section.said] = fields(section)
        elif section.word == "MATCH" and " is " not in section.said:
            self.matches[section.said] = fields(section)
        else:
            return False
        return True

    def enter(self, club: MailClub) -> dict[str, str]:
        """Enter the players and open the matches; return the address of who holds `m.white`.

        It is empty where nobody does who reads emails.
        """
        held: dict[str, str] = {}
        for name, told in self.players.items():
            noted = {"address": address_of(name), **NOTED, **told}
            club.add_player(
                name, confirmed=noted.pop("confirmed") == "yes", sends_mail=True, **noted
            )
        for match, told in self.matches.items():
            seats = {seat: told.get(seat, usual) for seat, usual in SEATS.items()}
            _open(club, match, seats, [f"{key}={told[key]}" for key in told.keys() - seats.keys()])
            for seat, name in seats.items():
                known = {"address": address_of(name), **self.players.get(name, {})}
                held[f"{match}.{seat}"] = known["address"] if name in self.players else ""
        return held


def _open(club: MailClub, name: str, seats: Mapping[str, str], options: list[str]) -> None:
    wanted = NewMatch(
        game="espionage",
        variant="small",
        name=name,
        seats=[f"{seat}={'open' if who == 'nobody' else who}" for seat, who in seats.items()],
        options=sorted(options),
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
    )
    club.create(wanted)


def address_of(who: str) -> str:
    """Return the address of Anna, or an address as it is written."""
    return who if "@" in who else f"{who.lower()}@example.org"


def fields(section: Section) -> dict[str, str]:
    """Read lines `key: value`. Raises ValueError for any other."""
    pairs = (text.partition(": ") for text in section.texts)
    told = {key: value for key, _, value in pairs}
    if not all(told.values()):
        raise ValueError(f"not written `key: value`: {section.texts}")
    return told
