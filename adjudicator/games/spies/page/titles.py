"""Name secrets and event tiles as their reader does; in the map their titles stand in English."""

from collections.abc import Mapping

from adjudicator.core.message import Message, Words, say
from adjudicator.games.spies.rules.atlas import atlas

_TITLES: Mapping[str, Message] = {
    message.text: message
    for message in (
        say("Airfield survey"),
        say("Armoured division manual"),
        say("Attache's cipher book"),
        say("Bank clerk's notes"),
        say("Battleship gun tables"),
        say("Bomber sight"),
        say("Coastal battery survey"),
        say("Code machine wiring"),
        say("Consul's letters"),
        say("Customs stamps"),
        say("Dance-hall gossip"),
        say("Factory blueprints"),
        say("Fighter prototype drawings"),
        say("Fortress plans"),
        say("Gold reserve ledger"),
        say("Grain purchase plan"),
        say("Harbour photographs"),
        say("Minefield chart"),
        say("Mobilisation timetable"),
        say("Nerve poison formula"),
        say("Oil contract draft"),
        say("Old mobilisation order"),
        say("Parachute trials"),
        say("Police informer list"),
        say("Press bribes ledger"),
        say("Radio direction-finding set"),
        say("Rail capacity tables"),
        say("Staff seating plan"),
        say("Submarine hull steel"),
        say("Synthetic fuel process"),
        say("Tank gearbox"),
        say("Torpedo steering gear"),
        say("Tourist sketch maps"),
        say("Treaty draft"),
        say("Weather codes"),
        say("New order in Berlin"),
        say("Rearmament announced"),
        say("Troops on the Rhine"),
        say("Pressure on Vienna"),
        say("Demands on the Corridor"),
        say("Trade mission to the Balkans"),
        say("War in East Africa"),
        say("Legion for Spain"),
        say("Pact of the Axis"),
        say("Landing across the Adriatic"),
        say("Second plan of industry"),
        say("A seat at the League"),
        say("Line of the popular fronts"),
        say("Trials in the capital"),
        say("Talks on Baltic bases"),
        say("Scandal of the bonds"),
        say("Pact with the East"),
        say("Strikes and sit-ins"),
        say("New forts on the frontier"),
        say("Guarantees in the South-East"),
        say("Disarmament talks fail"),
        say("Naval agreement"),
        say("Crisis of the crown"),
        say("Patrols against pirates"),
        say("Guarantee for Warsaw"),
        say("Council of the small states"),
        say("Courier on the express"),
        say("Arms dealers' fair"),
        say("Winter games"),
        say("Danube commission"),
        say("Congress of newspapermen"),
        say("Front in Spain"),
        say("Run on the banks"),
        say("World exhibition"),
        say("Oil cartel meets"),
        say("Trains of refugees"),
        say("New air route opened"),
        say("Squadron visits"),
        say("Conference of four"),
        say("Northern convention"),
    )
}


def secret_title(title: str, words: Words) -> str:
    """Return the title of a face; a counterspy's says its strength."""
    first, _, number = title.rpartition(" ")
    if first == "Counterspy" and number.isdigit():
        return words(say("Counterspy {n}", n=int(number)))
    return words(_TITLES[title]) if title in _TITLES else title


def tile_title(tile: str, words: Words) -> str:
    return words(_TITLES[atlas().tiles[tile].title])
