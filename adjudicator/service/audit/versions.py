"""Judge the versions of adjud that a log and emails name (`releases`): one that never was
contradicts, and a newer one than this must say itself what it makes of the log. An email of another
version is written again by that version, if the reader names the program.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import MsgspecError, Struct
from msgspec.json import decode

from adjudicator import __version__
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.releases import ReleaseState, release_list, state_of
from adjudicator.service.audit.emailed import look_at, look_findings
from adjudicator.service.audit.log import ParsedLog
from adjudicator.service.audit.papers import Document, UnreadValue, first_names
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    AuditVerdict,
    asks,
    by_rule,
    contradicts,
    leaves_open,
    remark,
)
from adjudicator.service.emails.write import Forms

_SECONDS = 120.0  # for one email; a page with a long history takes some


class OtherVersions(Struct, frozen=True):
    """What is done with emails that another version wrote: the `program` of that version writes
    them again, its file or the folder of its checkout. Without one that is asked for, or with
    `values_only` left out."""

    program: Path | None = None
    values_only: bool = False


ASKING = OtherVersions()


@by_rule("version")
def judge_named(log: ParsedLog) -> Iterator[AuditFinding]:
    """Say what is wrong with the versions that a log names, each once."""
    opening = log.opening
    named = [(opening.version, opening.at), *((one.version, one.at) for one in log.entries)]
    for version, at in dict(reversed(named)).items():
        told = {"paper": log.paper.name, "version": shown(version)}
        match state_of(version):
            case ReleaseState.NONE if version:
                yield contradicts("{paper} names adjud {version}, which was never released", **told)
            case ReleaseState.NEWER:
                yield asks(
                    "{paper} names adjud {version}, which is newer than this adjud {own}: "
                    "audit the match with that version, too",
                    **told,
                    own=__version__,
                )
            case ReleaseState.KNOWN if (
                version != __version__ and at[:10] < release_list()[version].date
            ):
                yield contradicts(
                    "{paper} names adjud {version} on {day}, before it was released",
                    **told,
                    day=at[:10],
                )


def emails(papers: Sequence[Document], others: OtherVersions) -> Iterator[AuditFinding]:
    """Compare the emails of other versions with what that version writes."""
    found = [
        (paper, paper.unread)
        for paper in papers
        if paper.unread is not None and paper.unread.version and not paper.unread.false
    ]
    if others.program is not None:
        for paper, unread in found:
            earlier = [
                one.text for _, one in found if one is not unread and one.version == unread.version
            ]
            yield from _compared(paper, unread, earlier, others.program)
        return
    for version in dict.fromkeys(unread.version for _, unread in found):
        those = [paper.name for paper, unread in found if unread.version == version]
        told = count(
            "versions: {n} email was written by adjud {version}, and this is adjud {own}. `adjud "
            "audit --with PROGRAM` compares it with what that version writes: {names}",
            "versions: {n} emails were written by adjud {version}, and this is adjud {own}. `adjud "
            "audit --with PROGRAM` compares them with what that version writes: {names}",
            len(those),
            version=shown(version),
            own=__version__,
            names=first_names(those),
        )
        yield leaves_open(told) if others.values_only else asks(told)


def _compared(
    paper: Document, unread: UnreadValue, earlier: Sequence[str], program: Path
) -> Iterator[AuditFinding]:
    if unread.came is None:
        yield leaves_open(
            "{paper}: how the email looked, because this is its JSON alone", paper=paper.name
        )
        return
    ours = _written(unread.text, earlier, program)
    if isinstance(ours, Message):
        yield asks(
            "versions: {paper}: {program} does not write it again: {why}",
            paper=paper.name,
            program=str(program),
            why=ours,
        )
        return
    yield from look_findings((paper, one) for one in look_at(unread.came, ours).found)


def _written(text: str, earlier: Sequence[str], program: Path) -> Forms | Message:
    """Return the forms that a program writes of a value, or why it does not."""
    with TemporaryDirectory(prefix="adjud-") as name:
        folder = Path(name)
        files = [folder / f"{number}.adjud.json" for number in range(len(earlier) + 1)]
        for file, said in zip(files, (text, *earlier), strict=True):
            file.write_text(said, "utf-8")
        before = [word for file in files[1:] for word in ("--earlier", str(file))]
        words = ["write", str(files[0]), "--form", "all", *before]
        is_checkout = program.is_dir()
        start = [sys.executable, "-m", "adjudicator"] if is_checkout else [str(program.absolute())]
        path = {"PYTHONPATH": str(program.absolute())} if is_checkout else {}
        try:
            ran = subprocess.run(  # noqa: S603  # no shell; the reader names the program
                [*start, *words],
                cwd=folder,
                env={**os.environ, **path},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as trouble:
            return Message(shown(str(trouble), 200))
    if ran.returncode:
        lines = ran.stderr.decode("utf-8", "replace").strip().splitlines() or ["?"]
        return Message(shown(lines[-1].replace(str(folder) + os.sep, ""), 300))
    try:
        return decode(ran.stdout, type=Forms)
    except MsgspecError as trouble:
        return Message(shown(str(trouble), 200))


# The games of packages change apart from this program. So if a log that names other versions is
# played again and does not agree, that may be the package's doing and not the club's; only the
# named version can tell.

_OF_THE_CLUB = (AuditVerdict.CONTRADICTS, AuditVerdict.ASKS)


def _packages_in(log: ParsedLog) -> list[str]:
    """Return the packages that a log names, each once, in the order in which they were used."""
    named = [log.opening.package, *(entry.package for entry in log.entries)]
    return [*dict.fromkeys(package for package in named if package)]


def missing_game(log: ParsedLog) -> AuditFinding:
    """Say that the game is not here, and so nothing was played again."""
    slug, named = shown(log.opening.game), _packages_in(log)
    if (why := GAMES.why_missing(log.opening.game)) is not None:
        told: Message = say("what follows from the rules: {why}", why=why)
    elif named:
        told = say(
            "what follows from the rules: it was played with the game '{name}' of the package "
            "{package}, which is not installed here; install it and audit the match again",
            name=slug,
            package=_listed(named),
        )
    else:
        told = say(
            "what follows from the rules: this adjud does not know the game '{name}'", name=slug
        )
    return leaves_open(told)


def judge_by_package(log: ParsedLog, findings: Sequence[AuditFinding]) -> list[AuditFinding]:
    """Return what was found when a log was played again; where it was played with another version
    of its game than is here, one sentence says so in place of what differs."""
    named, installed = _packages_in(log), GAMES.package(log.opening.game)
    others = _listed([package for package in named if package != installed])
    if not others:
        return [*findings]
    here = installed or say("this adjud")  # the game has become one of the program's own
    left = [one for one in findings if one.verdict not in _OF_THE_CLUB]
    if len(left) == len(findings):
        told = say(
            "the match was played with {others}, and {here}, which is installed here, gives the "
            "same",
            others=others,
            here=here,
        )
        return [*left, remark(told)]
    told = say(
        "the match was played with {others}, and {here} is installed here, which does not give the "
        "same: audit the match with {others}, too",
        others=others,
        here=here,
    )
    return [*left, AuditFinding(AuditVerdict.ASKS, told, "version")]


def _listed(packages: Sequence[str]) -> str:
    return ", ".join(map(shown, packages))
