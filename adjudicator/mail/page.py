"""A report page as mail programs take it: light, styles inside the elements, no SVG."""

import re

_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title>", re.DOTALL)
_WORDS = re.compile(r"<desc\b[^>]*>(.*?)</desc>", re.DOTALL)
# A page forbids itself everything from outside, the picture in the same letter included; and it
# promises dark colours, which cannot be kept where styles stand in the elements.
_PAGE_ONLY = re.compile(
    r'\s*<meta\s+(?:http-equiv="Content-Security-Policy"|name="(?:color-scheme|referrer|robots)")'
    r"[^>]*>"
)


def mail_html(page: str, picture: str | None) -> str:
    """The page with its first drawing as the picture of that Content-ID (RFC 2392); without a
    picture its description in words stands there, for programs that drop an SVG keep its letters.
    """
    drawn = _SVG.sub(lambda found: _shown(found[0], picture), page, count=1)
    return _inlined(_PAGE_ONLY.sub("", drawn))


def _shown(svg: str, picture: str | None) -> str:
    if picture is None:
        return f"<p>{_part(_WORDS, svg)}</p>"
    title = _part(_TITLE, svg).replace('"', "&quot;")
    style = "display:block;width:100%;max-width:440px;height:auto"
    return f'<img src="cid:{picture}" alt="{title}" width="440" style="{style}">'


def _part(wanted: re.Pattern[str], svg: str) -> str:
    found = wanted.search(svg)
    return found[1] if found else ""


def _inlined(html: str) -> str:
    """Gmail and others drop the style block of a larger letter. Without the extra `png` it
    stays where it is."""
    try:
        from css_inline import inline
    except ImportError:
        return html
    return inline(
        html,
        load_remote_stylesheets=False,
        resolve_css_variables=True,
        extra_css=":root { color-scheme: light }",
    )
