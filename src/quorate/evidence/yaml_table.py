"""A table in YAML, two levels of names at most: read event by event, so that nothing in it can multiply or run."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

from quorate.errors import BadSetting

if TYPE_CHECKING:
    import yaml

__all__ = ["read_table"]

Table = dict[str, str | dict[str, str]]

_SHAPE: Final = "lines such as 'name: value', below a name at most one level deeper"


def read_table(content: bytes, file: str) -> Table:
    """Texts by name, or by two names; an empty file is an empty table.

    Raises:
        BadSetting: it is no YAML, or more than such a table needs: lists, aliases, tags, deeper levels, a name twice.
    """
    import yaml  # noqa: PLC0415  only where sources are looked at

    growing = _Growing(file)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        parsed = yaml.parse(content.decode("utf-8-sig"), Loader=loader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        for event in cast("Iterator[yaml.Event]", parsed):
            growing.take(event)
    except (yaml.YAMLError, ValueError) as wrong:
        raise BadSetting(f"{file}: no YAML: {str(wrong)[:200]}") from None
    return growing.table


class _Growing:
    """Takes events; what a table never needs is refused before it grows."""

    def __init__(self, file: str) -> None:
        self.table: Table = {}
        self._file = file
        self._open: list[Table | dict[str, str]] = []
        self._name: str | None = None
        self._documents = 0

    def take(self, event: "yaml.Event") -> None:
        match type(event).__name__, event:
            case "DocumentStartEvent", _:
                self._documents += 1
                if self._documents > 1:
                    raise self._fault(event, "a second document begins; keep one in a file")
            case "AliasEvent", _:
                raise self._fault(event, "an alias; write the value out")
            case "SequenceStartEvent", _:
                raise self._fault(event, f"a list; it holds {_SHAPE}")
            case "MappingStartEvent", _:
                self._begin(event)
            case "MappingEndEvent", _:
                self._open.pop()
                self._name = None
            case "ScalarEvent", _:
                self._text(event)
            case _:
                pass

    def _begin(self, event: "yaml.Event") -> None:
        if not self._open:
            self._open.append(self.table)
        elif len(self._open) == 1 and self._name is not None:
            inner: dict[str, str] = {}
            self.table[self._name] = inner
            self._open.append(inner)
            self._name = None
        else:
            raise self._fault(event, f"nested deeper than a table is; it holds {_SHAPE}")

    def _text(self, event: "yaml.Event") -> None:
        text, tag = str(getattr(event, "value", "")), getattr(event, "tag", None)
        if tag is not None:
            raise self._fault(event, f"the tag {str(tag)[:60]!r} is not read here; write the value alone")
        if not self._open:
            if text.strip():
                raise self._fault(event, f"no table; it holds {_SHAPE}")
        elif self._name is None:
            if text in self._open[-1]:
                raise self._fault(event, f"{text[:60]!r} stands twice")
            self._name = text
        else:
            self._open[-1][self._name] = text
            self._name = None

    def _fault(self, event: "yaml.Event", said: str) -> BadSetting:
        line = event.start_mark.line + 1 if event.start_mark else 1
        return BadSetting(f"{self._file}:{line}: {said}")
