"""Letters from the mail server to the last one handed over: with what it costs to take them in, by
the pipe, by LMTP, and for GNU Mailman, which puts them into its own queue."""

import smtplib
import subprocess
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

from tests.bench.letters import POST
from tests.bench.many_matches import many
from tests.bench.measuring import (
    MISSING,
    Row,
    adjud,
    environment,
    milliseconds,
    scaled,
    spent,
    used,
)
from tests.bench.outage import Counting, keep_key, letters, mailman
from tests.mail.servers import free_port, smtp_server

LETTERS = 100  # at so many in a tick the pipe is more than half of what a letter costs
Letter = tuple[str, bytes]
Take = Callable[[list[Letter], Mapping[str, str]], None]


def rows(scale: float) -> Iterator[Row]:
    number = scaled(LETTERS, scale, least=2)
    with TemporaryDirectory() as made:
        theirs = _theirs(Path(made), number)
    for name, take in (("pipe", _by_pipe), ("LMTP", _by_lmtp)):
        with TemporaryDirectory() as made:
            intake, whole = _ours(Path(made), number, take)
        yield Row(
            name=f"each of {number:,} letters with its intake by {name} (Mailman with its own)",
            ours=milliseconds(whole / number),
            theirs=MISSING if theirs is None else milliseconds(theirs / number),
            ratio=None if theirs is None else whole / theirs,
            most=1,
        )
        yield Row(name="  the intake alone", ours=milliseconds(intake / number))


def _ours(folder: Path, number: int, take: Take) -> tuple[float, float]:
    """Return the processor time of the intake, and that of the intake and a tick."""
    url = many(folder, number)
    keep_key(folder)
    env = environment(folder, url)
    receiver = Counting()
    settings = f'[mail]\ndomain = "{POST.domain}"\nout = "smtp://127.0.0.1:{receiver.port}"\n'
    (folder / "adjud.toml").write_text(settings, "utf-8")
    waiting = list(letters(url))
    subprocess.run([*adjud(), "status"], env=env, check=True, capture_output=True)  # is compiled
    with smtp_server(receiver):
        intake = spent(lambda: take(waiting, env))
        _, tick = used([*adjud(), "tick"], env)
        assert receiver.number == 2 * number, receiver.number
    return intake, intake + tick


def _by_pipe(waiting: list[Letter], env: Mapping[str, str]) -> None:
    for to, raw in waiting:
        words = [*adjud(), "mail", "receive", "anna@example.org", to]
        subprocess.run(words, env=env, input=raw, check=True)


def _by_lmtp(waiting: list[Letter], env: Mapping[str, str]) -> None:
    """Its start and what the mail server does are in it: a little for each letter."""
    port = free_port()
    words = [*adjud(), "mail", "serve", "--port", str(port)]
    serving = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL)
    try:
        with _connected(port) as server:
            for to, raw in waiting:
                server.sendmail("anna@example.org", [to], raw)
    finally:
        serving.terminate()
        serving.wait()


def _connected(port: int) -> smtplib.LMTP:
    for _ in range(600):
        try:
            return smtplib.LMTP("127.0.0.1", port)
        except ConnectionRefusedError:
            sleep(0.1)
    raise TimeoutError(f"nobody takes letters on port {port}")


def _theirs(folder: Path, number: int) -> float | None:
    """Return the processor time of Mailman's runners and of what put the letters into its queue;
    None if it is not installed."""
    if find_spec("mailman") is None:
        return None
    receiver = Counting()
    with smtp_server(receiver):
        (folder / "one").mkdir()
        begun, _ = mailman(folder / "one", receiver, 1)
        receiver.number = 0
        filled, run = mailman(folder, receiver, number)
    return filled - begun + run
