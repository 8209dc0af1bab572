"""Tips for players who are new to Espionage, from a seat's view alone.

Each is a row of `TIPS`. None says more than follows from the view by the rules, and none reads the
seat's own marks, which may be wrong. What follows from fights is left to `could_be` (9.5), so that
a match without aids has no such tip.
"""

from collections.abc import Iterator, Mapping

from adjudicator.core.message import Message, Words, count, listed, say
from adjudicator.core.tips import Holes, Tip, choose, fitting
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.tips_table import (
    Table,
    cannot_win,
    closest_pair,
    most_of_rank,
    one_nearby,
    open_ranks,
    own_headquarters,
    sides_of,
    table,
    title_of,
    unknown_around,
    unknown_pieces,
    worth_of,
)
from adjudicator.games.espionage.rules.board import FILES, file_of, rank_of, steps_between
from adjudicator.games.espionage.rules.pieces import BLACK, IMMOBILE, SOLDIERS, TAKES, Rank, wins
from adjudicator.games.espionage.sight.observe import SeenPiece, View, pieces_moved

_CHEAP = (Rank.CORPORAL, Rank.LIEUTENANT)
_NEAR = 3  # steps within which an enemy piece is near
_EARLY, _LATER = 10, 4  # turns up to which, and from which on, something is worth saying
_FEW = 4  # pieces that can still move
_SOON = 10  # turns without a fight that are left
_SIDE = 3  # files


def _set_up(table: Table) -> Iterator[Holes]:
    if table.view.phase == "setup":
        yield {}


# What the seat can do now.


def _attack(mine: SeenPiece, met: SeenPiece) -> Holes:
    return {"start": mine.square, "own": title_of(mine), "goal": met.square}


def _can_take(table: Table) -> Iterator[Holes]:
    """A known piece can be taken, best the one that is worth most."""
    found = [
        (mine, met)
        for mine, met in table.attacks()
        if mine.rank and met.rank and wins(mine.rank, met.rank)
    ]
    if found:
        mine, met = max(found, key=lambda pair: (worth_of(pair[1]), -worth_of(pair[0])))
        yield {**_attack(mine, met), "enemy": title_of(met)}


def _general_attacks(table: Table) -> Iterator[Holes]:
    """A General takes all but a Mine, and what has moved is none."""
    for mine, met in table.attacks():
        if mine.rank == Rank.GENERAL and met.rank is None and met.moved:
            yield {"goal": met.square, "start": mine.square}


def _sure_attack(table: Table) -> Iterator[Holes]:
    """An own piece beats all that an unknown one can still be; Generals have a tip of their own."""
    for mine, met in table.attacks():
        if mine.rank in (None, Rank.GENERAL) or met.rank is not None or not met.could_be:
            continue
        if all(rank in TAKES[mine.rank] for rank in met.could_be):
            yield _attack(mine, met)


def _spy_looks(table: Table) -> Iterator[Holes]:
    """A step of a Spy onto an empty square shows what is around it (4.1)."""
    found = [
        (step, around)
        for step in table.steps
        if table.at[step.start].rank == Rank.SPY and step.target not in table.at
        if (around := unknown_around(table, step.target))
    ]
    if found:
        step, around = max(found, key=lambda pair: len(pair[1]))
        yield {
            "n": len(around),
            "start": step.start,
            "goal": step.target,
            "squares": ", ".join(around),
        }


def _cheap_attack(table: Table) -> Iterator[Holes]:
    """An attack on an unknown piece costs least with a low rank."""
    found = [
        (mine, met)
        for mine, met in table.attacks()
        if mine.rank in _CHEAP and met.rank is None and not cannot_win(mine, met)
    ]
    if found:
        yield _attack(*min(found, key=lambda pair: worth_of(pair[0])))


def _equals(table: Table) -> Iterator[Holes]:
    """Of two soldiers of the same rank the one that attacks wins (3.1)."""
    for mine, met in table.attacks():
        if mine.rank in SOLDIERS and met.rank is None and not cannot_win(mine, met):
            yield _attack(mine, met)


def _two_steps(table: Table) -> Iterator[Holes]:
    """Both steps are written before the first is made (2.3)."""
    if table.steps and pieces_moved(table.view) > 1 and table.view.turn <= _EARLY:
        yield {}


# What the enemy may do.


