"""How mail programs put a person's words above the email that they answer, in three languages."""

from collections.abc import Mapping, Sequence

CLUB = "The Friday Club <adjud@play.example.org>"
# What Gmail, an iPhone and Outlook write above a quote.
_GMAIL = {
    "en": f"On Mon, 23 Nov 2026 at 13:00, {CLUB} wrote:",
    "nb": f"man. 23. nov. 2026 kl. 13:00 skrev {CLUB}:",
    "sv": f"Den mån 23 nov. 2026 kl 13:00 skrev {CLUB}:",
}
_IPHONE = {
    "en": ("Sent from my iPhone", f"On 23 Nov 2026, at 13:00, {CLUB} wrote:"),
    "nb": ("Sendt fra min iPhone", f"23. nov. 2026 kl. 13:00 skrev {CLUB}:"),
    "sv": ("Skickat från min iPhone", f"23 nov. 2026 kl. 13:00 skrev {CLUB}:"),
}
_OUTLOOK = {
    "en": ("From", "Sent", "To", "Subject", "Monday, 23 November 2026 13:00"),
    "nb": ("Fra", "Sendt", "Til", "Emne", "mandag 23. november 2026 13:00"),
    "sv": ("Från", "Skickat", "Till", "Ämne", "den 23 november 2026 13:00"),
}


def marked(lines: str) -> list[str]:
    return [f"> {line}".rstrip() for line in lines.splitlines()]


def gmail(words: Sequence[str], quoted: str, language: str = "en") -> list[str]:
    return [*words, "", _GMAIL[language], "", *marked(quoted)]


def iphone(words: Sequence[str], quoted: str, language: str = "en") -> list[str]:
    signed, head = _IPHONE[language]
    return [*words, "", signed, "", f"> {head}", "> ", *marked(quoted)]


def outlook(words: Sequence[str], quoted: str, language: str = "en") -> list[str]:
    came, sent, to, subject, when = _OUTLOOK[language]
    head = (f"{came}: {CLUB}", f"{sent}: {when}", f"{to}: anna@example.org", f"{subject}: [m]")
    return [*words, "", "_" * 32, *head, "", *quoted.splitlines()]


PROGRAMS: Mapping[str, object] = {"gmail": gmail, "iphone": iphone, "outlook": outlook}
