"""The program that strangers read: one file, the standard library alone, and no longer than it has to be."""

import ast
import sys
from io import StringIO
from tokenize import generate_tokens

from quorate.offline.capsule import verifier_program

LINES = 670
"""More than other files: it holds the rules of all protocols (decision 0046) and the one spelling of a capsule."""


def test_the_verifier_is_one_file_that_a_stranger_can_read() -> None:
    text = verifier_program().decode()

    assert len(text.splitlines()) <= LINES
    assert max(map(len, text.splitlines())) <= 120
    assert ";" not in {token.string for token in generate_tokens(StringIO(text).readline)}


def test_the_verifier_imports_the_standard_library_alone() -> None:
    nodes = list(ast.walk(ast.parse(verifier_program())))

    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert named
    assert {name.split(".")[0] for name in named} <= sys.stdlib_module_names
