"""Emails within the limits that are made to cost as much work as an email can.

Anybody who knows an address may send one. What is true of a few hundred of these is not proved for
all: if another form is found to cost more, add it here.
"""

from collections.abc import Callable, Iterator, Mapping

TEXT = 64 * 1024 - 400  # characters of a body, and room for what stands around it
RAW = 250_000  # octets of an email

# Lines of a body, repeated until it is full. Each is nearly what is looked for in emails.
LINES = (
    *("press to b", "PRESS TO b", "PRESS TO b c d e f g", "PRESS TO black\nENDPRESS", "endpress"),
    *("a", "d3", "d3-d4", "d3-", "3", "zzzz", "moev", "genral", "general d3 nort", "d3 nrth"),
    *("d3-d4," * 30, "d3 " * 60, "g " * 90, "a-" * 90, "a:" * 90, "a1" * 90, "a1," * 60, "-" * 60),
    *("ORDERS m white", "orders m white", "ORDERS", "ORDERS a b c d e", "ORDERS " + "trun " * 400),
    *("ORDERS m white\nEND", "ORDERS m white\nd3-d4\nEND", "END", "CHALENGE", "1S25MP31S4"),
    *("SETUP", "SETUP x", "General a2", "Genral a2", "general," * 40, "S a1;" * 150, "POLICE P1"),
    *("HELP", "help x", "HELP ME NOW", "report three", "confirm aaaa", "confirm it all", "CHECK"),
    *("CLEAR", "RESIGN", "DRAW", "TEMPLATE", "STATUS", "JOIN m", "join x y z", "zone x"),
    *(">", "> a", ">>>>>>>>>> a", "> ORDERS m white", "> d3-d4", "> ORDERS m white\n> d3\n> END"),
    *("-- ", "From: x", "From: x\nTo: y\nSubject: z", "On 1 x", "On 1 a@b\nx\ny\nwrote:"),
    *("1 wrote:", "2 " + "wrote " * 40 + ":x", "-----Original Message-----", "outlook für x " * 20),
    *("MOVE NOR, e2", "MOVE a b c d e f g h", "MOVE " + "a1, " * 95, "MOVE NEAR " + "HOL," * 90),
    *("MOVE " + "e2 PATH e3 e4 e5 e6 e7 e8, " * 13, "AMBUSH red 2 KEMI VIA " + "f2, " * 90),
    *("SWAP " + "green, " * 40, "KEEP * OUT x TO " + "por, " * 75, "PLACE " + "2," * 190),
    *("SPY A: " + "GO PRA; " * 40, "SPY A: GO PRA,", "DISCOVER N-4, N-3 TRIES"),
    *("#", "*a*", "* " * 40, "1. 1. 1. 1.", "\u00a0", "a\u0301" * 20, "ﷺ", "ﷺ" * 60, "ß"),
    *("\u200b" * 20, "ｄ３－ｄ４", "1" * 199, "a" * 399, "a" * 5_000, "(", "%", ""),
    *("ﷺ" * 3_999, "é", "가", "On 12:30", "on 1 jan 2026 a@b wrote:", "a@b", "Sent: 1\nFrom: a"),
    *("CONFIRM AAAA", "with the line\nCONFIRM AAAA", "NOTE a", "*MARK e7 5?*", "IF e7-e6: d4-e4"),
    *("ELSE: d3-d4", "IF " + "a and " * 18 + "a: d3-d4", "odrers m", "ＯＲＤＥＲＳ", "Sent from"),
    "-----BEGIN PGP SIGNED MESSAGE-----\n-----BEGIN PGP SIGNATURE-----",
)  # fmt: skip

# The places of an email where those lines are put.
PLACES: Mapping[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "in a sheet": lambda text: f"ORDERS m white\n{text}\nEND",
    "in a set-up": lambda text: f"ORDERS m white\nSETUP\n{text}\nEND",
    "below a sheet": lambda text: f"ORDERS m white\nSETUP RANDOM\nEND\n{text}",
    "quoted": lambda text: "> " + text.replace("\n", "\n> "),
    "above a quoted sheet": lambda text: f"{text}\n\n> ORDERS m white\n> SETUP RANDOM\n> END",
}

# Pieces of header fields, of HTML and of other bodies.
_SIGNS = (
    *("a", "a,", "a@b,", "<a@b> ", "<", '"', '"a" ', '"\\"', "\\", "(", "()", "(a)", ";", "a=b;"),
    *("=?utf-8?q?a?= ", "=?", "=?utf-8?b?=?=", "a*0*=x;", "a*=utf-8''x;", 'a="b;', "by a ", "a.b."),
    *("dkim=pass header.d=a;", "a = ", "é", "@", "a@", "\u0301", ":", "'", "--"),
)  # fmt: skip
_FIELDS = (
    *("To", "From", "Subject", "References", "Content-Type", "Received", "Authentication-Results"),
)
_TAGS = (
    *("<b>", "<p>", "<div>", "<blockquote>a", "<table><tr><td>", "<b><p>", "<font size=1>", "<li>"),
    *("<pre>\n", "a<br>", "<div hidden>", "<svg>", "<template>", "&#x41;", "<!--", "<", "<a "),
    *("<p a=1 b=2 c=3>", "<p style='display:none'>", "<span class='gmail_quote'>", "x<wbr>"),
    *("<b><i><p>x</i>", "<a><div>x", "<select><option>x", "<p>CONFIRM AAAA", "<p>genral"),
)  # fmt: skip


