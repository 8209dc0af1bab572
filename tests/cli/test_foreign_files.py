"""Nothing of other people's is deleted or overwritten, in whatever folder a command writes.

Old files, folders and links with names that look like our own lie beside everything that is
written; afterwards they are as they were.
"""

import os
import shutil
import stat
import time
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.nightly import NIGHTLY, each_once
from tests.program import SEED, Adjud

OLD = time.time() - 60 * 24 * 3600
TOKEN = "0123456789abcdef"
NAMES = (
    *(".adjud-notes", "club.adjud-2025", ".adjud-venv", ".adjud-k3f5x_", "my.adjud-17.txt"),
    *(".b.tar.gz.adjud-notes", f".b.tar.gz.adjud-{TOKEN}0", ".adjud.key.adjud-old"),
    *(f".other.adjud-{TOKEN}", ".espionage-1-white-1.txt.adjud-mine", ".index.html.adjud-x"),
    *(".club.site-notes", f".club.site-{TOKEN}x", f".club.site-{TOKEN}", f".x.site-{TOKEN}.record"),
    *(f".club.site-{TOKEN}.link", ".club.site-", "tmp1", "club.notes", "1700000000.mine"),
    *(f".b.tar.gz.adjud-{'f' * 16}", f".espionage-1-white-1.txt.adjud-{'f' * 16}", ".tried"),
    *(f".adjud.db.adjud-{'f' * 16}", f".adjud.key.adjud-{'f' * 16}", "adjud.db-old", ".hidden"),
)
OURS = tuple(name for name in NAMES if name.endswith(f"adjud-{'f' * 16}"))
Tree = dict[str, tuple[object, ...]]


def entry(path: Path) -> tuple[object, ...]:
    found = path.lstat()
    content = (
        os.readlink(path)
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else sorted(os.listdir(path))
    )
    return stat.S_IFMT(found.st_mode), stat.S_IMODE(found.st_mode), found.st_mtime_ns, content


def age(path: Path) -> None:
    os.utime(path, (OLD, OLD), follow_symlinks=False)


