"""Spies: spies carry secrets home, police search for them, 1933 to 1939.

Numbers in comments are the rule book's. The packages are the parts of every game: `rules` (map,
pieces, deal, the turns of a year, outcome), `orders` (values, reading, checking), `sight` (what a
seat sees and is told), `record` (written and played again) and `computers`.
"""
