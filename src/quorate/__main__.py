"""`python -m quorate` is the command `quorate`, for where its script is not on the path."""

from quorate.doors.cli import main

if __name__ == "__main__":
    main()
