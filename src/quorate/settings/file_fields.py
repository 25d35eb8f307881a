"""A file's values with their places, so that every complaint names file, line and field; read from YAML with limits."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from quorate.errors import BadPanel, QuorateError
from quorate.frozen import dataclass
from quorate.model.once import pattern

if TYPE_CHECKING:
    import yaml

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


ALIASES: Final = 50
DEPTH: Final = 20
NODES: Final = 10_000

_UNPRINTABLE: Final = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_NOTHING: Final = frozenset({"", "~", "null", "Null", "NULL"})


def nodes(content: bytes, file: str) -> Node:
    """Read one document; an empty file is an empty leaf.

    Raises:
        BadPanel: it is no YAML, or more than a configuration ever needs.
    """
    import yaml  # noqa: PLC0415  start-up must not pay for YAML

    text = _decoded(content, file)
    growing = _Growing(file)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    parsed = yaml.parse(text, Loader=loader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    try:
        for event in cast("Iterator[yaml.Event]", parsed):
            growing.take(event)
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        raise growing.fault(mark.line + 1 if mark else 1, f"not YAML: {wrong.problem or wrong.context}") from wrong
    except (yaml.YAMLError, ValueError, OverflowError) as wrong:
        raise growing.fault(1, "not YAML; check its quotes and escapes") from wrong
    return growing.root or Leaf(1, None)


def _decoded(content: bytes, file: str) -> str:
    if len(content) > LARGEST:
        raise BadPanel(f"{file}: larger than 256 KiB; a panel or configuration file never needs that")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        raise BadPanel(f"{file}:{line}: not UTF-8 text; save the file as UTF-8") from wrong
    if found := pattern(_UNPRINTABLE).search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise BadPanel(f"{file}:{line}: holds the control character {found[0]!r}; remove it")
    return text


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    line: int
    anchor: str | None
    mapping: bool
    inside: list[Node] = field(default_factory=list)


class _Growing:
    """Builds nodes from events: each limit is met before anything grows past it, and no depth can exhaust a stack."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._aliases = 0
        self._placed = 0

    def fault(self, line: int, said: str) -> BadPanel:
        return BadPanel(f"{self.file}:{line}: {said}")

    def take(self, event: "yaml.Event") -> None:
        import yaml  # noqa: PLC0415  the same

        line = event.start_mark.line + 1 if event.start_mark else 1
        match event:
            case yaml.DocumentStartEvent() if self.root is not None:
                raise self.fault(line, "a second document begins; keep one in a file")
            case yaml.ScalarEvent(tag=str(tag)) | yaml.CollectionStartEvent(tag=str(tag)):
                raise self.fault(line, f"the tag {quote_text(tag)} is not read here; write the value alone")
            case yaml.AliasEvent(anchor=anchor):
                self._place(self._alias(line, anchor or ""), None)
            case yaml.ScalarEvent(anchor=anchor, value=text, style=style):
                text.encode()  # without libyaml an escape can make half a character, which nothing could print
                empty = style is None and text in _NOTHING
                self._place(Leaf(line, None if empty else text), anchor)
            case yaml.CollectionStartEvent(anchor=anchor):
                self._begin(_Open(line, anchor, mapping=isinstance(event, yaml.MappingStartEvent)))
            case yaml.CollectionEndEvent():
                self._end(self._open.pop())
            case _:
                pass

    def _alias(self, line: int, anchor: str) -> Node:
        self._aliases += 1
        if self._aliases > ALIASES:
            raise self.fault(line, f"more than {ALIASES} aliases; write the values out")
        if anchor not in self._anchors:
            raise self.fault(line, f"nothing complete above is marked &{quote_text(anchor)[1:-1]}")
        return self._anchors[anchor]

    def _begin(self, begun: _Open) -> None:
        if len(self._open) >= DEPTH:
            raise self.fault(begun.line, f"nested deeper than {DEPTH} levels")
        self._open.append(begun)

    def _end(self, done: _Open) -> None:
        size = 1 + sum(node.size for node in done.inside)
        if size > NODES:
            raise self.fault(done.line, f"more than {NODES} values once its aliases are written out")
        if done.mapping:
            self._place(Fields(done.line, tuple(self._pairs(done.inside)), size), done.anchor)
        else:
            self._place(Items(done.line, tuple(done.inside), size), done.anchor)

    def _pairs(self, inside: list[Node]) -> Iterator[tuple[Leaf, Node]]:
        seen: dict[str, int] = {}
        for key, node in zip(inside[::2], inside[1::2], strict=True):
            if not isinstance(key, Leaf) or key.text is None:
                raise self.fault(key.line, "the name of a field must be a word")
            if key.text in seen:
                raise self.fault(
                    key.line, f"{quote_text(key.text)} is given twice; it is already on line {seen[key.text]}"
                )
            seen[key.text] = key.line
            yield key, node

    def _place(self, node: Node, anchor: str | None) -> None:
        self._placed += 1
        if self._placed > NODES:
            raise self.fault(node.line, f"more than {NODES} values")
        if anchor is not None:
            self._anchors[anchor] = node
        if self._open:
            self._open[-1].inside.append(node)
        else:
            self.root = node
