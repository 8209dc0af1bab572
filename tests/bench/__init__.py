"""Measure our speed against that of peers, as ratios within one run: `python -m tests.bench`.

Nothing here fails because something is slow. Absolute figures say little about another machine.
Ours and theirs are measured in turns, so that whatever else the machine does slows both.
"""
