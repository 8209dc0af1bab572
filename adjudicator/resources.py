"""Where migrations and templates are: inside the wheel, or beside the package in a checkout."""

from importlib.resources import files
from pathlib import Path

PACKAGE = Path(str(files("adjudicator")))


def folder(name: str) -> Path:
    """The folder `migrations` or `templates`, wherever this program was installed."""
    installed = PACKAGE / f"_{name}"
    # An editable install may leave copies in site-packages; the checkout's own folder wins there
    # because this looks beside the imported package.
    if installed.is_dir():
        return installed
    checkout = PACKAGE.parent
    # Without this test we might pick up somebody else's site-packages/templates.
    if (checkout / "pyproject.toml").is_file():
        return checkout / name
    raise RuntimeError(f"adjudicator was installed without its {name}")
