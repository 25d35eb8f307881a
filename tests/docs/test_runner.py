"""A runner that cannot fail proves nothing: a page that is wrong in any one way is reported."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.compare import difference, fits
from tests.docs.models import Models
from tests.docs.page import blocks
from tests.docs.running import Page

pytestmark = pytest.mark.slow

Faults = Callable[[str], list[str]]


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: Models) -> Iterator[Faults]:
    page = Page(tmp_path, monkeypatch, models)
    yield lambda text: list(page.faults(list(blocks("page.md", text))))
    page.close()


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


RIGHT = (
    fenced("console", "$ quorate --version\nquorate 0.1.0"),
    fenced("console", "$ quorate panels\n…"),
    fenced("console", "$ quorate ask 'Go?' --panel demo -q\nWARN …"),
    fenced("console", "$ quorate ask 'Go?' --panel demo -q\nThis is a demo …\nWARN …\npoint: …"),
    fenced("console", "$ quorate read nothing.txt\nquorate: cannot read …\n$ echo $?\n1"),
    fenced("console", "$ echo '{}' | quorate read - --json\n{\n…\n}"),
    fenced("console", "$ quorate panels > kept.txt\n$ head -c 4 kept.txt\nappr"),
    fenced("console", "$ if quorate --version; then echo well; fi\nquorate 0.1.0\nwell"),
    fenced("console", "$ quorate ask 'Go?' --model openai:any@http://127.0.0.1:9000/v1 -q\nACT  2 of 3 seats, …"),
    fenced("python", "print(1)  # → 1"),
    fenced("python", "print(1)\nprint(2)") + "\n" + fenced("text", "1\n…"),
    fenced("python", "x = 1") + "words\n" + fenced("python", "assert x == 1"),
    fenced("yaml", "extends: tribunal"),
    fenced("json", '[{"seat": "Safety", "decision": "WARN"}]'),
    "<!-- file: note.txt -->\n" + fenced("text", "hello") + fenced("console", "$ cat note.txt\nhello"),
    "<!-- not run: it would take a day -->\n" + fenced("sh", "make everything"),
)

WRONG = (
    fenced("console", "$ quorate --version\nquorate 9.9.9"),
    fenced("console", "$ quorate --version"),
    fenced("console", "$ quorate --version\nquorate 0.1.0\nand more"),
    fenced("console", "$ quorate --version\n…\n…"),
    fenced("console", "$ quorate show last\n…"),
    fenced("console", "$ quorate completion nothing > kept.txt\n…"),
    fenced("console", "quorate --version"),
    fenced("console", "$ quorate read nothing.txt\nquorate: cannot read …\n$ echo $?\n0"),
    fenced("python", "print(1)  # → 2"),
    fenced("python", "print(1)"),
    fenced("python", "x = 1  # → 1"),
    fenced("python", "raise ValueError"),
    fenced("python", "print(1)\nprint(2)") + fenced("text", "2\n1"),
    fenced("yaml", "extends: nothing there is"),
    fenced("json", '[{"decision": "WARN"}]'),
    fenced("toml", "= 1"),
    fenced("text", "nobody says this"),
    fenced("sh", "rm -r ."),
    fenced("", "what is this"),
    "<!-- file: note.txt -->\n" + fenced("text", "nobody opens this"),
)


@pytest.mark.parametrize("text", RIGHT)
def test_a_page_that_is_right_passes(text: str, faults: Faults) -> None:
    assert faults(text) == []


@pytest.mark.parametrize("text", WRONG)
def test_a_page_that_is_wrong_is_reported_with_its_line(text: str, faults: Faults) -> None:
    [fault] = faults(text)

    assert fault.startswith("page.md:")


def test_a_block_that_never_ends_is_an_error() -> None:
    with pytest.raises(ValueError, match="never ends"):
        list(blocks("page.md", "```text\nand on"))


def test_chance_and_time_do_not_count() -> None:
    ours = "id aqjz8vyx3sx2khdh5w9c17upce  2026-11-15 22:28  took 1.7 s"
    theirs = "id bqjz8vyx3sx2khdh5w9c17up00     2027-01-01 00:00  took 12.0 s"

    assert difference(ours, theirs) == ""
    assert difference("decided on 2026-11-16", "decided on 2027-01-01") == ""
    assert difference("WARN", "ACT") != ""


def test_a_page_shows_a_home_and_a_port_of_its_own(faults: Faults) -> None:
    home = fenced("console", "$ pwd\n/srv/you/work")
    port = fenced("console", "$ echo http://127.0.0.1:9000/v1\nhttp://127.0.0.1:9000/v1")

    assert faults(home + port) == []


@pytest.mark.parametrize(
    ("wanted", "got", "fit"),
    [
        ("a … c", "a b c", True),
        ("a…", "a", True),
        ("… b … d", "a b c d", True),
        ("a … c", "a b d", False),
        ("ab…bc", "abc", False),
        ("…b…b…", "abc", False),
    ],
)
def test_an_ellipsis_stands_for_any_words_of_a_line(wanted: str, got: str, fit: bool) -> None:
    assert fits(wanted, got) is fit
