"""Commands that say what there is: config, panels, rules, completion."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import one_line, say, say_json
from quorate.errors import UnknownName

__all__ = ["completion", "config", "help_", "panels", "rules"]


@click.command(
    cls=options.SettingsCommand,
    epilog="\b\nExamples:\n  quorate config --panel panel.yaml\n  quorate config set model ollama:NAME",
)
@click.argument("words", nargs=-1, metavar="[set NAME VALUE]")
@options.settings
@options.as_json
def config(words: tuple[str, ...], *, said: dict[str, Any], as_json: bool) -> int:
    """Show every setting and where it comes from, or save one.

    The first place that sets it counts: flag, environment, panel file, user file, default. The user file is
    config.yaml in the XDG configuration folder, or the file that QUORATE_CONFIG names; `config set` writes to it.
    Keys are never shown, only the names of the variables that hold them.
    """
    from quorate.settings.convene import check_charter
    from quorate.settings.resolve import resolve

    if words:
        return _set(words)
    resolved = resolve(said, os.environ, Path("~").expanduser())
    check_charter(resolved.draft, resolved.environment(os.environ))
    rows = resolved.rows()
    if as_json:
        say_json({"schema": 1, "settings": [row._asdict() for row in rows]})
        return DONE
    wide = [max(len(one_line(row[place])) for row in rows) for place in (0, 1)]
    for key, value, source in rows:
        say(f"{one_line(key):<{wide[0]}}  {one_line(value):<{wide[1]}}  {one_line(source)}")
    return DONE


def _set(words: tuple[str, ...]) -> int:
    """Set one option in the user file; the rest of the file stays as it is."""
    from quorate.settings.base_folders import user_file
    from quorate.settings.layers import write_user_value

    if len(words) != len(("set", "NAME", "VALUE")) or words[0] != "set":
        raise click.UsageError("say what to set: quorate config set NAME VALUE, for instance set model ollama:NAME")
    path, shown = user_file(os.environ, Path("~").expanduser())
    write_user_value(path, shown, words[1], words[2])
    say(f"{one_line(shown)}: {one_line(words[1])} is {one_line(words[2])}")
    return DONE


@click.command(epilog="\b\nExample:\n  quorate panels")
@options.as_json
def panels(*, as_json: bool) -> int:
    """List the panels that come with quorate, and their seats."""
    from quorate import presets
    from quorate.settings.inventory import panel_document

    if as_json:
        say_json({"schema": 1, "panels": [panel_document(name, charter) for name, charter in presets.panels().items()]})
        return DONE
    for number, (name, charter) in enumerate(presets.panels().items()):
        demo = _DEMOS[charter.models[0][1]] if charter.panel.demo else ""
        say(f"{chr(10) if number else ''}{one_line(name)} (protocol {one_line(charter.protocol)}{demo})")
        for seat in charter.panel:
            said = one_line(f"{seat.name}: {', '.join(seat.powers) or 'speaks only'}. {seat.role}")
            say(f"  {said}")
    return DONE


_DEMOS = {
    "demo:scripted": "; scripted, it does not answer the question",
    "embedded:smollm2": "; the small built-in model, its opinions mean nothing",
}


@click.command(epilog="\b\nExamples:\n  quorate rules\n  quorate rules show tribunal")
@click.argument("words", nargs=-1, metavar="[show NAME]")
@options.as_json
def rules(words: tuple[str, ...], *, as_json: bool) -> int:
    """List protocols, rules and rulebooks, or explain one.

    A protocol says how the panel deliberates, a rule turns votes into a verdict, and a rulebook is a list of rules
    in order. `quorate rules show NAME` shows its settings, and for a rulebook the order of its rules.
    """
    from quorate.settings.inventory import catalogue_documents

    named = words[1:] if words[:1] == ("show",) else words
    if len(named) > 1:
        raise click.UsageError("one name at a time: quorate rules show NAME")
    wanted = "".join(named)
    things = [*catalogue_documents()]
    found = [thing for thing in things if wanted in ("", thing["name"])]
    if not found:
        raise UnknownName("protocol, rule or rulebook", wanted, {str(thing["name"]) for thing in things})
    if as_json:
        say_json({"schema": 1, "catalogue": found})
        return DONE
    for line in _shown(found) if wanted else _listed(found):
        say(line)
    return DONE


def _listed(found: list[dict[str, Any]]) -> Iterator[str]:
    kind = ""
    for thing in found:
        if thing["kind"] != kind:
            yield f"{'' if not kind else chr(10)}{thing['kind'].capitalize()}s"
            kind = thing["kind"]
        yield f"  {one_line(thing['name']):<21}{one_line(thing['about'])}"


def _shown(found: list[dict[str, Any]]) -> Iterator[str]:
    for number, thing in enumerate(found):
        about = one_line(f"{thing['kind']} {thing['name']}: {thing['about']}")
        yield f"{chr(10) if number else ''}{about}"
        for setting in thing.get("settings", ()):
            default = "must be given" if setting["default"] is None else f"default {setting['default'] or 'nothing'}"
            takes = one_line(f"({setting['takes']}; {default})")
            yield f"  {one_line(setting['name'])}  {takes}"
        yield from (f"  {_asked(line)}" for line in thing.get("asks", ()))


def _asked(line: str) -> str:
    """What a rulebook asks, its columns kept; a rule of somebody else's may be called anything."""
    order, _, rest = line.partition(" ")
    return f"{order} {' ' * (len(rest) - len(rest.lstrip()))}{one_line(rest)}"


@click.command(
    epilog="""\b
Example:
  mkdir -p ~/.local/share/bash-completion/completions
  quorate completion bash > ~/.local/share/bash-completion/completions/quorate"""
)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the script for a shell's completion."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is not None:
        script = kind(context.find_root().command, {}, "quorate", "_QUORATE_COMPLETE")
        say(script.source_template % script.source_vars())
    return DONE


@click.command("help", epilog="\b\nExample:\n  quorate help ask")
@click.argument("command", required=False)
@click.pass_context
def help_(context: click.Context, command: str | None) -> int:
    """Show the help of a command, or of all."""
    root = context.find_root()
    group = root.command
    if command is None or not isinstance(group, click.Group):
        say(root.get_help())
        return DONE
    found = group.get_command(root, command)
    if found is None:
        raise UnknownName("command", command, group.list_commands(root))
    with click.Context(found, info_name=command, parent=root) as inner:
        say(found.get_help(inner))
    return DONE
