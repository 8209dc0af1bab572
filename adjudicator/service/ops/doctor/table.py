"""The table of all checks, in the order in which they are told."""

from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from itertools import islice
from pathlib import Path

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.core.public_chance import DRAND
from adjudicator.games import GAMES
from adjudicator.mail.transport.errors import needs_extra
from adjudicator.resources import PACKAGE, Incomplete
from adjudicator.service.base.context import (
    BREAKDOWNS,
    Paths,
    Refusal,
    unknown,
    why_of_breakdown,
)
from adjudicator.service.matches import entering
from adjudicator.service.ops.doctor import files, mail_setup, records
from adjudicator.service.ops.doctor.checking import (
    Finding,
    Installation,
    Look,
    State,
    bad,
    warn,
    well,
)
from adjudicator.store.database import StoreTrouble

# Check the program itself: all that was installed is there, unchanged, and the wanted extras,
# too.


_FEW = 5  # files that are named


def missing_files(_: Installation) -> Iterator[Finding]:
    """Check that all that was installed is there and unchanged, and the wanted extras, too."""
    from adjudicator.reports import whole  # the one check that needs what makes pages

    faults = [*islice(_changed_files(), _FEW), *islice(whole.faults([*GAMES.values()]), _FEW)]
    for fault in faults:
        yield bad(fault.message)
    if not faults:
        yield well(say("program: nothing is missing"))


def packaged_games(_: Installation) -> Iterator[Finding]:
    """Check whether the games of other packages can be used."""
    unusable = GAMES.unusable()
    for one in unusable:
        yield bad(one.message)
    if not unusable:
        yield well(say("games: {games} can be played", games=", ".join(GAMES)))


def pictures(installation: Installation) -> Iterator[Finding]:
    """Check whether emails can carry the board as a picture, if that is wanted."""
    at = installation.at
    if not at.domain or at.out == "none" or at.pictures == "never":
        return
    if _can_import("resvg_py"):
        yield well(say("pictures: players who want it get the board as a picture"))
    elif at.pictures == "always":
        needed = needs_extra("png").message
        yield bad(say("pictures: emails should have them; {why}", why=needed))
    else:
        yield well(say("pictures: emails have none; the extra png would draw the board"))


def chance(installation: Installation) -> Iterator[Finding]:
    """Fetch a round of drand, if new matches wait for one or a command is there for it."""
    command = installation.at.fetcher
    if not command and installation.at.chance == DRAND:
        yield warn(
            say(
                "chance: new matches wait for a round of drand, and there is no command that "
                "fetches it; set {key}, or enter each with `adjud gm value`",
                key="chance.command",
            )
        )
    elif command and (why := entering.why_not_fetched(command, installation.now)) is not None:
        yield bad(say("chance: {why}", why=why))
    elif command:
        yield well(say("chance: a round of drand was fetched"))


