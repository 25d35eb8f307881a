"""All commands as one, and how one of them is run. This is the one place where a crash is reported."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final

import click

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import BLOCK, ERROR, TABLE, USAGE
from quorate.doors.cli.screen import complain, note, one_line
from quorate.errors import BadPlugin, QuorateError
from quorate.plugins import added_parts, culprit, load_part, package_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quorate.plugins import AddedParts

__all__ = ["COMMANDS", "quorate", "run"]

SECTIONS: Final = {
    "Start here": {
        "demo": ("demo:demo", "Play an example on the screen, in about twenty seconds."),
        "ask": ("ask:ask", "Put a question to a panel and get a verdict."),
        "serve": ("serve:serve", "Serve the page and the HTTP API."),
        "models": ("models:models", "List the models you can use here, or download a small one."),
        "doctor": ("models:doctor", "Check every model found here with one tiny question."),
    },
    "Ask": {
        "batch": ("batch:batch", "Put many questions to one panel."),
        "findings": ("findings:findings", "Put a diff to a panel and list what it finds."),
        "decide": ("decide:decide", "Decide on ballots from a file; no model is asked."),
        "answer": ("answer:answer", "Answer for a seat that a person holds."),
        "wait": ("wait:wait", "Wait for a deliberation that another process holds."),
        "resume": ("ask:resume", "Continue a deliberation that was interrupted."),
    },
    "Look at what was decided": {
        "list": ("record_list:list_", "List recorded deliberations, newest first."),
        "show": ("records:show", "Show a recorded deliberation in a form of your choice."),
        "diff": ("diff:diff", "Compare two deliberations."),
        "replay": ("records:replay", "Show what another rulebook would have decided."),
        "report": ("report:report", "Summarise what is recorded: outcomes, agreement, cost."),
        "memory": ("memory:memory", "Look through earlier decisions."),
    },
    "Judge what was decided": {
        "review": ("review:review", "Decide on a verdict yourself, as a person."),
        "outcome": ("outcome:outcome", "Record what turned out right."),
        "quality": ("quality:quality", "Measure a finished deliberation."),
        "seats": ("seats:seats", "Show how reliable each seat or model has been."),
        "evaluate": ("evaluate:evaluate", "Measure how right a panel is."),
        "eval": ("evaluate_gate:eval_", "Measure which panel and rule make the best gate."),
        "simulate": ("simulate:simulate", "Try a panel on made-up questions before money is spent."),
    },
    "Show that nothing was changed": {
        "verify": ("verify:verify", "Check that a record is unchanged and its verdict holds."),
        "checkpoint": ("verify:checkpoint", "Save a checkpoint, to show later if a record was changed."),
        "attest": ("attest:attest", "Sign a verdict, for people who do not have its record."),
        "capsule": ("capsule:capsule", "Write a deliberation as one file that others can recompute."),
    },
    "Keep records": {
        "export": ("records:export", "Write a record to stdout as JSON lines."),
        "import": ("records:import_", "Import a record that `export` wrote."),
        "forget": ("records:forget", "Delete every text of a deliberation for good."),
        "ledger": ("ledger:ledger", "Copy all records to another ledger, or set up a database."),
    },
    "Choose panel, models and rules": {
        "panels": ("inspect:panels", "List the panels that come with quorate, and their seats."),
        "panel": ("panel:panel", "Write a panel file, check one, or allow one to act."),
        "rules": ("inspect:rules", "List protocols, rules and rulebooks, or explain one."),
        "route": ("route:route", "Show which models `auto` would choose, and why."),
        "config": ("inspect:config", "Show every setting and where it comes from, or save one."),
        "prove": ("prove:prove", "Check a rulebook on every way to vote; no model is asked."),
        "read": ("decide:read", "Show how a model's reply would be read."),
        "group": ("group:group", "Group options that are the same words."),
    },
    "Connect other programs": {
        "mcp": ("mcp:mcp", "Serve a panel to an assistant, over MCP."),
        "hook": ("hook:hook", "Let a panel answer a coding agent's permission question."),
        "worker": ("worker:worker", "Hold deliberations that were queued in a PostgreSQL ledger."),
        "import-config": ("import_config:import_config", "Turn AI Counsel's config.yaml into quorate's files."),
        "completion": ("inspect:completion", "Print the script for a shell's completion."),
        "help": ("inspect:help_", "Show the help of a command, or of all."),
    },
}
"""Every command by what one wants to do: its name, where it is written, and what it does in a line.

