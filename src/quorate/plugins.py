"""What other packages add to quorate: entry points by group, found once and loaded when they are used."""

import re
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from glob import iglob
from importlib.machinery import SourceFileLoader
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from quorate.errors import BadPlugin, QuorateError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "AddedParts",
    "PartTable",
    "added_parts",
    "blame_package",
    "culprit",
    "entry_points_of",
    "forget_plugins",
    "load_part",
    "package_of",
]

T = TypeVar("T")

GROUP: Final = "quorate."
"""How the name of every group begins: `quorate.rules`, `quorate.providers`."""
KINDS: Final = ("protocol", "rule", "form", "count", "check", "provider", "ledger", "errand", "command")
"""What other packages can add; the group of each is its plural."""
_METADATA: Final = "*-info"
_ARCHIVES: Final = (".zip", ".egg", ".whl", ".pyz", ".pex")
_SECTION: Final = re.compile(rb"^\[(quorate\.\w+)\]", re.MULTILINE)
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")


def entry_points_of(group: str) -> "tuple[EntryPoint, ...]":
    """The entry points of a group; nothing is imported to find that there are none."""
    groups = _declared_groups(tuple(sys.path))
    if groups is not None and group not in groups:
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415  takes 30 ms, and most have nothing but what ships

    return tuple(entry_points(group=group))


@cache
def _declared_groups(places: tuple[str, ...]) -> frozenset[str] | None:
    """Which of our groups the packages in these places name; none where an archive hides it, but for Python's own."""
    if sum(place.endswith(_ARCHIVES) for place in places) > 1:
        return None
    packages = ((place or ".", name) for place in places for name in iglob(_METADATA, root_dir=place or "."))  # noqa: PTH207 - pure packages know no paths
    found: set[str] = set()
    for place, name in packages:
        file = f"{place}/{name}/entry_points.txt"
        try:
            declared = SourceFileLoader("", file).get_data(file)
        except (FileNotFoundError, NotADirectoryError):
            continue  # most packages declare nothing
        except OSError:
            return None
        found.update(group.decode() for group in _SECTION.findall(declared))
    return frozenset(found)


def package_of(point: "EntryPoint") -> str:
    """The package that an entry point is from, or the module it names where nobody knows the package."""
    return point.dist.name if point.dist is not None else point.value.partition(":")[0]


class AddedParts(NamedTuple):
    """What other packages add of a kind: what can be loaded, by name, and a sentence on each that cannot be used."""

    points: "Mapping[str, EntryPoint]"
    faults: Mapping[str, str]


@cache
def added_parts(kind: str, taken: frozenset[str]) -> AddedParts:
    """What other packages add of a kind, nothing of it loaded. No package can use a name that is taken."""
    points: dict[str, EntryPoint] = {}
    faults: dict[str, str] = {}
    for point in entry_points_of(f"{GROUP}{kind}s"):
        package, name = package_of(point), point.name
        if not _NAME.fullmatch(name):
            faults[name] = (
                f"package {package} adds the {kind} {name!r}, and a name is a small letter and then at most 39 of "
                f"a-z 0-9 _ -; {_advice(package)}"
            )
        elif name in taken:
            faults[name] = (
                f"package {package} adds the {kind} {name!r}, which quorate has itself and goes on using; "
                f"{_advice(package)}"
            )
        elif name in points:
            faults[name] = (
                f"the packages {package_of(points[name])} and {package} both add the {kind} {name!r}; neither is used; "
                f"remove one of them, for instance with: pip uninstall {package}"
            )
        else:
            points[name] = point
    usable = {name: point for name, point in points.items() if name not in faults}
    return AddedParts(MappingProxyType(usable), MappingProxyType(faults))


def _advice(package: str) -> str:
    return f"update that package, or remove it with: pip uninstall {package}"


