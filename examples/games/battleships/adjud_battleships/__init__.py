"""Battleships for adjud; the rules are in `RULES.md`.

`rules.py`, `sight.py`, `orders.py` and `computers.py` are the game; `page.py`, `templates/` and
`locale/` are how it looks. What is not here has the defaults of `simple_game`.
"""

from typing import Any

from adjud_battleships.computers import at_random, hunting
from adjud_battleships.orders import SHIP_TITLES, BattleOrders
from adjud_battleships.page import TITLES, board, news, with_both_seas
from adjud_battleships.rules import (
    BLUE,
    OPTIONS,
    RED,
    SHIPS,
    Fired,
    Order,
    Place,
    Placed,
    Shoot,
    State,
    adjudicate,
    apply,
    awaiting,
    set_up,
)
from adjud_battleships.sight import News, View, observe, witness
from adjudicator.core.game import Game
from adjudicator.core.message import listed
from adjudicator.core.simple import Look, SimpleRules, SimpleSight, say, simple_game

CONTRACT = 1  # the version of docs/games.md for which this is written

_SHIPS = listed(
    say("{ship} ({n})", ship=SHIP_TITLES[ship], n=squares) for ship, squares in SHIPS.items()
)
BATTLESHIPS: Game[State, Order, Any, View, News] = with_both_seas(
    simple_game(
        slug="battleships",
        contract=CONTRACT,
        title="Battleships",
        gist=say("Two hidden fleets, and salvos at them."),
        about=say(
            "In Battleships you and your opponent hide five ships, and fire salvos at squares "
            "where the other fleet may lie. Whoever sinks all ships of the other wins."
        ),
        lasts=say("A match has ten to thirty turns of a minute each."),
        seats=TITLES,
        seat_words={
            "blå": BLUE,
            "bla": BLUE,
            "rød": RED,
            "rod": RED,
            "röd": RED,
        },
        options=OPTIONS,
        rules=SimpleRules(
            state=State,
            event=Placed | Fired,
            set_up=set_up,
            awaiting=awaiting,
            adjudicate=adjudicate,
            apply=apply,
        ),
        orders=BattleOrders(
            words={"PLACE": Place, "SHOOT": Shoot},
            examples=("PLACE carrier a1 a5", "PLACE random", "SHOOT b3 c4 d5 e6 f7"),
        ),
        sight=SimpleSight(view=View, sighting=News, observe=observe, witness=witness),
        look=Look(
            board=board,
            news=news,
            how=[
                say("Before the first turn write PLACE, a ship and the squares where it ends."),
                say("PLACE random leaves the ships that you do not name to chance."),
                say("Then write SHOOT and a square for each of your ships that is afloat."),
            ],
            rules=[
                say("Ships and their squares: {ships}.", ships=_SHIPS),
                say("Whoever sinks the whole fleet of the other wins."),
            ],
            reasons={
                "sunk": say("the other fleet is sunk"),
                "both-sunk": say("both fleets are sunk in the same turn"),
            },
        ),
        computers={"computer": hunting, "computer:random": at_random},
    )
)
