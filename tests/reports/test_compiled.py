"""Compiled templates are kept for the next run, where nobody else can write; no fault of that is
seen."""

import os
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from adjudicator.reports import render
from adjudicator.reports.render import cache_in


class Counted(Environment):
    """An environment that counts what it compiles."""

    compiled = 0

    def compile(self, *arguments, **more):
        self.compiled += 1
        return super().compile(*arguments, **more)


def printed(folder: Path, source: str = "{{ 1 + 1 }}x", made_with: bytes = b"") -> tuple[str, int]:
    """Return what a run prints of a template, and how many it compiles."""
    loader = DictLoader({"t": source})
    environment = Counted(loader=loader, bytecode_cache=cache_in(folder, made_with))
    return environment.get_template("t").render(), environment.compiled


def test_the_next_run_compiles_nothing(tmp_path):
    folder = tmp_path / "cache" / "templates"
    assert printed(folder) == ("2x", 1)
    assert printed(folder) == ("2x", 0)
    assert len(list(folder.iterdir())) == 1
    assert folder.stat().st_mode & 0o777 == 0o700


def test_another_template_or_another_program_is_compiled_anew(tmp_path):
    printed(tmp_path)
    assert printed(tmp_path, "{{ 1 + 2 }}x") == ("3x", 1)
    assert printed(tmp_path, "{{ 1 + 2 }}x", b"another") == ("3x", 1)


@pytest.mark.parametrize("content", [b"", b"x" * 100, None])
def test_a_file_that_is_damaged_is_written_anew(tmp_path, content):
    printed(tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-20] if content is None else content)
    assert printed(tmp_path) == ("2x", 1)
    assert printed(tmp_path) == ("2x", 0)


def test_a_folder_in_which_others_may_write_is_not_used(tmp_path):
    tmp_path.chmod(0o770)
    assert printed(tmp_path) == ("2x", 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_nor_is_another_users(tmp_path):
    os.chown(tmp_path, 12345, 12346)
    assert printed(tmp_path) == ("2x", 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failing", ["write_bytes", "replace", "open"])
def test_where_nothing_can_be_kept_all_is_printed(tmp_path, monkeypatch, failing):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, failing, fail)
    assert printed(tmp_path) == ("2x", 1)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []
    assert cache_in(Path("/dev/null/nobody"), b"") is None


def test_the_programs_templates_are_kept_in_the_users_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for _ in range(2):
        render.fresh_environment("nb", "").get_template("shared/index.html.j2")
        assert len(list((tmp_path / "adjud" / "templates").iterdir())) == 1
