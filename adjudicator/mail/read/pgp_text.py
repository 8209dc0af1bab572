"""Take OpenPGP's clear-signed text out of its armour (RFC 4880, section 7).

Nothing is verified: the seat's address decides who may order.
"""

_BEGIN = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_END = "-----END PGP SIGNATURE-----"


def unarmour(text: str) -> str:
    """Blank out the armour. Every line stays where it was, so that a receipt's line numbers are the
    letter's."""
    if _BEGIN not in text or _SIGNATURE not in text:
        return text
    place = "outside"
    return "\n".join(line for place, line in _lines(text.split("\n"), place))


def _lines(lines: list[str], place: str) -> list[tuple[str, str]]:
    done = []
    for line in lines:
        mark = line.rstrip()
        if place == "outside" and mark == _BEGIN:
            place, line = "head", ""
        elif place == "head":  # Hash: SHA256, then an empty line
            place, line = ("head", "") if mark else ("text", "")
        elif place == "text" and mark == _SIGNATURE:
            place, line = "signature", ""
        elif place == "text":
            line = line.removeprefix("- ")  # dash-escaped, 7.1
        elif place == "signature":
            place, line = ("outside", "") if mark == _END else ("signature", "")
        done.append((place, line))
    return done
