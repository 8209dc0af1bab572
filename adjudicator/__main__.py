"""The program `adjud`, also run as `python -m adjudicator`."""

import atexit
import gc
import os
import sys


def main() -> None:
    # A run makes hardly anything but imported modules. At its end Python would search them all once
    # more for what may be freed, which takes a quarter of a short run.
    atexit.register(gc.freeze)
    try:
        from adjudicator.mail.transport import receive
    except BaseException:
        if "receive" in sys.argv:  # while a new version is being installed
            os._exit(75)
        raise
    if receive.is_meant(sys.argv[1:]):
        # This comes before Click is imported, whose exit codes would bounce a player's orders.
        sys.exit(receive.run(sys.argv[1:]))
    from adjudicator.cli import main as cli

    cli()


if __name__ == "__main__":
    main()
