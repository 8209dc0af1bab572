"""What players of Spion write in emails."""

ORDERS = (
    "MOVE NOR IF CARD, e2",
    "CHALLENGE red 3 ATOM",
    "",
    "KEEP ATOM: PLACE 4",
)  # with a line between that is empty, as people write
MISTYPED = (
    *("MOEV NOR", "move", "CHALENGE red 3 ATOM", "AMBSH green", "Swap gren", "red 3 challenge"),
    *("and ambush the red one, too", "PASSS", "please move to NOR"),
)
QUESTIONS = (
    "Can I challenge red with KEMI?",
    "Why did my challenge to blue fail?",
    "Does the path a12 to b12 count as one step?",
    "Får jag utmana röd två gånger?",
)
# What is nearly an order, and so no question, though it asks.
NEARLY = ("CHALLENGE red KEMMI?", "move k5?")
