"""Keep short codes in one piece where a browser would end a line at their hyphen."""

import re

from markupsafe import Markup

_CODE = re.compile(r"\b([A-Z])-(?=P?[0-9A-Z]\b)")


def unbroken(html: Markup, wanted: bool) -> Markup:
    """Write the hyphens of codes as `G-P4` so that they break no line. Sheets with such hyphens are
    read, too.

    They take two bytes more each, which pages of letters do without.
    """
    return Markup(_CODE.sub("\\1\u2011", html)) if wanted else html  # noqa: S704  # was escaped
