"""`quorate serve`: the page and the HTTP API."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import note, say
from quorate.errors import BadSetting
from quorate.settings.table import LEDGER

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from quorate.doors.web.server import ServerSettings
    from quorate.service.host import Host

__all__ = ["serve"]

PORT = 8420


class ServeOptions(TypedDict):
    """What `quorate serve` was told."""

    host: str
    port: int
    open_page: bool
    names: tuple[str, ...]
    token_file: str | None
    users: str | None
    offer: tuple[str, ...]
    allow_models: tuple[str, ...]
    new_token: bool
    with_mcp: bool
    trust_labels: bool
    trust: bool


@click.command(
    cls=options.SettingsCommand,
    epilog="""\b
Examples:
  quorate serve --open
  quorate serve --model ollama:NAME --offer panel.yaml
  quorate serve --host 0.0.0.0 --allow-host panel.example.org""",
)
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 for any."
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--allow-host", "names", metavar="NAME", multiple=True, help="Another name callers may use; may be repeated."
)
@click.option("--token-file", metavar="FILE", help="Where the token is kept; default: a file in the XDG state folder.")
@click.option("--users", metavar="FILE", help="Several people, each with a token and a ledger of their own.")
@click.option("--offer", metavar="FILE", multiple=True, help="A panel file that callers may use; may be repeated.")
@click.option(
    "--allow-model",
    "allow_models",
    metavar="PATTERN",
    multiple=True,
    help="Models callers may name though they run a command or have an address: 'cli:*'; may be repeated.",
)
@click.option(
    "--mcp",
    "with_mcp",
    is_flag=True,
    help="Serve MCP at /mcp too, to whoever has the token; callers may name what callers of the API may.",
)
@click.option(
    "--trust-labels",
    is_flag=True,
    help="Let labels that callers of the API give count for --act-error. A caller can then label its own past.",
)
@click.option("--new-token", is_flag=True, help="Print a new token and the hash for --users, and leave.")
@options.settings
@options.consent
def serve(said: dict[str, Any], **wish: Unpack[ServeOptions]) -> int:
    """Serve the page and the HTTP API.

    Deliberations go on while the page is closed. If the server is killed, it resumes what it had begun when it is
    started again. Everything needs the token, reading too; it's part of the printed address. The flags say what
    callers get who name nothing themselves.
    """
    if wish["new_token"]:
        return _print_token()
    if wish["with_mcp"] and wish["users"]:
        raise click.UsageError("--mcp serves one ledger, and with --users each has their own; leave one of them out")
    from quorate.engine.collector import tuned_collector

    settings = _settings(said, wish)
    try:
        with tuned_collector():
            stopping.run(lambda: _serve(settings, open_page=wish["open_page"]))
    except KeyboardInterrupt:
        note(f"\nquorate: {stopping.describe_stop()}; what was not finished is resumed when the server starts again")
        return stopping.exit_code()
    return DONE


def _print_token() -> int:
    from quorate.doors.web.security import token_hash
    from quorate.doors.web.user_tokens import new_token

    token = new_token()
    say(f"token  {token}")
    say(f"hash   {token_hash(token)}")
    return DONE


def _settings(said: dict[str, Any], wish: ServeOptions) -> "ServerSettings":
    try:
        from quorate.doors.web.server import ServerSettings
        from quorate.doors.web.user_tokens import read_token, read_users
    except ImportError as missing:
        raise BadSetting("quorate serve needs starlette and uvicorn; pip install 'quorate[web]'") from missing
    from quorate.service.host import Host

    panels = {Path(file).stem: file for file in wish["offer"]}
    operator = replace(
        Host.here("HTTP", defaults={name: value for name, value in said.items() if value not in (None, ())}),
        offered=panels,
        allowed_models=wish["allow_models"],
        trust=wish["trust"],
        trust_labels=wish["trust_labels"],
    )
    usual = operator.settings()
    for name in panels:
        operator.settings(name)
    token_file = Path(wish["token_file"]) if wish["token_file"] else usual.state / "token"
    return ServerSettings(
        operator=operator,
        token=read_token(token_file),
        page_token=read_token(usual.state / "page-token"),
        ledger=usual[LEDGER],
        host=wish["host"],
        port=wish["port"],
        names=wish["names"],
        users=read_users(Path(wish["users"])) if wish["users"] else (),
        beside=_beside(wish, operator) if wish["with_mcp"] else {},
    )


def _beside(wish: ServeOptions, operator: "Host") -> "dict[str, Starlette]":
    try:
        from quorate.doors.mcp.server import http_app
    except ImportError as missing:
        raise BadSetting("--mcp needs the Model Context Protocol's library; pip install 'quorate[mcp]'") from missing
    from quorate.service.policy import POLICIES

    # The gate before it has looked at host and origin already, and knows the port.
    names = (wish["host"], *wish["names"])
    hosts = [name for one in names for name in (one, f"{one}:*")]
    return {
        "/mcp": http_app(
            hosts=hosts,
            origins=[f"{way}://{one}" for way in ("http", "https") for one in hosts],
            host=replace(operator, policy=POLICIES["MCP over HTTP"]),
        )
    }


async def _serve(settings: "ServerSettings", *, open_page: bool) -> None:
    import asyncio

    from quorate.doors.web.server import running_server

    async with running_server(settings) as server:
        address = server.address if settings.users else f"{server.address}/#token={settings.page_token}"
        say(address)
        for id_ in server.resumed:
            note(f"note: resuming {id_}")
        note("Stop with Ctrl-C. What is not finished is resumed when the server starts again.")
        if open_page:
            import webbrowser

            await asyncio.to_thread(webbrowser.open, address)
        await server.task