def _threatened(table: Table) -> Iterator[Holes]:
    """A known enemy piece stands beside an own one that it beats."""
    found = [
        (enemy, mine)
        for enemy in table.enemy
        if enemy.rank and enemy.rank not in IMMOBILE
        for mine in map(table.at.get, table.board.beside[enemy.square])
        if mine and mine.side == table.view.seat and mine.rank in TAKES[enemy.rank]
    ]
    if table.view.phase == "play" and found:
        enemy, mine = max(found, key=lambda pair: worth_of(pair[1]))
        yield {
            "start": enemy.square,
            "enemy": title_of(enemy),
            "goal": mine.square,
            "own": title_of(mine),
        }


def _near_headquarters(table: Table) -> Iterator[Holes]:
    home = own_headquarters(table)
    near = [
        (steps, enemy.square)
        for enemy in table.enemy
        if home and enemy.rank not in IMMOBILE
        if (steps := steps_between(enemy.square, home)) <= _NEAR
    ]
    if near and home:
        steps, square = min(near)
        yield {"n": steps, "square": square, "home": home}


def _open_headquarters(table: Table) -> Iterator[Holes]:
    """A side of the Headquarters on which nothing stands."""
    home = own_headquarters(table)
    if home and table.view.phase == "play":
        free = (square for square in sides_of(table, home) if square not in table.at)
        yield from ({"square": square, "home": home} for square in free)


def _unmasked(table: Table) -> Iterator[Holes]:
    """The enemy knows an own piece, and the match was opened with `unmask_notice` (4.4)."""
    known = [piece for piece in table.own if piece.known_to_enemy is True]
    if known and not open_ranks(table):
        piece = max(known, key=worth_of)
        yield {"square": piece.square, "own": title_of(piece)}


# What is known of the enemy.


def _only_one(table: Table) -> Iterator[Holes]:
    """Only one rank is left for an enemy piece (9.5)."""
    for piece in unknown_pieces(table):
        if piece.could_be and len(piece.could_be) == 1:
            yield {"square": piece.square, "rank": TITLES[piece.could_be[0]]}


def _winner_of_a_fight(table: Table) -> Iterator[Holes]:
    """What beat an own piece can be few things (9.5)."""
    found = [
        (piece, piece.fights[-1], piece.could_be)
        for piece in unknown_pieces(table)
        if piece.fights and piece.could_be and 1 < len(piece.could_be) <= 4
    ]
    if found:
        piece, fight, could_be = max(found, key=lambda one: one[1].turn)
        yield {
            "square": piece.square,
            "own": TITLES[fight.beat],
            "ranks": listed(TITLES[rank] for rank in could_be),
        }


def _never_moved(table: Table) -> Iterator[Holes]:
    """An unknown piece that has never moved may be a Mine, best one that can be attacked."""
    still = [
        piece
        for piece in unknown_pieces(table)
        if not piece.moved and (piece.could_be is None or Rank.MINE in (piece.could_be or ()))
    ]
    mobile = [piece for piece in table.own if piece.rank not in IMMOBILE]
    if still and mobile and table.view.turn >= _LATER:
        yield {"square": one_nearby(table, still, mobile).square}


def _has_moved(table: Table) -> Iterator[Holes]:
    """What has moved can move (2.2)."""
    moved = [piece for piece in unknown_pieces(table) if piece.moved]
    if moved and table.own:
        yield {"square": one_nearby(table, moved, table.own).square}


def _thin_side(table: Table) -> Iterator[Holes]:
    """Few enemy pieces are on one side of the board."""
    files = FILES[: table.view.board.size]
    sides = [files[:_SIDE], files[-_SIDE:]]
    held = [[one for one in table.enemy if one.square[0] in side] for side in sides]
    few, side = min(zip(held, sides, strict=True), key=lambda pair: len(pair[0]))
    if 0 < len(few) <= _FEW and len(held[0]) != len(held[1]):
        yield {"n": len(few), "first": side[0], "last": side[-1]}


def _mines_left(table: Table) -> Iterator[Holes]:
    sappers, most = len(table.of_own(Rank.SAPPER)), most_of_rank(table, Rank.MINE)
    if sappers and most and table.view.turn >= _LATER:
        yield {"n": most, "sappers": sappers}


def _generals_left(table: Table) -> Iterator[Holes]:
    most = most_of_rank(table, Rank.GENERAL)
    if most and table.view.turn >= _LATER:
        yield {"n": most}


