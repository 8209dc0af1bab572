"""What people write back, as Gmail, an iPhone and Outlook send it, in three languages: nothing is
refused that a person would understand, and no refusal of orders has a code in it (emails, 4)."""

import re
from datetime import timedelta

import pytest
from msgspec import structs

from adjudicator.core.consent import is_thanks
from adjudicator.core.orders import split_lines
from tests.club import MONDAY, SEED, NewMatch, computer_orders
from tests.service.mailclub import MailClub
from tests.service.programs import PROGRAMS

HOUR = timedelta(hours=1)
CODE = re.compile(r"\b(?:CONFIRM|BEKREFT|BEKRÄFTA) ([A-Z0-9]{6})")
LANGUAGES = ("en", "nb", "sv")
# What a person writes, and what the subject of the answer says.
SAID = {
    "en": {
        "thanks": ("Thanks, Gerda!", "", "Anna"),
        "question": ("Can my piece on c3 go to c4?",),
        "reach": "Your piece on c3 can step to: c4",
        "asked": "Your question went to Gerda",
        "bad": "please correct line 1",
        "beside": "Is there a deadline at c3?",
        "answered": "You also asked something.",
        "in": "your orders are in",
        "resign": "Really resign? Please confirm",
        "press": "Your message to Black was sent",
        "yes": "Yes, please!",
        "no": "No thanks",
        "help": "How to write orders",
        "said no": "You said no",
    },
    "nb": {
        "thanks": ("Tusen takk!", "Hilsen Anna"),
        "question": ("Kan brikken min på c3 gå til c4?",),
        "reach": "Brikken din på c3 kan gå til: c4",
        "asked": "Spørsmålet ditt gikk til Gerda",
        "bad": "rett linje 1",
        "beside": "Er det en frist på c3?",
        "answered": "Du spurte også om noe.",
        "in": "ordrene dine er mottatt",
        "resign": "Vil du virkelig gi opp? Bekreft",
        "press": "Meldingen din til Svart ble sendt",
        "yes": "Ja, gjerne!",
        "no": "Nei takk",
        "help": "Slik skriver du ordrer",
        "said no": "Du sa nei",
    },
    "sv": {
        "thanks": ("Tack så mycket!", "", "Anna"),
        "question": ("Kan min pjäs på c3 gå till c4?",),
        "reach": "Din pjäs på c3 kan gå till: c4",
        "asked": "Din fråga gick till Gerda",
        "bad": "rätta rad 1",
        "beside": "Finns det en deadline på c3?",
        "answered": "Du frågade också något.",
        "in": "dina order är mottagna",
        "resign": "Vill du verkligen ge upp? Bekräfta",
        "press": "Ditt meddelande till Svart skickades",
        "yes": "Ja, gärna!",
        "no": "Nej tack",
        "help": "Så skriver du order",
        "said no": "Du sa nej",
    },
}


def text(email):
    return email.get_body(("plain",)).get_content().replace("\r\n", "\n")


def said(email):
    return " ".join(text(email).split())


class Talk:
    """Anna answers emails of the club's in one program and one language."""

    def __init__(self, store, folder, program, language):
        self.club = MailClub(store, folder)
        self.club.context = structs.replace(
            self.club.context, club="The Friday Club", game_master="Gerda",
            contact="gerda@example.org",
        )  # fmt: skip
        self.program, self.language, self.told = PROGRAMS[program], language, SAID[language]
        self.now = MONDAY

    def begin(self, *options):
        self.club.add("Anna", "Bob", language=self.language)
        self.club.new("deadline=every 3 days", "settle=1 hour", *options)
        for seat in ("white", "black"):
            self.club.send(seat, "SETUP RANDOM")
        self.now += HOUR
        return next(one for one in self.club.run_tick(self.now) if "anna" in str(one["To"]))

    def answers(self, words, quoted, **more):
        """Answer an email; return what came back to Anna, and to others."""
        lines = self.program(words, text(quoted), self.language)
        self.club.write("white", *lines, at=self.now, **more)
        emails = self.club.run_tick(self.now)
        return (
            [one for one in emails if "anna" in str(one["To"])],
            [one for one in emails if "anna" not in str(one["To"])],
        )

    def answer(self, words, quoted, **more):
        ((only,), _) = self.answers(words, quoted, **more)
        refused = only["X-Adjud"] == "refusal" and "[m]" in only["Subject"]
        if refused and self.told["asked"] not in only["Subject"]:
            assert not CODE.search(text(only))
        return only

    @property
    def in_force(self):
        sheets = self.club.loaded().sheets
        return sheets["white"].lines if "white" in sheets else ()


@pytest.fixture(params=[(one, code) for one in PROGRAMS for code in LANGUAGES])
def talk(request, store, tmp_path):
    return Talk(store, tmp_path / "spool", *request.param)


