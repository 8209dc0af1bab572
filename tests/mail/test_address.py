import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.mail.address import (
    LOCAL_PART,
    BounceAddress,
    Key,
    MailDomain,
    Public,
    SeatAddress,
    authorises,
    bounce_address,
    is_bounce_of,
    match_of_message_id,
    message_id,
    plain_message_id,
    public_address,
    read_address,
    seat_address,
    seat_of_message_id,
    tag,
)

KEY = Key(id="2026a", secret=b"k" * 32)
OLD = Key(id="2025b", secret=b"o" * 32)
POST = MailDomain(domain="play.example.org", keys=(KEY,))
SEATS = [("espionage-17", "white", 1), ("espionage-17", "white", 2), ("espionage-17", "black", 1)]
ADDRESS = seat_address(POST, "espionage-17", "white", 1)

names = st.from_regex(r"[a-z][a-z0-9-]{0,23}", fullmatch=True)
seats = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True)


def read(address: str, post: MailDomain = POST) -> SeatAddress:
    found = read_address(post, address)
    assert isinstance(found, SeatAddress)
    return found


def test_an_address_as_the_dialog_shows_it() -> None:
    """Computed by hand: HMAC-SHA256, ten octets, base32 in lower case."""
    assert ADDRESS == "adjud+espionage-17.white.drne6imvfit7nubt@play.example.org"
    assert tag(KEY.secret, "espionage-17", "white", 1) == "drne6imvfit7nubt"


@given(names, seats, st.integers(1, 99))
def test_a_seat_address_comes_back_as_its_seat(match: str, seat: str, tenure: int) -> None:
    address = seat_address(POST, match, seat, tenure)
    assert len(address.partition("@")[0]) <= LOCAL_PART
    found = read(address)
    assert (found.match, found.seat) == (match, seat)
    assert authorises(POST, found, tenure)
    assert not authorises(POST, found, tenure + 1)


def test_upper_case_is_accepted() -> None:
    assert authorises(POST, read(ADDRESS.upper()), 1)
    assert authorises(POST, read(ADDRESS.title()), 1)


@pytest.mark.parametrize("mangled", [
    f'"{ADDRESS.partition("@")[0]}"@play.example.org',
    f"<{ADDRESS}>", f" {ADDRESS}", f"{ADDRESS}\n", ADDRESS.replace("+", " "),
    ADDRESS.replace("+", "=2B"), ADDRESS.replace("+", "%2B"), ADDRESS.replace("+", "\\+"),
    ADDRESS.replace("+", "-"), ADDRESS.replace("white.", "white.."), ADDRESS.replace(".white", ""),
    ADDRESS.replace("drne", "drn"), ADDRESS.replace("drne", "drn1"),
    ADDRESS.replace("i", "\u0131", 1), ADDRESS.replace("s", "\u017f", 1),
    ADDRESS.replace("example.org", "example.com"), ADDRESS.replace("@", "@@"),
    f"x{ADDRESS}", f"{ADDRESS}.", "adjud+@play.example.org", "adjud+help@play.example.org", "",
])  # fmt: skip
def test_a_mangled_address_is_nobodys(mangled: str) -> None:
    assert read_address(POST, mangled) is None


@given(st.text())
def test_reading_never_fails(text: str) -> None:
    assert read_address(POST, text) is None
    assert seat_of_message_id(POST, text, SEATS) is None


def test_a_dot_of_the_domain_is_no_joker() -> None:
    assert read_address(POST, ADDRESS.replace("play.ex", "playxex")) is None


def test_another_seats_tag_does_not_authorise() -> None:
    black = seat_address(POST, "espionage-17", "black", 1)
    assert not authorises(POST, read(black.replace("black", "white")), 1)


def test_names_cannot_be_joined_to_another_seats_tag() -> None:
    for match, seat in [
        ("a.b", "c"),
        ("a|b", "c"),
        ("a", "b|c"),
        ("", "c"),
        ("a", "B"),
        ("a\n", "c"),
    ]:
        with pytest.raises(ValueError, match="cannot stand in an address"):
            seat_address(POST, match, seat, 1)


