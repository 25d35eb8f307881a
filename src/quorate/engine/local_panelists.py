"""Panelists that no provider stands behind, opened by name: a script, the model in process, a person, a recording."""

from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from quorate import chair
from quorate.errors import BadSetting, LedgerError, NoModel
from quorate.frozen import dataclass
from quorate.ledger import Ledger
from quorate.ledger import export as records
from quorate.ledger.chain import open_row
from quorate.middleware.deadline import Deadline, TimeLimit
from quorate.middleware.stack import Sent
from quorate.model import Ask, AskKey, Event, Reply, Silent, Spoken
from quorate.model.panel import is_person
from quorate.model.texts import is_forgotten
from quorate.panelists import Panelist, WordListener, ignore_words
from quorate.panelists.demo_panelist import Demo
from quorate.panelists.person import Person, Present
from quorate.panelists.recording import RecordedReply, Recording
from quorate.panelists.registry import DEMO, EMBEDDED, RECORDING

__all__ = ["LocalPanelists", "NotifiedPerson", "PersonConditions", "recording_of", "weights_folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPanelists:
    """What they need: where weights may be, the ledger recordings are read from, and who is at the keyboard."""

    env: Mapping[str, str]
    ledger: Ledger | None = None
    present: Present | None = None

    async def open(self, model: str) -> Panelist:
        """Whoever answers under this name in this process; a recording is read from the ledger, or from its file.

        Raises:
            BadSetting: it names no deliberation that could be given again.
            LedgerError: the record cannot be read.
            NoModel: the model in process cannot be asked on this machine.
        """
        if model == DEMO:
            return Demo()
        if is_person(model):
            return Person(model, self.present)
        if model == EMBEDDED:
            from quorate.panelists import embedded  # noqa: PLC0415 - for those who have the extra

            return embedded.answers(weights_folder(self.env))
        return await _recording(model.removeprefix(RECORDING), self.ledger)


def weights_folder(env: Mapping[str, str]) -> Path | None:
    """Where `quorate models get` puts weights: in the XDG data folder; a relative one is to be ignored."""
    return _weights_folder(env.get("XDG_DATA_HOME", ""), env.get("HOME", ""))


@lru_cache(4)
def _weights_folder(given: str, home: str) -> Path | None:
    """Where these variables say that it is; every deliberation asks."""
    base = Path(given) if given.startswith("/") else Path(home, ".local/share") if home else None
    return None if base is None else base / "quorate" / "models"


async def _recording(name: str, ledger: Ledger | None) -> Recording:
    lines = _lines(Path(name))
    if lines is not None:
        records.verify_lines(lines)
        return recording_of(name, (open_row(row).event for row in records.parse(lines).rows))
    if name == "last":
        raise BadSetting("recording:last changes with every question; name the deliberation by its id")
    if ledger is None:
        raise NoModel(f"there is no file {name!r} to give replies from; write recording:FILE, with a record exported")
    return recording_of(name, [entry.event for entry in await ledger.read(name)])


def _lines(file: Path) -> list[bytes] | None:
    return file.read_bytes().splitlines(keepends=True) if file.is_file() else None


def recording_of(name: str, events: Iterable[Event]) -> Recording:
    """The replies and silences of a record, by ask.

    Raises:
        LedgerError: its words were forgotten, or its seed did not leave with it.
    """
    kept = list(events)
    brief = chair.replay(kept[:1]).brief
    if is_forgotten(brief.seed):
        raise LedgerError(f"{name!r} cannot be given again: its seed is not in it, so its ballots cannot be read")
    said: dict[AskKey, RecordedReply | Silent] = {}
    for event in kept:
        if isinstance(event, Spoken):
            mark = brief.mark(event.round, brief.panel.seat(event.seat), event.attempt)
            said[event.key] = RecordedReply(reply=event.reply, mark=mark)
        elif isinstance(event, Silent):
            said.setdefault(event.key, event)
    return Recording(f"{RECORDING}{name}", said)


class NotifiedPerson:
    """Tells a person of an ask once, on record, however often the deliberation is resumed before they answer."""

    def __init__(self, panelist: Panelist, sent: Sent, told: Container[AskKey]) -> None:
        self._panelist = panelist
        self._sent = sent
        self._told = told

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """What the person says.

        Raises:
            PanelistWaits: they will answer later.
        """
        if ask.key not in self._told:
            self._sent(ask)
        return await self._panelist.answer(ask, overheard)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonConditions:
    """What holds for people: an ask is told once, no budget and no patience apply, only the end of the whole does."""

    sent: Sent
    told: Container[AskKey]
    until: float | None

    def of(self, panelist: Panelist) -> Panelist:
        """A person behind that."""
        return Deadline(NotifiedPerson(panelist, self.sent, self.told), TimeLimit(until=self.until))
