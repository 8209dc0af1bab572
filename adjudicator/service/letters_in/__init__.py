"""Inbound letters: whose each one is, what it asks, and the one answer that it gets.

fetching        from a mailbox into the spool
serving         from a mail server into the spool, by LMTP
collecting      from the spool into the database
letter_life     the life of one letter: three tries, later, stuck
one_letter      one letter read: junk, or to the seat or the public address
delays          why a letter is not read yet
whose           whose letter it is
wrong_seat      a tag that does not verify, counted and told to the operator
letter_to_seat  what a seat asks: duplicate, answered, parked
unreadable      letters of which nothing is read
bare_orders     the orders among lines without a frame
said            what a letter says, taken apart
answer          what a seat's holder asked, and the answer
carry_out       all that is asked, from top to bottom
commands        one command
confirmations   what waits to be confirmed
mended          a refused set-up, sent back with its faults marked
questions       words of a person, answered and passed on to the game master
own_letters     what we wrote ourselves, when it is sent back
misplaced       orders where none are looked for
turn_answered   the turn that a sheet without one is meant for
press           what one seat writes to others
in_force        the orders in force, which every answer ends with
public_address  what anybody may ask
open_seats      the seats that are to be had
joining         a seat that is asked for, confirmed and taken
conversation    one letter of one seat, while it is answered
replies         an answer, put together and queued
handed_in       a sheet that the game master entered for a player
bounces         letters of ours that came back
trials          letters by which a club tries its mail
"""
