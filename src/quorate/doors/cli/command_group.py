"""All commands as one, and how one of them is run. This is the one place where a crash is reported."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final

import click

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.command_table import COMMANDS, SECTIONS
from quorate.doors.cli.exit_codes import BLOCK, ERROR, TABLE, USAGE
from quorate.doors.cli.screen import complain, note, one_line
from quorate.errors import QuorateError

__all__ = ["COMMANDS", "quorate", "run"]


class Commands(click.Group):
    """Commands in the order one meets them, each imported when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own signature
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the same
        """By section, and every summary whole; no command is loaded for it."""
        width = max(map(len, COMMANDS))
        for title, section in SECTIONS.items():
            rows = [(name.ljust(width), summary) for name, (_, summary) in section.items()]
            with formatter.section(title):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Whoever mistypes a command is told the one that is nearly called so."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            if near := get_close_matches(name, COMMANDS, 1, 0.6):
                ctx.fail(f"no command {one_line(name, 40)!r}; did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        if cmd_name not in COMMANDS:
            return None
        file, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(f"quorate.doors.cli.{file}"), name)
        return found if isinstance(found, click.Command) else None


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click calls it so
    if wanted:
        from importlib.metadata import version

        click.echo(f"quorate {version('quorate')}")
        context.exit()


_CODES: Final = "\n".join(f"  {code:>3}  {meaning}" for code, meaning in TABLE)


@click.command(
    cls=Commands,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
    epilog=f"""\b
Exit codes:
{_CODES}

\b
Example:
  quorate ask "Should we delete the staging database?" --panel demo""",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def quorate() -> None:
    """Put a question to several language models, and get one verdict.

    The models, which together are called the panel, answer alone, challenge each other and vote. Rules that anyone can
    read turn the votes into a verdict, and everything is recorded. New here? Start with: quorate demo
    """


def run(words: Sequence[str]) -> int:
    """Run one command and give its exit code; whatever goes wrong is told in a sentence on stderr."""
    code = _run(words)
    # A coding agent takes any other code for "go ahead": a hook that fails, however it does, must block.
    return BLOCK if code and list(words[:1]) == ["hook"] else code


def _run(words: Sequence[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = quorate.main(args=list(words) or ["--help"], prog_name="quorate", standalone_mode=False)
    except click.ClickException as wrong:
        return _misused(wrong)
    except QuorateError as wrong:
        complain(str(wrong))
        return ERROR
    except (KeyboardInterrupt, click.Abort):
        complain(stopping.describe_stop())
        return stopping.exit_code()
    except Exception as crash:  # noqa: BLE001 - the one place of the project that reports a crash
        return _crashed(crash)
    return code if isinstance(code, int) else 0


def _misused(wrong: click.ClickException) -> int:
    complain(wrong.format_message())
    if isinstance(wrong, click.UsageError) and wrong.ctx is not None:
        note(f"Try: {wrong.ctx.command_path} --help")
    return USAGE if isinstance(wrong, click.UsageError) else ERROR


def _crashed(crash: Exception) -> int:
    if os.environ.get("QUORATE_DEBUG"):
        import traceback

        note(traceback.format_exc())
    complain(
        f"this is a bug ({type(crash).__name__}); nothing recorded is lost. Please report it with what "
        "QUORATE_DEBUG=1 shows when you run the same again"
    )
    return ERROR
