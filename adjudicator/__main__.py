"""The program `adjud`, also run as `python -m adjudicator`."""

import atexit
import gc
import os
import sys

# A run makes hardly anything but imported modules, which are never freed, and values that go
# without the garbage collector. With Python's default it would search them all for nothing, several
# times in a short run. A whole `submit` makes half as many.
COLLECTED_AFTER = 200_000  # objects


def main() -> None:
    gc.set_threshold(COLLECTED_AFTER)
    # At its end Python would search all of them once more, which took a quarter of a short run.
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
