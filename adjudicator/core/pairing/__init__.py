"""Tournaments as pure functions: who meets whom, in which seat, and what it gives (club, 7).

Theory. A tournament is its seed, the numbers of its entries, and what was played (`history`). All
that follows is computed from these: the same rows give the same pairing, in every club that was
restored from them, and an entrant who knows the opened seed can compute it again. Points are
whole 24ths, which hold every share of two to five seats, so that no rounding decides a place.

lots      chance from the tournament's seed
history   what was played so far, and what follows from it for one entry
points    what a match gives to each of its seats
fixed     the rounds that are known from the start: Berger's tables, and a knock-out's bracket
swiss     pairs for the next round of a Swiss, by a matching of least cost
pods      matches of three or more for the next round of a Swiss
table     the places, with what decides between equal points
"""
