"""Notes and errors of the service in the words of the command line: settings are flags here."""

import shlex
from typing import TYPE_CHECKING

from quorate.settings.table import TABLE

if TYPE_CHECKING:
    from quorate.errors import QuorateError, Suggestion
    from quorate.service.request import Note

__all__ = ["error_words", "note_words"]


def note_words(note: "Note") -> str:
    """What was understood, and the flag for something else."""
    return note.text if note.suggestion is None else f"{note.text}; {_wish(note.suggestion)}"


def error_words(wrong: "QuorateError") -> str:
    """What is wrong, and the flags that would help."""
    told = wrong.reason.rstrip(".")
    return "; ".join((told, *map(_wish, wrong.suggestions))) if wrong.suggestions else str(wrong)


def _wish(suggestion: "Suggestion") -> str:
    return f"{suggestion.wish}: {_flag(suggestion)}" if suggestion.wish else f"try {_flag(suggestion)}"


def _flag(suggestion: "Suggestion") -> str:
    name, _, part = suggestion.setting.partition(".")
    value = suggestion.value
    if name == "options":
        return f"--option {value or 'TEXT'}"
    option = next(option for option in TABLE if option.name == name)
    if option.shape == "switch":
        return option.flag
    written = f"{part}={value}" if part else value or option.metavar
    # A placeholder such as NAME=MODEL is to be read, not typed.
    return f"{option.flag} {written if written.replace('=', '').isupper() else shlex.quote(written)}"
