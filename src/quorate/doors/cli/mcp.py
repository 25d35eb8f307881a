"""`quorate mcp`: a panel inside any assistant that speaks the Model Context Protocol, and its set-up in clients."""

from typing import TYPE_CHECKING

import click

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.errors import BadSetting

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["mcp"]


@click.group(invoke_without_command=True, epilog="\b\nExamples:\n  quorate mcp install claude-code\n  quorate mcp")
@click.option(
    "--answer-within",
    metavar="TIME",
    help="Answer a call within this time, with what there is; default: 45s, because many clients give up after 60.",
)
@click.pass_context
def mcp(context: click.Context, answer_within: str | None) -> int:
    """Serve a panel to an assistant over the Model Context Protocol.

    An assistant starts this command and talks to it on stdin and stdout; nobody types here. Deliberations are held by
    processes of their own, so they go on when the assistant gives up, restarts or is closed.
    """
    if context.invoked_subcommand is not None:
        return DONE
    from quorate.settings.amounts import seconds

    within = None if answer_within is None else float(seconds(answer_within))
    stopping.run(lambda: _server().serve_stdio(within))
    return DONE


def _server() -> "ModuleType":
    """The door itself, which is an extra.

    Raises:
        BadSetting: it is not installed.
    """
    try:
        from quorate.doors.mcp import server
    except ModuleNotFoundError as wrong:
        raise BadSetting(f"quorate mcp needs {wrong.name!r}: pip install 'quorate[mcp]'") from None
    return server
