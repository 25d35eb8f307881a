"""The small changes that a mutant is made of: a file of source becomes every file that differs from it in one place.

Changed are comparisons, `and` and `or`, `not`, conditions of every kind, sums and products, truth values, whole
numbers, what is returned, `any` and `all`, `min` and `max`, `break` and `continue`. Left alone are words (messages,
patterns, docstrings, names), annotations, and how a data class is made (`frozen`, `slots`, `kw_only`).
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple, cast

__all__ = ["SOURCE", "Mutant", "digest", "mutants_of"]

SOURCE: Final = Path(__file__).resolve().parents[2] / "src" / "quorate"

_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_DENIED: Final = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
"""To turn one of these is to deny it: that is one mutant and not two."""
_OTHER: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_CALLED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SWAPPED: Final = {"any": "all", "all": "any", "min": "max", "max": "min"}

Change = tuple[str, Callable[[], None]]
"""What is changed, in words, and what does it to the node it was made for."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file with one change. Line, number and words are those of the file as it is."""

    file: Path
    number: int
    line: int
    lines: range
    """Of the statement it stands in; of a compound one, those of its head."""
    loaded: bool
    """Whether it is evaluated when the file is loaded, or in a function that may have been made then."""
    text: str
    change: str
    place: int
    which: int

    @property
    def name(self) -> str:
        return f"{self.file.relative_to(SOURCE).as_posix()} line {self.line}: {self.change}"

    def tree(self) -> ast.Module:
        """The whole file with the change."""
        tree = ast.parse(self.file.read_text(encoding="utf-8"))
        place = next(place for at, place in enumerate(_places(tree)) if at == self.place)
        _changes(place.node)[self.which][1]()
        return ast.fix_missing_locations(tree)


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Every small change of a file that could make a difference, in the order of the file's tree."""
    text = file.read_text(encoding="utf-8")
    rows, number = text.splitlines(), 0
    for at, (node, lines, loaded) in enumerate(_places(ast.parse(text))):
        for which, (words, _) in enumerate(_changes(node)):
            line = getattr(node, "lineno", lines.start)
            change, shown = f"{words}{_of(node)}", rows[line - 1].strip()
            yield Mutant(file, number, line, lines, loaded, shown, change, at, which)
            number += 1


def digest(file: Path) -> str:
    """A short name for a file as it is."""
    return sha256(file.read_bytes()).hexdigest()[:16]


def _of(node: ast.AST) -> str:
    shown = " ".join(ast.unparse(node).split()) if isinstance(node, ast.expr | ast.comprehension) else ""
    return f" of `{shown[:60]}`" if shown else ""


class _Place(NamedTuple):
    """A node that may be changed, the lines of its statement, and as for a mutant whether it is loaded."""

    node: ast.AST
    lines: range
    loaded: bool


def _places(tree: ast.Module) -> Iterator[_Place]:
    waiting = [_Place(tree, range(1, 2), loaded=True)]
    while waiting:
        node, lines, loaded = waiting.pop()
        if isinstance(node, ast.stmt):
            lines = _head(node)
        yield _Place(node, lines, loaded)
        body: object = getattr(node, "body", ()) if isinstance(node, _CALLED) else ()
        later = body if isinstance(body, list) else [body]
        # A function within another and one without a name may have been made while the file was loaded.
        within = not loaded or isinstance(node, ast.Lambda)
        waiting += [
            _Place(child, lines, within if any(child is one for one in later) else loaded)
            for child in reversed(_inside(node))
        ]


def _head(node: ast.stmt) -> range:
    body: object = getattr(node, "body", None) or getattr(node, "cases", None)
    first = body[0] if isinstance(body, list) and body else None
    if isinstance(first, ast.match_case):
        first = first.pattern
    end = max(node.lineno, cast("ast.stmt", first).lineno - 1) if first is not None else node.end_lineno
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return range(min([node.lineno, *(one.lineno for one in decorators)]), (end or node.lineno) + 1)


def _inside(node: ast.AST) -> list[ast.AST]:
    """What is in it, but for annotations, how data classes are made, and what only type checkers read."""
    left: list[object] = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    if isinstance(node, ast.ClassDef):
        left += node.decorator_list
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return []
    return [child for child in ast.iter_child_nodes(node) if not any(child is one for one in left)]


def _changes(node: ast.AST) -> list[Change]:
    return [*_of_conditions(node), *_of_branches(node), *_of_values(node), *_of_courses(node)]


def _of_conditions(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                yield "comparison turned", partial(ops.__setitem__, at, _TURNED[type(op)]())
        case ast.BoolOp(op=ast.And()):
            yield "`or` for `and`", lambda: setattr(node, "op", ast.Or())
        case ast.BoolOp():
            yield "`and` for `or`", lambda: setattr(node, "op", ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield "`not` left out", lambda: setattr(node, "operand", _not(node.operand))
        case _:
            return


def _of_branches(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if not _said_elsewhere(test):
            yield f"condition denied of `{ast.unparse(test)[:60]}`", lambda: setattr(node, "test", _not(test))
        case ast.match_case(guard=ast.expr() as guard) if not _said_elsewhere(guard):
            yield f"condition denied of `{ast.unparse(guard)[:60]}`", lambda: setattr(node, "guard", _not(guard))
        case ast.comprehension(ifs=[_, *_]):
            yield "filter left out", lambda: setattr(node, "ifs", [])
        case _:
            return


def _of_values(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _OTHER:
            yield "another operation", lambda: setattr(node, "op", _OTHER[type(op)]())
        case ast.UnaryOp(op=ast.USub()):
            yield "sign left out", lambda: setattr(node, "op", ast.UAdd())
        case ast.Constant(value=bool() as value):
            yield "truth turned", lambda: setattr(node, "value", not value)
        case ast.Constant(value=int() as value):
            yield "one more", lambda: setattr(node, "value", value + 1)
        case ast.Name(id=name, ctx=ast.Load()) if name in _SWAPPED:
            yield f"`{_SWAPPED[name]}` for it", lambda: setattr(node, "id", _SWAPPED[name])
        case _:
            return


def _of_courses(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield f"nothing returned for `{ast.unparse(value)[:60]}`", lambda: setattr(node, "value", _nothing())
        case ast.Break():
            yield "`continue` for `break`", lambda: _become(node, ast.Continue)
        case ast.Continue():
            yield "`break` for `continue`", lambda: _become(node, ast.Break)
        case _:
            return


def _become(node: ast.stmt, kind: type[ast.stmt]) -> None:
    # Neither has a field of its own, so the one can turn into the other where it stands.
    node.__class__ = kind


def _said_elsewhere(test: ast.expr) -> bool:
    """Whether another change of the same words already denies the condition."""
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], _DENIED)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _not(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=test)


def _nothing() -> ast.expr:
    return ast.Constant(value=None)