def _known_mine(table: Table) -> Iterator[Holes]:
    return _for_a_sapper(table, Rank.MINE)


def _known_general(table: Table) -> Iterator[Holes]:
    """A Sapper that attacks takes a General (3.2)."""
    return _for_a_sapper(table, Rank.GENERAL)


def _for_a_sapper(table: Table, rank: Rank) -> Iterator[Holes]:
    """A piece of this rank is known, and there is a Sapper for it."""
    sappers = table.of_own(Rank.SAPPER)
    known = [piece for piece in table.enemy if piece.rank == rank]
    if sappers and known:
        piece, sapper = closest_pair(known, sappers)
        yield {"square": piece.square, "sapper": sapper.square}


# What is known of the own army.


def _never_moved_own(table: Table) -> Iterator[Holes]:
    """To the enemy, what has never moved may be a Mine: best a piece far in front."""
    still = [
        piece
        for piece in table.own
        if not piece.moved and piece.rank not in IMMOBILE and piece.known_to_enemy is not True
    ]
    if still and table.enemy and table.view.turn >= _LATER and not open_ranks(table):
        front = one_nearby(table, still, table.enemy)
        yield {"square": front.square, "own": title_of(front)}


def _own_general(table: Table) -> Iterator[Holes]:
    """What can remove a General (3.2); the one that is nearest to an enemy piece."""
    generals = table.of_own(Rank.GENERAL)
    if generals and table.enemy:
        general, enemy = closest_pair(generals, table.enemy)
        if steps_between(general.square, enemy.square) <= _NEAR:
            yield {"square": general.square}


def _spies_at_home(table: Table) -> Iterator[Holes]:
    """No Spy has gone where it could see something."""
    spies, rows = table.of_own(Rank.SPY), table.board.home_rows(table.view.seat)
    at_home = all(rank_of(spy.square) in rows for spy in spies)
    if spies and at_home and unknown_pieces(table) and table.view.turn >= _LATER:
        yield {}


def _spies_see(table: Table) -> Iterator[Holes]:
    """Spies see eight squares (4.1)."""
    spies, unknown = table.of_own(Rank.SPY), unknown_pieces(table)
    if spies and unknown and table.view.turn <= _EARLY:
        yield {"square": one_nearby(table, spies, unknown).square}


def _few_can_move(table: Table) -> Iterator[Holes]:
    """Who has no legal move loses (6.2)."""
    mobile = [piece for piece in table.own if piece.rank not in IMMOBILE]
    if 0 < len(mobile) <= _FEW:
        yield {"n": len(mobile)}


def _quiet(table: Table) -> Iterator[Holes]:
    """A fight starts the count of quiet turns anew (6.3)."""
    left = table.view.no_progress_left
    if left is not None and left <= _SOON and table.view.phase == "play":
        yield {"n": left}


