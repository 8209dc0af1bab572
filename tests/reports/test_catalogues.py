"""The tool that keeps the catalogues."""

from pathlib import Path

import catalogues
import pytest
from babel.messages.catalog import Catalog


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make `one` and `other` the only catalogues; `other` says what `one` does, and one thing
    more."""
    said = {"one": ("you",), "other": ("you", "only here", ("{n} turn", "{n} turns"))}

    def extracted(name: str) -> Catalog:
        catalog = Catalog(creation_date=catalogues.WRITTEN, fuzzy=False)
        for message in said[name]:
            catalog.add(message)
        return catalog

    monkeypatch.setattr(catalogues, "catalogues", lambda: list(said))
    monkeypatch.setattr(catalogues, "extracted", extracted)
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    monkeypatch.setattr(catalogues, "place", lambda name, tongue: tmp_path / tongue / f"{name}.po")
    for language, word in (("nb", "du"), ("sv", "du")):
        catalog = Catalog(locale=language, fuzzy=False)
        catalog.add("you", word)
        catalog.add("said no more", "borte")
        catalogues.write("one", language, catalog)
    return tmp_path


def test_new_messages_take_what_another_catalogue_has_and_the_rest_is_printed(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert catalogues.main([]) == 0
    assert catalogues.read("other", "sv").get("you").string == "du"
    assert catalogues.read("one", "sv").get("said no more") is None
    empty = (
        "  {0}/other.po: 'you' is 'du', as in one; look whether that is right\n"
        "  {0}/other.po: 'only here' is not translated\n"
        "  {0}/other.po: ('{{n}} turn', '{{n}} turns') is not translated\n"
    )
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(
        f"nb: 3\n{empty.format('nb')}sv: 3\n{empty.format('sv')}".splitlines()
    )


def test_all_forms_in_which_messages_stand_in_code_are_found(tmp_path: Path) -> None:
    """Also inside of an f-string; a `count` of a text is none."""
    path = tmp_path / "one.py"
    path.write_text(
        "say('one ' 'sentence')\n"
        "x = f\"{tell(say('within'))} {a.count('x')}\"\n"
        "count('{n} turn', '{n} turns', n, a=b)\n"
        "count('alone')\nsay(word)\nsay(f'{a}')\n"
    )
    found = [*catalogues._messages(path)]
    assert found == ["one sentence", "within", ("{n} turn", "{n} turns")]


def test_a_check_writes_nothing_and_fails_if_anything_is_wrong(
    two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in two.rglob("*.po")}
    assert catalogues.main(["--check"]) == 1
    out = capsys.readouterr().out
    assert "sv/other.po: 'you' is not translated" in out
    assert "sv/one.po: 'said no more' is no longer said anywhere" in out
    assert {path: path.read_bytes() for path in two.rglob("*.po")} == before


def test_a_check_of_whole_catalogues_says_so(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalogues.main([])
    for language in catalogues.LANGUAGES:
        catalog = catalogues.read("other", language)
        catalog.get("only here").string = "bara här"
        catalog.get(("{n} turn", "{n} turns")).string = ("{n} omgång", "{n} omgångar")
        catalogues.write("other", language, catalog)
    capsys.readouterr()
    assert catalogues.main(["--check"]) == 0
    assert capsys.readouterr().out == "nb: 0\nsv: 0\n"
