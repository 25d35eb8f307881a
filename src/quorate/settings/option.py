"""What a row of the table of options says, and how its value is read and written.

Readers and writers are named by module and function, so that showing a command's help loads none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from quorate.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quorate.settings.file_fields import Field

__all__ = ["Option", "Place", "Shape"]

T_co = TypeVar("T_co", covariant=True)
Place = Literal["flag", "variable", "panel file", "user file", "program", "http", "mcp"]
Shape = Literal["value", "parts", "pairs", "list", "switch"]
"""One value; one text of several parts; NAME=VALUE, again for each; texts, again for each; or said without a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option(Generic[T_co]):
    """One option. What it is read into includes None where nothing may be said and there is no default."""

    name: str
    places: tuple[Place, ...]
    about: str
    """What it holds, in a phrase."""
    flag_help: str = ""
    """What a flag's help says, if that is not the phrase."""
    metavar: str = ""
    flag_name: str = ""
    """The flag, if it is not the option's own name."""
    short: str = ""
    """The same in one letter."""
    keyword: str = "str"
    """What a program gives, as a type; empty if each door says for itself what it takes."""
    keyword_note: str = ""
    shape: Shape = "value"
    example: str = ""
    """Of a pair, for whoever wrote none."""
    reader: str = ""
    """Reads one text: module and function. Empty for the text itself."""
    field_reader: str = ""
    """Reads a field of a file that may hold more than one text."""
    is_listed: bool = False
    """Whether `quorate config` lists it."""
    writer: str = ""
    """Writes the value there: module and function. Empty for the value itself."""
    default: str | None = None
    """As it would be written."""
    otherwise: str = "none"
    """What holds if nobody says anything and there is no default, in words."""
    is_path: bool = False
    """A path: `~/` is the user's home, and in the user file it is meant from that file's folder."""
    words: str = ""
    """What may stand there and is no path."""

    @property
    def flag(self) -> str:
        return self.flag_name or f"--{self.name}"

    @property
    def variable(self) -> str:
        return f"QUORATE_{self.name.upper()}"

    @property
    def help(self) -> str:
        return self.flag_help or f"{self.about[:1].upper()}{self.about[1:]}."

    @property
    def is_repeated(self) -> bool:
        """Whether a flag may be given several times."""
        return self.shape in {"pairs", "list"}

    @property
    def is_keyed(self) -> bool:
        """Whether each part is said, and found, by itself."""
        return self.shape in {"pairs", "parts"}

    def read(self, text: str) -> Any:  # noqa: ANN401  what it is depends on the row
        return _load(self.reader)(text) if self.reader else text

    def read_field(self, field: "Field") -> Any:  # noqa: ANN401  the same
        return _load(self.field_reader)(field) if self.field_reader else field.read(self.read)

    def write(self, value: object) -> str:
        if value is None:
            return "none"
        return str(_load(self.writer)(value) if self.writer else value)

    def is_word(self, text: str) -> bool:
        """Whether this is one of the words it knows, and no path."""
        if not self.words:
            return False
        known = _load(self.words)
        return text in (cast("Mapping[str, object]", known()) if callable(known) else known)


def _load(reference: str) -> Any:  # noqa: ANN401  a function or a collection
    module, _, name = reference.partition(":")
    return getattr(import_module(f"quorate.{module}"), name)
