"""adjud, a play-by-email turn adjudicator for hidden-information board games.

core       values and pure functions that every game shares; no clock, no files, no rows
games      one package a game: its board, its orders, its rules, what a seat may see
mail       bytes of emails to values and back, and the ways in and out; no rows, no games
reports    a report to text and HTML; the only place that knows Jinja2
store      the database; the only place that knows SQLAlchemy
config     the settings that a file gives
service    use cases: gather, call the core, save; twelve packages in layers
cli        `adjud`: parse arguments, call one service, print
places     where files of a user and of the program lie
resources  what comes with the program: templates, migrations, catalogues

docs/architecture.md tells how they work together.
"""

__version__ = "1.0.1"
SCHEMA = "0041"  # the newest migration's number, as its file name begins
