"""`quorate route`: which models `auto` would choose for a question, and why, without asking any."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import note, one_line, say, say_json
from quorate.settings.table import PROTOCOL, ROUTES, SEATS

if TYPE_CHECKING:
    from quorate.engine.routing import RouteChoice
    from quorate.model import SeatModel
    from quorate.settings.resolve import Settings

__all__ = ["route"]


@click.command(
    cls=options.SettingsCommand,
    epilog="""\b
Examples:
  quorate route "Should we migrate the database?"
  quorate route "Is it safe?" --protocol tribunal --seat Safety=ollama:NAME --json
  quorate route --table > routes.yaml""",
)
@click.argument("question", required=False)
@options.settings
@click.option(
    "--table", is_flag=True, help="Print the table of models it chooses from, so that you can copy and change it."
)
@options.as_json
def route(question: str | None, *, said: dict[str, Any], table: bool, as_json: bool) -> int:
    """Show which models `auto` would choose, and why.

    If no model is named at all, it shows what `ask` would pick from the models found here. If some are named, seats
    without a model are treated as `auto`. No model is asked and nothing is recorded; whether a model can be used is
    judged by the keys and addresses that are set.
    """
    from quorate.model import Question
    from quorate.service.host import Host
    from quorate.service.prepare import open_panel
    from quorate.service.request import Request

    request = Request(question=Question(question) if question else None, options=said, only_forecast=True)
    panel = open_panel(request, Host.here("command line"))
    resolved = panel.settings
    if table:
        from quorate.settings.route_table import SHIPPED

        where = resolved[ROUTES]
        say((Path(where) if where else SHIPPED).read_text(encoding="utf-8"), end="")
        return DONE
    if question is None:
        raise click.UsageError("there is no question; give it in quotes")
    seated, choices = _chosen(resolved, question)
    for told in panel.notes:
        note(f"note: {one_line(told.text)}")
    if as_json:
        say_json(_document(resolved, question, seated, choices))
    else:
        for line in _lines(resolved, seated, choices):
            say(line)
    return DONE


def _chosen(resolved: "Settings", question: str) -> "tuple[tuple[SeatModel, ...], tuple[RouteChoice, ...]]":
    from dataclasses import replace

    from quorate.engine.routing import Router
    from quorate.model import Question
    from quorate.settings.convene import convene
    from quorate.settings.model_names import AUTO

    env = resolved.environment(os.environ)
    draft = resolved.draft
    named = dict(draft.models) or _picked(resolved, env)
    models = tuple((seat.name, named.get(seat.name, AUTO)) for seat in draft.panel)
    convened = convene(Question(text=question), replace(draft, models=models), env)
    return convened.seated, Router.of(resolved.provider_limits, env).route(convened, convened.seated)


def _picked(resolved: "Settings", env: "Mapping[str, str]") -> dict[str, str]:
    """What `ask` would pick where no model is named at all."""
    from quorate.engine.discovery import discover, pick

    return dict(pick(resolved.panel, stopping.run(lambda: discover(env, resolved[ROUTES]))))


def _document(
    resolved: "Settings", question: str, seated: "tuple[SeatModel, ...]", choices: "tuple[RouteChoice, ...]"
) -> dict[str, object]:
    chosen = {choice.seat: choice for choice in choices}
    return {
        "schema": 1,
        "question": question,
        "protocol": resolved[PROTOCOL],
        "seats": [_seat(sat, chosen.get(sat.seat), _unrouted(resolved)) for sat in seated],
    }


def _unrouted(resolved: "Settings") -> str:
    """Why nothing had to be chosen for a seat."""
    return "it names its model" if resolved[SEATS] else "found here, as no model is named"


def _seat(sat: "SeatModel", choice: "RouteChoice | None", why: str) -> dict[str, object]:
    if choice is None:
        named = {"seat": sat.seat, "model": sat.model, "domain": sat.domain, "fallbacks": list(sat.fallbacks)}
        return {**named, "task": None, "why": why, "passed_over": []}
    return {
        "seat": choice.seat,
        "model": choice.model,
        "domain": choice.domain,
        "fallbacks": list(choice.fallbacks),
        "task": choice.task,
        "why": choice.why,
        "passed_over": [{"model": model, "why": why} for model, why in choice.passed],
    }


def _lines(resolved: "Settings", seated: "tuple[SeatModel, ...]", choices: "tuple[RouteChoice, ...]") -> Iterator[str]:
    chosen = {choice.seat: choice for choice in choices}
    wide = max(len(one_line(sat.seat)) for sat in seated)
    for sat in seated:
        choice = chosen.get(sat.seat)
        model, fallbacks = (choice.model, choice.fallbacks) if choice else (sat.model, sat.fallbacks)
        behind = f", then {', '.join(fallbacks)}" if fallbacks else ""
        yield f"{one_line(sat.seat):<{wide}}  {one_line(model + behind)}"
        yield f"{'':<{wide}}  {one_line(f'{choice.task}, {choice.by}' if choice else _unrouted(resolved))}"
        for passed, why in choice.passed if choice else ():
            yield f"{'':<{wide}}  not {one_line(passed)}: {one_line(why)}"
