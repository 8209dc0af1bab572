"""Read what our own server says of the sender, by the grammar of RFC 8601.

A stranger chooses much of what is in it.
"""

import pytest

from adjudicator.mail.read.email import passes, read

SERVER = "mx.play.example.org"


def vouches(*results: str, sender: str = "anna@example.org", server: str = SERVER) -> bool:
    heads = "\n".join(f"Authentication-Results: {server}; {result}" for result in results)
    return passes(read(f"{heads}\nFrom: {sender}\n\nx\n".encode()), SERVER)


@pytest.mark.parametrize(
    "result",
    [
        "dmarc=pass header.from=example.org",
        "dmarc=pass (p=none; sp=none (no \\) end)) header.from=example.org",
        "spf=pass smtp.mailfrom=anna@example.org",
        'spf=pass smtp.mailfrom="anna@example.org"',
        'spf=pass smtp.mailfrom="anna b"@example.org',
        "spf=pass smtp.mailfrom=bounces+1=bob=evil.example@example.org",
        "spf=pass smtp.mailfrom=<anna@EXAMPLE.org>",
        'spf=pass reason="he said \\"yes\\"; fine" smtp.mailfrom=example.org',
        "dkim=pass header.i=@example.org header.s=k1",
        "dkim / 1 = pass header . d = example.org",
        "dkim=pass header.d=evil.example; dkim=pass header.d=example.org",
        "x=y z; spf=none; dkim=pass action=none header.d=example.org",
    ],
)
def test_a_sender_is_vouched_for(result):
    assert vouches(result)


@pytest.mark.parametrize(
    "result",
    [
        'spf=pass smtp.mailfrom="x@example.org"@evil.example',
        'spf=pass smtp.mailfrom="\\"x@example.org\\"@evil.example"',
        'spf=pass smtp.mailfrom="a smtp.mailfrom=x@example.org b"@evil.example',
        'spf=pass smtp.mailfrom="a; dmarc=pass header.from=example.org; b"@evil.example',
        'spf=pass smtp.mailfrom="a\\"; dmarc=pass header.from=example.org; \\"b"@evil.example',
        'spf=pass smtp.mailfrom="a (b"@evil.example; dkim=pass (")") header.d=evil.example',
        "spf=pass smtp.mailfrom=smtp.mailfrom=x@example.org@evil.example",
        'dkim=pass reason="header.d=example.org" header.d=evil.example',
        "dkim=pass reason=header.d=example.org header.d=evil.example",
        "dkim=pass (header.d=example.org) header.d=evil.example",
        "dkim=pass (a (b) header.d=example.org) header.d=evil.example",
        "dkim=pass (a \\) header.d=example.org) header.d=evil.example",
        "dkim=fail reason=dkim=pass header.d=example.org",
        'dmarc=pass header.from="example.org or"',
        'dkim=pass header.d="a b" header.i=@example.org',
        "dkim=passed header.d=example.org",
        "dkim=pass-not header.d=example.org",
    ],
)
def test_words_of_a_stranger_vouch_for_nobody(result):
    assert not vouches(result)
    assert not vouches(result, server="other.example; dmarc=pass")


@pytest.mark.parametrize(
    "torn",
    ['dmarc=pass header.from=example.org; x="y', "dmarc=pass header.from=example.org; x=(y"],
)
def test_nothing_of_a_value_without_an_end_is_believed(torn):
    assert not vouches(torn)
    assert not vouches(torn, "dmarc=pass header.from=example.org")  # only the topmost counts


# Emails as they come while the server's own check does not run: all in them is the sender's.
# Lines above "ours" are from our servers, a line below it may be anybody's.
PASS = f"Authentication-Results: {SERVER}; dmarc=pass header.from=example.org"
FAIL = f"Authentication-Results: {SERVER}; dmarc=fail header.from=example.org"
OTHER = "Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org"
OURS = f"Received: from x.example (x.example [192.0.2.1]) by {SERVER} (Postfix) with ESMTPS id 1; x"
INNER = "Received: from mx by imap.play.example.org with LMTP id 2; x"
GOOGLES = "Received: by 2002:a05:7300:1d0a:b0:145:2a6c:eda9 with SMTP id g10csp1; x"
FOREIGN = "Received: from laptop.example by mx.evil.example with ESMTPSA id 3; x"
NAMELESS = "Received: from laptop.example with ESMTPSA id 4; x"


