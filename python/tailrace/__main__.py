"""`python -m tailrace`."""

from tailrace.cli import main

if __name__ == "__main__":
    main()