class Strangers:
    """Things of somebody else, in each folder a file, a folder and a link of each name in turn."""

    def __init__(self, elsewhere: Path) -> None:
        self.elsewhere = elsewhere
        elsewhere.mkdir()
        (elsewhere / "thesis.txt").write_text("mine")
        age(elsewhere / "thesis.txt")
        age(elsewhere)
        self.before: Tree = {}

    def stand(self, folder: Path, kind: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            if kind == "file" and name in OURS:  # such a file can be ours alone
                continue
            path = folder / name
            assert not os.path.lexists(path)
            if kind == "file":
                path.write_text("mine")
            elif kind == "folder":
                path.mkdir()
                (path / "thesis.txt").write_text("mine")
                age(path / "thesis.txt")
            else:
                path.symlink_to(self.elsewhere)
            age(path)
        self.note(folder)

    def note(self, folder: Path) -> None:
        for name in NAMES:
            path = folder / name
            if os.path.lexists(path):
                self.before |= {str(one): entry(one) for one in inside(path)}
        self.before |= {str(one): entry(one) for one in inside(self.elsewhere)}

    def unharmed(self) -> None:
        now = {name: entry(Path(name)) for name in self.before if os.path.lexists(name)}
        assert now == self.before


def inside(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir() and not path.is_symlink():
        for below in path.iterdir():
            yield from inside(below)


KINDS = ("file", "folder", "link")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Strangers:
    return Strangers(tmp_path_factory.mktemp("somebody") / "elsewhere")


@pytest.mark.slow
def test_no_command_touches_what_lies_beside_the_things_that_it_writes(
    by_mail: Adjud, strangers: Strangers, kind: str
) -> None:
    adjud, home = by_mail, by_mail.folder
    data = home / "data" / "adjud"
    maildir = home / "Maildir"
    for name in ("new", "cur", "tmp"):
        (maildir / name).mkdir(parents=True)
    (home / "box").write_text("From x\nFrom: x@example.com\n\nHello\n")
    for folder in (
        *(home, home / "out", home / "reports", home / "www", data, data / "spool"),
        *(data / "spool" / "tmp", data / "spool" / "bad", maildir, maildir / "tmp"),
    ):
        strangers.stand(folder, kind)
    adjud("init")
    adjud.armies()
    adjud.does("tick", "--folder", str(home / "reports"))
    adjud.does("report", "espionage-1", "--all", "--folder", str(home / "reports"))
    adjud.does("backup", "b.tar.gz")
    adjud.does("backup", str(home / "out" / "b.tar.gz"))
    (data / "adjud.key").unlink()
    adjud.does("backup", "--restore", "b.tar.gz", "--key-only")
    for _ in range(2):
        adjud.does("site", "build", str(home / "www" / "club"))
    adjud.does("mail", "fetch", f"maildir:{maildir}")
    adjud.does("mail", "fetch", f"mbox:{home / 'box'}")
    if NIGHTLY or kind == "file":
        demo = ("demo", "--variant", "small-fast", "--seed", SEED)
        adjud.does(*demo, "--folder", str(home / "www" / "demo"))
    adjud("doctor")
    adjud.does("gm", "cancel", "espionage-1", "--reason", "Test.")
    adjud.does("tick", "--folder", str(home / "reports"))
    adjud.does("db", "copy", f"sqlite:///{home / 'www' / 'adjud.db'}")
    adjud("tick")
    for path in home.glob("adjud.db*"):
        if path.name not in NAMES:
            path.unlink()
    shutil.rmtree(data / "spool" / "new")
    adjud.does("backup", "--restore", "b.tar.gz")
    adjud.does("tick")
    strangers.unharmed()


def test_what_was_killed_is_removed_when_the_same_file_is_written_again(playing: Adjud) -> None:
    folder = playing.folder / "reports"
    folder.mkdir()
    mine, young, pid = (
        folder / f".espionage-1-white-1.txt.adjud-{end}" for end in (TOKEN, TOKEN[::-1], "4711")
    )
    another = folder / f".espionage-1-white-2.txt.adjud-{TOKEN}"
    for path in (mine, young, pid, another):
        path.write_text("half")
    for path in (mine, pid, another):
        age(path)
    playing.does("report", "espionage-1", "--all", "--folder", str(folder))
    assert sorted(path.name for path in folder.glob(".*")) == sorted((young.name, another.name))


@pytest.mark.parametrize(("kind", "ending"), each_once(KINDS, ["txt", "html", "json"]))
def test_a_report_is_not_written_over_what_is_none(
    playing: Adjud, strangers: Strangers, kind: str, ending: str
) -> None:
    folder = playing.folder / "reports"
    folder.mkdir()
    path = folder / f"espionage-1-white-1.{ending}"
    if kind == "file":
        path.write_text("ORDERS espionage-1 white turn 1\nd3-d4\nEND\n")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(strangers.elsewhere / "thesis.txt")
    before = entry(path)
    answer = playing("report", "espionage-1", "--all", "--folder", str(folder))
    assert answer.code == 1
    assert answer.err == (
        f"adjud: {path} is not a report of espionage-1 and is left alone; move it away first\n"
    )
    assert entry(path) == before
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [path.name, *(f"espionage-1-black-1.{one}" for one in ("html", "json", "txt"))]
    )
    assert sorted(answer.out.split()) == sorted(map(str, folder.glob("espionage-1-black-1.*")))


def test_reports_are_written_over_older_ones_and_over_empty_files(playing: Adjud) -> None:
    folder = playing.folder / "reports"
    folder.mkdir()
    (folder / "espionage-1-white-1.txt").touch()
    for at in ("2026-11-21 12:00:00", "2026-11-22 12:00:00"):
        out = playing.does("report", "espionage-1", "--all", "--folder", str(folder), at=at)
        assert len(out.split()) == 6
    assert "22 Nov" in (folder / "espionage-1-white-1.txt").read_text()


def test_a_tick_writes_the_reports_that_it_can_and_names_the_others(setting_up: Adjud) -> None:
    folder = setting_up.folder / "reports"
    folder.mkdir()
    path = folder / "espionage-1-black-1.txt"
    path.write_text("my plan")
    for seat in ("white", "black"):
        sheet = f"ORDERS espionage-1 {seat} turn 0\nSETUP RANDOM\nEND\n"
        setting_up.does("submit", "-", stdin=sheet)
    answer = setting_up("tick", "--folder", str(folder))
    told = f"{path} is not a report of espionage-1 and is left alone; move it away first"
    assert (answer.code, answer.err) == (1, f"adjud: {told}\n")
    assert path.read_text() == "my plan"
    assert (folder / "espionage-1-white-1.html").exists()


# --- a site ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    each_once(["favicon.ico", "photos", "matches", ".well-known", "seats/robots.txt"], KINDS),
)
def test_a_site_in_which_somebody_put_something_is_not_built_again(
    playing: Adjud, strangers: Strangers, name: str, kind: str
) -> None:
    www = playing.folder / "www" / "club"
    playing.does("site", "build", str(www))
    path = www / name
    if kind == "file":
        path.write_text("mine")
    elif kind == "folder":
        path.mkdir()
        (path / "thesis.txt").write_text("mine")
    else:
        path.symlink_to(strangers.elsewhere)
    before = {str(one): entry(one) for one in inside(path)}
    answer = playing("site", "build", str(www))
    told = f"{www} has {name}, which adjud did not make; move it elsewhere"
    assert answer == (1, "", f"adjud: {told}\n")
    assert {one: entry(Path(one)) for one in before} == before
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
    playing.does("site", "build", str(www))
    assert len(list(www.parent.iterdir())) == 3


