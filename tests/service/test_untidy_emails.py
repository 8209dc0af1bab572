"""Read what people and programs write, and what programs make of it (emails, section 4).

Each email is Anna's, as octets; it orders c3-c4 and g3-g4, or nothing.
"""

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.mail.read.email import read
from adjudicator.mail.read.mime import signed_content
from tests.club import computer_orders, receipt_digest
from tests.scale import examples
from tests.service.mailclub import MailClub
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub

FIELD = sorted((Path(__file__).parent / "field").glob("*.eml"))
OURS = "adjud@play.example.org"
ORDERS = ["c3-c4", "g3-g4"]
SHEET_HTML = "<p>ORDERS m white turn 1</p><p>c3-c4</p><p>g3-g4</p><p>END</p>"


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").at_first_turn()


def told(club, raw):
    """Return what Anna is answered, as one line."""
    club.post(raw, club.address("white"), "anna@example.org")
    answers = [
        one for one in club.run_tick() if one["X-Adjud"] in ("receipt", "refusal", "confirm")
    ]
    (answer,) = (one for one in answers if "anna" in str(one["To"]))
    return " ".join(answer.get_body(("plain",)).get_content().split())


def email(body, kind="text/plain; charset=utf-8", head=""):
    return (
        f"From: Anna <anna@example.org>\nMessage-ID: <1@example.org>\n{head}"
        f"MIME-Version: 1.0\nContent-Type: {kind}\nContent-Transfer-Encoding: 8bit\n\n{body}\n"
    ).encode()


def both(text, html):
    parts = (
        f"--b\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
        f"--b\nContent-Type: text/html; charset=utf-8\n\n{html}\n--b--"
    )
    return email(parts, 'multipart/alternative; boundary="b"')


def assert_ordered(answer):
    assert "accepted, version 1 c3-c4 g3-g4 " in answer
    assert receipt_digest("m", "white", 1, 1, ("c3-c4", "g3-g4")) in answer
    assert "NOT accepted" not in answer


@pytest.mark.parametrize("name", [path.stem for path in FIELD])
def test_an_email_from_the_field_orders_what_its_writer_meant(club, name):
    (path,) = (one for one in FIELD if one.stem == name)
    assert_ordered(told(club, path.read_bytes()))


# --- signs around the head and END -----------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("ORDERS: m, white, turn no. 1.", "END !"),
        ("*ORDERS m white turn #1:*", "*END*"),
        ("ORDRE m, hvit, runde nr. 1:", "- SLUTT."),
        ("“ORDER m – vit – omgång: #1”", "SLUT;"),
        ("(ORDERS m white turn 1)", "--- END ---"),
        ("ORDERS m white turn 1\u00a0", "End.\u00a0\u00a0 "),
    ],
)
def test_signs_around_the_head_and_end_say_nothing(club, head, end):
    assert_ordered(told(club, email(f"Hello!\n\n{head}\nc3-c4.\ng3-g4,\n{end}\n\nAnna")))


@pytest.mark.parametrize(
    ("head", "seen"),
    [
        ("ORDERS m white turn 1, turn 2", "turn 2"),
        ("ORDERS m white turn 1-2", "turn 1-2"),
        ("ORDERS m white turn 1?", "turn 1?"),
        ("ORDERS m white/black turn 1", "black"),
    ],
)
def test_a_head_that_says_two_things_is_refused(club, head, seen):
    answer = told(club, email(f"{head}\nc3-c4\ng3-g4\nEND"))
    assert f"I do not understand '{seen}' here; write ORDERS match seat turn 7" in answer


@pytest.mark.parametrize(
    "greeting",
    ["Orders for turn 1:", "Orders, as promised.", "ORDERS: see below", "Order, please!"],
)
def test_a_sentence_above_a_sheet_is_no_head(club, greeting):
    assert_ordered(told(club, email(f"{greeting}\n\nORDERS m white turn 1\nc3-c4\ng3-g4\nEND")))


@pytest.mark.parametrize(
    "end", ["ENDPRESS.", "EndPress!", "*ENDPRESS*", "- ENDPRESS", "END PRESS:"]
)
def test_signs_around_endpress_say_nothing(club, end):
    sheet = "ORDERS m white turn 1\nc3-c4\ng3-g4\nEND"
    assert_ordered(told(club, email(f"PRESS TO: black.\nHello\n{end}\n{sheet}")))
    assert club.letters("press") != []


@pytest.mark.parametrize("word", ["READY.", "READY!", "*READY*", "• READY"])
def test_signs_around_a_command_in_a_sheet_say_nothing(club, word):
    answer = told(club, email(f"ORDERS m white turn 1\nc3-c4\ng3-g4\n{word}\nEND"))
    assert "accepted, version 1 c3-c4 g3-g4 you are ready" in answer


# --- marks that programs put around an order -------------------------------------------------

