"""`python -m release`: see `make release`."""

import argparse
import sys

from release import check, places


def main() -> int:
    """Sets or checks what a release needs; 1 where something is missing."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("version", help="the version in all places").add_argument("value")
    commands.add_parser("repository", help="the address of the repository in all places").add_argument(
        "value"
    )
    checking = commands.add_parser("check", help="what stands in the way of a release")
    checking.add_argument("--published", action="store_true", help="the address must be a real one, too")
    told = parser.parse_args()
    if told.command == "check":
        found = check.fragment_faults() + check.faults(published=told.published)
        print("\n".join(found) or f"ready: {places.VERSION[0].value()}")
        return 1 if found else 0
    for place in places.VERSION if told.command == "version" else places.REPOSITORY:
        place.write(told.value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
