"""Which deadlines were in force when an email told one (`service/audit/told_times`)."""

import pytest

from adjudicator.service.audit.told_times import LoggedTimes, SetDeadline


@pytest.mark.parametrize(
    ("when", "dues"),
    [
        ("10:00", ["Mon", "Tue", "Wed"]),
        ("10:30", ["Tue", "Wed"]),
        ("11:00", ["Tue", "Wed"]),
        ("12:00", ["Wed", "Thu"]),
    ],
)
def test_a_deadline_counts_until_the_next_ply(when: str, dues: list[str]) -> None:
    times = LoggedTimes.__new__(LoggedTimes)
    times.all = [
        SetDeadline("09:00", "Mon", is_ply=True),
        SetDeadline("10:00", "Tue", is_ply=True),
        SetDeadline("11:00", "Wed"),
        SetDeadline("12:00", "Thu", is_ply=True),
    ]
    assert times.from_then(when) == dues
