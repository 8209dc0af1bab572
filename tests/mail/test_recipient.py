"""To which addresses an email can go."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from adjudicator import config
from adjudicator.config import ConfigTrouble
from adjudicator.mail.address import in_ascii, is_mailbox
from adjudicator.mail.write.compose import Outgoing, compose
from tests.club import MONDAY, Club, Refusal, Store
from tests.database import all_players
from tests.inside import people


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("anna@example.org", "anna@example.org"),
        ("Anna@EXAMPLE.org", "Anna@EXAMPLE.org"),
        ("bob@blåbær.no", "bob@xn--blbr-roah.no"),
        ("bob@BLÅBÆR.no", "bob@xn--blbr-roah.no"),
        ("bob@bla\u030abær.no", "bob@xn--blbr-roah.no"),
        ("bob@straße.de", "bob@xn--strae-oqa.de"),  # strasse.de is somebody else
    ],
)
def test_a_domain_is_written_as_servers_write_it(written: str, meant: str) -> None:
    assert in_ascii(written) == meant
    assert is_mailbox(meant)


@pytest.mark.parametrize("address", ["blå@example.org", '"a b"@x.org', "a@b@c.org", "a,b@x.org"])
def test_what_some_server_on_the_way_would_drop_is_no_mailbox(address: str) -> None:
    assert not is_mailbox(address)


ADDRESSES = {
    "anna@example.org": True,
    "anna@xn--blbr-roah.no": True,
    "anna@mail.example.org": True,
    "anna@vm": False,
    "root@localhost": False,
    "anna@example..org": False,
    "anna@.example.org": False,
    "anna@-example.org": False,
    "anna@example-.org": False,
    "anna@example.org.": False,
    "anna@example.": False,
    f"{'a' * 65}@example.org": False,
    f"anna@{'a' * 64}.org": False,
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_one_rule_says_what_an_address_is(address: str) -> None:
    taken = ADDRESSES[address]
    assert is_mailbox(address) is taken
    for setting in ("operator = {}", "[club]\ncontact = {}"):
        text = setting.format(f'"{address}"').encode()
        with nullcontext() if taken else pytest.raises(ConfigTrouble, match="is not valid"):
            config.read(text, Path("adjud.toml"))
    with nullcontext() if taken else pytest.raises(Refusal):
        assert people.address_of(address) == address


def test_a_player_at_a_domain_with_other_emails_gets_his_emails(store: Store) -> None:
    club = Club(store)
    club.add("Bob", address="bob@blåbær.no")
    with store.reading() as tx:
        address = all_players(tx)[0].address
    made = compose(
        Outgoing(
            kind="notice",
            sender="adjud@play.example.org",
            to=address,
            subject="x",
            text="x",
            date=MONDAY,
            message_id="<x@play.example.org>",
        )
    )
    assert b"To: bob@xn--blbr-roah.no\r\n" in made


@pytest.mark.parametrize(
    "address", ["blå@example.org", "a" * 65 + "@example.org", "a@exa_mple.org"]
)
def test_who_could_get_no_email_is_asked_for_another_address(store: Store, address: str) -> None:
    with pytest.raises(Refusal, match="some mail servers accept no email"):
        Club(store).add("Bob", address=address)
    assert people.address_of("Bob@Example.org") == "Bob@Example.org"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("gm@example.org", "gm@example.org"),
        ("Game Master <gm@example.org>", "gm@example.org"),
        ("<gm@example.org>", "gm@example.org"),
        ("gm@blåbær.no", "gm@xn--blbr-roah.no"),
        ("", ""),
    ],
)
def test_the_operator_may_be_named_as_in_an_email(tmp_path: Path, written: str, meant: str) -> None:
    file = tmp_path / "adjud.toml"
    file.write_text(f'operator = "{written}"\n', "utf-8")
    assert config.load(str(file)).settings.operator == meant


@pytest.mark.parametrize(
    "written", ["gm", "Game Master", "gm@x.org, bob@x.org", "gm@x.org <", "<>"]
)
def test_an_operator_whom_no_email_reaches_is_told_at_once(tmp_path: Path, written: str) -> None:
    file = tmp_path / "adjud.toml"
    file.write_text(f'operator = "{written}"\n', "utf-8")
    with pytest.raises(config.ConfigTrouble, match="operator"):
        config.load(str(file))