BULLETS = {
    "Symbol": "·         ", "no-break": "·\u00a0\u00a0\u00a0", "dot": "•\t", "o": "o   ",
    "o and tab": "o\t", "square": "▪ ", "Wingdings": "§  ", "ring": "◦ ", "dash": "– ",
    "private": "\uf0b7\t", "private square": "\uf0a7 ", "pointer": "Ø  ", "check": "ü  ",
    "diamond": "v\t", "box": "q\u00a0\u00a0", "key": "1️⃣ ", "circled": "① ", "tick": "✅ ",
    "task": "- [x] ", "open task": "* [ ] ", "brackets": "(1) ", "both": "1.) ", "arrow": "➔ ",
    "plain arrow": "-> ", "hand": "👉 ", "escaped": "&bull; ", "plus": "+ ", "triangle": "▶️",
}  # fmt: skip


@pytest.mark.parametrize("bullet", BULLETS)
def test_a_bullet_before_an_order_says_nothing(club, bullet):
    lines = "\n\n".join(f"{BULLETS[bullet]}{order}" for order in ORDERS)
    assert_ordered(told(club, email(f"ORDERS m white turn 1\n\n{lines}\n\nEND")))


LINKS = {
    "dashes": " --> ", "equals": " ==> ", "wave": " ~> ", "two": " >> ", "arrow": "→",
    "double": " ⇒ ", "heavy": " ➜ ", "long": " ⟶ ", "button": " ➡️ ", "quote": " » ",
    "single quote": " › ", "Wingdings": " à ", "glued": "à", "bold Wingdings": " è ",
    "Symbol": " ® ", "pointer": " Ø ", "hand": " 👉 ", "private": " \uf0e0 ", "bold": "\uf0e8",
    "escaped": " -&gt; ",
    "entity": "&rarr;", "cross": " × ", "heavy cross": "✕", "colon": ":", "colon and blank": ": ",
}  # fmt: skip


@pytest.mark.parametrize("link", LINKS)
def test_an_arrow_or_a_capture_between_squares_in_any_disguise(club, link):
    lines = "\n".join(order.replace("-", LINKS[link]) for order in ORDERS)
    assert_ordered(told(club, email(f"ORDERS m white turn 1\n{lines}\nEND")))


AROUND = [
    "**{}**", "*{}*", "_{}_", "__{}__", "`{}`", "“{}”", "1. **{}**", "- `{}`", "***{}***",
    "{} 👍", "{}. ✅", "{} \uf04a",
]  # fmt: skip


@pytest.mark.parametrize("around", AROUND)
def test_marks_around_an_order_say_nothing(club, around):
    lines = "\n".join(around.format(order) for order in ORDERS)
    text = f"```text\n**ORDERS** m white turn 1\n{lines}\n**END**\n```"
    assert_ordered(told(club, email(text)))


def test_marks_inside_an_order_say_nothing(club):
    lines = "**MOVE** c3 **to** c4\n`g3`-`g4`"
    assert_ordered(told(club, email(f"ORDERS m white turn 1\n{lines}\nEND")))


@pytest.mark.parametrize(
    "line",
    ["~~c3-c4~~", "❌ c3-c4", "🚫 c3-c4", "c4 ← c3", "c4 ß c3", "> c3-c4", "│ c3-c4", "c3-c4?"],
)
def test_a_sign_that_says_something_is_not_left_out(club, line):
    answer = told(club, email(f"ORDERS m white turn 1\n{line}\ng3-g4\nEND"))
    assert "NOT accepted" in answer
    assert club.loaded().sheets == {}


def test_an_email_that_names_a_piece_is_no_bullet(club):
    """In Swedish o is an Överste."""
    answer = told(club, email("ORDERS m white turn 1\nc3-c4\no g3-g4\nEND"))
    assert "Colonel" in answer


def test_the_colon_of_a_condition_stays(club):
    lines = "IF e7:e6 AND e5×e4: c4:c5, g4-g5\nELSE: c4 à c5, g4 -> g5"
    answer = told(club, email(f"ORDERS m white turn 2\n{lines}\nEND"))
    assert "IF e7-e6 AND e5-e4: c4-c5, g4-g5 ELSE: c4-c5, g4-g5" in answer


