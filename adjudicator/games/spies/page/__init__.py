"""The rows that the templates of Spies print, made from a report's plain data alone: what happened
in words, the tables, the map. No module here sees a state or a view, but for `full_board`, which is
the game master's."""
