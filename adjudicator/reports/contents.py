"""The first page of a folder of reports."""

from collections.abc import Sequence

from adjudicator.reports.render import environment


def contents(
    *,
    title: str,
    made: str,
    result: str,
    turns: int,
    record: str,
    seats: Sequence[tuple[str, str, Sequence[str]]],
) -> str:
    """Return an HTML page with links to every report; `made` is the time at which they were made.

    `result` is a sentence, `record` the file with the game record; `seats` are (title, name in the
    files, turns as they stand there).
    """
    return (
        environment("en", "")
        .get_template("shared/index.html.j2")
        .render(title=title, made=made, result=result, record=record, seats=seats, turns=turns)
    )