FONTS = {
    "arrow": "<p>{0} <span style='font-family:Wingdings'>à</span> {1}</p>",
    "font": '<p>{0} <font face="Wingdings">à</font> {1}</p>',
    "Symbol": "<p>{0} <span style='font-family:Symbol'>®</span> {1}</p>",
    "short": "<p>{0} <span style='font:11.0pt Wingdings'>è</span> {1}</p>",
    "private": "<p>{0} <span style='font-family:Wingdings'>&#61664;</span> {1}</p>",
    "bullet": "<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><![if !supportLists]>"
    "<span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "
    '"Times New Roman"\'>&nbsp;&nbsp; </span></span></span><![endif]>{0}-{1}<o:p></o:p></p>',
    "letter": "<p class=MsoListParagraph><span style='mso-list:Ignore'>b)<span>&nbsp; </span>"
    "</span>{0}-{1}</p>",
    "square": "<p><span style='font-family:Wingdings'>l<span style='font:7.0pt \"Times New "
    "Roman\"'>&nbsp; </span></span>{0}-{1}</p>",
    "smile": "<p>{0}-{1} <span style='font-family:Wingdings'>J</span></p>",
    "list": "<ul><li>{0}-{1}</li></ul>",
    "another font": "<p style='font-family:\"Segoe UI Symbol\"'>{0}-{1}</p>",
}


@pytest.mark.parametrize("font", FONTS)
def test_signs_of_a_font_are_read_as_they_look(club, font):
    lines = "".join(FONTS[font].format(*order.split("-")) for order in ORDERS)
    html = f"<p>ORDERS m white turn 1</p>{lines}<p>END</p>"
    assert_ordered(told(club, email(html, "text/html; charset=utf-8")))


def test_a_letter_in_a_font_of_signs_is_no_letter(club):
    line = "<p style='font-family:Wingdings'>c3-c4</p><p>g3-g4</p>"
    html = f"<p>ORDERS m white turn 1</p>{line}<p>END</p>"
    assert "NOT accepted" in told(club, email(html, "text/html; charset=utf-8"))


@pytest.mark.parametrize(
    "bullet", ["·         ", "o\t", "•\u00a0", "\uf0a7  ", "1.) ", "✅ ", "- **"]
)
def test_marks_around_orders_of_spion_and_spies_say_nothing(store, tmp_path, bullet):
    spion = SpionClub(store, tmp_path / "spool")
    spion.begin(players=2)
    seat = spion.loaded().awaited[0]
    lines = [marked(bullet, line) for line in computer_orders(spion.loaded(), seat, "computer")]
    (answer, *_) = spion.answered(seat, f"*ORDERS m {seat}:*", *lines, "END.")
    assert "accepted" in answer
    assert "NOT accepted" not in answer


@pytest.mark.parametrize("bullet", ["·         ", "o\t", "§ ", "1.) ", "✅ ", "- **"])
def test_and_of_spies(store, tmp_path, bullet):
    spies = SpiesClub(store, tmp_path / "spool")
    spies.start(players=2)
    seat = spies.loaded().awaited[0]
    lines = [marked(bullet, line) for line in computer_orders(spies.loaded(), seat, "computer")]
    sheet = "\n".join((f"ORDERS: m, {seat}", *lines, "*END*"))
    (receipt,) = spies.submit(sheet)
    assert receipt.accepted, receipt.problems


def marked(bullet, line):
    return f"{bullet}{line}{'**' if bullet.endswith('**') else ''}"


# --- quoted emails, by shape ----------------------------------------------------------------

REPORT = "Espionage m, Turn 1\n\nd3-d4\ne3-e4\n\nORDERS m white turn 1\n..-..\n..-..\nEND"
SEAT = "adjud+m.white.k3f5qw2mzt4x7c6d@play.example.org"
ATTRIBUTIONS = [
    f"2026-11-23 13:00 GMT+01:00 adjud espionage <\n{SEAT}>:",
    f"2026-11-23 13:00 GMT+01:00 adjud <{SEAT[:30]}\n{SEAT[30:]}>:",
    f"пн, 23 нояб. 2026 г. в 13:00, adjud <{OURS}>:",
    f"pon., 23 lis 2026 o 13:00 adjud <{OURS}> napisał(a):",
    f"ma 23. marrask. 2026 klo 13.00 adjud (\n{OURS}) kirjoitti:",
    f"adjud <{OURS}> ezt írta (időpont: 2026. nov. 23.,\nH, 13:00):",
    f"adjud <{OURS}>, 23 Kas 2026 Pzt, 13:00 tarihinde şunu yazdı:",
    f"Στις Δευ 23 Νοε 2026 στις 1:00 μ.μ., ο χρήστης adjud\n<{OURS}>\nέγραψε:",
    f"在 2026年11月23日，13:00，adjud <{OURS}> 写道：",
    f"2026/11/23 13:00、adjud <{OURS}>のメール：",
    f"\u202bבתאריך 23.11.2026 ב-13:00 מאת \u202aadjud\u202c <\u202a{OURS}\u202c>:\u202c",
    f"Op 23 nov. 2026 om 13:00 heeft adjud <{OURS}> het volgende geschreven:",
    f"Dňa po 23. 11. 2026, 13:00 adjud <{OURS}> napísal(a):",
    f"---- Wł. Pn, 23 lis 2026 13:00:00 +0100 adjud <{OURS}> napisał ----:",
    f"Vào 13:00, 23 thg 11, 2026 A Club With A Rather Long Name, adjud\n<{OURS}> đã viết:",
]
QUOTING = [
    f"Quoting adjud <{OURS}>:",
    f"Zitat von adjud <{OURS}>:",
    f"[2026-11-23 13:00] adjud <{OURS}>",
    f"adjud <{OURS}> :",
    f"Citerar {OURS.upper()}:",
]