@contextmanager
def blame_package(what: str, package: str = "") -> Generator[None]:
    """Whatever somebody else's code raises while it is loaded or looked into is reported as that code's own fault.

    Raises:
        BadPlugin: it raised something that is no error of ours.
    """
    try:
        yield
    except QuorateError:
        raise
    except (Exception, SystemExit) as wrong:
        raise BadPlugin(f"{what}: {wrong!r}{f'; {_advice(package)}' if package else ''}") from wrong


def load_part(kind: str, point: "EntryPoint") -> object:
    """What an entry point names.

    Raises:
        BadPlugin: it cannot be imported.
    """
    package = package_of(point)
    with blame_package(f"{kind} {point.name!r} of package {package} ({point.value}) cannot be imported", package):
        loaded: object = point.load()
    return loaded


class PartTable(Mapping[str, T]):
    """Parts by name: our own, and those that other packages add. Our own are found first and never replaced.

    A name is known before anything of its package is imported. What is gone through are those that can be used; which
    cannot, and why, `faults` says.
    """

    def __init__(
        self, kind: str, own: Mapping[str, T], accept: Callable[[str, object], T], taken: tuple[str, ...] = ()
    ) -> None:
        """`accept` gives back what a package brings if it is such a part, else it raises `BadPlugin` with the reason.

        `taken` are more names that are ours.
        """
        self._kind, self._own, self._accept = kind, MappingProxyType(dict(own)), accept
        self._taken = frozenset((*own, *taken))
        self._loaded: dict[EntryPoint, T] = {}

    def __getitem__(self, name: str) -> T:
        """A part.

        Raises:
            KeyError: nobody has one of that name.
            BadPlugin: a package has one, and it cannot be used.
        """
        if name in self._own:
            return self._own[name]
        added = added_parts(self._kind, self._taken)
        if name in added.faults and name not in self._taken:
            raise BadPlugin(added.faults[name])
        return self._load(added.points[name])

    def _load(self, point: "EntryPoint") -> T:
        if point not in self._loaded:
            package, found = package_of(point), load_part(self._kind, point)
            try:
                self._loaded[point] = self._accept(point.name, found)
            except BadPlugin as wrong:
                raise BadPlugin(f"{self.describe(point.name)} cannot be used: {wrong}; {_advice(package)}") from None
        return self._loaded[point]

    def __contains__(self, name: object) -> bool:
        added = added_parts(self._kind, self._taken)
        return name in self._own or name in added.points or (name in added.faults and name not in self._taken)

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        for name, point in added_parts(self._kind, self._taken).points.items():
            if not self._fault(point):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _fault(self, point: "EntryPoint") -> str:
        try:
            self._load(point)
        except BadPlugin as wrong:
            return str(wrong)
        return ""

    def describe(self, name: str) -> str:
        """A part in messages: what it is, its name, and the package that adds it."""
        point = added_parts(self._kind, self._taken).points.get(name)
        return f"{self._kind} {name!r}{f' of package {package_of(point)}' if point else ''}"

    def added(self) -> Mapping[str, str]:
        """The package behind each part that others add and that can be used."""
        points = added_parts(self._kind, self._taken).points
        return {name: package_of(point) for name, point in points.items() if not self._fault(point)}

    def faults(self) -> Mapping[str, str]:
        """Why each part that others add, and that cannot be used, cannot; by its name."""
        added = added_parts(self._kind, self._taken)
        broken = {name: fault for name, point in added.points.items() if (fault := self._fault(point))}
        return {**added.faults, **broken}


def culprit(crash: BaseException) -> str:
    """The package whose code a crash came from, if it adds something to quorate; empty if the crash is our own."""
    ours = __name__.partition(".")[0]
    points = (point for kind in KINDS for point in entry_points_of(f"{GROUP}{kind}s"))
    added = {point.module.partition(".")[0]: package_of(point) for point in points}
    found, frame = "", crash.__traceback__
    while frame is not None:
        module = str(frame.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        found = "" if module == ours else added.get(module, found)
        frame = frame.tb_next
    return found


def forget_plugins() -> None:
    """Look up anew what is installed; a process does so once, and a test more often."""
    _declared_groups.cache_clear()
    added_parts.cache_clear()
