"""Turn a report page into what mail programs show: light colours, styles inside the elements, no
SVG."""

import re

_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title>", re.DOTALL)
_WORDS = re.compile(r"<desc\b[^>]*>(.*?)</desc>", re.DOTALL)
# The page's own policy forbids everything from outside, even the picture in the same letter. And it
# promises dark colours, which are impossible when styles are inside the elements.
_PAGE_ONLY = re.compile(
    r'\s*<meta\s+(?:http-equiv="Content-Security-Policy"|name="(?:color-scheme|referrer|robots)")'
    r"[^>]*>"
)
# Two comments surround what only the page has, or only the letter.
_BEYOND = re.compile(r"<!-- page only -->.*?<!-- /page only -->\s*", re.DOTALL)
_OF_LETTER = re.compile(r"<!-- letter only -->.*?<!-- /letter only -->\s*", re.DOTALL)
# Letters have no scripts, nor the places that a script would fill.
_SCRIPTS = re.compile(r"\s*<(script|template)\b.*?</\1>", re.DOTALL)

# Mail programs show a form's fields empty or not at all, and they cannot fold sections.
_FIELD = re.compile(r"<textarea\b[^>]*>\s*(.*?)</textarea>", re.DOTALL)
_FOLDS = re.compile(r"</?(?:details|summary)\b[^>]*>\s*")


def mail_html(page: str, picture: str | None) -> str:
    """Return the page for a letter, with the picture of that Content-ID (RFC 2392) for its first
    drawing.

    Without a picture a description in words takes its place, because programs that drop an SVG keep
    the letters in it.
    """
    still = _PAGE_ONLY.sub("", _SCRIPTS.sub("", _BEYOND.sub("", page)))
    still = _FOLDS.sub("", _FIELD.sub(r"<pre>\1</pre>", still))
    return _inlined(_SVG.sub(lambda found: _shown(found[0], picture), still, count=1))


def attached(page: str) -> str:
    """Return the page as it is attached to the letter that was made from it."""
    return _OF_LETTER.sub("", page)


def _shown(svg: str, picture: str | None) -> str:
    words = _part(_WORDS, svg) or _part(_TITLE, svg)
    if picture is None:
        return f"<p>{words}</p>"
    told = words.replace('"', "&quot;")
    style = "display:block;width:100%;max-width:440px;height:auto"
    return f'<img src="cid:{picture}" alt="{told}" width="440" style="{style}">'


def _part(wanted: re.Pattern[str], svg: str) -> str:
    found = wanted.search(svg)
    return found[1] if found else ""


def _inlined(html: str) -> str:
    """Move the styles into the elements, because Gmail and others drop the style block of a larger
    letter.

    Without the extra `png` the block stays where it is.
    """
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