def quoted(text):
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


@pytest.mark.parametrize("above", [*ATTRIBUTIONS, *QUOTING])
def test_orders_above_and_below_a_marked_quote_are_read(club, above):
    top = email("\n".join((*ORDERS, "", above, "", quoted(REPORT))))
    assert bare(top) == ORDERS
    assert bare(email("\n".join((above, "", quoted(REPORT), "", *ORDERS)))) == ORDERS
    assert bare(email("\n".join((ORDERS[0], above, quoted(REPORT), ORDERS[1])))) == ORDERS
    assert_ordered(told(club, top))


def bare(raw):
    return [line for line in read(raw, ours=OURS).texts.bare.split("\n") if line.strip()]


@pytest.mark.parametrize("above", ATTRIBUTIONS)
def test_orders_above_a_quote_without_marks_are_read(above):
    assert bare(email("\n".join((*ORDERS, "", above, "", REPORT)))) == ORDERS
    assert bare(email("\n".join((*ORDERS, above, REPORT)))) == ORDERS


HEADS = {
    "da": ("Fra", "Sendt", "Til", "Emne"),
    "fi": ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
    "nl": ("Van", "Verzonden", "Aan", "Onderwerp"),
    "fr": ("De", "Envoyé", "À", "Objet"),
    "pl": ("Od", "Wysłano", "Do", "Temat"),
    "cs": ("Od", "Odesláno", "Komu", "Předmět"),
    "ru": ("От", "Отправлено", "Кому", "Тема"),
    "el": ("Από", "Απεστάλη", "Προς", "Θέμα"),
    "zh": ("发件人", "发送时间", "收件人", "主题"),
    "ja": ("差出人", "送信日時", "宛先", "件名"),
    "it": ("Da", "Inviato", "A", "Oggetto"),
    "es": ("De", "Enviado el", "Para", "Asunto"),
    "hu": ("Feladó", "Elküldve", "Címzett", "Tárgy"),
    "tr": ("Kimden", "Gönderme Tarihi", "Kime", "Konu"),
    "he": ("מאת", "נשלח", "אל", "נושא"),
}
VALUES = (f"adjud <{OURS}>", "23-11-2026 13:00", "Anna <anna@example.org>", "[m] Turn 1: your move")
FORMS = {
    "plain": "{}: {}",
    "bold": "*{}:* {}",
    "Markdown": "**{}:** {}",
    "French": "{} : {}",
    "wide": "{}：{}",
}


def head(language, form="plain"):
    pairs = zip(HEADS[language], VALUES, strict=True)
    return "\n".join(FORMS[form].format(*pair) for pair in pairs)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", HEADS)
def test_orders_above_the_head_of_a_quoted_email_are_read(language, form):
    above = head(language, form)
    for between in ("\n\n", "\n", "\n\n________________________________\n", "\n\n-- \nAnna\n\n"):
        assert bare(email("\n".join(ORDERS) + between + above + "\n\n" + REPORT)) == ORDERS
    assert bare(email("\n".join((*ORDERS, "", quoted(above), ">", quoted(REPORT))))) == ORDERS
    rule = "-------- Alkuperäinen viesti --------"
    assert bare(email("\n".join((*ORDERS, "", rule, above, "", REPORT)))) == ORDERS


@pytest.mark.parametrize("language", HEADS)
def test_orders_below_a_marked_quote_with_such_a_head_are_read(language):
    text = "\n".join((head(language), "", quoted(REPORT), "", *ORDERS))
    assert bare(email(text)) == ORDERS


def test_a_head_with_a_blank_line_behind_each_is_one(club):
    above = head("fi").replace("\n", "\n\n")
    assert_ordered(told(club, email("\n".join((*ORDERS, "", above, "", REPORT)))))


@pytest.mark.parametrize("language", HEADS)
def test_a_sheet_that_is_edited_in_the_quote_is_read(language):
    filled = REPORT.replace("..-..", "c3-c4", 1).replace("..-..", "g3-g4")
    texts = read(email(head(language) + "\n\n" + filled), ours=OURS).texts
    (sheet,) = texts.reading.sheets
    assert [line.text for line in sheet.body] == ORDERS
    assert texts.quoted