def test_a_page_that_was_made_a_link_is_not_followed(playing: Adjud, strangers: Strangers) -> None:
    www = playing.folder / "www" / "club"
    playing.does("site", "build", str(www))
    rules = www / "rules"
    shutil.rmtree(rules)
    rules.symlink_to(strangers.elsewhere)
    for page in ("espionage.html", "spion.html", "spies.html"):
        (strangers.elsewhere / page).write_text("mine")
    strangers.note(strangers.elsewhere)
    assert playing("site", "build", str(www)).code == 1
    strangers.unharmed()


def test_what_is_put_into_a_site_while_it_is_built_stays(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.site_pages import ClubSite

    www = playing.folder / "www" / "club"
    playing.does("site", "build", str(www))
    fill = ClubSite.fill

    def meanwhile(self: ClubSite, draft: object) -> None:
        (www / "favicon.ico").write_text("mine")
        fill(self, draft)  # type: ignore[arg-type]

    monkeypatch.setattr(ClubSite, "fill", meanwhile)
    answer = playing("site", "build", str(www))
    assert "has favicon.ico, which adjud did not make" in answer.err
    assert (www / "favicon.ico").read_text() == "mine"
    assert len(list(www.parent.iterdir())) == 3


def test_a_site_of_an_older_program_is_built_again(playing: Adjud) -> None:
    """Its record names the pages of matches only."""
    www = playing.folder / "www" / "club"
    playing.does("site", "build", str(www))
    (record,) = www.parent.glob(".club.site-*.record")
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(line for line in lines if not line.startswith(b'"')))
    (www / "favicon.ico").write_text("mine")
    answer = playing("site", "build", str(www))
    assert "has favicon.ico, which adjud did not make" in answer.err
    (www / "favicon.ico").unlink()
    playing.does("site", "build", str(www))
    assert len(list(www.parent.iterdir())) == 3
    assert (www / "index.html").exists()


@pytest.mark.parametrize("name", [".club.site-notes", f".club.site-{TOKEN}/notes"])
def test_a_link_to_somebody_elses_folder_of_such_a_name_is_no_site(
    playing: Adjud, name: str
) -> None:
    www = playing.folder / "www"
    (www / name).mkdir(parents=True)
    (www / name / "thesis.txt").write_text("mine")
    (www / "club").symlink_to(name)
    answer = playing("site", "build", str(www / "club"))
    assert answer.err == f"adjud: {www}/club is a link that adjud did not make\n"
    assert (www / "club" / "thesis.txt").read_text() == "mine"


# --- a demo ---------------------------------------------------------------------------------------


