"""`adjud` and `python -m adjudicator`."""


def main() -> None:
    from adjudicator.cli import main as cli

    cli()


if __name__ == "__main__":
    main()
