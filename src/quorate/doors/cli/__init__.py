"""The command line: parse, call, show a view."""

import gc
import sys
from typing import Final

__all__ = ["main"]

_COLLECTED: Final = (50_000, 10, 10)
"""After how many new objects Python looks for garbage: a command loads forty thousand, hardly any of them garbage."""


def main() -> None:
    """Where the `quorate` command begins: hardly anything of what it takes has been loaded yet."""
    gc.set_threshold(*_COLLECTED)
    from quorate.doors.cli import signals as stopping

    try:
        stopping.heed_signals()
        from quorate.doors.cli import command_group

        code = command_group.run(sys.argv[1:])
    except KeyboardInterrupt:  # before there was anything to stop, or once all was told
        code = stopping.exit_code()
    stopping.leave(code)