def test_a_demo_that_fails_takes_away_nothing_but_its_own(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.inside import base_files as files

    folder = adjud.folder / "here"
    folder.mkdir()
    write, written = files.write_private, 0

    def until_it_is_full(path: Path, text: str) -> Path:
        nonlocal written
        written += 1
        if written == 3:
            (folder / "thesis.txt").write_text("mine")
        if written > 5:
            raise OSError(28, "No space left on device")
        return write(path, text)

    monkeypatch.setattr(files, "write_private", until_it_is_full)
    answer = adjud("demo", "--folder", "here", "--seed", SEED)
    assert answer == (1, "", "adjud: No space left on device\n")
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_a_demo_that_fails_leaves_the_empty_folder_that_was_there(adjud: Adjud) -> None:
    (adjud.folder / "here").mkdir()
    assert adjud("demo", "--variant", "foo", "--folder", "here").code == 1
    assert list((adjud.folder / "here").iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_a_demo_goes_into_no_folder_that_holds_anything(
    adjud: Adjud, strangers: Strangers, kind: str
) -> None:
    strangers.stand(adjud.folder / "here", kind)
    answer = adjud("demo", "--folder", "here")
    assert answer.err == "adjud: here is not empty; choose another --folder\n"
    strangers.unharmed()


# --- backups --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["file", "folder", "link", "link that leads nowhere"])
def test_a_backup_is_written_over_nothing(playing: Adjud, strangers: Strangers, kind: str) -> None:
    path = playing.folder / "b.tar.gz"
    if kind == "file":
        path.write_text("mine")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(strangers.elsewhere / ("gone" if "nowhere" in kind else "thesis.txt"))
    before = entry(path) if kind != "link that leads nowhere" else os.readlink(path)
    answer = playing("backup", str(path))
    assert answer.code in (1, 2)
    assert (entry(path) if kind != "link that leads nowhere" else os.readlink(path)) == before
    assert not (strangers.elsewhere / "gone").exists()
    strangers.unharmed()


def test_what_came_to_be_while_a_backup_was_made_is_kept(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, forced = playing.folder / "b.tar.gz", os.fsync

    def meanwhile(file: int) -> None:
        path.write_text("mine")
        forced(file)

    monkeypatch.setattr(os, "fsync", meanwhile)
    answer = playing("backup", str(path))
    assert answer == (1, "", f"adjud: {path} already exists; nothing was written\n")
    assert path.read_text() == "mine"
    assert list(playing.folder.glob(".adjud-*")) == []


def test_a_backup_goes_where_no_links_can_be(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    playing.does("backup", "b.tar.gz")
    assert (playing.folder / "b.tar.gz").stat().st_mode & 0o777 == 0o600


def emptied(adjud: Adjud) -> Path:
    """Let nothing be left of a club by mail but its archive."""
    adjud.came("white", "HELP")
    adjud.does("backup", "b.tar.gz")
    data = adjud.folder / "data" / "adjud"
    for path in (*adjud.folder.glob("adjud.db*"), *data.glob("adjud.key*")):
        path.unlink()
    (name,) = (path.name for path in (data / "spool" / "new").iterdir())
    shutil.rmtree(data / "spool")
    return data / "spool" / "new" / name


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_an_email_is_restored_over_nothing(by_mail: Adjud, strangers: Strangers, kind: str) -> None:
    email = emptied(by_mail)
    email.parent.mkdir(parents=True)
    if kind == "file":
        email.write_text("mine")
    elif kind == "folder":
        email.mkdir()
    else:
        email.symlink_to(strangers.elsewhere / "thesis.txt")
    before = entry(email)
    answer = by_mail("backup", "--restore", "b.tar.gz")
    assert answer == (
        1, "", f"adjud: there is another file at {email}; move it away first\n"
    )  # fmt: skip
    assert entry(email) == before
    assert not by_mail.file.exists()


def test_a_restore_that_is_begun_again_keeps_what_it_put_back(by_mail: Adjud) -> None:
    email = emptied(by_mail)
    by_mail.does("backup", "--restore", "b.tar.gz")
    before = entry(email)
    for path in by_mail.folder.glob("adjud.db*"):
        path.unlink()
    by_mail.does("backup", "--restore", "b.tar.gz")
    assert entry(email) == before


def test_no_link_is_replaced_by_what_is_restored(by_mail: Adjud, strangers: Strangers) -> None:
    """The key may be kept elsewhere, and the configuration's link may lead to a disk that is not
    there."""
    emptied(by_mail)
    key = by_mail.folder / "data" / "adjud" / "adjud.key"
    config = by_mail.folder / "adjud.toml"
    config.unlink()
    for path in (key, config):
        path.symlink_to(strangers.elsewhere / path.name)
    answer = by_mail("backup", "--restore", "b.tar.gz")
    assert answer.code == 1
    assert "move it away first" in answer.err
    assert key.is_symlink()
    assert config.is_symlink()
    strangers.unharmed()


# --- emails, init --------------------------------------------------------------------------------


def test_init_writes_through_no_link(adjud: Adjud, strangers: Strangers) -> None:
    (adjud.folder / "adjud.toml").symlink_to(strangers.elsewhere / "gone")
    assert adjud("init") == (1, "", f"adjud: {adjud.folder}/adjud.toml: File exists\n")
    strangers.unharmed()


def mail(number: int) -> bytes:
    email = EmailMessage()
    email["From"], email["Message-ID"] = "x@example.com", f"<{number}@example.com>"
    email.set_content(f"Hello {number}")
    return email.as_bytes()


def test_no_email_that_was_fetched_takes_the_place_of_another(by_mail: Adjud) -> None:
    box = by_mail.folder / "Maildir"
    for name in ("new", "cur", "tmp"):
        (box / name).mkdir(parents=True)
    for number, place in enumerate(("new/1.1.x", "cur/1.1.x:2,S", "cur/1.1.x:2,RS")):
        (box / place).write_bytes(mail(number))
    by_mail.does("mail", "fetch", f"maildir:{box}")
    kept = [path.read_bytes() for path in (box / ".Processed" / "cur").iterdir()]
    assert sorted(kept) == sorted(map(mail, range(3)))


def test_a_mailbox_behind_a_link_is_emptied_where_it_is(by_mail: Adjud) -> None:
    """Else the link would become a file, and the server would write on where it led."""
    real, link = by_mail.folder / "var-mail", by_mail.folder / "box"
    real.write_bytes(b"From x\n" + mail(1) + b"\n")
    link.symlink_to(real)
    by_mail.does("mail", "fetch", f"mbox:{link}")
    assert link.is_symlink()
    assert real.read_bytes() == b""
