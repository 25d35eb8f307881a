"""YAML with limits: text becomes nodes that know their line; nothing in it can run, multiply or hide."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, cast

import yaml

from quorate.errors import BadPanel
from quorate.settings.file_fields import LARGEST, Fields, Items, Leaf, Node, quote_text

__all__ = ["nodes"]

ALIASES: Final = 50
DEPTH: Final = 20
NODES: Final = 10_000

_UNPRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOTHING: Final = frozenset({"", "~", "null", "Null", "NULL"})


def nodes(content: bytes, file: str) -> Node:
    """Read one document; an empty file is an empty leaf.

    Raises:
        BadPanel: it is no YAML, or more than a configuration ever needs.
    """
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
    if found := _UNPRINTABLE.search(text):
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

    def take(self, event: yaml.Event) -> None:
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
                    key.line, f"{quote_text(key.text)} stands twice; it is already on line {seen[key.text]}"
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
