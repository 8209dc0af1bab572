"""What players of Espionage write in emails."""

ORDERS = ("c3-c4", "", "Spy g3 north")  # with a line between that is empty, as people write
MISTYPED = (
    *("g3g-4", "g3", "3d-4d", "D 3 - D 4", "gg3 g4", "Spy north", "then the one on g3 to g4"),
    *("my General on g3 goes one up", "i3 -> i44", "SETPU RANDOM", "SETPU AUTO", "g3-"),
)
QUESTIONS = (
    "Can my spy on c3 go to c4?",
    "Is c3-c4 allowed?",
    "Why was c3-c4 refused?",
    "Should I play c3-c4 or g3-g4?",
    "c3-c4 was refused, why?",
    "Hvorfor ble brikken min på c3 tatt?",
    "Kan c3 slå c4?",
    "Gjelder c3-c4 fortsatt?",
    "Varför slogs min pjäs på c3 av d4?",
    "Får jag flytta c3 till c4 om det står en mina där?",
    "Hi,\n\nmy General on c3 was captured by the piece on c4.\nHow can that be?\n\nAnna",
    "If I move c3-c4, can the piece on d4 capture it?",
    "Hello! Can a Mine move? And what about the Headquarters on a1?",
    "Can my general, which stands beside the headquarters of Bob, attack the\nspy on c4?",
    "Is it still my turn, or did c3-c4 count?",
)
# What is nearly an order, and so no question, though it asks.
NEARLY = (
    "c3-c44\n\nWhen is the deadline?",
    "c3-c44\nIs that right?",
    "c3-c4 ok?",
    "c3-c4, right?",
    "move c3 to c4?",
    "Please move c3 to c4?",
    "I go c3 to c4?",
    "c3 til c4?",
    "c3>c44 (allowed?)",
    "d3-d44 when is the deadline?",
    "Setup\n1S25PS14\n1122SP3S\nMHMX543P\nIs this right?",
)
