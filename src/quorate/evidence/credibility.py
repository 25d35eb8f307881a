"""How far a place is believed: by its registrable domain, from a table that anyone can read and edit."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from quorate.errors import BadSetting
from quorate.evidence.source_document import CATEGORIES, CLAIMED
from quorate.frozen import dataclass
from quorate.model.evidence import Category

if TYPE_CHECKING:
    import yaml
    from publicsuffixlist import PublicSuffixList

__all__ = ["LARGEST", "Credibility", "CredibilityTable", "registrable", "table_of"]

LARGEST: Final = 256 * 1024
UNCHECKED: Final = "a document of your own; nobody has checked the address it gives itself"
_FIELDS: Final = ("otherwise", "unplaced", "suffixes", "domains")


@dataclass(frozen=True, slots=True)
class Credibility:
    """What kind of place it is, how far it is believed, and why."""

    category: Category
    credibility: Fraction
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CredibilityTable:
    """Standings by domain and by the end of a name; `unplaced` is for what has no address on the web."""

    otherwise: Credibility
    unplaced: Credibility
    suffixes: Mapping[str, Credibility] = field(default_factory=dict[str, Credibility])
    domains: Mapping[str, Credibility] = field(default_factory=dict[str, Credibility])

    def standing(self, url: str, stated: str = "") -> Credibility:
        """Where an address stands; the category a document states of itself holds only where nothing is listed."""
        host = _host(url)
        found = self._listed(host) if host else None
        if found is not None:
            return found
        plain = self.otherwise if host else self.unplaced
        if url.startswith(CLAIMED):
            plain = Credibility(plain.category, plain.credibility, UNCHECKED)
        if stated in CATEGORIES and stated != plain.category:
            return Credibility(stated, plain.credibility, f"{plain.why}; its category as it states it")
        return plain

    def _listed(self, host: str) -> Credibility | None:
        own = registrable(host)
        for name in _upward(host, own):
            if name in self.domains:
                found = self.domains[name]
                return Credibility(
                    found.category, found.credibility, found.why or f"{name} is listed as {found.category}"
                )
        for name in _upward(host, ""):
            if name in self.suffixes:
                found = self.suffixes[name]
                return Credibility(
                    found.category, found.credibility, found.why or f"{name} is listed as {found.category}"
                )
        return None


def registrable(host: str) -> str:
    """The part of a host's name that somebody has registered: bbc.co.uk of news.bbc.co.uk; empty if there is none."""
    return str(_suffixes().privatesuffix(host) or "")


@cache
def _suffixes() -> "PublicSuffixList":
    """Read once: it knows nine thousand ends of names."""
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  takes a while to read

    return PublicSuffixList()


def _host(url: str) -> str:
    """The host's name, as names are compared; empty for what is no address on the web."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"}:
        return ""
    plain = host.rstrip(".").casefold()
    try:
        return plain if plain.isascii() else plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain


def _upward(host: str, last: str) -> Iterator[str]:
    """A name, and each name it is under, down to the last."""
    name = host
    while name:
        yield name
        if name == last:
            return
        name = name.partition(".")[2]


def table_of(path: Path | None = None) -> CredibilityTable:
    """The table that ships, with a file of the user's own over it.

    Raises:
        BadSetting: the file is not there or cannot be read, with the entry that is wrong.
    """
    shipped = _read(files("quorate.evidence").joinpath("credibility.yaml").read_bytes(), "credibility.yaml")
    own: dict[str, Any] = {}
    if path is not None:
        try:
            with path.open("rb") as stream:
                content = stream.read(LARGEST + 1)
        except OSError as wrong:
            raise BadSetting(f"credibility: no table can be read from {str(path)!r}: {wrong.strerror}") from None
        own = _read(content, str(path))
    return CredibilityTable(
        otherwise=own.get("otherwise", shipped["otherwise"]),
        unplaced=own.get("unplaced", shipped["unplaced"]),
        suffixes={**shipped["suffixes"], **own.get("suffixes", {})},
        domains={**shipped["domains"], **own.get("domains", {})},
    )


def _read(content: bytes, name: str) -> dict[str, Any]:
    if len(content) > LARGEST:
        raise BadSetting(f"{name}: more than {LARGEST // 1024} KB; a table of credibility is shorter")
    found = read_table(content, name)
    if not set(found) <= set(_FIELDS):
        raise BadSetting(f"{name}: a table of credibility holds {', '.join(_FIELDS)} and nothing else")
    return {key: _part(value, f"{name}: {key}", key) for key, value in found.items()}


def _part(value: str | dict[str, str], where: str, key: str) -> Credibility | dict[str, Credibility]:
    if key in {"otherwise", "unplaced"}:
        return _standing(value, where)
    if not isinstance(value, dict):
        raise BadSetting(f"{where}: lines such as 'reuters.com: news 0.95'")
    return {name.strip(".").casefold(): _standing(text, f"{where}.{name[:60]}") for name, text in value.items()}


def _standing(text: object, where: str) -> Credibility:
    category, _, rest = str(text).strip().partition(" ")
    number, _, why = rest.strip().partition(" ")
    try:
        share = Fraction(number) if len(number) <= 12 else None  # noqa: PLR2004  longer is no share anybody writes
    except (ValueError, ZeroDivisionError):
        share = None
    if category not in CATEGORIES or share is None or not 0 <= share <= 1:
        raise BadSetting(
            f"{where}: CATEGORY SHARE [reason], for instance 'news 0.95', not {str(text)[:60]!r}; "
            f"categories are {', '.join(CATEGORIES)}"
        )
    return Credibility(category, share, why.strip())


Table = dict[str, str | dict[str, str]]

_SHAPE: Final = "lines such as 'name: value', below a name at most one level deeper"


def read_table(content: bytes, file: str) -> Table:
    """Texts by name, or by two names; an empty file is an empty table. Nothing in it can multiply or run.

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
                raise self._fault(event, f"{text[:60]!r} is given twice")
            self._name = text
        else:
            self._open[-1][self._name] = text
            self._name = None

    def _fault(self, event: "yaml.Event", said: str) -> BadSetting:
        line = event.start_mark.line + 1 if event.start_mark else 1
        return BadSetting(f"{self._file}:{line}: {said}")
