"""The HTML of emails that are no reports and ask for something."""

import re

from adjudicator.reports.button import Action
from adjudicator.reports.email_html import note_html

HEADING = "m1, White (Espionage, standard), turn 4 of the match"
BROKEN = (
    "These orders were put off, because they came from an address that is not\non file for you."
)
REFUSED = "m1, white, turn 4: NOT accepted; nothing from these orders was saved\n  line 2: no d9"
RULED = f"{HEADING}\n{'=' * len(HEADING)}"


def test_broken_sentences_are_joined_and_orders_and_rules_keep_their_lines() -> None:
    what = Action(preview="")
    below = [BROKEN, REFUSED, RULED]
    html = note_html(
        language="en",
        headline="Please confirm",
        about="m1",
        what=what,
        above=(),
        below=below,
        footer=(),
        boards={},
    )
    told = [" ".join(one.split()) for one in re.findall(r"<p[^>]*>([^<]*)</p>", html)]
    assert told == ["m1", BROKEN.replace("\n", " ")]
    assert re.findall(r"<pre[^>]*>([^<]*)</pre>", html) == [REFUSED, RULED]
