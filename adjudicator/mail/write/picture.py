"""Draw a board as PNG, because mail programs drop SVG. The pixels are the same on every machine."""

from adjudicator.resources import PACKAGE

WIDTH = 880  # for fine screens; letters carry a drawing at its own size, which is much lighter
PAPER = "#faf7f0"  # opaque, or a dark mail program would show through


def png(svg: str, width: int | None = None) -> bytes | None:
    """Return the picture, by default at the drawing's own size; None if the extra `png` is not
    installed.

    Pass our own drawings only: resvg opens the files that an image element names.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        return None
    if "<image" in svg:
        raise ValueError("a drawing with an image element is not ours")
    return svg_to_bytes(
        svg_string=svg,
        width=width,
        background=PAPER,
        skip_system_fonts=True,
        font_files=[str(PACKAGE / "mail" / "write" / "fonts" / "board.ttf")],
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )
