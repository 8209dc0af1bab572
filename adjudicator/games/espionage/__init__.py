"""Espionage: the table of contents of the game. Numbers in comments are the rule book's."""

from adjudicator.core.dice import LABEL
from adjudicator.core.game import (
    Advance,
    Game,
    Link,
    Marks,
    Orders,
    Page,
    Proof,
    Records,
    Rules,
    Sight,
)
from adjudicator.core.match import Option
from adjudicator.core.message import say
from adjudicator.games.espionage.computers import COMPUTERS
from adjudicator.games.espionage.lexicon import LEXICON, SIDE_TITLES, VARIANT_TITLES
from adjudicator.games.espionage.orders import conditions
from adjudicator.games.espionage.orders.check import check
from adjudicator.games.espionage.orders.conditions import evident
from adjudicator.games.espionage.orders.parse import parse
from adjudicator.games.espionage.orders.template import example, reach, template
from adjudicator.games.espionage.orders.values import Order, canonical
from adjudicator.games.espionage.orders.words import likeness
from adjudicator.games.espionage.page.full_board import truth
from adjudicator.games.espionage.page.history import SPARE_STEPPING, STEPPING
from adjudicator.games.espionage.page.news import OldReport
from adjudicator.games.espionage.page.rows import looking_back, page, retold
from adjudicator.games.espionage.page.rules_page import rules
from adjudicator.games.espionage.page.suggest import suggest
from adjudicator.games.espionage.page.tips import tip
from adjudicator.games.espionage.record.replay import replay, write
from adjudicator.games.espionage.rules.pieces import BLACK, SIDES, WHITE
from adjudicator.games.espionage.rules.state import VARIANTS, Event, Ordered, State, TurnPassed
from adjudicator.games.espionage.rules.turns import (
    adjudicate,
    apply,
    awaiting,
    close,
    leave,
    secrets,
    set_up,
)
from adjudicator.games.espionage.sight import marks
from adjudicator.games.espionage.sight.memory import remember
from adjudicator.games.espionage.sight.observe import SeenStep, View, observe, phase, witness

ESPIONAGE: Game[State, Order, Event, View, SeenStep] = Game(
    slug="espionage",
    title="Espionage",
    gist=say(
        "Two armies face each other, and each sees only its own ranks. Capture the enemy's "
        "Headquarters."
    ),
    about=say(
        "In Espionage two armies face each other, and you cannot see what the enemy's pieces are. "
        "You win by capturing the enemy Headquarters, or when your opponent has no legal move."
    ),
    lasts=say("A match has about 60 turns of a few minutes each."),
    seats=SIDES,
    seat_titles={side: SIDE_TITLES[side] for side in SIDES},
    seat_words={"hvit": WHITE, "vit": WHITE, "svart": BLACK},
    players=range(2, 3),
    variants=tuple(VARIANTS),
    variant_titles=VARIANT_TITLES,
    options={
        "fights": Option(("hidden", "captured", "both"), about="which ranks a fight shows"),  # 3.4
        "unmask_notice": Option(
            ("false", "true"), about="whether you see which of your pieces are known"
        ),  # 4.4
        "no_progress": Option(
            most=1000, about="full turns without a fight after which the match is drawn"
        ),  # 6.3
        "advance": Option(
            ("on", "off"), about="whether orders for later turns are saved, and conditions are read"
        ),  # 8.1
        "aids": Option(
            ("on", "off"), about="whether reports list what an unknown piece can still be"
        ),  # 9.5
    },
    rules=Rules(
        state=State,
        event=Event,
        set_up=set_up,
        awaiting=awaiting,
        outcome=lambda state: state.outcome,
        turn=lambda state: state.turn,
        phase=phase,
        adjudicate=adjudicate,
        apply=apply,
        leave=leave,
        close=close,
    ),
    orders=Orders(
        parse=parse,
        canonical=canonical,
        check=check,
        evident=evident,
        template=template,
        example=example,
        lexicon=LEXICON,
        likeness=likeness,
        reach=reach,
    ),
    sight=Sight(
        view=View,
        sighting=SeenStep,
        observe=observe,
        witness=witness,
        truth=truth,
        remember=remember,
    ),
    page=Page(
        rows=page,
        back=looking_back,
        past=OldReport,
        stepping=STEPPING,
        spare_stepping=SPARE_STEPPING,
        tales=retold,
        rules=rules,
        tip=tip,
        suggest=suggest,
    ),
    record=Records(write=write, replay=replay, suffix="esp"),
    computers=COMPUTERS,
    advance=Advance(
        ply=conditions.ply,
        impossible=conditions.impossible,
        doubtful=conditions.doubtful,
        condition=conditions.condition,
        written=conditions.write_condition,
        senseless=conditions.senseless,
        holds=conditions.holds,
    ),
    marks=Marks(
        places=marks.places,
        refusal=marks.refusal,
        follow=marks.follow,
        shown=marks.with_marks,
        shown_lost=marks.with_lost_marks,
    ),
    proof=Proof(
        label=LABEL,
        secrets=secrets,
        what="setup",
        secret=lambda seat: say("Set-up of {seat}", seat=seat),
        links=lambda state, seat: (Link("X", None, 1),),  # the volcanoes (1.5)
        repeated=(Ordered, TurnPassed),
    ),
)
