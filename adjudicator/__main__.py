"""`adjud` and `python -m adjudicator`."""

import gc
import os
import sys


def main() -> None:
    # Nearly all that a short run makes is imported modules, which stay: at Python's default the
    # collector looks through all of them several times for nothing.
    gc.set_threshold(100_000)
    try:
        from adjudicator.mail.transport import receive
    except BaseException:
        if "receive" in sys.argv:  # while a new version is being installed
            os._exit(75)
        raise
    if receive.is_meant(sys.argv[1:]):
        # Dispatched before Click is imported: its exit codes would bounce a player's orders.
        sys.exit(receive.run(sys.argv[1:]))
    from adjudicator.cli import main as cli

    cli()


if __name__ == "__main__":
    main()