def test_a_local_part_that_is_too_long_is_refused_before_anybody_gets_it() -> None:
    longest = MailDomain(domain="play.example.org", keys=(KEY,), user="u" * 20)
    assert len(seat_address(longest, "m" * 20, "white", 1).partition("@")[0]) == LOCAL_PART
    with pytest.raises(ValueError, match="more than 64 octets"):
        seat_address(longest, "m" * 21, "white", 1)


def test_the_delimiter_and_the_user_are_settings() -> None:
    post = MailDomain(domain="Games.Example", keys=(KEY,), user="spel-post", delimiter="-")
    found = read_address(post, seat_address(post, "m-1", "red", 3))
    assert isinstance(found, SeatAddress)
    assert authorises(post, found, 3)
    assert read_address(post, "SPEL-POST@games.example") == Public()
    assert read_address(post, "spel-post+m-1.red.aaaaaaaaaaaaaaaa@games.example") is None


def test_the_public_address() -> None:
    assert read_address(POST, public_address(POST)) == Public()


def test_a_bounce_finds_its_email() -> None:
    address = bounce_address(POST, "espionage-17/12/white/report")
    found = read_address(POST, address.upper())
    assert isinstance(found, BounceAddress)
    assert is_bounce_of(POST, found, "espionage-17/12/white/report")
    assert not is_bounce_of(POST, found, "espionage-17/12/black/report")


def test_an_old_key_still_opens_and_no_longer_signs() -> None:
    before, after = (
        MailDomain(domain="d.example", keys=(OLD,)),
        MailDomain(domain="d.example", keys=(KEY, OLD)),
    )
    address = seat_address(before, "m", "white", 1)
    bounce = read_address(after, bounce_address(before, "k"))
    assert authorises(after, read(address, after), 1)
    assert isinstance(bounce, BounceAddress)
    assert is_bounce_of(after, bounce, "k")
    assert seat_address(after, "m", "white", 1) != address
    known = message_id(before, "k", "m", "white", 1)
    assert seat_of_message_id(after, known, [("m", "white", 1)]) == ("m", "white", 1)
    withdrawn = MailDomain(domain="d.example", keys=(KEY,))
    assert not authorises(withdrawn, read(address, withdrawn), 1)


def test_a_message_id_is_the_same_each_time_and_another_for_each_email() -> None:
    ids = [message_id(POST, f"espionage-17/{ply}/white/report", *SEATS[0]) for ply in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]
    assert plain_message_id(POST, "operator/1") != plain_message_id(POST, "operator/2")


@pytest.mark.parametrize("whose", SEATS)
def test_a_message_id_finds_its_seat(whose: tuple[str, str, int]) -> None:
    known = message_id(POST, "espionage-17/1/x/receipt/4711", *whose)
    assert match_of_message_id(POST, known) == "espionage-17"
    assert seat_of_message_id(POST, f" {known.upper()}\n", SEATS) == whose
    others = [seat for seat in SEATS if seat != whose]
    assert seat_of_message_id(POST, known, others) is None


def test_a_message_id_neither_names_the_seat_nor_authorises() -> None:
    known = message_id(POST, "espionage-17/1/white/report", *SEATS[0])
    assert "white" not in known
    tags = known.strip("<>").partition("@")[0].split(".")
    for part in (tags[0], tags[2]):
        assert not authorises(POST, SeatAddress("espionage-17", "white", part), 1)


def test_a_counter_in_a_key_is_in_nothing_that_a_player_receives() -> None:
    """The ids of emails count everybody's, so they would tell that another seat has written."""
    key = "espionage-17/3/white/receipt/4711"
    sent = message_id(POST, key, *SEATS[0]) + bounce_address(POST, key)
    assert "4711" not in sent


def test_a_strangers_message_id_finds_nobody() -> None:
    for one in ["<x@play.example.org>", "<CAF+b=x@mail.example>", "", plain_message_id(POST, "k")]:
        assert seat_of_message_id(POST, one, SEATS) is None
        assert match_of_message_id(POST, one) is None


def test_a_key_does_not_show_its_secret() -> None:
    assert "kkk" not in repr(POST)
    assert "2026a" in repr(POST)
