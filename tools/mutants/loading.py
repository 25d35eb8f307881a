"""How a changed file gets into a process: its functions in place, or loaded in place of the file."""

import ast
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final

from tools.mutants.changes import SOURCE, Mutant

__all__ = ["change_live", "load_anew"]

OURS: Final = ("quorate", "tests", "benchmarks")


def _module_name(file: Path) -> str:
    inside = file.relative_to(SOURCE.parent).with_suffix("")
    return ".".join(part for part in inside.parts if part != "__init__")


def load_anew(mutant: Mutant | None) -> None:
    """Forget everything of ours that was loaded; what is loaded from now on gets the changed file."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))


def change_live(file: Path, tree: ast.Module) -> None:
    """Give what is loaded of a file the tree's code and defaults of functions, and its constants."""
    module = sys.modules.get(_module_name(file))
    if module is None:
        return
    fresh = ModuleType(module.__name__)
    dunders = ("__file__", "__package__", "__spec__", "__path__", "__loader__")
    vars(fresh).update({name: vars(module)[name] for name in dunders if name in vars(module)})
    exec(compile(tree, str(file), "exec"), vars(fresh))  # noqa: S102 - our own source, with one change
    old, new = dict(_functions(module)), dict(_functions(fresh))
    for name in old.keys() & new.keys():
        _take_over(old[name], new[name])
    for name, value in vars(fresh).items():
        before = vars(module).get(name)
        if not name.startswith("__") and _plain(value) and repr(value) != repr(before):
            for other in [other for key, other in sys.modules.items() if key.partition(".")[0] in OURS]:
                if vars(other).get(name) is before:
                    setattr(other, name, value)


def _take_over(old: FunctionType, new: FunctionType) -> None:
    if len(old.__code__.co_freevars) == len(new.__code__.co_freevars):
        old.__code__ = new.__code__
    if all(map(_plain, new.__defaults__ or ())) and repr(old.__defaults__) != repr(new.__defaults__):
        old.__defaults__ = new.__defaults__
    named = old.__kwdefaults__ or {}
    for name, value in (new.__kwdefaults__ or {}).items():
        if _plain(value) and repr(value) != repr(named.get(name)):
            named[name] = value


def _plain(value: object) -> bool:
    """Whether it looks the same whenever it is the same; functions, modules and what holds one do not."""
    return not callable(value) and not isinstance(value, ModuleType) and " at 0x" not in repr(value)


def _functions(home: ModuleType | type, path: str = "") -> Iterator[tuple[str, FunctionType]]:
    """The functions and methods written in a module, by their place in it."""
    module = home.__name__ if isinstance(home, ModuleType) else home.__module__
    for name, value in list(vars(home).items()):
        inner = _unwrapped(value)
        if isinstance(inner, FunctionType) and inner.__module__ == module:
            yield f"{path}{name}", inner
        elif isinstance(value, type) and value.__module__ == module and not name.startswith("__"):
            yield from _functions(value, f"{path}{name}.")


def _unwrapped(value: object) -> object:
    clear = getattr(value, "cache_clear", None)
    if clear is not None and isinstance(getattr(value, "__wrapped__", None), FunctionType):
        clear()
    for inside in ("__wrapped__", "__func__", "fget", "func"):
        inner = getattr(value, inside, None)
        if inner is not None and not isinstance(value, FunctionType | type):
            return _unwrapped(inner)
        if inside == "__wrapped__" and isinstance(value, FunctionType) and inner is not None:
            return _unwrapped(inner)
    return value


class _Changed(SourceLoader):
    """Hands out the changed source in place of the file's."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def get_filename(self, fullname: str) -> str:  # noqa: ARG002 - as the protocol has it
        return str(self._mutant.file)

    def get_data(self, path: str | bytes) -> bytes:  # noqa: ARG002 - the same
        return ast.unparse(self._mutant.tree()).encode()


class _Finder:
    """Comes before all others, for one module."""

    def __init__(self, mutant: Mutant) -> None:
        self._name, self._mutant = _module_name(mutant.file), mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        found = PathFinder.find_spec(name, path, target)
        places = found.submodule_search_locations if found else None
        spec = spec_from_loader(name, _Changed(self._mutant), origin=str(self._mutant.file))
        if spec is not None and places is not None:
            spec.submodule_search_locations = places
        return spec