def _can_import(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def _changed_files() -> Iterator[Incomplete]:
    """Return the files of an installed program that have changed since.

    Of a checkout, which people edit, nothing is known. The script that starts the program is not
    among them: pipx writes it anew.
    """
    try:
        installed = distribution("adjud")
    except PackageNotFoundError:
        return
    if Path(str(installed.locate_file("adjudicator"))).resolve() != PACKAGE.resolve():
        return
    for file in installed.files or ():
        if file.parts[0] != PACKAGE.name or file.hash is None:
            continue
        if file.hash.mode == "sha256" and not _is_whole(file):
            yield Incomplete(Path(str(file.locate())))


def _is_whole(file: PackagePath) -> bool:
    assert file.hash is not None
    try:
        digest = sha256(file.read_binary()).digest()
    except OSError:
        return False
    return urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value


# `--format json` prints these names. What is before the dot is the check, as it was called before
# it had parts.
CHECKS: Sequence[tuple[str, Look]] = (
    ("configuration", files.configuration),
    ("templates", files.templates),
    ("program", missing_files),
    ("games", packaged_games),
    ("pictures", pictures),
    ("chance", chance),
    ("database.schema", records.database),
    ("database.writing", records.writing),
    ("database.soundness", records.soundness),
    ("database.file", files.database),
    ("database.disk", files.network_disk),
    ("paths", files.relative_paths),
    ("disk", files.disk),
    ("clock", records.clock),
    ("tick", records.ticks),
    ("letters.due", records.due_emails),
    ("letters.refused", records.refused_emails),
    ("letters.stuck", records.stuck_emails),
    ("letters.unanswered", records.unanswered_emails),
    ("matches.unread", records.unread_matches),
    ("matches.number", records.public_numbers),
    ("matches.package", records.changed_packages),
    ("choices", records.unknown_choices),
    ("faults", records.faults),
    ("hooks", records.events),
    ("addresses", records.unconfirmed_addresses),
    ("restore", records.restore),
    ("erased", records.erased_players),
    ("operator", records.operator),
    ("contact", records.contact),
    ("wishes", records.wishes),
    ("mail.domain", records.domain),
    ("spool.folder", files.spool),
    ("spool.club", files.whose_spool),
    ("key.file", files.key),
    ("key.backup", files.key_backup),
    ("passwords", files.passwords),
    ("mail.answers", mail_setup.answers),
    ("delimiter", mail_setup.delimiter),
    ("out", mail_setup.out),
    ("fetch", mail_setup.fetch),
    ("dns", mail_setup.dns_records),
    ("test", mail_setup.test_emails),
    ("token+auth", mail_setup.test_verdicts),
)


# Those that take no time, ask no server and only read, for numbers that are wanted every minute.
_LONG = {
    "program",
    "games",
    "pictures",
    "chance",
    "database.soundness",
    "matches.unread",
    "matches.package",
    "out",
    "fetch",
    "dns",
}
_WRITES = {"database.writing"}
QUICK = {name for name, _ in CHECKS} - _LONG - _WRITES


class CheckResult(Struct, frozen=True):
    """A finding and the name of its check. An acknowledged fault is a warning."""

    name: str
    state: State
    text: Message
    acknowledged: bool = False

    @property
    def check(self) -> str:
        return _whole(self.name)


def _whole(name: str) -> str:
    return name.partition(".")[0]


def names(words: Iterable[str], where: Message) -> frozenset[str]:
    """Return the names of checks that words mean, `where` says from where the words are. Raises
    Refusal for a word that is none."""
    known = {name for name, _ in CHECKS}
    for word in words:
        if word not in known | {*map(_whole, known)}:
            raise unknown(
                say("{where}: there is no check '{seen}'", where=where, seen=shown(word)),
                word,
                sorted(known | {*map(_whole, known)}),
            )
    return frozenset(name for name in known if {name, _whole(name)} & {*words})


def examine(
    url: str,
    at: Paths,
    *,
    now: datetime,
    debug: bool = False,
    only: Collection[str] | None = None,
    acknowledged: Collection[str] = (),
) -> Iterator[CheckResult]:
    """Return all that can be found from here, or by some of the checks.

    If one trouble stops several checks, it is told once. With `debug` a fault of ours in a
    check is raised, not told. A fault that a check in `acknowledged` finds is a warning.
    """
    installation = Installation(url, at, now)
    told: set[str] = set()
    try:
        for name, look in CHECKS:
            if only is not None and name not in only:
                continue
            for finding in _run_check(name, look, installation, debug):
                if str(finding.text) not in told:
                    told.add(str(finding.text))
                    yield _result(name, finding, name in acknowledged)
    finally:
        installation.close()


def _result(name: str, finding: Finding, acknowledged: bool) -> CheckResult:
    if finding.state == "bad" and acknowledged:
        return CheckResult(name, "warn", finding.text, acknowledged=True)
    return CheckResult(name, finding.state, finding.text)


def _run_check(name: str, look: Look, installation: Installation, debug: bool) -> Iterator[Finding]:
    """Yield what a check finds.

    Whatever keeps it from looking is a finding, too, and the other checks go on.
    """
    try:
        yield from look(installation)
    except StoreTrouble as trouble:
        yield bad(trouble.message)
    except Refusal as refusal:
        yield from map(bad, refusal.messages)
    except BREAKDOWNS as trouble:
        yield bad(why_of_breakdown(trouble))
    except Exception as fault:
        if debug:
            raise
        kind = type(fault).__name__
        yield bad(
            say(
                "{check}: an error inside adjud ({kind}) stopped this check; ADJUD_DEBUG=1 shows "
                "where",
                check=name,
                kind=kind,
            )
        )