def test_what_is_quoted_becomes_no_order(club):
    """Nor does what stands below our email to somebody else, or below an email to us."""
    for above in (*ATTRIBUTIONS, *map(head, HEADS)):
        assert bare(email(f"{above}\n\nd3-d4\ne3-e4")) == []
        assert bare(email(f"{above}\n\n> d3-d4\n>> e3-e4")) == []
    to_us = "Lähettäjä: Bob <bob@example.org>\nPäivä: 23.11.2026\nVastaanottaja: " + OURS
    assert bare(email(f"{to_us}\n\n{quoted(REPORT)}\n\nd3-d4")) == []


@pytest.mark.parametrize(
    "own",
    [
        f"NOTE my mail to {OURS} at 13:00:",
        f"My mail to {OURS} came back.",
        "From: c3 to c4",
    ],
)
def test_a_players_own_line_ends_nothing(own):
    assert bare(email("\n".join((own, *ORDERS)))) == [own, *ORDERS]


def test_orders_with_a_colon_above_a_head_are_no_part_of_it():
    lines = ["ANSWER red: TAKE 3", "SPY A: GO PRA", "FIFTH ATOM: OUT KEMI"]
    assert bare(email("\n".join((*lines, head("fi"), "", REPORT)))) == lines


# --- format=flowed ---------------------------------------------------------------------------

FLOWED = "text/plain; charset=utf-8; format=flowed"


@pytest.mark.parametrize("kind", [FLOWED, f"{FLOWED}; delsp=yes", f'{FLOWED}; DelSp="YES"'])
@pytest.mark.parametrize("stuffed", ["", " "])
@pytest.mark.parametrize("blanks", [" ", "  "])
def test_a_blank_behind_each_line_joins_none(club, kind, stuffed, blanks):
    lines = ["Hi,", "ORDERS m white turn 1", *ORDERS, "END", "-- ", "Anna"]
    text = "\n".join(line if line == "-- " else f"{stuffed}{line}{blanks}" for line in lines)
    assert_ordered(told(club, email(text, kind)))


def test_neither_head_nor_end_is_joined_to_a_long_line():
    long = "SPY A: GO PRA, ZUR; DISCOVER N-4, N-3 TRIES 2; GO HOME IF CARRYING AND"
    head = "ORDERS a-match-with-a-long-name germany turn 12 rev 3 key k3f5qw2mzt4x7c6d"
    text = f"{head} \n{long} \nEMPTY \nEND. "
    sheet = read(email(text, FLOWED)).texts.reading.sheets[0]
    assert sheet.head.match == "a-match-with-a-long-name"
    assert [line.text.strip() for line in sheet.body] == [f"{long} EMPTY"]


def test_long_lines_of_press_and_notes_are_still_joined():
    words = "this is a rather long line, which a program has broken at seventy-two\ncolumns"
    text = f"PRESS TO black\n{words.replace(chr(10), ' ' + chr(10))}\nENDPRESS"
    assert words.replace("\n", " ") in read(email(text, FLOWED)).texts.bare.split("\n")


# --- signed and encrypted --------------------------------------------------------------------

SHEET = b"ORDERS m white turn 1\r\nc3-c4\r\ng3-g4\r\nEND\r\n"
INNER = b"Content-Type: text/plain; charset=utf-8\r\n\r\n" + SHEET


def tlv(tag, *parts, indefinite=False):
    """Write an element of ASN.1."""
    inside = b"".join(parts)
    if indefinite:
        return bytes([tag, 0x80]) + inside + b"\0\0"
    length = len(inside)
    size = bytes([length]) if length < 0x80 else b"\x82" + length.to_bytes(2, "big")
    return bytes([tag]) + size + inside


def smime(text, kind="2a864886f70d010702", *, cut=0, indefinite=False):
    """Write what OpenSSL and Outlook write; `cut` pieces of the text, or one."""
    pieces = [text[at : at + cut] for at in range(0, len(text), cut)] if cut else []
    octets = tlv(0x24, *(tlv(4, one) for one in pieces), indefinite=indefinite)
    content = tlv(0xA0, octets if cut else tlv(4, text), indefinite=indefinite)
    data = tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d010701")), content, indefinite=indefinite)
    fields = tlv(2, b"\1"), tlv(0x31, tlv(0x30, tlv(6, b"\x2a"))), data, tlv(0x31)
    signed = tlv(0xA0, tlv(0x30, *fields, indefinite=indefinite), indefinite=indefinite)
    return tlv(0x30, tlv(6, bytes.fromhex(kind)), signed, indefinite=indefinite)


SMIME = 'application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"'
KINDS = [
    SMIME,
    'application/x-pkcs7-mime; name="smime.p7m"',
    "application/pkcs7-mime",
    'application/octet-stream; name="smime.p7m"',
]


def enveloped(octets, kind=SMIME):
    """Write an email that is all in an envelope."""
    text = base64.encodebytes(octets).decode()
    return email(text, kind).replace(b"Encoding: 8bit", b"Encoding: base64")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", [{}, {"cut": 7}, {"cut": 50, "indefinite": True}])
