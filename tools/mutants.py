"""Changes the rules in small ways and sees whether a test fails: python -m tools.mutants --only rules --seconds 600.

A mutant is one file with one small change: a comparison turned, a number moved by one, `and` for `or`, a condition
denied, a branch not taken, an argument left out of a sum. It lives in a process of its own and never on disk: whatever
imports the file there gets the changed one. It is killed when one of the quick tests of its room fails.
"""

import ast
import os
import shlex
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from random import Random
from time import monotonic
from types import ModuleType
from typing import Final

__all__ = ["main", "mutants_of"]

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = ROOT / "src" / "quorate"
TESTS: Final[dict[str, tuple[str, ...]]] = {
    "rules": ("tests/differential", "tests/rules"),
    "counting": ("tests/differential", "tests/counting", "tests/rules"),
    "analysis/fault_tolerance.py": ("tests/promises/test_p4_carry_and_block.py", "tests/doors/test_cli_looking.py"),
    "analysis/option_groups.py": ("tests/analysis/test_option_groups.py", "tests/differential"),
    "analysis/settled_count.py": ("tests/chair/test_early_stop.py",),
    "reading": ("tests/reading",),
}
"""The quick tests that are asked first, and alone, by room or file."""
PATIENCE: Final = 5
"""How many times as long as the tests take without a mutant, until one that does not end is dead."""
LONGEST: Final = 1800
"""Seconds that the tests may take without a mutant."""
QUIET: Final = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
"""Hypothesis is loaded before the child is made, and pytest would call that an error."""
WORDS: Final = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not long and not promise", "--randomly-seed=1")
"""How the tests are run: they stop at the first that fails."""

_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OTHER: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file with one change, told in words."""

    file: Path
    change: str
    source: str


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Every small change of a file that could make a difference."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for place, node in enumerate(ast.walk(tree)):
        for change in _changes(node):
            other = deepcopy(tree)
            target = next(one for at, one in enumerate(ast.walk(other)) if at == place)
            before = ast.unparse(target) if isinstance(target, ast.expr) else type(target).__name__
            _apply(target, change)
            line = getattr(node, "lineno", 0)
            text = ast.unparse(ast.fix_missing_locations(other))
            yield Mutant(file, f"line {line}: {change} of `{before[:60]}`", text)


def _changes(node: ast.AST) -> Iterator[str]:  # noqa: C901 - a case for each change
    match node:
        case ast.Compare(ops=[op]) if type(op) in _TURNED:
            yield "comparison turned"
        case ast.BoolOp():
            yield "and for or"
        case ast.UnaryOp(op=ast.Not()):
            yield "not left out"
        case ast.If() | ast.IfExp():
            yield "condition denied"
        case ast.BinOp(op=op) if type(op) in _OTHER:
            yield "another operation"
        case ast.Constant(value=bool()):
            yield "truth turned"
        case ast.Constant(value=int()):
            yield "one more"
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "nothing returned"
        case _:
            return


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _apply(node: ast.AST, change: str) -> None:  # noqa: C901 - a case for each change
    match node:
        case ast.Compare(ops=[op]):
            node.ops = [_TURNED[type(op)]()]
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.UnaryOp():
            node.op, node.operand = ast.Not(), ast.UnaryOp(op=ast.Not(), operand=node.operand)
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
        case ast.BinOp(op=op):
            node.op = _OTHER[type(op)]()
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() as value):
            node.value = value + 1
        case ast.Return():
            node.value = ast.Constant(value=None)
        case _:
            raise ValueError(change)


class _Changed(SourceLoader):
    """Hands out the changed source in place of the file's."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def get_filename(self, fullname: str) -> str:  # noqa: ARG002 - as the protocol has it
        return str(self._mutant.file)

    def get_data(self, path: str | bytes) -> bytes:  # noqa: ARG002 - the same
        return self._mutant.source.encode()


class _Finder:
    """Comes before all others, for one module."""

    def __init__(self, mutant: Mutant) -> None:
        inside = mutant.file.relative_to(ROOT / "src").with_suffix("")
        self._name = ".".join(part for part in inside.parts if part != "__init__")
        self._mutant = mutant

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        found = PathFinder.find_spec(name, path, target)
        places = found.submodule_search_locations if found else None
        spec = spec_from_loader(name, _Changed(self._mutant), origin=str(self._mutant.file))
        if spec is not None and places is not None:
            spec.submodule_search_locations = places
        return spec


def tests_of(file: Path) -> tuple[str, ...]:
    """The tests that a file's mutants are put before."""
    inside = file.relative_to(SOURCE).as_posix()
    return TESTS.get(inside) or TESTS[inside.split("/", maxsplit=1)[0]]


def is_killed(mutant: Mutant | None, tests: tuple[str, ...], patience: float = LONGEST) -> bool:
    """Whether a test fails on it, or it never ends; without a mutant, whether the tests fail as things are."""
    child = os.fork()
    if not child:
        os._exit(_put_to_test(mutant, tests))
    until = monotonic() + patience
    while monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status != 0
        signal.sigtimedwait([signal.SIGCHLD], 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _put_to_test(mutant: Mutant | None, tests: tuple[str, ...]) -> int:
    import pytest  # noqa: PLC0415 - in the child, after what it is to import has been changed

    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    return int(pytest.main([*WORDS, "-W", QUIET, *tests]))


def files_of(only: str) -> list[Path]:
    """The files of a room, or one file; or all that are looked after."""
    places = [SOURCE / (only or name) for name in ([only] if only else TESTS)]
    found = [file for place in places for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])]
    return list(dict.fromkeys(found))


def main(words: Sequence[str] | None = None) -> int:
    """Try mutants until the time is up, in an order drawn by chance, and list those that no test noticed."""
    parser = ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="a room or a file under src/quorate")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args(words)
    import hypothesis  # noqa: F401, PLC0415 - so that no child need load it
    import pytest  # noqa: F401, PLC0415 - the same

    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    mutants = [mutant for file in files_of(told.only) for mutant in mutants_of(file)]
    patience = dict[tuple[str, ...], float]()
    for tests in sorted({tests_of(mutant.file) for mutant in mutants}):
        began = monotonic()
        if is_killed(None, tests):
            print(f"the tests fail as things are; see: python -m pytest {shlex.join((*WORDS, *tests))}")
            return 2
        patience[tests] = PATIENCE * (monotonic() - began)
    Random(told.seed).shuffle(mutants)  # noqa: S311 - an order, no secret
    until, tried, survivors = monotonic() + told.seconds, 0, list[Mutant]()
    for mutant in mutants:
        if monotonic() > until:
            break
        tried += 1
        tests = tests_of(mutant.file)
        if not is_killed(mutant, tests, patience[tests]):
            survivors.append(mutant)
            print(f"survived  {mutant.file.relative_to(SOURCE)} {mutant.change}", flush=True)
    killed = tried - len(survivors)
    print(f"{killed} of {tried} mutants killed ({100 * killed / max(1, tried):.1f} %), of {len(mutants)} there are")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
