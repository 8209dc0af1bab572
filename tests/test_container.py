"""The container's instructions, run as far as a machine without containers can.

The commands of compose.yaml are run here with its own environment, against a real PostgreSQL; of
the Containerfile each source is there, each RUN is understood by a shell, and pip would find the
extras that it names.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy.engine import URL

from adjudicator import config
from tests import postgresql
from tests.mail.servers import free_port

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "container"
CONTAINERFILE = (FOLDER / "Containerfile").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
GIVEN = {
    "ADJUD_DB_PASSWORD": "hemmelig",
    "ADJUD_DOMAIN": "play.example.org",
    "ADJUD_OPERATOR": "games@example.org",
    "ADJUD_OUT": "smtp://localhost:25",
}


def instructions() -> list[tuple[str, str]]:
    """Return each instruction of the Containerfile, with the lines that belong to it."""
    whole = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", CONTAINERFILE))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in whole.splitlines())]


def filled(text: str) -> str:
    """Fill variables in as compose does: ${NAME:-default} and ${NAME:?complaint}."""
    return re.sub(r"\$\{(\w+):[-?][^}]*\}", lambda found: GIVEN[found[1]], text)


def environment_of_image() -> dict[str, str]:
    (line,) = (rest for word, rest in instructions() if word == "ENV")
    return dict(one.split("=", 1) for one in shlex.split(line))


def test_every_run_is_understood_and_every_source_is_there() -> None:
    known = {"FROM", "COPY", "RUN", "ENV", "USER", "WORKDIR", "VOLUME", "ENTRYPOINT", "CMD", ""}
    assert {word for word, _ in instructions()} <= known
    for word, rest in instructions():
        if word == "RUN":
            subprocess.run(["sh", "-n", "-c", rest], check=True)
        if word == "COPY" and not rest.startswith("--from"):
            assert (ROOT / rest.split()[0]).exists()
    assert "/src" in next(rest for word, rest in instructions() if word == "RUN")
    ignored = (FOLDER / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    assert {".git", ".venv"} <= set(ignored)


def test_pip_finds_the_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (extras,) = re.findall(r"\.whl\)\[(.*?)\]", CONTAINERFILE)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    (version,) = set(re.findall(r"FROM docker.io/library/python:3\.(\d+)", CONTAINERFILE))
    assert int(version) >= int(project["requires-python"].removeprefix(">=3."))


def test_every_service_is_whole() -> None:
    assert (FOLDER / SERVICES["tick"]["build"]["context"]).resolve() == ROOT
    assert (ROOT / SERVICES["tick"]["build"]["dockerfile"]).is_file()
    for name, service in SERVICES.items():
        assert {"image", "environment", "volumes"} <= set(service), name
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        named = {volume.partition(":")[0] for volume in service["volumes"]}
        assert named <= set(COMPOSE["volumes"])
    assert SERVICES["mail"]["ports"] == ["127.0.0.1:8024:8024"]  # never to the world


def test_the_settings_in_the_environment_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (environment_of_image() | SERVICES["tick"]["environment"]).items():
        if name.startswith("ADJUD__"):
            monkeypatch.setenv(name, filled(value))
    monkeypatch.setenv("ADJUD_CONFIG", "")
    settings = config.read(b"", Path("/var/lib/adjud/adjud.toml")).settings
    assert settings.folder == "/var/lib/adjud"
    assert (settings.mail.domain, settings.mail.out) == ("play.example.org", "smtp://localhost:25")
    assert settings.operator == "games@example.org"


@pytest.mark.slow
def test_a_club_in_containers_begins_ticks_and_takes_emails(
    postgres_server: URL, tmp_path: Path
) -> None:
    club = tmp_path / "club"
    club.mkdir()
    with postgresql.database(postgres_server) as url:
        settings = {**environment_of_image(), **SERVICES["tick"]["environment"]}
        for name, value in settings.items():
            settings[name] = filled(value).replace("/var/lib/adjud", str(club))
        settings["PATH"] = f"{Path(sys.executable).parent}:/usr/bin:/bin"
        settings["ADJUD_DATABASE"] = postgresql.as_text(url)
        settings["HOME"] = str(club)

        def run(service: str, *words: str) -> str:
            command = [*SERVICES[service]["entrypoint"], *words]
            done = subprocess.run(
                command, env=settings, cwd=club, capture_output=True, text=True, timeout=120
            )
            assert done.returncode == 0, done.stderr
            return done.stdout

        assert "made\n" in run("begin")
        assert f"{club}/adjud.key: there already, left alone\n" in run("begin")
        run("tick", "player", "add", "Anna", "anna@example.org", "--confirmed")
        run("tick", "new", "espionage", "--seat", "white=Anna", "--seat", "black=computer")
        assert "espionage-1" in run("tick", "status")
        mail = subprocess.Popen(
            [*SERVICES["mail"]["entrypoint"][:-1], "127.0.0.1", "--port", str(free_port())],
            env=settings, cwd=club, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert mail.stdout is not None
        assert mail.stdout.readline().startswith("taking emails on 127.0.0.1:")
        mail.send_signal(signal.SIGTERM)  # as a container is stopped
        assert mail.wait(30) == 0
        mail.stdout.close()
        loop = subprocess.Popen(
            SERVICES["tick"]["entrypoint"], env=settings, cwd=club, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert loop.stdout is not None
        assert loop.stdout.readline()  # it cannot reach the mail server, and says so
        os.killpg(loop.pid, signal.SIGTERM)
        loop.wait(30)
        loop.stdout.close()
