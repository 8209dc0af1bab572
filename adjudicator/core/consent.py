"""Read a person's yes or no to an invitation, in the words that people use.

Only what is clear is either. Whoever asks, doubts or sets conditions has said neither.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from adjudicator.core.likeness import closes
from adjudicator.core.orders import Line, folded

Consent: TypeAlias = Literal["yes", "no"]

_MOST_WORDS, _MOST_LINES = 80, 20
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")  # noqa: RUF001
_SENTENCES = re.compile(r"(?<=[.!?…])[\s)\"']+|[;:]\s+|\n")
# Phrases that hold a word of the other answer, folded.
_HARMLESS = re.compile(
    r"\b(?:no problem(?:o)?|no worries|no doubt|why not|can(?:'|no)?t wait|cannot wait"
    r"|ikke noe problem|inga problem|hvorfor ikke|varfor inte|det er ikke noe i veien)\b"
)
# A sentence that begins so says yes.
_YES = (
    *("yes", "yep", "yeah", "yup", "yess", "sure", "absolutely", "definitely", "certainly"),
    *("gladly", "of course", "with pleasure", "agreed", "i accept", "accepted", "i confirm"),
    *("confirmed", "count me in", "i'm in", "im in", "i am in", "i'll play", "i will play"),
    *("i'd love", "i would love", "i'd like", "i would like", "i'd be happy", "i want to play"),
    *("i'd be glad", "i would be happy", "i would be glad", "love to", "happy to", "let's play"),
    *("sign me up", "sounds good", "sounds great", "sounds fun", "why not", "no problem"),
    *("ok", "okay", "okey", "ja", "jo", "jada", "joda", "jepp", "japp", "jadda", "gjerne"),
    *("veldig gjerne", "garna", "mycket garna", "absolutt", "absolut", "selvfolgelig"),
    *("sjalvklart", "naturligvis", "klart", "jeg er med", "jag ar med", "jeg blir med"),
    *("jeg vil gjerne", "jag vill garna", "jeg spiller gjerne", "jag spelar garna", "det vil jeg"),
    *("det vill jag", "jeg bekrefter", "jag bekraftar", "bekreftet", "bekraftat", "den er god"),
    *("hvorfor ikke", "varfor inte", "gerne", "sehr gerne", "naturlich", "klar", "ich bin dabei"),
)
# A sentence of these words alone says yes, or no, whatever is asked beside it.
_AROUND = frozenset(
    (
        *("please", "thanks", "thank", "you", "very", "much", "many", "so", "too", "in", "with"),
        *("me", "i", "i'm", "i'd", "i'll", "am", "would", "will", "be", "to", "love", "like"),
        *("happy", "glad", "play", "playing", "join", "it", "that", "is", "a", "an", "the", "game"),
        *("match", "for", "inviting", "invitation", "invite", "asking", "all", "right", "good"),
        *("great", "fun", "count", "sounds", "course", "of", "let's", "do", "go", "and", "this"),
        *("takk", "tusen", "mange", "for", "det", "jeg", "vil", "er", "med", "blir", "bli"),
        *("spille", "spiller", "partiet", "parti", "et", "invitasjonen", "gjerne", "veldig"),
        *("bra", "fint"),
        *("supert", "goy", "kult", "tack", "tusen", "manga", "sa", "mycket", "jag", "vill", "ar"),
        *("vara", "spela", "spelar", "ett", "inbjudan", "garna", "kul", "roligt", "inbjudningen"),
        *("danke", "bitte", "ich", "spiele", "mit", "dabei", "bin", "vielen", "dank"),
    )
)
_NO = frozenset(
    (
        *("no", "nope", "not", "don't", "dont", "decline", "declined", "never", "nah", "nei"),
        *("nej", "ikke", "ikkje", "inte", "nein", "nicht", "kein", "unsubscribe", "unfortunately"),
        *("dessverre", "tyvarr", "leider", "avslar", "avboj", "avbojer"),
    )
)
_AROUND_NO = frozenset(
    (
        *("interested", "want", "time", "now", "sorry", "afraid", "i'm", "but", "rather", "can't"),
        *("cannot", "right", "at", "moment", "do", "have", "we", "won't", "be", "able", "any"),
        *("interessert", "interesserad", "intresserad", "tid", "na", "nu", "beklager", "ledsen"),
        *("har", "kan", "ingen", "onsker", "onskar", "a", "att", "interesse", "intresse"),
        *("remove", "from", "list", "games", "this", "mich", "interessiert", "keine", "zeit"),
    )
)
# With one of these nothing is a clear yes.
_DOUBTS = _NO | frozenset(
    (
        *("can't", "cannot", "won't", "isn't", "maybe", "perhaps", "later", "if", "unless", "only"),
        *("but", "however", "unsure", "sorry", "busy", "kanskje", "kanske", "senere", "senare"),
        *("hvis", "om", "dersom", "men", "bare", "bara", "usikker", "osaker", "vielleicht", "wenn"),
        *("aber", "spater", "wrong", "feil", "fel", "spam", "stop", "stopp", "aldri", "aldrig"),
    )
)
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|dear|hei|heisann|hej|hejsan|hallo|god \w+|good \w+|kjaere|basta|kara|moin)"
    r"\b[^,!.?:]{0,40}[,!.:]\s*)"
)


# Thanks, and what stands around them, folded.
_THANKS = frozenset(
    (
        *("thanks", "thank", "thx", "ty", "cheers", "takk", "tack", "danke", "tusen", "tusind"),
        *("merci", "takker", "tackar"),
    )
)
_AROUND_THANKS = frozenset(
    (
        *("you", "so", "very", "much", "many", "a", "lot", "again", "for", "the", "that", "this"),
        *("all", "your", "help", "email", "game", "match", "ok", "okay", "great", "good", "nice"),
        *("got", "it", "perfect", "hi", "hello", "hey", "dear", "to", "and", "well", "fun", "was"),
        *("mange", "skal", "du", "ha", "det", "dere", "deg", "for", "hjelpen", "hjelpa", "partiet"),
        *("e-posten", "hei", "bra", "fint", "flott", "supert", "igjen", "og", "sa", "mye", "alt"),
        *("mycket", "hej", "for", "hjalpen", "partiet", "mejlet", "fint", "igen", "och", "allt"),
        *("jattebra", "tusen", "ska", "vielen", "dank", "schon", "sehr", "hallo", "kveld", "god"),
        *("spillet", "spelet", "svaret", "reply", "answer", "quick", "raske", "snabba", "gg"),
    )
)
_LONGEST_NAME = 3  # words below thanks


def is_thanks(lines: Sequence[Line]) -> bool:
    """Return whether somebody says thanks, and nothing else; names may stand above and below."""
    told = [line.text.strip() for line in lines if _TOKEN.search(line.text)]
    if not told or len(told) > _MOST_LINES or any("?" in one for one in told):
        return False
    thanked = [number for number, one in enumerate(told) if _thanks(one)]
    return bool(thanked) and all(
        number in thanked or closes(one) or _is_name(one, first=number < thanked[0])
        for number, one in enumerate(told)
    )


def _thanks(text: str) -> bool:
    """Return whether a line thanks, perhaps somebody by name: `Thanks, Gerda!`"""
    words = _TOKEN.findall(folded(text))
    others = [one for one in _TOKEN.findall(text) if folded(one) not in _THANKS | _AROUND_THANKS]
    named = all(one.istitle() for one in others) and len(others) < 2
    if not {*words} & _THANKS or {*words} & _DOUBTS or len(words) > _MOST_WORDS or not named:
        return False
    return not others or folded(others[0]) != words[0]


def _is_name(text: str, *, first: bool) -> bool:
    words = _TOKEN.findall(text)
    if first and _GREETING.fullmatch(f"{folded(text)} "):
        return True
    return len(words) <= _LONGEST_NAME and all(one.istitle() for one in words)


def consent(lines: Sequence[Line]) -> Consent | None:
    """Return what a person's own words answer to an invitation; None if that is not clear."""
    text = folded("\n".join(_lines_before_closing(lines))).replace("’", "'")  # noqa: RUF001
    text = _GREETING.sub("", text.strip(), count=1).strip()
    told = [one.strip() for one in _SENTENCES.split(text) if _TOKEN.search(one)]
    words = _TOKEN.findall(_HARMLESS.sub(" ", text))
    if not told or len(words) > _MOST_WORDS or len(lines) > _MOST_LINES:
        return None
    while len(told) > 1 and _is_courtesy(told[0]):
        told = told[1:]
    asks = "?" in text
    if not _DOUBTS & {*words}:
        return "yes" if _says_yes(told[0]) and (not asks or _is_all_yes(told[0])) else None
    return "no" if not asks and _is_all_no(told[0]) else None


def _lines_before_closing(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines down to a closing, below which names and addresses stand."""
    for line in lines:
        if closes(line.text) and not _says_yes(folded(line.text)):
            return
        yield line.text.strip()


def _says_yes(sentence: str) -> bool:
    if sentence.rstrip(" \"')").endswith("?"):
        return False
    words = " ".join(_TOKEN.findall(sentence))
    return any(words == one or words.startswith(f"{one} ") for one in _YES)


def _is_courtesy(sentence: str) -> bool:
    return not _says_yes(sentence) and {*_TOKEN.findall(sentence)} <= _AROUND


def _is_all_yes(sentence: str) -> bool:
    known = _AROUND | {word for one in _YES for word in one.split()}
    return {*_TOKEN.findall(sentence)} <= known


def _is_all_no(sentence: str) -> bool:
    words = {*_TOKEN.findall(sentence)}
    return bool(words & _NO) and words <= _NO | _AROUND_NO | _AROUND
