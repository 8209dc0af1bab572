"""The email dialog: whose letter it is, what it asks, and the one answer that it gets.

fetching    from a mailbox into the spool
serving     from a mail server into the spool, by LMTP
collecting  from the spool into the database
reading     the life of one letter: junk, duplicate, three tries, later, stuck
delays      why a letter is not read yet
finding     whose letter it is
limits      letters of which nothing is read
contents    what a letter says, taken apart
conversing  what a seat's holder asked, and the answer
doing       all that is asked, from top to bottom
obeying     one command
parking     what waits to be confirmed
misplaced   orders where none are looked for
answered    the turn that a sheet without one is meant for
pressing    what one seat writes to others
public      what anybody may ask
joining     a seat that is asked for, confirmed and taken
talk        one letter of one seat, while it is answered
replies     the answer's letter
bouncing    letters of ours that came back
strays      who holds no seat any more, named two, or another's
"""
