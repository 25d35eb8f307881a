"""Shell commands that only look at what lies openly in the agent's project: programs and options that are known.

The command is parsed as a shell parses it. Every part of the tree has to be of a kind that is listed here, every word
literal, every program, option and operand known. Anything else goes to the panel.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from quorate.evidence.secret_files import is_secret_name
from quorate.frozen import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["PROGRAMS", "Look", "looks_of"]

LONGEST: Final = 1_000
_SIGNS: Final = re.compile(r"[ -~]*")
_WORD: Final = re.compile(r"[A-Za-z0-9_./@,:+-][A-Za-z0-9_./@,:+=%-]*")
"""A word that every shell takes as it stands there. At its beginning `=`, `~` and `%` mean something to some."""
_QUOTED: Final = re.compile(r"[^'\\!]*")
_DOUBLE_QUOTED: Final = re.compile(r"[^\"$`\\!]*")
"""Inside double quotes there are variables, commands and, in some shells, history."""
_REDIRECTION: Final = re.compile(r"2>&1|[12]?> ?/dev/null")
_JOINTS: Final = frozenset({"&&", "||", ";", "|"})
_JOINED: Final = frozenset({"program", "list", "pipeline"})
_LINES: Final = re.compile(r"-[0-9]{1,9}")
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,9}")
_FIELDS: Final = re.compile(r"[0-9]{1,4}(?:[,.-][0-9]{0,4})*[nr]{0,2}")
_ONE_SIGN: Final = re.compile(r"[^-]")
_DATE_FORMAT: Final = re.compile(r"\+[A-Za-z0-9%:_./, -]*")
_GLOB: Final = re.compile(r"[A-Za-z0-9_.*?][A-Za-z0-9_.*?-]*")
FOLDERS: Final = ("/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin")
"""Where a program must be found first: a project's own folder may come before these, with anything in it."""
BUILT_IN: Final = frozenset({"echo", "pwd", "true"})

Shows = Literal["nothing", "file", "names", "contents"]


class Look(NamedTuple):
    """A place that a command looks at, and what it shows of it."""

    path: str
    shows: Shows


class _Unknown(Exception):
    """Something that is not listed; it never leaves this file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The options of a program that are known, and what its operands are.

    `flags` are letters that take nothing and may be joined, `valued` letters with what their value may be.
    `pattern`: the first operand is what is searched for. `recursive` letters make it look into whole folders.
    """

    flags: str = ""
    valued: Mapping[str, re.Pattern[str]] = field(default_factory=lambda: MappingProxyType[str, re.Pattern[str]]({}))
    counted: bool = False
    """Whether `-20` says how many lines."""
    pattern: bool = False
    recursive: str = ""
    operands: re.Pattern[str] | Shows = "nothing"
    """Any words of such a form, or paths; none at all where it is "nothing"."""


def _numbers(letters: str) -> Mapping[str, re.Pattern[str]]:
    return MappingProxyType(dict.fromkeys(letters, _NUMBER))


_ANY: Final = re.compile(r"[ -~]*")
_CUT: Final = MappingProxyType({"d": _ONE_SIGN, "f": _FIELDS, "c": _FIELDS})
PROGRAMS: Final[Mapping[str, Program]] = MappingProxyType(
    {
        **dict.fromkeys(("pwd", "true", "whoami", "id", "uptime", "nproc"), Program()),
        "echo": Program(flags="neE", operands=_ANY),
        "date": Program(flags="uRI", operands=_DATE_FORMAT),
        "uname": Program(flags="asnrvmpio"),
        "free": Program(flags="bkmgh"),
        "df": Program(flags="hTi"),
        **dict.fromkeys(("basename", "dirname"), Program(operands=_WORD)),
        "tr": Program(flags="dsc", operands=re.compile(r"[^-][ -~]*")),
        "uniq": Program(flags="cdui"),  # its second operand is a file that it writes
        "ls": Program(flags="laAhtrSR1dFispGX", operands="names"),
        "stat": Program(operands="names"),
        "du": Program(flags="shac", valued=_numbers("d"), operands="names"),
        "cat": Program(flags="nbsvET", operands="file"),
        "wc": Program(flags="lwcm", operands="file"),
        "head": Program(flags="qv", valued=_numbers("nc"), counted=True, operands="file"),
        "tail": Program(flags="qv", valued=_numbers("nc"), counted=True, operands="file"),
        "sort": Program(flags="nrufbdghV", valued=MappingProxyType({"k": _FIELDS, "t": _ONE_SIGN}), operands="file"),
        "cut": Program(flags="s", valued=_CUT, operands="file"),
        "diff": Program(flags="uwbBi", operands="file"),
        "grep": Program(flags="nilcvwxoqsFEHhI", valued=_numbers("ABCm"), pattern=True, recursive="r", operands="file"),
    }
)
"""Programs that write no file and start no program, with these options."""
_FIND_TESTS: Final = MappingProxyType(
    {
        **dict.fromkeys(("-name", "-iname"), _GLOB),
        "-type": re.compile("[fd]"),
        "-size": re.compile(r"[+-]?[0-9]{1,9}[ckMG]?"),
        **dict.fromkeys(("-maxdepth", "-mindepth", "-mtime", "-mmin"), _NUMBER),
    }
)
"""What `find` may be told after the folders: others run programs, delete, or write files."""


