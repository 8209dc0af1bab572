"""Spoil a digit or a word in a random email of a match, and see whether an audit finds it.

    python -m tests.service.cheats.spoil GAME N

Prints how many of N spoilings were found, and of the others in which section they stood. What
nobody can compare, such as names, other players' messages and the lines about the club, is spoiled,
too, so not all can be found.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct

from tests.audits import audit, read_papers
from tests.database import create, open_store
from tests.service.cheats.scene import Scene

PLIES = 8
_WORD = re.compile(r"[0-9]+|[^\W\d_]{3,}")
_HEADING = re.compile(r"^(\S[^\n]*)\n[-=]{3,}$", re.M)
_SCRIPT = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>|&#?\w+;", re.S)
_PAGE_HEADING = re.compile(r"<h[12][^>]*>(.*?)</h[12]>", re.S)


class Spoiling(Struct, frozen=True):
    """What was spoiled: in which form and below which heading, and the words."""

    form: str
    section: str
    before: str
    after: str


def emails_of(game: str, folder: Path) -> list[bytes]:
    """Play a match by emails and return all that Anna got."""
    create(url := f"sqlite:///{folder / 'adjud.db'}")
    scene = Scene(open_store(url), folder, game, played=PLIES)
    scene.end()
    scene.club.store.close()
    return scene.letters()


def spoiled(raw: bytes, rng: Random) -> tuple[bytes, Spoiling] | None:
    """Return an email with another digit or word in one of its texts; None if that has no words."""
    email = message_from_bytes(raw)
    parts = [part for part in email.walk() if part.get_content_maintype() == "text"]
    part = rng.choice(parts)
    text = part.get_payload(decode=True).decode()  # type: ignore[union-attr]
    is_html = text.lstrip().startswith("<")
    hidden = [found.span() for found in _SCRIPT.finditer(text)] if is_html else []
    words = [
        found
        for found in _WORD.finditer(text)
        if not any(start <= found.start() < end for start, end in hidden)
    ]
    if not words:
        return None
    found = rng.choice(words)
    word = found[0]
    if word.isdigit():
        place = rng.randrange(len(word))
        digit = rng.choice([one for one in "0123456789" if one != word[place]])
        other = word[:place] + digit + word[place + 1 :]
    else:
        other = rng.choice([one[0] for one in words if one[0] != word and not one[0].isdigit()])
    headings = [*(_PAGE_HEADING if is_html else _HEADING).finditer(text, 0, found.start())]
    section = re.sub(r"<[^>]*>", "", headings[-1][1]).strip() if headings else "(head)"
    new = text[: found.start()] + other + text[found.end() :]
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = "8bit"
    part.set_payload(new.encode().decode("ascii", "surrogateescape"))
    form = "page" if part.get_filename() else "html" if is_html else "text"
    kind = email["X-Adjud"]
    return email.as_bytes(), Spoiling(f"{kind}, {form}", section, word, other)


def spoilings(emails: Sequence[bytes], number: int, seed: str) -> Iterator[tuple[Spoiling, bool]]:
    """Spoil an email again and again; yield what was spoiled, and whether it was found."""
    rng = Random(seed)
    with TemporaryDirectory() as folder:
        papers = [[*read_papers(_file(Path(folder), n, raw))[0]] for n, raw in enumerate(emails)]
        done = 0
        while done < number:
            place = rng.randrange(len(emails))
            made = spoiled(emails[place], rng)
            if made is None:
                continue
            raw, what = made
            read, unread, _ = read_papers(_file(Path(folder), place, raw))
            every = [*papers[:place], read, *papers[place + 1 :]]
            found = audit(one for some in every for one in some)
            lost = bool(papers[place]) and not read
            yield what, bool(unread or lost) or any(one.exit_code for one in found)
            done += 1


def _file(folder: Path, number: int, raw: bytes) -> Path:
    path = folder / f"{number:03}.eml"
    path.write_bytes(raw)
    return path


def main() -> None:
    game, number = sys.argv[1], int(sys.argv[2])
    with TemporaryDirectory() as folder:
        emails = emails_of(game, Path(folder))
    missed: Counter[tuple[str, str]] = Counter()
    total: Counter[str] = Counter()
    found = 0
    for what, is_found in spoilings(emails, number, f"spoil {game}"):
        total[what.form] += 1
        found += is_found
        if not is_found:
            missed[what.form, what.section] += 1
            print(f"not found: {what.form}, {what.section}: {what.before} -> {what.after}")
    print(f"{game}: {found} of {number} found, {100 * found / number:.1f} %")
    for (form, section), n in missed.most_common():
        print(f"    {n:3} of {total[form]} in {form}: {section}")


if __name__ == "__main__":
    main()
