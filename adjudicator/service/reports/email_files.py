"""Write an email again from its value, which is in a file, without a club."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.json import encode

from adjudicator.core.message import say
from adjudicator.service.base.context import Refusal
from adjudicator.service.emails import value
from adjudicator.service.emails.value import EmailValue, UnreadableValue
from adjudicator.service.emails.write import looking_back, write


def form_of(path: Path, form: str, earlier: Sequence[Path] = ()) -> str:
    """Return one of the forms of an email, or all of them as JSON. Its page looks back on the
    `earlier` ones of its seat.

    Raises Refusal if a file is not the value of an email, or this version cannot write it.
    """
    told = _read(path)
    past = looking_back(told, [*map(_read, earlier)]) if told.report is not None else ()
    forms = write(told, past)
    if form == "all":
        return encode(forms).decode()
    made: str | None = getattr(forms, form)
    if made is None and form == "html":
        raise Refusal(say("{name}: this email has no HTML", name=str(path)))
    if made is None:
        raise Refusal(say("{name}: this email has no page", name=str(path)))
    return made


def _read(path: Path) -> EmailValue:
    try:
        with path.open("rb") as file:
            return value.read(file.read(value.MOST + 1))
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise Refusal(say("{name} cannot be read: {why}", name=str(path), why=why)) from None
    except UnreadableValue as trouble:
        raise Refusal(say("{name}: {why}", name=str(path), why=trouble.why)) from None
