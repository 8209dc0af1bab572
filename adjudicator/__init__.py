"""adjud, a play-by-email turn adjudicator for hidden-information board games.

core      values and pure functions that every game shares; no clock, no files, no rows
games     one package a game: its board, its orders, its rules, what a seat may see
reports   a report (plain data) to text and HTML
store     the database; the only place that knows SQLAlchemy
service   use cases: gather, call the core, save
cli       `adjud`: parse arguments, call one service, print
"""

__version__ = "0.2.9"  # the last number is that of the newest migration
