"""The program `adjud`, also run as `python -m adjudicator`."""

import atexit
import gc
import os
import sys


def main() -> None:
    # A short run makes hardly anything but imported modules, and those are never freed. With
    # Python's default the garbage collector would search them several times for nothing.
    gc.set_threshold(100_000)
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
    if "tick" in sys.argv and _nothing_to_do():
        return
    from adjudicator.cli import main as cli

    cli()


def _nothing_to_do() -> bool:
    import time

    from adjudicator.idle import look

    return look.nothing_to_do(sys.argv[1:], time.time())


if __name__ == "__main__":
    main()