def test_an_email_inside_its_signature_is_read(club, kind, how):
    assert_ordered(told(club, enveloped(smime(INNER, **how), kind)))


@pytest.mark.parametrize("inner", [SHEET_HTML, "multipart"])
def test_so_is_one_of_several_parts_or_of_html(club, inner):
    raw = both("ORDERS m white turn 1\nc3-c4\ng3-g4\nEND", SHEET_HTML)
    if inner != "multipart":
        raw = email(inner, "text/html; charset=utf-8")
    assert_ordered(told(club, enveloped(smime(raw.partition(b"MIME-Version: 1.0\n")[2]))))


@pytest.mark.parametrize("octets", [smime(b"", cut=3)[:40], b"MIIabc", smime(INNER)[:-90]])
def test_one_that_cannot_be_opened_is_called_signed(club, octets):
    answer = told(club, enveloped(octets))
    assert "The text of your email is inside its S/MIME signature" in answer
    assert "encrypted" not in answer


@pytest.mark.parametrize("kind", ["2a864886f70d010703", "2a864886f70d01091001 17".replace(" ", "")])
def test_one_that_is_encrypted_is_called_so(club, kind):
    answer = told(club, enveloped(smime(INNER, kind), "application/pkcs7-mime; name=smime.p7m"))
    assert "Your email is encrypted" in answer


@examples(200)
@given(cuts=st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=3)), max_size=5))
def test_a_damaged_signature_raises_nothing(cuts):
    octets = smime(INNER, cut=20, indefinite=True)
    for at, new in cuts:
        octets = octets[:at] + new + octets[at + 1 :]
    signed_content(octets)


def test_nested_signatures_have_an_end():
    octets = INNER
    for _ in range(30):
        octets = b"Content-Type: application/pkcs7-mime\n\n" + smime(octets)
    assert read(octets).defects == ("too deep",)
    assert signed_content(b"\x30\x80" * 50_000) is None
    assert signed_content(b"\x24\x80" * 50_000) is None


# --- a stub of text beside the HTML ----------------------------------------------------------

STUBS = [
    "This is an HTML message; please use another mail program.",
    "Please view this message in HTML.",
    "\u00a0\n\u200b\n",
    "&nbsp;",
    "Sent with Tracker 4.2 https://track.example/x1/c3-c4?u=7",
    "Your mail program does not show HTML.\n\nView it in a browser: https://a.example/m",
    "[image: photo]",
]


@pytest.mark.parametrize("stub", STUBS)
def test_a_sheet_that_only_the_html_has_is_read(club, stub):
    assert_ordered(told(club, both(stub, f"<p>Hello</p>{SHEET_HTML}<p>Anna</p>")))


@pytest.mark.parametrize("stub", STUBS)
def test_so_is_one_that_was_edited_in_the_quote(club, stub):
    assert_ordered(told(club, both(stub, f"<blockquote>{SHEET_HTML}</blockquote>")))


@pytest.mark.parametrize("stub", STUBS)
def test_bare_orders_that_only_the_html_has_are_named(club, stub):
    answer = told(club, both(stub, "<p>c3-c4</p><p>g3-g4</p>"))
    assert (
        "c3-c4: this looks like an order, but it is in a signature, quoted text or HTML" in answer
    )
    assert "Your email contains no orders" in answer
    assert club.loaded().sheets == {}


@pytest.mark.parametrize("stub", STUBS)
def test_a_command_that_only_the_html_has_is_obeyed(club, stub):
    assert "Espionage: how to write orders" in told(club, both(stub, "<p>Hello</p><p>HELP</p>"))


def test_a_text_that_lost_its_line_ends_gives_way_to_the_html(club):
    text = "ORDERS m white turn 1 c3-c4 g3-g4 END"
    assert_ordered(told(club, both(text, SHEET_HTML)))


def test_a_sheet_in_both_forms_is_one(club):
    assert_ordered(told(club, both("ORDERS m white turn 1\nc3-c4\ng3-g4\nEND", SHEET_HTML)))


def test_a_text_goes_before_html_with_other_orders(club):
    html = "<p>ORDERS m white turn 1</p><p>a3-a4</p><p>END</p>"
    assert_ordered(told(club, both("ORDERS m white turn 1\nc3-c4\ng3-g4\nEND", html)))


def test_bare_orders_in_the_text_count_beside_html_with_others(club):
    answer = told(club, both("c3-c4\ng3-g4", "<p>c3-c4</p><p>g3-g4</p><p>a3-a4</p>"))
    assert_ordered(answer)
    assert "a3-a4: this looks like an order, but it is in" in answer


def test_bare_orders_in_both_forms_are_no_more_than_read(club):
    html = f"<p>c3-c4</p><p>g3-g4</p><blockquote>{SHEET_HTML}</blockquote>"
    answer = told(club, both("c3-c4\ng3-g4\n\n> Espionage m", html))
    assert_ordered(answer)
    assert "looks like an order" not in answer


