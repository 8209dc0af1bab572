"""What each command with `--format json` prints, told in its man page and in the book of commands.

A command prints one object, or one object a line where it answers with several things.
"""

from collections.abc import Mapping

_SHEET = (
    '`{"match", "seat", "turn", "accepted", "revision", "orders": [canonical lines], "problems": '
    '[{"line", "text", "message"}], "warnings", "ignored", "in_force": revision or null}` for each '
    "order sheet; `in_force` is of the current turn. Orders that are saved for a later turn have "
    '`"kept": true`, and `turn` and `revision` are of that turn. Where marks or notes were saved, '
    "`jotted` says which, in sentences."
)

OBJECTS: Mapping[str, str] = {
    "new": '`{"match"}`.',
    "submit": _SHEET,
    "check": f'{_SHEET} What was judged by its words alone has `"words_alone": true`, and there '
    "`revision` and `in_force` are null.",
    "tick": 'One for each thing done: `{"match": name or null, "text", "urgent", "failed"}`.',
    "report": "The report, see the interface, section 3.",
    "status": '`{"matches": [{"match", "game", "variant", "status", "turn", "players": {seat: '
    'name}, "awaited", "deadline", "trouble"}], "letters", "letters_in", "unconfirmed"}`. '
    "`letters` counts the emails that are `stuck` or `bounced`, `letters_in` those that came and "
    "cannot be read, `unconfirmed` lists addresses. A match that cannot be read has `unread`, and "
    'where names are hidden they are `hidden`. With `--gm` a match has `"silent": [seats]`.',
    "late": 'One for each match: `{"match", "game", "turn", "deadline", "late": whether it has '
    'passed, "held", "alerted": whether the game master was told, "seat": the only one to move or '
    'null, "trouble", "tournament"}`. While substitutes are looked for it has '
    '`"substitutes_until"`, with `--gm` also `"silent": [seats]`.',
    "standings": 'One for each player and game: `{"game", "player", "rating", "doubt", "played", '
    '"won", "drawn", "lost"}`. CSV has the same columns.',
    "board": 'One for each match: `{"match", "game", "turn", "state", "orders"}`. `state` is the '
    "position as the game keeps it; another version may write it in another way.",
    "verify": 'One for each match: `{"match", "agrees", "faults": [sentences]}`. Of one that '
    "cannot be checked `agrees` is null, and `why` says it.",
    "audit": "One for each match: `match`, the lists of sentences `checked`, `wrong`, `asks`, "
    '`missing`, `notes`, `uncompared` and `restored`, and `unused`: `{"name", "why"}` of each '
    "email or file that was not used.",
    "record replay": "One for each game, see its rules, section 10.",
    "player list": "One for each player, as `player show` without seats and absences, with "
    '`"reliability": {"on_time", "turns", "left", "ended"}` of the last year.',
    "player show": '`{"name", "address", "language", "timezone", "confirmed", "muted", '
    '"reminders", "substitute", "letters", "absences": [[first, last]], "seats": [{"match", '
    '"game", "seat", "status", "turn", "deadline", "held", "to_move", "missed", "forfeits"}], '
    '"ended": [matches], "left": [{"match", "seat", "until"}]}`.',
    "player guest": 'One for each open wish: `{"id", "player", "game", "variant", "address", '
    '"asked", "until"}`.',
    "mail queue list": 'One for each email: `{"id", "key", "kind", "match", "seat", "to", '
    '"created_at", "status", "tries", "next_at", "sent_at"}`. An email to a seat of a match with '
    "hidden names has the status `hidden`.",
    "mail queue show": "As an object of `mail queue list`; with `--gm` it has `says`, the email's "
    "text.",
    "tournament list": "One for each tournament, as of `tournament show`.",
    "tournament show": "`name`, `kind`, `game`, `variant`, `options`, `status`, `round`, `rounds`, "
    "times, `seed_sha256`, `seed` (when it has ended), `log` (`line`, `head`: the newest; null "
    "without a log, and while names are hidden), `entries` (`entry`, `number`, `player`, `before`, "
    "`withdrawn`, `team`: 1 or 2 in a kind with teams, else null, `counted`), `table` (points in "
    "24ths; where a match does not count at its own end, of the rounds that are over) and "
    "`pairings` (`counted` is false where an entry left too early, in a kind in which it then "
    "counts for nothing).",
    "tournament log": '`{"tournament", "log": [{"n", "line", "head"}], "faults"}`. `faults` are '
    "sentences on what does not agree.",
    "ladder list": "One for each ladder, as of `ladder show`.",
    "ladder show": '`{"ladder", "game", "variant", "status", "places": [{"place", "player"}], '
    '"playing": [{"challenger", "asked", "match"}], "results": [{"at", "challenger", "asked", '
    '"match", "ending"}]}`. `ending` is the challenger\'s, `won`, `lost` or `drawn`, or '
    "`declined`, `expired` or `void`.",
    "games": 'One for each game: `{"slug", "title", "package", "version", "contract", "trouble": '
    "null or a sentence}`.",
    "game check": "`game`, `seed`, `matches` and `checks`, each with `check`, `state` (`ok`, "
    "`wrong`, `warning`, `skipped`), `demands`, `because` (the check that failed before it), "
    '`note` (what it says if all is well) and `found`, a list of `{"text", "match", "ply", '
    '"seat", "orders"}`.',
    "site build": '`{"folder", "playing", "ended"}`.',
    "site link": '`{"link"}`.',
    "config show": 'One for each setting: `{"key", "value", "origin"}`.',
    "doctor": 'One for each finding: `{"check", "name", "state", "text", "acknowledged"}`. `name` '
    "is the part of the check, such as `key.backup`. `state` is `ok`, `warn` (it works, and should "
    "be otherwise), `bad` or `unknown`.",
    "drill": '`{"archive", "saved", "age" in seconds, "schema", "epoch", "players", "matches", '
    '"going", "last_tick", "faults"}`.',
    "db upgrade": '`{"before", "after"}`, two numbers of schemas.',
}