def looks_of(command: object) -> tuple[Look, ...] | None:
    """Everything a command would look at; none if it isn't known to do nothing else."""
    if not isinstance(command, str) or len(command) > LONGEST or not _SIGNS.fullmatch(command):
        return None
    root = _parse(command)
    if root is None or root.has_error:
        return None
    try:
        return tuple(_looks(root))
    except _Unknown:
        return None


def _parse(command: str) -> "Node | None":
    try:
        import tree_sitter
        import tree_sitter_bash
    except ImportError:  # an extra; without it every command goes to the panel
        return None
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return parser.parse(command.encode()).root_node


def _looks(node: "Node") -> Iterator[Look]:
    """What a statement looks at, whatever it is joined with."""
    if node.type == "command":
        yield from _looks_of_program([_literal(_inner(child)) for child in node.children])
    elif node.type == "redirected_statement":
        body, *redirections = node.children
        _require(all(one.type == "file_redirect" and _REDIRECTION.fullmatch(_text(one)) for one in redirections))
        yield from _looks(body)
    else:
        _require(node.type in _JOINED and node.children)
        _require(all(child.is_named or child.type in _JOINTS for child in node.children))
        for child in node.named_children:
            yield from _looks(child)


def _inner(node: "Node") -> "Node":
    return node.children[0] if node.type == "command_name" and len(node.children) == 1 else node


def _text(node: "Node") -> str:
    return (node.text or b"").decode()


def _literal(node: "Node") -> str:
    """A word that says the same to every shell."""
    text = _text(node)
    if node.type in {"word", "number"} and _WORD.fullmatch(text):
        return text
    if node.type == "raw_string" and _QUOTED.fullmatch(text[1:-1]):
        return text[1:-1]
    plain = node.type == "string" and all(child.type in {'"', "string_content"} for child in node.children)
    if plain and _DOUBLE_QUOTED.fullmatch(text[1:-1]):
        return text[1:-1]
    raise _Unknown


def _looks_of_program(words: Sequence[str]) -> Iterator[Look]:
    name, *arguments = words
    if not _is_system_program(name):
        raise _Unknown
    if name == "find":
        yield from _looks_of_find(arguments)
        return
    program = PROGRAMS.get(name)
    if program is None:
        raise _Unknown
    operands, recursive = _operands(program, arguments)
    if program.pattern:
        if not operands or operands[0].startswith("-"):
            raise _Unknown
        operands = operands[1:]
    yield from _looks_of_operands(program, operands, recursive=recursive)


def _looks_of_operands(program: Program, operands: Sequence[str], *, recursive: bool) -> Iterator[Look]:
    kind = program.operands
    if isinstance(kind, re.Pattern):
        if not all(map(kind.fullmatch, operands)):
            raise _Unknown
    elif kind == "nothing":
        if operands:
            raise _Unknown
    else:
        # Without an operand a search goes through the folder it is in; others read what they are handed.
        places = operands or ("." if recursive or kind == "names" else ())
        yield from (Look(path, "contents" if recursive else kind) for path in places)


def _operands(program: Program, arguments: Sequence[str]) -> tuple[list[str], bool]:
    """The arguments that are no options, and whether an option makes the program go through folders."""
    operands, recursive, waiting = list[str](), False, list(arguments)
    any_word = isinstance(program.operands, re.Pattern)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-") or word == "-" or (any_word and operands):
            operands.append(word)
        elif not (program.counted and _LINES.fullmatch(word)):
            recursive |= _read_option(program, word, waiting)
    return operands, recursive


def _read_option(program: Program, word: str, waiting: list[str]) -> bool:
    """Whether a word of letters makes the program go through folders; a letter that isn't known ends it all."""
    recursive = False
    for at, letter in enumerate(word[1:], 2):
        if letter in program.valued:
            value = word[at:] or (waiting.pop(0) if waiting else "")
            _require(program.valued[letter].fullmatch(value))
            break
        _require(letter in program.flags or letter in program.recursive)
        recursive |= letter in program.recursive
    return recursive


def _looks_of_find(arguments: Sequence[str]) -> Iterator[Look]:
    start = next((at for at, word in enumerate(arguments) if word.startswith("-")), len(arguments))
    folders, tests = arguments[:start], arguments[start:]
    _require(len(tests) % 2 == 0 and not any(map(is_secret_name, tests[1::2])))
    for test, value in zip(tests[::2], tests[1::2], strict=True):
        _require(test in _FIND_TESTS and _FIND_TESTS[test].fullmatch(value))
    yield from (Look(folder, "names") for folder in folders or (".",))


def _require(condition: object) -> None:
    if not condition:
        raise _Unknown


def _is_system_program(name: str, find: Callable[[str], str | None] = shutil.which) -> bool:
    if name in BUILT_IN:
        return True
    found = find(name) if "/" not in name else None
    return found is not None and found.rpartition("/")[0] in FOLDERS