@pytest.mark.slow
def test_at_the_board(talk):
    report = talk.begin()
    told = talk.told
    # Thanks alone are not answered, and nobody is asked.
    assert talk.answers(told["thanks"], report) == ([], [])
    # A question with a square in it is one, and gets an answer that knows the square.
    question = talk.answer(told["question"], report)
    assert question["Subject"] == f"[m] {told['asked']}"
    assert told["reach"] in said(question)
    assert "..-.." not in text(question)
    # HELP, and orders in the answer to the card.
    card = talk.answer(["HELP"], report)
    assert card["Subject"] == f"[m] {told['help']}"
    lines = computer_orders(talk.club.loaded(), "white", "computer:random")
    assert talk.answer(lines, card)["Subject"].endswith(told["in"])
    assert list(talk.in_force) == lines
    # A line that is meant as an order and is none.
    wrong = talk.answer(["c3-c9", "g3-g4"], report)
    assert wrong["Subject"].endswith(told["bad"])
    # A code is sent by itself and says what it does; orders take its place.
    resigning = talk.answer(["RESIGN"], report)
    assert resigning["Subject"] == f"[m] {told['resign']}"
    (code,) = CODE.findall(text(resigning))
    wrong = talk.answer(["c3-c9"], resigning)
    assert wrong["Subject"].endswith(told["bad"])
    assert code not in text(wrong).partition("--")[0]
    # Orders and a question in one email: the orders are in, and the question is answered.
    mixed = talk.answer([*lines, "", told["beside"]], report)
    assert mixed["X-Adjud"] == "receipt"
    assert told["answered"] in said(mixed)
    assert list(talk.in_force) == lines
    assert "anna" not in [str(one["To"]) for one in talk.club.run_tick(talk.now)]
    gone = talk.answer([f"CONFIRM {code}"], resigning)
    assert not talk.club.loaded().resigned
    assert gone["X-Adjud"] == "refusal"
    # A message without its end goes to the quote, and comes back word for word.
    sent, others = talk.answers(["PRESS TO BLACK", "Hello Bob,", "c3-c4 is mine"], report)
    assert sent[0]["Subject"] == f"[m] {told['press']}"
    assert "| c3-c4 is mine" in text(sent[0])
    assert "Hello Bob, | c3-c4 is mine" in said(others[0])
    assert list(talk.in_force) == lines


@pytest.mark.slow
def test_yes_and_no_to_a_rematch_and_to_the_first_email(talk):
    talk.club.add("Bob", language=talk.language)
    talk.club.add_player(
        "Anna",
        "anna@example.org",
        language=talk.language,
        zone="UTC",
        confirmed=False,
        sends_mail=True,
    )
    wanted = NewMatch(
        game="espionage", variant="small", name="m", seats=["white=Anna", "black=Bob"],
        options=["deadline=every 3 days"], seed=None, fresh_seed=bytes.fromhex(SEED),
    )  # fmt: skip
    talk.club.create(wanted)
    (invitation,) = [one for one in talk.club.run_tick(talk.now) if "anna" in str(one["To"])]
    emails, _ = talk.answers([talk.told["yes"]], invitation, to="adjud@play.example.org")
    assert [one["X-Adjud"] for one in emails] == ["receipt", "report"]
    assert "NOT" not in "".join(str(one["Subject"]) for one in emails)
    first = emails[1]
    talk.club.send("white", "SETUP RANDOM")
    talk.club.send("black", "SETUP RANDOM")
    talk.club.run_tick(talk.now)
    talk.club.write("black", "RESIGN", at=talk.now)
    (asked,) = talk.club.run_tick(talk.now)
    talk.club.write("black", f"CONFIRM {CODE.findall(text(asked))[0]}", at=talk.now)
    talk.club.run_tick(talk.now)
    assert talk.club.loaded().match.status == "over"
    talk.club.write("black", "REMATCH", at=talk.now)
    (offer,) = [one for one in talk.club.run_tick(talk.now) if "anna" in str(one["To"])]
    assert "Bob" in offer["Subject"]
    back, others = talk.answers([talk.told["no"]], offer, to=talk.club.own("Anna"))
    assert back[0]["Subject"] == f"[adjud] {talk.told['said no']}"
    assert back[0]["X-Adjud"] == "receipt"
    assert len(others) == 1
    assert talk.answers(talk.told["thanks"], first) == ([], [])


@pytest.mark.parametrize(
    ("words", "thanks"),
    [
        ("Thanks!\n\nAnna", True),
        ("Hi Gerda,\nthanks a lot for the quick reply.\nBest,\nAnna Berg", True),
        ("Mange takk for hjelpen!\nMvh Anna", True),
        ("Tack så mycket!", True),
        ("Hello!", False),
        ("Thanks, DRAW", False),
        ("Thanks c3-c4", False),
        ("Thanks\nRESIGN", False),
        ("Thanks but no thanks, I need more time", False),
        ("Thanks. Can I move twice?", False),
        ("Anna", False),
        ("No thanks", False),
        ("Nei takk", False),
        ("Nej tack!", False),
    ],
)
def test_thanks(words, thanks):
    assert is_thanks(split_lines(words)) == thanks
