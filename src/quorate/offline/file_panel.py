"""Who sits where answers come from a file: the panel that was named, the protocol's own, or whoever the file names."""

from quorate.errors import BadSetting
from quorate.model import Caution, Panel, Seat
from quorate.model.charter import Charter
from quorate.model.panel import plain
from quorate.model.specs import ProtocolSpec
from quorate.reading.text.answer_file import FileAnswer

__all__ = ["all_sit_on", "panel_of_file", "seat_file"]


def seat_file(
    answers: tuple[FileAnswer, ...], charter: Charter | None, spec: ProtocolSpec
) -> tuple[Panel, tuple[Caution, ...]]:
    """The panel that a file's answers count on, and what to know of it.

    Raises:
        BadSetting: there is neither an answer nor a panel.
        UnknownName: an answer from nobody on the panel that was named.
    """
    known = _known_panel(charter, spec)
    if not answers and (known is None or spec.file.seats == "only"):
        what = "argument" if spec.file.rounds else "ballot"
        raise BadSetting(f"there is no {what} to decide on; give at least one, or name a panel")
    if known is None:
        return panel_of_file(answers), ()
    if charter is not None or spec.file.seats == "only":
        for one in answers:
            known.seat(one.seat)
        return known, ()
    if all_sit_on(known, answers):
        return known, ()
    return panel_of_file(answers), _lost_veto(known)


def _known_panel(charter: Charter | None, spec: ProtocolSpec) -> Panel | None:
    """The panel that was named, else the protocol's own, unless its seats are always those of the file."""
    if charter:
        return charter.panel
    return spec.panel if spec.file.seats != "file" else None


def all_sit_on(panel: Panel, answers: tuple[FileAnswer, ...]) -> bool:
    """Whether every answer is of a seat on the panel."""
    return {plain(one.seat) for one in answers} <= {plain(seat.name) for seat in panel}


def panel_of_file(answers: tuple[FileAnswer, ...]) -> Panel:
    """Who sits by a file, each once, however many rounds they speak in."""
    return Panel(seats=tuple(Seat(name=name) for name in {plain(one.seat): one.seat for one in answers}.values()))


def _lost_veto(known: Panel) -> tuple[Caution, ...]:
    """A caution where the seats of a file take the place of a panel with a veto."""
    if not any("veto" in seat.powers for seat in known):
        return ()
    text = "the seats are taken from the file, so no seat has a veto; to give one, name a panel"
    return (Caution(name="no_veto", text=text),)
