"""The same question put to one seat alone, in one call, as a deliberation of its own."""

from dataclasses import replace

from quorate import catalogue
from quorate.chair import State
from quorate.errors import NoModel
from quorate.model import Panel, Question, Seat
from quorate.model.charter import Charter
from quorate.panelists.registry import GIVEN
from quorate.settings.model_names import AUTO, join_models

__all__ = ["alone"]


def alone(state: State, model: str | None = None) -> tuple[Question, Charter]:
    """The question with its outcomes to choose from, and a panel of one: by default the first voting seat's model.

    Raises:
        NoModel: whoever answered for that seat cannot be asked again.
    """
    convened = state.convened
    first = convened.panel.voters[0].name if convened.panel.voters else convened.panel.seats[0].name
    sat = next((sat for sat in state.seated if sat.seat == first), None)
    written = model or (join_models(sat.model, *sat.fallbacks) if sat else AUTO)
    if written.startswith((GIVEN, "test:")):
        raise NoModel(f"{written!r} answered for {first} and cannot be asked again here; name a model with --model")
    options = convened.question.options or catalogue.protocol(convened.protocol).outcomes
    question = replace(convened.question, options=options)
    panel = Panel(seats=(Seat(name="Alone"),), demo=convened.panel.demo)
    limits = convened.limits
    return question, Charter(
        panel=panel,
        protocol="conference",
        models=(("Alone", written),),
        settings=(("mode", "quick"), *((("options", "given"),) if options else ())),
        limits=limits,
    )
