import click

from quorate.doors.cli.command_group import quorate as group
from tools.reference import PAGES, pages

PAGE = PAGES / "command-line.md"


def opened() -> click.Context:
    """The command line as it is opened: click keeps with a command the names under which help was first asked for."""
    names = group.context_settings["help_option_names"]
    return click.Context(group, help_option_names=names, terminal_width=80, max_content_width=80)


def test_the_reference_page_is_up_to_date() -> None:
    written = dict(pages())[PAGE]

    assert PAGE.read_text(encoding="utf-8") == written, "run: make docs"


def test_every_command_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")

    for command in group.list_commands(opened()):
        assert f"\n## quorate {command}\n" in page


def test_every_command_is_in_the_list_with_its_whole_summary_on_one_line() -> None:
    lines = opened().get_help().splitlines()

    for name in group.list_commands(opened()):
        command = group.get_command(opened(), name)
        assert command is not None
        summary = str(command.help).partition("\n\n")[0]
        assert f"  {name:<13}  {summary}" in lines


def test_the_readme_says_how_many_commands_there_are() -> None:
    others = len(group.list_commands(opened())) - 1

    assert f"[{others} other commands]" in (PAGES.parent.parent / "README.md").read_text(encoding="utf-8")