# --- what cannot be read, by name ------------------------------------------------------------

PHOTO = b"\xff\xd8" * 40_000


def with_file(text, kind, octets=PHOTO, head="", html=""):
    """Write an email with a file; `head` are more of its fields."""
    written = f"--b\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
    written += f"--b\nContent-Type: text/html\n\n{html}\n" if html else ""
    packed = base64.encodebytes(octets).decode()
    file = f"--b\nContent-Type: {kind}\n{head}Content-Transfer-Encoding: base64\n\n{packed}--b--"
    return email(written + file, 'multipart/mixed; boundary="b"')


ATTACHED = "Content-Disposition: attachment\n"
FILES = {
    'image/jpeg; name="IMG_1234.JPG"': "pictures cannot be read: 'IMG_1234.JPG'",
    'image/heic; name="IMG 7.heic"': "pictures cannot be read: 'IMG 7.heic'",
    'application/octet-stream; name="plan.png"': "pictures cannot be read: 'plan.png'",
    "image/png": "pictures cannot be read: 'image/png'",
    'application/pdf; name="orders.pdf"': "its attachment cannot be read: 'orders.pdf'",
    'application/zip; name="orders.zip"': "its attachment cannot be read: 'orders.zip'",
    'application/msword; name="my orders.docx"': "cannot be read: 'my orders.docx'. Write the ord",
    'application/vnd.oasis.opendocument.text; name="o.odt"': "cannot be read: 'o.odt'",
    'audio/mp4; name="Memo 1.m4a"': "recordings cannot be read: 'Memo 1.m4a'",
    'application/ms-tnef; name="winmail.dat"': "cannot be read: 'winmail.dat', which only Outlook",
    'text/html; name="orders.html"': "its attachment cannot be read: 'orders.html'",
}


@pytest.mark.parametrize("text", ["", "See the file.", "Here they are:\n\n-- \nAnna"])
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_cannot_be_read_is_named(club, kind, text):
    answer = told(club, with_file(text, kind, head=ATTACHED))
    assert "Your email contains no orders, and" in answer
    assert FILES[kind] in answer


def test_a_photograph_in_the_text_is_named_too(club):
    raw = with_file("\ufffc", 'image/jpeg; name="IMG_1.jpeg"', head="Content-Disposition: inline\n")
    assert "pictures cannot be read: 'IMG_1.jpeg'" in told(club, raw)
    small = with_file("", 'image/png; name="image001.png"', b"x" * 900, "Content-ID: <1@x>\n")
    assert "pictures cannot be read: 'image001.png'" in told(club, small.replace(b"<1@e", b"<2@e"))


SHEET_TEXT = "ORDERS m white turn 1\nc3-c4\ng3-g4\nEND"


@pytest.mark.parametrize("text", [SHEET_TEXT, "c3-c4\ng3-g4"])
def test_a_file_beside_orders_is_named_in_a_note(club, text):
    answer = told(club, with_file(text, 'image/jpeg; name="IMG_1.jpg"', head=ATTACHED))
    assert_ordered(answer)
    assert "adjud reads text alone, so it did not read 'IMG_1.jpg'." in answer


@pytest.mark.parametrize(
    ("kind", "octets"),
    [
        ('image/png; name="image001.png"', b"x" * 5_000),
        ('image/gif; name="logo.gif"', b"x"),
        ('application/pkcs7-signature; name="smime.p7s"', PHOTO),
        ('application/pgp-signature; name="signature.asc"', PHOTO),
        ('text/vcard; name="anna.vcf"', b"x"),
        ('application/ms-tnef; name="winmail.dat"', PHOTO),
        ('text/html; name="ATT00001.htm"', b"<p>"),
        ('message/rfc822; name="old.eml"', b"Subject: x"),
    ],
)
def test_of_what_programs_add_nothing_is_said(club, kind, octets):
    answer = told(club, with_file("c3-c4\ng3-g4", kind, octets))
    assert_ordered(answer)
    assert "did not read" not in answer


@pytest.mark.parametrize("text", ["", "Orders attached."])
def test_an_email_that_was_forwarded_as_a_file_is_named(club, text):
    answer = told(club, with_file(text, 'message/rfc822; name="old.eml"', b"Subject: x\n\nc3-c4"))
    assert "its attachment cannot be read: 'old.eml'." in answer


def test_a_small_picture_beside_words_is_not_blamed(club):
    answer = told(club, with_file("Hello!", 'image/png; name="logo.png"', b"x"))
    assert "pictures" not in answer


@pytest.mark.parametrize("text", ["My orders are in the picture.", "c3-c4\ng3-g4"])
def test_a_small_picture_that_was_attached_is_named(club, text):
    answer = told(club, with_file(text, 'image/png; name="board.png"', b"x", ATTACHED))
    assert "'board.png'" in answer


