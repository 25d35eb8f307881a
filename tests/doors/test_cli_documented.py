import click

from quorate.doors.cli import quorate as group
from tools.reference import PAGES, pages

PAGE = PAGES / "command-line.md"


def test_the_reference_page_is_up_to_date() -> None:
    written = dict(pages())[PAGE]

    assert PAGE.read_text(encoding="utf-8") == written, "run: make docs"


def test_every_command_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")

    for command in group.list_commands(click.Context(group)):
        assert f"\n## quorate {command}\n" in page
