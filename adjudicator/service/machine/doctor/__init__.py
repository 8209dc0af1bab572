"""The doctor: everything that can be wrong with an installation, each thing one check.

table     the checks, in the order in which they are told
checking  what a check looks at, and what it finds
program   whether all that was installed is there
records   what the database knows: clock, ticks, letters
files     what lies on the disk, whose it is and who can read it
ways      the ways that letters take
names     what the DNS says of the club's domain
trials    letters that the club has sent to itself
patience  questions that may never be answered
"""
