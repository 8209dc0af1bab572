"""Lay out the map: a Europe of our own, pulled apart where its cities stand close.

Columns run from west to east and rows from north to south; a tenth is as fine as it gets.
"""

from collections.abc import Mapping

COLUMN, ROW = 92, 84  # units of the drawing
EDGE_X, EDGE_Y = 48, 30
WIDTH, HEIGHT = 844, 1068

_CITIES: Mapping[str, tuple[float, float]] = {
    "ARK": (7.6, 0.2),
    "LEN": (6.7, 1.2),
    "STO": (4.9, 1.2),
    "EDI": (1.2, 1.4),
    "MOS": (8.1, 2.1),
    "COP": (4.0, 2.2),
    "RIG": (6.0, 2.1),
    "LIV": (0.4, 2.4),
    "LON": (1.5, 3.1),
    "HAM": (3.6, 3.2),
    "KON": (5.5, 3.1),
    "WAR": (6.4, 3.9),
    "BRU": (2.4, 3.9),
    "BER": (4.4, 4.0),
    "COL": (3.3, 4.3),
    "KIE": (7.6, 4.2),
    "BSL": (5.4, 4.6),
    "BST": (0.4, 4.7),
    "PAR": (1.5, 4.9),
    "STR": (2.5, 5.3),
    "PRA": (4.5, 5.2),
    "MUN": (3.6, 5.9),
    "BUD": (5.9, 5.9),
    "VIE": (4.9, 6.4),
    "ODE": (7.6, 5.8),
    "LYO": (1.7, 6.3),
    "ZUR": (2.7, 6.7),
    "BUC": (6.9, 6.9),
    "BAT": (8.2, 7.2),
    "VEN": (4.1, 7.3),
    "MIL": (3.1, 7.9),
    "BEL": (5.6, 7.4),
    "MAR": (1.9, 7.9),
    "MAD": (0.8, 8.3),
    "LIS": (0.1, 9.3),
    "IST": (7.3, 8.5),
    "ROM": (4.1, 8.7),
    "GIB": (0.7, 10.3),
    "ATH": (6.1, 9.5),
    "NAP": (4.8, 9.6),
    "ALG": (1.9, 10.6),
    "PAL": (3.9, 10.5),
    "TRI": (3.6, 11.5),
    "MAL": (4.9, 11.2),
    "ALX": (7.2, 11.2),
}
_ZONES: Mapping[str, tuple[float, float]] = {
    "ARC": (4.2, 0.1),
    "NTH": (2.4, 2.4),
    "SKA": (3.3, 1.3),
    "BAL": (5.2, 2.2),
    "ATL": (0.1, 6.7),
    "WME": (2.5, 9.4),
    "TYR": (3.3, 9.9),
    "ADR": (4.9, 8.1),
    "ION": (5.2, 10.5),
    "EME": (6.8, 10.2),
    "BLK": (7.8, 7.7),
}


def _placed(places: Mapping[str, tuple[float, float]]) -> dict[str, tuple[int, int]]:
    return {
        name: (round(EDGE_X + x * COLUMN), round(EDGE_Y + y * ROW))
        for name, (x, y) in places.items()
    }


CITIES = _placed(_CITIES)
ZONES = _placed(_ZONES)
