"""A file's values with their places, so that every complaint names file, line and field."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from quorate.errors import BadPanel, QuorateError

__all__ = ["Field", "Fields", "Items", "Leaf", "Node", "quote_text", "read_bytes", "read_document"]

T = TypeVar("T")
LARGEST: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar as it is written; None where nothing is. `size` counts nodes as if every alias were written out."""

    line: int
    text: str | None
    size: int = 1


@dataclass(frozen=True, slots=True)
class Items:
    line: int
    items: tuple["Node", ...]
    size: int


@dataclass(frozen=True, slots=True)
class Fields:
    line: int
    pairs: tuple[tuple[Leaf, "Node"], ...]
    size: int


Node = Leaf | Items | Fields


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a file and how to get to it: `seats[1].powers`."""

    file: str
    name: str
    node: Node

    def fault(self, said: str, line: int = 0) -> BadPanel:
        """What is wrong here, to be raised."""
        named = f" {self.name}:" if self.name else ""
        return BadPanel(f"{self.file}:{line or self.node.line}:{named} {said}")

    @property
    def empty(self) -> bool:
        return isinstance(self.node, Leaf) and self.node.text is None

    @property
    def plain(self) -> bool:
        return isinstance(self.node, Leaf)

    def text(self) -> str:
        if not isinstance(self.node, Leaf):
            raise self.fault(f"one value, not a {'list' if isinstance(self.node, Items) else 'mapping'}")
        return self.node.text or ""

    def read(self, reader: Callable[[str], T]) -> T:
        """Read the text; what the reader says against it is said with its place."""
        text = self.text()
        try:
            return reader(text)
        except QuorateError as wrong:
            raise self.fault(str(wrong)) from wrong

    def items(self) -> tuple["Field", ...]:
        if self.empty:
            return ()
        if not isinstance(self.node, Items):
            raise self.fault("a list; begin each entry with '- '")
        return tuple(Field(self.file, f"{self.name}[{at}]", node) for at, node in enumerate(self.node.items))

    def pairs(self) -> tuple[tuple[str, "Field"], ...]:
        """A mapping's names and values, those that are empty left out."""
        if self.empty:
            return ()
        if not isinstance(self.node, Fields):
            raise self.fault("a mapping; write 'name: value' lines")
        found = ((key.text or "", Field(self.file, self._inner(key.text or ""), node)) for key, node in self.node.pairs)
        return tuple((name, field) for name, field in found if not field.empty)

    def fields(self, known: Iterable[str]) -> dict[str, "Field"]:
        """A mapping in which only these names may stand."""
        wanted = tuple(known)
        if isinstance(self.node, Fields):
            for key, _ in self.node.pairs:
                if key.text not in wanted:
                    listed = ", ".join(sorted(wanted))
                    raise self.fault(f"no field {quote_text(key.text or '')}; there are {listed}", key.line)
        return dict(self.pairs())

    def _inner(self, name: str) -> str:
        word = name if name.isprintable() and len(name) <= 60 else quote_text(name)  # noqa: PLR2004  as shown() cuts
        return f"{self.name}.{word}" if self.name else word


def quote_text(text: str, longest: int = 60) -> str:
    """Quote what somebody wrote: no control character survives, and no novel."""
    return repr(text if len(text) <= longest else f"{text[:longest]}…")


def read_document(content: bytes, file: str) -> Field:
    """Read YAML; what is returned is the whole document.

    Raises:
        BadPanel: it is no YAML, or more than a configuration ever needs.
    """
    from quorate.settings.yaml_file import nodes  # noqa: PLC0415  start-up must not pay for YAML

    return Field(file, "", nodes(content, file))


def read_bytes(path: Path, file: str) -> bytes | None:
    """A file's bytes, up to the limit and one more; None if there is no such file.

    Raises:
        BadPanel: it is there and cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:  # a name with a NUL in it
        return None
    except OSError as wrong:
        raise BadPanel(f"{file}: cannot be read: {wrong.strerror}") from wrong
