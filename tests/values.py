"""What an email says, as a value, its JSON, and the email that is written from it."""

from adjudicator.service.emails.value import (
    LABEL,
    VALUE_ID,
    Addressee,
    Beside,
    ClubLines,
    EmailValue,
    ReadersPage,
    UnreadableValue,
    digest_of,
    each_of,
    read,
    report_value,
    to_json,
)
from adjudicator.service.emails.wording import WIDTH, paragraphs
from adjudicator.service.emails.write import Forms, looking_back, write
from adjudicator.service.outbound.writing import EmailBody

__all__ = [
    "LABEL",
    "VALUE_ID",
    "WIDTH",
    "Addressee",
    "Beside",
    "ClubLines",
    "EmailBody",
    "EmailValue",
    "Forms",
    "ReadersPage",
    "UnreadableValue",
    "digest_of",
    "each_of",
    "looking_back",
    "paragraphs",
    "read",
    "report_value",
    "to_json",
    "write",
]
