"""Our speed against that of peers, as ratios within one run: `python -m tests.bench`.

Nothing here fails because something is slow. Absolute figures say little of another machine;
ours and theirs are measured in turns, so that whatever else the machine does strikes both.
"""
