"""The rules of Spies: the map, the state, the facts that change it, and what follows from orders.

`match` is the door: it sets a match up, plays a ply and ends it. Each power's turn goes through
`turn` (the five steps of 5.2) and the module of each step; all of them tell their facts to a
`Course`, which applies them at once, so that each line is tested when its time comes.
"""
