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


def test_every_command_is_in_the_list_with_its_whole_summary_on_one_line() -> None:
    lines = click.Context(group, terminal_width=80, max_content_width=80).get_help().splitlines()

    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        summary = str(command.help).partition("\n\n")[0]
        assert f"  {name:<13}  {summary}" in lines


def test_the_readme_says_how_many_commands_there_are() -> None:
    others = len(group.list_commands(click.Context(group))) - 1

    assert f"[{others} other commands]" in (PAGES.parent.parent / "README.md").read_text(encoding="utf-8")
