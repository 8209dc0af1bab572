"""Built-in players. They are given a view and nothing else, so they know what a player knows."""