The lines are the first ones of the commands' own help, and a test sees that they are. They stand here once more because
to show all of them would otherwise take to load every command there is.
"""
COMMANDS: Final = {name: place for section in SECTIONS.values() for name, (place, _) in section.items()}
"""Where each is written."""
ADDED: Final = "Added by other packages"


def _added() -> "AddedParts":
    """Commands of other packages, by name; none is loaded before it is run, so that none can break the help."""
    return added_parts("command", frozenset(COMMANDS))


class Commands(click.Group):
    """Commands in the order one meets them, each imported when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own signature
        return [*COMMANDS, *_added().points]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the same
        """By section, and every summary whole; no command is loaded for it."""
        ours = {title: {name: line for name, (_, line) in one.items()} for title, one in SECTIONS.items()}
        added = _added_lines()
        sections: dict[str, Mapping[str, str]] = {**ours, **({ADDED: added} if added else {})}
        width = max(len(name) for section in sections.values() for name in section)
        for title, section in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in section.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Whoever mistypes a command is told the one that is nearly called so."""
        name = args[0] if args else ""
        known = (*COMMANDS, *_added().points, *_added().faults)
        if name and name not in known and not name.startswith("-"):
            from difflib import get_close_matches

            if near := get_close_matches(name, known, 1, 0.6):
                ctx.fail(f"no command {one_line(name, 40)!r}; did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        if cmd_name in COMMANDS:
            file, _, name = COMMANDS[cmd_name].partition(":")
            found = getattr(import_module(f"quorate.doors.cli.{file}"), name)
            return found if isinstance(found, click.Command) else None
        return _load_added(cmd_name)


def _load_added(name: str) -> click.Command | None:
    """A command of another package.

    Raises:
        BadPlugin: it cannot be used.
    """
    added = _added()
    if name in added.faults:
        raise BadPlugin(added.faults[name])
    point = added.points.get(name)
    if point is None:
        return None
    found = load_part("command", point)
    if not isinstance(found, click.Command):
        raise BadPlugin(
            f"command {name!r} of package {package_of(point)} must be a click.Command, not {type(found).__name__}; "
            f"update that package, or remove it with: pip uninstall {package_of(point)}"
        )
    return found


def _added_lines() -> "Mapping[str, str]":
    """A line of help for each command of another package, and the reason for each that cannot be used."""
    added = _added()
    lines = {name: f"A command of the package {one_line(package_of(point))}." for name, point in added.points.items()}
    faults = {one_line(name): f"Not used: {one_line(fault, 400)}." for name, fault in added.faults.items()}
    return {**lines, **{name: fault for name, fault in faults.items() if name not in COMMANDS}}


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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = quorate.main(args=list(words) or ["--help"], prog_name="quorate", standalone_mode=False)
    except (Exception, KeyboardInterrupt) as wrong:  # noqa: BLE001 - the one place of the project that reports a crash
        code = _report(wrong)
    code = code if isinstance(code, int) else 0
    # A coding agent takes any other code for "go ahead": a hook that fails, however it does, must block.
    return BLOCK if code and list(words[:1]) == ["hook"] else code


def _report(wrong: BaseException) -> int:
    """Say on stderr what went wrong, and give the exit code."""
    match wrong:
        case click.Abort() | KeyboardInterrupt():
            complain(stopping.describe_stop())
            return stopping.exit_code()
        case click.ClickException():
            return _misused(wrong)
        case QuorateError():
            from quorate.doors.cli.suggestions import error_words

            complain(error_words(wrong))
            return ERROR
        case _:
            return _crashed(wrong)


def _misused(wrong: click.ClickException) -> int:
    complain(wrong.format_message())
    if isinstance(wrong, click.UsageError) and wrong.ctx is not None:
        note(f"Try: {wrong.ctx.command_path} --help")
    return USAGE if isinstance(wrong, click.UsageError) else ERROR


def _crashed(crash: BaseException) -> int:
    if os.environ.get("QUORATE_DEBUG"):
        import traceback

        note(traceback.format_exc())
    if package := culprit(crash):
        complain(
            f"the package {package} failed ({type(crash).__name__}); nothing recorded is lost. Update it, or remove it "
            f"with: pip uninstall {package}. QUORATE_DEBUG=1 shows where it failed"
        )
        return ERROR
    complain(
        f"this is a bug ({type(crash).__name__}); nothing recorded is lost. Please report it with what "
        "QUORATE_DEBUG=1 shows when you run the same again"
    )
    return ERROR
