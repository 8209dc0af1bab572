"""What players of Spies write in emails."""

ORDERS = (
    "PLAY TG1",
    "SPY A: GO PRA, ZUR;",
    "DISCOVER N-4, N-3 TRIES 2",
    "HOLD N-4",
)  # with a line between that is empty, as people write
MISTYPED = (
    *("SPPY B: GO PRA", "B: GO ZUR", "B GO ZUR", "Go Prauge", "HOLD", "KIL R-B", "PLYA TG1"),
    *("and then go home with B to Paris", "COVR ALL", "police p1 to Berlin"),
)
QUESTIONS = (
    "Can G3 go to Berlin?",
    "Hvorfor kan ikke R2 reise til Roma?",
    "What is P-3 worth?",
    "Kan R2 ta pengarna i Berlin?",
)
# What is nearly an order, and so no question, though it asks.
NEARLY = ("G3 Berlin?", "kill R2?", "TAKE G3?")