def believed(*head: str, hosts: str = "", server: str = SERVER) -> bool:
    octets = "\n".join([*head, "From: anna@example.org", "", "x"]).encode()
    return passes(read(octets), server, hosts)


@pytest.mark.parametrize(
    ("head", "hosts"),
    [
        ((PASS, OURS, FOREIGN), ""),
        ((OURS, PASS, FOREIGN), ""),
        ((INNER, PASS, OURS), "imap.play.example.org"),
        ((INNER, OURS, PASS), "play.example.org"),
        ((INNER, OURS, PASS), "outlook.com, imap.play.example.org"),
        ((GOOGLES, OURS, PASS), "2002:a00::/24"),
        ((PASS, OURS, PASS, FOREIGN), ""),
        ((PASS, FAIL, OURS), ""),
    ],
)
def test_what_stands_above_the_first_foreign_received_is_believed(head, hosts):
    assert believed(*head, hosts=hosts)


@pytest.mark.parametrize(
    ("head", "hosts"),
    [
        ((OURS, FOREIGN, PASS), ""),
        ((OURS, NAMELESS, PASS), ""),
        ((FOREIGN, PASS), ""),
        ((OTHER, OURS, PASS), ""),
        ((OTHER, PASS, OURS), ""),
        ((OURS, OTHER, PASS), ""),
        ((FAIL, PASS, OURS), ""),
        ((FAIL, OURS, PASS), ""),
        ((INNER, OURS, PASS), ""),
        ((INNER, OURS, PASS), "evil.example, 2002:a00::/24"),
        ((GOOGLES, OURS, PASS), "2003:a00::/24"),
        ((GOOGLES, OURS, PASS), "google.com"),
        ((INNER, PASS), "192.0.2.0/24"),
        (("Authentication-Results: ;;;", OURS, PASS), ""),
        (([OURS] * 30 + [PASS]), ""),
    ],
)
def test_what_a_sender_can_have_written_is_not_believed(head, hosts):
    assert not believed(*head, hosts=hosts)


def test_the_hosts_of_a_domain_that_servers_are_named_by_are_its_own():
    pass_ = "Authentication-Results: play.example.org; dmarc=pass header.from=example.org"
    assert believed(INNER, OURS, pass_, server="play.example.org")


def test_nothing_of_a_value_that_is_cut_is_believed():
    filled = f"spf=pass reason={'x' * 4_000} smtp.mailfrom=example.org"
    assert not vouches(filled)
    assert not vouches(filled, "dmarc=pass header.from=example.org")
    start = f"Authentication-Results: {SERVER}; spf=pass reason="
    end = " smtp.mailfrom=a@example.org"
    fill = "x" * (4_000 + len("Authentication-Results: ") - len(start) - len(end))
    head = f"{start}{fill}{end}.evil.example\nFrom: anna@example.org\n\nx\n"
    assert not passes(read(head.encode()), SERVER)


def test_a_failed_dmarc_outweighs_what_passed():
    """The owner of the domain wants such emails not to be taken for his."""
    failed = "dmarc=fail header.from=example.org"
    assert not vouches(f"dkim=pass header.d=example.org; {failed}")
    assert not vouches(f"{failed}; spf=pass smtp.mailfrom=example.org")
    assert vouches("dkim=pass header.d=example.org; dmarc=none header.from=example.org")


def test_a_domain_is_read_as_it_stands_in_the_dns():
    sender = "anna@straße.example"
    assert vouches("dmarc=pass header.from=xn--strae-oqa.example", sender=sender)
    assert not vouches("dmarc=pass header.from=strasse.example", sender=sender)
