"""`adjud` and `python -m adjudicator`."""

import gc


def main() -> None:
    # Nearly all that a short run makes is imported modules, which stay: at Python's default the
    # collector looks through all of them several times for nothing.
    gc.set_threshold(100_000)

    from adjudicator.cli import main as cli

    cli()


if __name__ == "__main__":
    main()
