"""The hash of a body, as DKIM has it (RFC 6376, sections 3.4 and 3.7)."""

from base64 import b64encode
from hashlib import sha256

import pytest

from adjudicator.mail.read.mime import split
from adjudicator.mail.read.signed_body import domains_with_hash

# RFC 6376, appendix A, and RFC 8463, appendix A.
JOE = b"Hi.\r\n\r\nWe lost the game. Are you hungry yet?\r\n\r\nJoe.\r\n"
OF_JOE = "2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8="
EMPTY, EMPTY_RELAXED = (
    "frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=",
    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
)
# RFC 6376, section 3.4.5: in relaxed form " C\r\nD E\r\n".
WIDE, NARROW = b" C \r\nD \t E\r\n\r\n\r\n", b" C\r\nD E\r\n"


def signed(body: bytes, bh: str, way: str = "c=simple/simple; ", more: str = "") -> bool:
    head = f"DKIM-Signature: v=1; a=rsa-sha256; {way}d=club.example;\r\n bh={bh}; {more}b=x\r\n"
    return domains_with_hash(split(head.encode() + b"\r\n")[0], body) == ("club.example",)


@pytest.mark.parametrize("way", ["", "c=simple; ", "c=relaxed; ", "c=simple/simple; "])
def test_a_body_as_it_was_signed_has_its_hash(way: str) -> None:
    assert signed(JOE, OF_JOE, way)
    assert signed(JOE.replace(b"\r\n", b"\n") + b"\n\n", OF_JOE, way)
    assert not signed(JOE.replace(b"Joe", b"Jim"), OF_JOE, way)
    assert not signed(JOE.replace(b"the game", b"the  game"), OF_JOE, way)


def test_blanks_make_no_difference_where_that_was_signed() -> None:
    right = b64encode(sha256(NARROW).digest()).decode()
    assert signed(WIDE, right, "c=simple/relaxed; ")
    assert not signed(WIDE, right, "c=relaxed/simple; ")


def test_a_body_of_nothing() -> None:
    assert signed(b"", EMPTY)
    assert signed(b"\r\n", EMPTY_RELAXED, "c=relaxed/relaxed; ")


def test_the_hash_of_a_part_says_nothing_of_the_rest() -> None:
    assert not signed(JOE, OF_JOE, more="l=57; ")
