"""Tips for players who are new to Espionage, from a seat's view alone.

Each kind is a function that returns its tip where that fits. None says more than follows from the
view by the rules, and none reads the seat's own marks, which may be wrong. What follows from fights
is left to `could_be` (9.5), so that a match without aids has no such tip.
"""

from collections.abc import Callable, Sequence

from adjudicator.core.message import Message, Words, count, listed, say
from adjudicator.core.tips import chosen
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.tips_table import (
    Table,
    cannot_win,
    closest_pair,
    most_left,
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
from adjudicator.games.espionage.rules.combat import SOLDIERS, TAKES, wins
from adjudicator.games.espionage.rules.pieces import BLACK, IMMOBILE, Rank
from adjudicator.games.espionage.sight.observe import View, pieces_moved

_CHEAP = (Rank.CORPORAL, Rank.LIEUTENANT)
_NEAR = 3  # steps within which an enemy piece is near
_EARLY, _LATER = 10, 4  # turns up to which, and from which on, something is worth saying
_FEW = 4  # pieces that can still move
_SOON = 10  # turns without a fight that are left
_SIDE = 3  # files


# In the set-up.


def decoys(table: Table) -> Message | None:
    if table.view.phase != "setup":
        return None
    return say(
        "A Mine or two away from your Headquarters may mislead the enemy, because pieces that have"
        " never moved all look alike."
    )


def front_row(table: Table) -> Message | None:
    if table.view.phase != "setup":
        return None
    return say(
        "A Spy near the front can soon show you enemy pieces. Put soldiers beside it, because every"
        " soldier beats it."
    )


def sappers_back(table: Table) -> Message | None:
    if table.view.phase != "setup":
        return None
    return say("Only a Sapper can remove a Mine. You may need some Sappers late in the match.")


# What the seat can do now.


def can_take(table: Table) -> Message | None:
    """A known piece can be taken, best the one that is worth most."""
    found = [
        (mine, met)
        for mine, met in table.attacks()
        if mine.rank and met.rank and wins(mine.rank, met.rank)
    ]
    if not found:
        return None
    mine, met = max(found, key=lambda pair: (worth_of(pair[1]), -worth_of(pair[0])))
    return say(
        "Your piece on {start} ({own}) can take the piece on {goal} ({enemy}).",
        start=mine.square,
        own=title_of(mine),
        goal=met.square,
        enemy=title_of(met),
    )


def general_attacks(table: Table) -> Message | None:
    """A General takes all but a Mine, and what has moved is none."""
    for mine, met in table.attacks():
        if mine.rank == Rank.GENERAL and met.rank is None and met.moved:
            return say(
                "The piece on {goal} has moved, so it is not a Mine. Your General on {start} can"
                " take it, whatever it is.",
                goal=met.square,
                start=mine.square,
            )
    return None


def sure_attack(table: Table) -> Message | None:
    """An own piece beats all that an unknown one can still be; Generals have a tip of their own."""
    for mine, met in table.attacks():
        if mine.rank in (None, Rank.GENERAL) or met.rank is not None or not met.could_be:
            continue
        if all(rank in TAKES[mine.rank] for rank in met.could_be):
            return say(
                "Your piece on {start} ({own}) can take the piece on {goal}, whatever that can"
                " still be.",
                start=mine.square,
                own=title_of(mine),
                goal=met.square,
            )
    return None


def spy_looks(table: Table) -> Message | None:
    """A step of a Spy onto an empty square shows what is around it (4.1)."""
    found = [
        (step, around)
        for step in table.steps
        if table.at[step.start].rank == Rank.SPY and step.target not in table.at
        if (around := unknown_around(table, step.target))
    ]
    if not found:
        return None
    step, around = max(found, key=lambda pair: len(pair[1]))
    return count(
        "If your Spy on {start} goes to {goal}, it can see the piece on {squares}.",
        "If your Spy on {start} goes to {goal}, it can see the pieces on {squares}.",
        len(around),
        start=step.start,
        goal=step.target,
        squares=", ".join(around),
    )


def cheap_attack(table: Table) -> Message | None:
    """An attack on an unknown piece costs least with a low rank."""
    found = [
        (mine, met)
        for mine, met in table.attacks()
        if mine.rank in _CHEAP and met.rank is None and not cannot_win(mine, met)
    ]
    if not found:
        return None
    mine, met = min(found, key=lambda pair: worth_of(pair[0]))
    return say(
        "If you want to test the piece on {goal}, your piece on {start} ({own}) risks little.",
        goal=met.square,
        start=mine.square,
        own=title_of(mine),
    )


def equals(table: Table) -> Message | None:
    """Of two soldiers of the same rank the one that attacks wins (3.1)."""
    for mine, met in table.attacks():
        if mine.rank in SOLDIERS and met.rank is None and not cannot_win(mine, met):
            return say(
                "If the piece on {goal} has the same rank as your piece on {start} ({own}), the one"
                " that attacks wins.",
                goal=met.square,
                start=mine.square,
                own=title_of(mine),
            )
    return None


def two_steps(table: Table) -> Message | None:
    """Both steps are written before the first is made (2.3)."""
    if not table.steps or pieces_moved(table.view) < 2 or table.view.turn > _EARLY:
        return None
    return say(
        "Both of your steps are fixed before the first one is played. What a Spy sees now can help"
        " you next turn."
    )


# What the enemy may do.


def threatened(table: Table) -> Message | None:
    """A known enemy piece stands beside an own one that it beats."""
    found = [
        (enemy, mine)
        for enemy in table.enemy
        if enemy.rank and enemy.rank not in IMMOBILE
        for mine in map(table.at.get, table.board.beside[enemy.square])
        if mine and mine.side == table.view.seat and mine.rank in TAKES[enemy.rank]
    ]
    if table.view.phase != "play" or not found:
        return None
    enemy, mine = max(found, key=lambda pair: worth_of(pair[1]))
    return say(
        "The enemy piece on {start} ({enemy}) may take your piece on {goal} ({own}).",
        start=enemy.square,
        enemy=title_of(enemy),
        goal=mine.square,
        own=title_of(mine),
    )


def near_headquarters(table: Table) -> Message | None:
    home = own_headquarters(table)
    near = [
        (steps, enemy.square)
        for enemy in table.enemy
        if home and enemy.rank not in IMMOBILE
        if (steps := steps_between(enemy.square, home)) <= _NEAR
    ]
    if not near or not home:
        return None
    steps, square = min(near)
    return count(
        "The enemy piece on {square} is next to your Headquarters on {home}.",
        "The enemy piece on {square} may be only {n} steps from your Headquarters on {home}.",
        steps,
        square=square,
        home=home,
    )


def open_headquarters(table: Table) -> Message | None:
    """A side of the Headquarters on which nothing stands."""
    home = own_headquarters(table)
    if not home or table.view.phase != "play":
        return None
    free = [square for square in sides_of(table, home) if square not in table.at]
    if not free:
        return None
    return say(
        "Nothing is on {square}, next to your Headquarters on {home}. A piece there may protect"
        " it.",
        square=free[0],
        home=home,
    )


def unmasked(table: Table) -> Message | None:
    """The enemy knows an own piece, and the match was opened with `unmask_notice` (4.4)."""
    if open_ranks(table):
        return None
    known = [piece for piece in table.own if piece.known_to_enemy is True]
    if not known:
        return None
    piece = max(known, key=worth_of)
    return say(
        "The enemy knows your piece on {square} ({own}). It can mislead nobody now.",
        square=piece.square,
        own=title_of(piece),
    )


# What is known of the enemy.


def only_one(table: Table) -> Message | None:
    """Only one rank is left for an enemy piece (9.5)."""
    for piece in unknown_pieces(table):
        if piece.could_be and len(piece.could_be) == 1:
            return say(
                "From its moves and fights, the piece on {square} can only be: {rank}.",
                square=piece.square,
                rank=TITLES[piece.could_be[0]],
            )
    return None


def winner_of_a_fight(table: Table) -> Message | None:
    """What beat an own piece can be few things (9.5)."""
    found = [
        piece
        for piece in unknown_pieces(table)
        if piece.fights and piece.could_be and 1 < len(piece.could_be) <= 4
    ]
    if not found:
        return None
    piece = max(found, key=lambda one: one.fights[-1].turn if one.fights else 0)
    assert piece.fights
    assert piece.could_be
    return say(
        "The piece on {square} beat one of yours ({own}). It can be: {ranks}.",
        square=piece.square,
        own=TITLES[piece.fights[-1].beat],
        ranks=listed(TITLES[rank] for rank in piece.could_be),
    )


def never_moved(table: Table) -> Message | None:
    """An unknown piece that has never moved may be a Mine, best one that can be attacked."""
    if table.view.turn < _LATER:
        return None
    still = [
        piece
        for piece in unknown_pieces(table)
        if not piece.moved and (piece.could_be is None or Rank.MINE in (piece.could_be or ()))
    ]
    mobile = [piece for piece in table.own if piece.rank not in IMMOBILE]
    if not still or not mobile:
        return None
    near = one_nearby(table, still, mobile)
    return say("The piece on {square} has never moved. It may be a Mine.", square=near.square)


def has_moved(table: Table) -> Message | None:
    """What has moved can move (2.2)."""
    moved = [piece for piece in unknown_pieces(table) if piece.moved]
    if not moved or not table.own:
        return None
    return say(
        "The piece on {square} has moved, so it is neither a Mine nor the Headquarters.",
        square=one_nearby(table, moved, table.own).square,
    )


def thin_side(table: Table) -> Message | None:
    """Few enemy pieces are on one side of the board."""
    files = FILES[: table.view.board.size]
    sides = [files[:_SIDE], files[-_SIDE:]]
    held = [[one for one in table.enemy if one.square[0] in side] for side in sides]
    few, side = min(zip(held, sides, strict=True), key=lambda pair: len(pair[0]))
    if not 0 < len(few) <= _FEW or len(held[0]) == len(held[1]):
        return None
    return count(
        "Only {n} enemy piece is on the files {first} to {last}. An attack may be easier there.",
        "Only {n} enemy pieces are on the files {first} to {last}. An attack may be easier there.",
        len(few),
        first=side[0],
        last=side[-1],
    )


def mines_left(table: Table) -> Message | None:
    sappers, most = len(table.of_own(Rank.SAPPER)), most_left(table, Rank.MINE)
    if not sappers or not most or table.view.turn < _LATER:
        return None
    return count(
        "The enemy may have {n} Mine. Only a Sapper can remove it, and you have {sappers}.",
        "The enemy may have {n} Mines. Only Sappers can remove them, and you have {sappers}.",
        most,
        sappers=sappers,
    )


def generals_left(table: Table) -> Message | None:
    most = most_left(table, Rank.GENERAL)
    if not most or table.view.turn < _LATER:
        return None
    return count(
        "The enemy may have {n} General. Only your Generals and Sappers can take it.",
        "The enemy may have {n} Generals. Only your Generals and Sappers can take one.",
        most,
    )


def known_mine(table: Table) -> Message | None:
    """A Mine is known, and there is a Sapper for it."""
    sappers = table.of_own(Rank.SAPPER)
    mines = [piece for piece in table.enemy if piece.rank == Rank.MINE]
    if not sappers or not mines:
        return None
    mine, sapper = closest_pair(mines, sappers)
    return say(
        "The piece on {square} is a Mine. A Sapper can remove it, and your nearest one is on"
        " {sapper}.",
        square=mine.square,
        sapper=sapper.square,
    )


def known_general(table: Table) -> Message | None:
    """A Sapper that attacks takes a General (3.2)."""
    sappers = table.of_own(Rank.SAPPER)
    generals = [piece for piece in table.enemy if piece.rank == Rank.GENERAL]
    if not sappers or not generals:
        return None
    general, sapper = closest_pair(generals, sappers)
    return say(
        "A Sapper takes a General if the Sapper attacks first. Your Sapper on {sapper} is nearest"
        " to the General on {square}.",
        square=general.square,
        sapper=sapper.square,
    )


# What is known of the own army.


def never_moved_own(table: Table) -> Message | None:
    """To the enemy, what has never moved may be a Mine: best a piece far in front."""
    if table.view.turn < _LATER or open_ranks(table):
        return None
    still = [
        piece
        for piece in table.own
        if not piece.moved and piece.rank not in IMMOBILE and piece.known_to_enemy is not True
    ]
    if not still or not table.enemy:
        return None
    front = one_nearby(table, still, table.enemy)
    return say(
        "Your piece on {square} ({own}) has never moved, so the enemy may take it for a Mine.",
        square=front.square,
        own=title_of(front),
    )


def own_general(table: Table) -> Message | None:
    """What can remove a General (3.2); the one that is nearest to an enemy piece."""
    generals = table.of_own(Rank.GENERAL)
    if not generals or not table.enemy:
        return None
    general, enemy = closest_pair(generals, table.enemy)
    if steps_between(general.square, enemy.square) > _NEAR:
        return None
    return say(
        "Your General on {square} can be taken only by a General or a Sapper. When it attacks, only"
        " a Mine stops it.",
        square=general.square,
    )


def spies_at_home(table: Table) -> Message | None:
    """No Spy has gone where it could see something."""
    spies, rows = table.of_own(Rank.SPY), table.board.home_rows(table.view.seat)
    if not spies or not unknown_pieces(table) or table.view.turn < _LATER:
        return None
    if any(rank_of(spy.square) not in rows for spy in spies):
        return None
    return say(
        "None of your Spies has left your home rows. A Spy sees only the squares around it, so it"
        " has to go near the enemy."
    )


def spies_see(table: Table) -> Message | None:
    """Spies see eight squares (4.1)."""
    spies = table.of_own(Rank.SPY)
    unknown = unknown_pieces(table)
    if not spies or not unknown or table.view.turn > _EARLY:
        return None
    spy = one_nearby(table, spies, unknown)
    return say(
        "Your Spy on {square} sees all eight squares around it, also diagonally, after every step"
        " of either side.",
        square=spy.square,
    )


def few_can_move(table: Table) -> Message | None:
    """Who has no legal move loses (6.2)."""
    mobile = [piece for piece in table.own if piece.rank not in IMMOBILE]
    if not 0 < len(mobile) <= _FEW:
        return None
    return count(
        "You have only {n} piece left that can move. A player with no legal move loses.",
        "You have only {n} pieces left that can move. A player with no legal move loses.",
        len(mobile),
    )


def quiet(table: Table) -> Message | None:
    """A fight starts the count of quiet turns anew (6.3)."""
    left = table.view.no_progress_left
    if left is None or left > _SOON or table.view.phase != "play":
        return None
    return count(
        "An attack starts the count of turns without a fight again. {n} is left.",
        "An attack starts the count of turns without a fight again. {n} are left.",
        left,
    )


# The most useful first.
KINDS: Sequence[Callable[[Table], Message | None]] = (
    can_take,
    threatened,
    general_attacks,
    sure_attack,
    spy_looks,
    near_headquarters,
    only_one,
    winner_of_a_fight,
    known_mine,
    known_general,
    cheap_attack,
    open_headquarters,
    unmasked,
    quiet,
    few_can_move,
    equals,
    never_moved,
    never_moved_own,
    has_moved,
    own_general,
    mines_left,
    generals_left,
    thin_side,
    spies_at_home,
    spies_see,
    two_steps,
    decoys,
    front_row,
    sappers_back,
)


def tip(view: View, words: Words) -> Message | None:
    """Return a tip for this turn; None if none fits."""
    here = table(view)
    return chosen((kind(here) for kind in KINDS), view.turn + _begun_with(view))


def _begun_with(view: View) -> int:
    """Let matches and sides begin with other tips: by where the volcanoes lie."""
    return file_of(view.board.volcanoes[0]) + (view.seat == BLACK)