def emails() -> Iterator[tuple[str, bytes]]:
    """Yield all of them, by name. Their sender is Anna."""
    for place, put in PLACES.items():
        for n, line in enumerate(LINES):
            yield f"{line[:30]!r} ({n}) {place}", plain(put(filled(line, TEXT)))
    yield "ten thousand different lines", plain("\n".join(f"{n:x}" for n in range(10_000)))
    for name in _FIELDS:
        for sign in _SIGNS:
            value = filled(sign, 3_990, "")
            yield f"{name} of {sign!r}", plain("STATUS", *[f"{name}: {value}"] * 60)
    for field in ("a:", "a: b", "To: a@b", "Received: by x; y", " a"):
        yield f"very many {field!r}", plain("STATUS", *[field] * (RAW // (len(field) + 2)))
    for tag in _TAGS:
        yield f"HTML of {tag!r}", html(filled(tag, RAW, ""))
    yield "HTML with many attributes", html(f"<p {' '.join(f'a{n}' for n in range(35_000))}>x")
    many = "".join(f"<body {' '.join(f'a{n}b{m}' for n in range(190))}>" for m in range(170))
    yield "HTML of bodies with many attributes", html(many + "x")
    yield from _opened_anew()
    for style in ("x ", "text-decoration:", "white-space:"):
        long = filled(style, RAW // 2, "")
        yield f"HTML of {style!r} in a style", html(f'<p style="{long}">x')
        yield f"HTML of {style!r} in an anchor", html(f'<p><a style="{long}">{"<p>x" * 5_000}')
    for line in ("a", "CONFIRM AAAA", "ORDERS m white\nd3-d4\nEND", "d3-d4"):
        yield f"HTML of lines {line!r}", html("<pre>" + filled(line, TEXT))
    yield from _parts()


def _opened_anew() -> Iterator[tuple[str, bytes]]:
    """Yield emails of elements that a parser opens anew wherever a block around them ends."""
    fonts = [f"<font a={n}>" for n in range(5_000)]
    whole = "".join(fonts)
    yield "HTML of fonts that are never closed", html(f"{whole}{'<p>x' * 4_990}")
    for number in (10, 100, 1_000):
        some = "".join(fonts[:number])
        yield f"HTML of {number} fonts and paragraphs", html(f"<p>{some}{'<p>x' * 5_000}")
        yield f"HTML of {number} fonts in divisions", html(f"<div>{some}{'</div><div>x' * 2_500}")
        yield f"HTML of {number} fonts in a table", html(f"<table>{some}{'<tr>x' * 5_000}")


def _parts() -> Iterator[tuple[str, bytes]]:
    """Yield emails of many parts, and encoded ones."""
    mixed = "Content-Type: multipart/mixed; boundary=b"
    for piece in (
        "--b\r\n",
        "--b\r\n\r\n",
        "--b\r\n" + mixed + "\r\n\r\n",
        "--b   x\r\n",
        "\r\n--b x",
    ):
        yield f"parts of {piece!r}", coded(filled(piece, RAW, ""), mixed)
    text, page = ("--b\r\nContent-Type: text/" + kind for kind in ("plain\r\n\r\n", "html\r\n\r\n"))
    for line in ("a\r\n", "CONFIRM AAAA\r\n", "ORDERS m white\r\nd3-d4\r\nEND\r\n"):
        both = f"{text}{filled(line, 30_000, '')}\r\n{page}<pre>{filled(line, 30_000, '')}"
        yield f"text and HTML of {line!r}", coded(both, mixed)
        yield f"many texts of {line!r}", coded(f"{text}{filled(line, 1_200, '')}\r\n" * 49, mixed)
        yield (
            f"many pages of {line!r}",
            coded(f"{page}<pre>{filled(line, 1_200, '')}\r\n" * 49, mixed),
        )
    wide = f"--b\r\n{mixed[:-1]}c\r\n\r\n" + "--c\r\nA: b\r\n\r\n" * 300
    yield "parts of many parts", coded(wide * 49, mixed)
    for sign in (";", "a=b;", 'a="b;', "a*0*=x;", '"', "=?utf-8?q?a?= "):
        long = filled(sign, 2_300, "")
        head = f"--b\r\nContent-Type: text/plain; {long}\r\nContent-Disposition: attachment; {long}"
        yield f"parts with parameters {sign!r}", coded(f"{head}\r\n\r\nx\r\n" * 49, mixed)
    for way in ("base64", "quoted-printable", "7bit"):
        for sign in ("a", "=", "= \r\n", "aa\r\n", "\r\n", "YQ==\r\n", "\r"):
            coding = f"Content-Transfer-Encoding: {way}"
            yield f"{sign!r} in {way}", coded(filled(sign, RAW, ""), coding)
    for charset in ("hz", "iso-2022-jp", "gb18030", "utf-16", "johab", "utf-7"):
        kind = f"Content-Type: text/plain; charset={charset}"
        yield f"a text in {charset}", coded(filled("~{a\x1b$Bﷺ\n", 120_000, ""), kind)
    flowed = "Content-Type: text/plain; format=flowed; delsp=yes"
    for line in ("> a ", ">> a \n> b ", "a ", "-- ", "# ", ">" * 50):
        yield f"{line!r} flowing", coded(filled(line, RAW), flowed)


def filled(piece: str, most: int, end: str = "\n") -> str:
    """Return a text of so many characters, full of one piece."""
    return ((piece + end) * (most // len(piece + end) + 1))[:most]


def plain(body: str, *head: str) -> bytes:
    return coded(body, *head, "Content-Type: text/plain; charset=utf-8")


def html(body: str) -> bytes:
    return coded(body, "Content-Type: text/html; charset=utf-8")


def coded(body: str, *head: str) -> bytes:
    """Return an email of Anna's, cut at the length that is kept of an email."""
    first = ("From: anna@example.org", "Message-ID: <worst@example.org>", *head)
    return "\r\n".join((*first, "", body)).encode()[: 256 * 1024]