def test_a_mistyped_order_beside_a_photograph_is_named(club):
    answer = told(club, with_file("c3-c44\ng3-g4", 'image/jpeg; name="IMG_1.jpg"'))
    assert "line 1: c3-c44" in answer
    assert "did not read 'IMG_1.jpg'" in answer


# --- other alphabets, and blanks -------------------------------------------------------------


@pytest.mark.parametrize("frame", ["ORDERS m white turn 1\n{}\nEND", "{}"])
@pytest.mark.parametrize(
    ("line", "sign", "meant"),
    [
        ("с3-с4", "с", "c"),
        ("c3-с4", "с", "c"),
        ("а3-а4", "а", "a"),
        ("ЅPY c3-c4", "Ѕ", "S"),
        ("Geneгal c3-c4", "г", ""),
        ("с3 → с4", "с", "c"),
        ("γ3-γ4", "γ", ""),
    ],
)
def test_a_letter_that_is_not_latin_is_named(club, frame, line, sign, meant):
    answer = told(club, email(frame.format(f"{line}\ng3-g4")))
    assert "NOT accepted" in answer
    looks = f"is not the Latin letter {meant} but one of another alphabet" if meant else ""
    assert f"the {sign} in '" in answer
    assert (looks or "is not a Latin letter; orders are written in Latin letters") in answer
    assert club.loaded().sheets == {}


@pytest.mark.parametrize(
    "head", ["ОRDERS m white turn 1", "ORDERS m whitе turn 1", "ORDERS м white"]
)
def test_so_is_one_in_a_head(club, head):
    answer = told(club, email(f"{head}\nc3-c4\ng3-g4\nEND"))
    assert "not the Latin letter" in answer


def test_an_end_that_looks_like_one_is_one(club):
    assert_ordered(told(club, email("ORDERS m white turn 1\nc3-c4\ng3-g4\nЕND")))


def test_a_letter_in_another_alphabet_is_called_so(club):
    answer = told(club, email("Привет! Как мне ходить?"))
    assert "the П in 'Привет! Как мне ходить?' is not a Latin letter" in answer


def test_words_of_another_alphabet_around_orders_do_no_harm(club):
    text = "Привет!\n\nORDERS m white turn 1\nc3-c4 # ход\ng3-g4\nEND\n\nАнна"
    assert_ordered(told(club, email(text)))


def test_no_break_blanks_and_signs_of_fonts_are_shown_as_they_look(club):
    text = "ORDERS m white turn 1\nSpyy\u00a0c3\u202fto\u2009d9\nc4 \uf0df c3\u200b\nEND"
    answer = told(club, email(text))
    assert "Spyy c3 to d9" in answer
    assert "c4 ← c3" in answer
    assert "\ufffd" not in answer


# --- links that programs add -------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        "c3-c4 <tel:3-4>",
        "c3-c4<tel:3-4>",
        "[c3-c4](tel:3-4)",
        "c3-c4 <https://maps.apple.com/?q=c3-c4>",
        "c3-c4 (mailto:c3-c4@example.org)",
        "c3-c4 <x-apple-data-detectors://0>",
        "c3-c4 [https://maps.example.org/@(c3)]",
        "c3 <geo:3,4> - c4",
    ],
)
@pytest.mark.parametrize("framed", [False, True])
def test_a_link_that_a_program_has_added_is_ignored(club, first, framed):
    lines = f"{first}\ng3-g4"
    sheet = f"ORDERS m white turn 1 <tel:1>\n{lines}\nEND" if framed else lines
    assert_ordered(told(club, email(sheet)))


@pytest.mark.parametrize("declared", ["", "; charset=us-ascii", "; charset=utf-8"])
def test_japanese_is_known_by_its_escapes(club, declared):
    words = "よろしくお願いします。"
    body = f"ORDERS m white turn 1\nc3-c4\ng3-g4\nEND\n\n{words}".encode("iso2022_jp")
    head = f"From: Anna <anna@example.org>\nContent-Type: text/plain{declared}\n\n".encode()
    answer = told(club, head + body)
    assert_ordered(answer)
    assert "$B" not in answer


@pytest.mark.parametrize(
    ("name", "says"),
    [("winmail", "'winmail.dat', which only Outlook can open"), ("calendar", "ABSENCE 2026-12-24")],
)
def test_an_email_from_the_field_without_text_is_told_why(club, name, says):
    assert says in told(club, (FIELD[0].parent / "others" / f"{name}.eml").read_bytes())


def test_a_reaction_from_the_field_gets_no_answer(club):
    raw = (FIELD[0].parent / "others" / "reaction.eml").read_bytes()
    club.post(raw, club.address("white"), "anna@example.org")
    assert club.run_tick() == []