# The most useful first.
TIPS: Mapping[str, Tip[Table]] = {
    "can_take": Tip(
        _can_take, say("Your piece on {start} ({own}) can take the piece on {goal} ({enemy}).")
    ),
    "threatened": Tip(
        _threatened,
        say("The enemy piece on {start} ({enemy}) may take your piece on {goal} ({own})."),
    ),
    "general_attacks": Tip(
        _general_attacks,
        say(
            "The piece on {goal} has moved, so it is not a Mine. Your General on {start} can take "
            "it, whatever it is."
        ),
    ),
    "sure_attack": Tip(
        _sure_attack,
        say(
            "Your piece on {start} ({own}) can take the piece on {goal}, whatever that can still "
            "be."
        ),
    ),
    "spy_looks": Tip(
        _spy_looks,
        count(
            "If your Spy on {start} goes to {goal}, it can see the piece on {squares}.",
            "If your Spy on {start} goes to {goal}, it can see the pieces on {squares}.",
            1,
        ),
    ),
    "near_headquarters": Tip(
        _near_headquarters,
        count(
            "The enemy piece on {square} is next to your Headquarters on {home}.",
            "The enemy piece on {square} may be only {n} steps from your Headquarters on {home}.",
            1,
        ),
    ),
    "only_one": Tip(
        _only_one, say("From its moves and fights, the piece on {square} can only be: {rank}.")
    ),
    "winner_of_a_fight": Tip(
        _winner_of_a_fight,
        say("The piece on {square} beat one of yours ({own}). It can be: {ranks}."),
    ),
    "known_mine": Tip(
        _known_mine,
        say(
            "The piece on {square} is a Mine. A Sapper can remove it, and your nearest one is on "
            "{sapper}."
        ),
    ),
    "known_general": Tip(
        _known_general,
        say(
            "A Sapper takes a General if the Sapper attacks first. Your Sapper on {sapper} is "
            "nearest to the General on {square}."
        ),
    ),
    "cheap_attack": Tip(
        _cheap_attack,
        say("If you want to test the piece on {goal}, your piece on {start} ({own}) risks little."),
    ),
    "open_headquarters": Tip(
        _open_headquarters,
        say(
            "Nothing is on {square}, next to your Headquarters on {home}. A piece there may "
            "protect it."
        ),
    ),
    "unmasked": Tip(
        _unmasked, say("The enemy knows your piece on {square} ({own}). It can mislead nobody now.")
    ),
    "quiet": Tip(
        _quiet,
        count(
            "An attack starts the count of turns without a fight again. {n} is left.",
            "An attack starts the count of turns without a fight again. {n} are left.",
            1,
        ),
    ),
    "few_can_move": Tip(
        _few_can_move,
        count(
            "You have only {n} piece left that can move. A player with no legal move loses.",
            "You have only {n} pieces left that can move. A player with no legal move loses.",
            1,
        ),
    ),
    "equals": Tip(
        _equals,
        say(
            "If the piece on {goal} has the same rank as your piece on {start} ({own}), the one "
            "that attacks wins."
        ),
    ),
    "never_moved": Tip(
        _never_moved, say("The piece on {square} has never moved. It may be a Mine.")
    ),
    "never_moved_own": Tip(
        _never_moved_own,
        say("Your piece on {square} ({own}) has never moved, so the enemy may take it for a Mine."),
    ),
    "has_moved": Tip(
        _has_moved,
        say("The piece on {square} has moved, so it is neither a Mine nor the Headquarters."),
    ),
    "own_general": Tip(
        _own_general,
        say(
            "Your General on {square} can be taken only by a General or a Sapper. When it attacks, "
            "only a Mine stops it."
        ),
    ),
    "mines_left": Tip(
        _mines_left,
        count(
            "The enemy may have {n} Mine. Only a Sapper can remove it, and you have {sappers}.",
            "The enemy may have {n} Mines. Only Sappers can remove them, and you have {sappers}.",
            1,
        ),
    ),
    "generals_left": Tip(
        _generals_left,
        count(
            "The enemy may have {n} General. Only your Generals and Sappers can take it.",
            "The enemy may have {n} Generals. Only your Generals and Sappers can take one.",
            1,
        ),
    ),
    "thin_side": Tip(
        _thin_side,
        count(
            "Only {n} enemy piece is on the files {first} to {last}. An attack may be easier "
            "there.",
            "Only {n} enemy pieces are on the files {first} to {last}. An attack may be easier "
            "there.",
            1,
        ),
    ),
    "spies_at_home": Tip(
        _spies_at_home,
        say(
            "None of your Spies has left your home rows. A Spy sees only the squares around it, so "
            "it has to go near the enemy."
        ),
    ),
    "spies_see": Tip(
        _spies_see,
        say(
            "Your Spy on {square} sees all eight squares around it, also diagonally, after every "
            "step of either side."
        ),
    ),
    "two_steps": Tip(
        _two_steps,
        say(
            "Both of your steps are fixed before the first one is played. What a Spy sees now can "
            "help you next turn."
        ),
    ),
    "decoys": Tip(
        _set_up,
        say(
            "A Mine or two away from your Headquarters may mislead the enemy, because pieces that "
            "have never moved all look alike."
        ),
    ),
    "front_row": Tip(
        _set_up,
        say(
            "A Spy near the front can soon show you enemy pieces. Put soldiers beside it, because "
            "every soldier beats it."
        ),
    ),
    "sappers_back": Tip(
        _set_up,
        say("Only a Sapper can remove a Mine. You may need some Sappers late in the match."),
    ),
}


def tip(view: View, words: Words) -> Message | None:
    """Return a tip for this turn; None if none fits."""
    return choose(fitting(TIPS, table(view)).values(), view.turn + _begun_with(view))


def _begun_with(view: View) -> int:
    """Let matches and sides begin with other tips: by where the volcanoes lie."""
    return file_of(view.board.volcanoes[0]) + (view.seat == BLACK)
