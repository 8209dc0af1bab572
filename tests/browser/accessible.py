"""What axe finds wrong with a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def faults(page: Page, context: str | None = None, **options: Any) -> str:
    """Return what axe reports of a page or a part of it, nothing if it breaks no rule.

    It does not list what is right, which took four fifths of its time.
    """
    found = Axe().run(page, context=context, options={"resultTypes": ["violations"], **options})
    return found.generate_report() if found.violations_count else ""
