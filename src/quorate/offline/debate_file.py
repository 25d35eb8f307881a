"""A debate handed over as arguments, put together as if it had been held; no model is asked."""

from dataclasses import replace

from quorate import presets
from quorate.analysis.debate_course import DEBATERS, EXTRA
from quorate.chair import Docket
from quorate.errors import BadSetting
from quorate.model import Convened, Panel, Question, Rulebook, Seat, Silence, Speech
from quorate.model.charter import Charter
from quorate.model.panel import plain
from quorate.reading.argument_file import Handed, handed_arguments

__all__ = ["argued"]


def argued(text: str, charter: Charter | None, protocol: str, rulebook: Rulebook) -> Docket:
    """The docket of a debate in which just this was said; its rounds are those of the file.

    Raises:
        BadSetting: the text is no list of arguments.
        UnknownName: an argument from nobody on the panel.
    """
    context, said = handed_arguments(text)
    if not said:
        raise BadSetting("there is no argument to decide on; give at least one")
    panel = _panel(charter.panel if charter else presets.panel("debate").panel, said)
    last = max(one.round for one in said)
    extended = any(panel.seat(one.seat).acts in EXTRA for one in said)
    kept = tuple(
        pair for pair in (charter.settings if charter else ()) if pair[0] not in {"form", "max_rounds", "judge"}
    )
    docket = Docket.open(
        Convened(
            question=Question(text="", context=context),
            panel=panel,
            protocol=protocol,
            rulebook=rulebook,
            settings=(*kept, ("form", "extended" if extended else "standard"), ("max_rounds", str(last))),
        )
    )
    words = {(str(number), seat.name, ""): _word(seat, number, said) for number in range(1, last + 1) for seat in panel}
    return replace(docket, heard=replace(docket.heard, words=words))


def _panel(panel: Panel, said: tuple[Handed, ...]) -> Panel:
    for one in said:
        panel.seat(one.seat)
    return panel


def _word(seat: Seat, number: int, said: tuple[Handed, ...]) -> Speech | Silence:
    one = next((one for one in said if plain(one.seat) == plain(seat.name) and one.round == number), None)
    debates = seat.acts in DEBATERS
    if one is None or one.why or (debates and one.argument is None) or (not debates and one.ballot is None):
        return Silence(seat=seat.name, why=(one.why if one else "") or ("no_argument" if debates else "no_ballot"))
    side = DEBATERS.get(seat.acts, "pro")
    argument = replace(one.argument, side=side) if one.argument else None
    return Speech(seat=seat.name, round=str(number), about="", text="", ballot=one.ballot, argument=argument)
