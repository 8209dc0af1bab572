"""All that a club could do of which we know, and what an audit of the player's papers says of it.

`docs/checking.md` has this as a table. What has no cheats is found by nothing.
"""

from collections.abc import Sequence

from tests.service.cheats.cheat import Cheat, Done
from tests.service.cheats.in_emails import EMAILS
from tests.service.cheats.in_the_log import LOG
from tests.service.cheats.in_what_came import CAME

TABLE: Sequence[Done] = [*LOG, *CAME, *EMAILS]
CHEATS: Sequence[Cheat] = [cheat for done in TABLE for cheat in done.cheats]
