"""An earlier deliberation's replies, given again ask by ask: for tests and for teaching."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from quorate.errors import PanelistError
from quorate.frozen import dataclass
from quorate.model import Ask, AskKey, Reply, Silent, Usage
from quorate.panelists import WordListener, ignore_words

__all__ = ["RecordedReply", "Recording"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedReply:
    """What a seat replied then, and the mark its ballot bore."""

    reply: Reply
    mark: str = ""


class Recording:
    """Answers as the record did; nothing is bought. `name` is the model's: what it was opened by."""

    def __init__(self, name: str, said: Mapping[AskKey, RecordedReply | Silent]) -> None:
        self._name = name
        self._said = said

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """The reply on record, its ballot under today's mark.

        Raises:
            PanelistError: the seat was silent then too, or was never asked this: `not_recorded`.
        """
        match self._said.get(ask.key):
            case None:
                place = f"{ask.seat.name}, round {ask.round}{f', about {ask.about.name}' if ask.about else ''}"
                raise PanelistError("not_recorded", f"{self._name} holds no reply of {place}")
            case Silent(why=why, detail=detail):
                raise PanelistError(why, detail)
            case RecordedReply(reply=reply, mark=mark):
                text = reply.text.replace(mark, ask.mark) if mark else reply.text
                overheard(text)
                used = replace(reply.usage, money=Fraction(0)) if reply.usage != Usage() else reply.usage
                return replace(reply, text=text, usage=used, model=self._name)
