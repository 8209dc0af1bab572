"""The link that begins an email with an order sheet (RFC 6068)."""

import re
from email import policy
from email.parser import BytesParser
from html import unescape
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from adjudicator.mail.write.compose import MOST, mailto
from tests.club import Club, show

HEADS = {"en": "ORDERS", "nb": "ORDRE", "sv": "ORDER"}
SEATS = {
    "en": {"white": "white", "black": "black"},
    "nb": {"white": "hvit", "black": "svart"},
    "sv": {"white": "vit", "black": "svart"},
}
EPOCHS = {"en": "epoch", "nb": "epoke", "sv": "epok"}
TURNS = {"en": "turn", "nb": "runde", "sv": "omg%C3%A5ng"}
AUTO = {"en": "SETUP%20AUTO", "nb": "OPPSTILLING%20AUTO", "sv": "UPPST%C3%84LLNING%20AUTO"}
ENDS = {"en": "END", "nb": "SLUTT", "sv": "SLUT"}
ADDRESS = "adjud+espionage-17.white.k3f5qw2mzt4x7c6d@play.example.org"


def opened(link):
    """Return what a mail program makes of a link: the address, and fields with a literal `+`."""
    parts = urlsplit(link)
    return parts.scheme, parts.path, dict(parse_qsl(parts.query.replace("+", "%2B")))


def test_a_mail_program_gets_address_subject_and_sheet():
    link = mailto(ADDRESS, "[m] Turn 1, White", ["ORDERS m white turn 1", "..-..", "END"])
    scheme, address, fields = opened(link)
    assert (scheme, address) == ("mailto", ADDRESS)
    assert fields["subject"] == "[m] Turn 1, White"
    assert fields["body"] == "ORDERS m white turn 1\r\n..-..\r\nEND\r\n"
    assert "%0D%0A" in link


@pytest.mark.parametrize("text", ["Runde 3, Hvit & Svart", "50 % + #1?", "Ö;\r\nBcc: x@y.example"])
def test_nothing_in_it_reaches_beyond_its_field(text):
    link = mailto(ADDRESS, text, [text])
    assert link.isascii()
    assert not set(link) & set(' \r\n"<>')
    _, address, fields = opened(link)
    assert address == ADDRESS
    assert fields == {"subject": text, "body": f"{text}\r\n"}


def test_a_sheet_that_is_too_long_is_left_to_be_copied():
    link = mailto(ADDRESS, "s", ["x" * 70] * 40)
    assert opened(link)[2] == {"subject": "s"}
    assert len(link) <= MOST


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
@pytest.mark.parametrize("variant", ["standard", "small"])
def test_the_link_of_every_seat_holds_its_whole_template(store, tmp_path, language, variant):
    """The bar of the attached page begins it with its own seat's address alone, and the sheet.
    For the set-up the email has a button with the easiest orders, in English, and the page the
    same for readers without scripts, who also get a sheet to write in; no link has dots."""
    from tests.service.mailclub import MailClub

    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", language=language)
    club.new(variant=variant)
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    assert len(club.way.letters) == 3  # both set-ups, and White's first turn
    for (_, to, raw), turn in zip(club.way.letters, (0, 0, 1), strict=True):
        own, other = ("white", "black") if to.startswith("anna") else ("black", "white")
        email = BytesParser(policy=policy.default).parsebytes(raw)
        octets = [part.get_payload(decode=True) or b"" for part in email.walk()]
        pages = [page.decode() for page in octets if page.startswith(b"<!DOCTYPE html>")]
        assert len(pages) == 2
        for page, is_email in zip(pages, (True, False), strict=True):
            assert len(page) < 150_000
            assert club.address(other) not in page
            links = re.findall(r"href=\"?mailto:([^\"> ]+)", page)
            assert all(link.startswith(club.address(own) + "?subject=") for link in links)
            assert len(links) == (turn == 0) + (not is_email)
            if is_email:
                for link in links:
                    assert f"ORDERS%20m%20{own}%20turn%200%20epoch%20" in link
                    assert link.endswith("SETUP%20AUTO%0D%0AEND%0D%0A")
                continue
            head = f"&body={HEADS[language]}%20m%20{SEATS[language][own]}%20{TURNS[language]}%20"
            head = f"{head}{turn}%20{EPOCHS[language]}%20"
            end = f"%0D%0A{ENDS[language]}%0D%0A"
            (unscripted,) = re.findall(r"<noscript>(.*?)</noscript>", page, re.DOTALL)
            for link, lines in zip(links, [AUTO[language], ""][-len(links) :], strict=True):
                assert link in unscripted
                assert head in unescape(link)
                assert link.endswith(f"%0D%0A{lines}{end}")
                assert ".." not in link.partition("&body=")[2]
            (begun,) = re.findall(r"data-to=\"mailto:([^\"]+)\"", page)
            (sheet,) = re.findall(
                r" id=\"?orders\b.*?<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL
            )
            lines = unescape(sheet).strip().split("\n")
            assert len(lines) > 3
            whole = f"{unescape(begun)}&body=" + quote("\r\n".join([*lines, ""]), safe="")
            assert whole.startswith(club.address(own) + "?subject=")
            assert head in whole
            assert whole.endswith(end)
            assert len(f"mailto:{whole}") <= MOST


def test_a_page_without_scripts_begins_an_email_with_the_orders_in_force(store, tmp_path):
    from tests.service.mailclub import MONDAY, POST, MailClub

    club = MailClub(store, tmp_path / "spool").opened()
    club.send("white", "SETUP AUTO")
    club.run_tick(MONDAY)
    shown = Club(store).live_report("m", "white", now=MONDAY, post=POST)
    page = show(shown, "html")
    (unscripted,) = re.findall(r"<noscript>(.*?)</noscript>", page, re.DOTALL)
    (link,) = re.findall(r"href=\"?(mailto:[^\"> ]+)", unscripted)
    head, *lines, end = opened(unescape(link))[2]["body"].split("\r\n")[:-1]
    assert (head, end) == (shown.report.template[0], "END")
    assert lines == "\n".join(shown.report.orders.lines).split("\n")
    assert ".." not in "".join(lines)
