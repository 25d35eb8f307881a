"""Small things tests of the debate are made of: a question, its material, cases for and against, who says what when."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from quorate import presets
from quorate.model import Ask, Brief, Convened, Panel, Prompt, Question, Reply, Seat
from quorate.testing import argument, assessment, judgement
from tests import servers
from tests.play import convened

SIX = presets.panel("debate").panel
PROPONENT, OPPONENT, MODERATOR, ADVOCATE, CRITIC, REFINER = SIX.seats
THREE = Panel(seats=SIX.seats[:3])
CONTEXT = (
    "The bill says staging costs 300 euros a month. Nobody has logged in since 2 May. The backup was never restored."
)
QUESTION = Question(text="Should we delete the staging database?", context=CONTEXT)

CLAIMS = {
    ("pro", "1"): ("Deleting staging saves money", 'The bill: "staging costs 300 euros a month"'),
    ("con", "1"): ("Deleting staging money aside, nobody could restore the backup", "It feels risky"),
    ("pro", "2"): ("Nobody has needed the backup since spring", "Nobody has logged in since 2 May"),
    ("con", "2"): ("Needed or not, a lost archive is gone for good", "Archives matter"),
    ("pro", "3"): ("An export takes the place of the archive", "The export has 40 files"),
    ("con", "3"): ("An export without indexes is no archive", "Indexes matter"),
}
"""By side and round, a claim and the evidence for it: in every round the proponent's is the better."""

Settings = Mapping[str, str | int]


def debate(panel: Panel = THREE, settings: Settings = MappingProxyType({}), question: Question = QUESTION) -> Convened:
    """A debate about to begin."""
    written = tuple((name, str(value)) for name, value in settings.items())
    return replace(convened(panel, "debate", written), question=question)


def case(ask: Ask) -> str:
    """What a side says in a round; allies say what their side says."""
    claim, evidence = CLAIMS[ask.options[0], ask.round]
    return f"{ask.seat.name} argues in round {ask.round}.\n\n{argument(ask, [claim], [evidence])}"


def speaking(
    settled: Mapping[str, float] = MappingProxyType({}), prose: str = "I have listened."
) -> Callable[[Ask], Reply]:
    """Everyone answers; the moderator's number by round, else 0.5."""

    def answer(ask: Ask) -> Reply:
        match ask.wants:
            case "argument":
                return Reply(text=case(ask))
            case "assessment":
                return Reply(text=f"{prose}\n\n{assessment(ask, settled.get(ask.round, 0.5), 'for', (), (prose,))}")
            case "judgement":
                return Reply(text=f"{prose}\n\n{judgement(ask, (0.9, 0.9), (0.1, 0.1))}")
            case _:
                return Reply(text=f"{prose} {ask.seat.name} draws round {ask.round} together.")

    return answer


def without(answer: Callable[[Ask], Reply], *gone: tuple[str, str]) -> Callable[[Ask], Reply | str]:
    """The same, but these seats are silent in these rounds; "*" is every round."""
    return lambda ask: "timeout" if {(ask.seat.name, ask.round), (ask.seat.name, "*")} & set(gone) else answer(ask)


def behind(begin: Convened, answer: Callable[[Ask], Reply], acts: Mapping[tuple[str, str], servers.Act]) -> servers.Act:
    """An endpoint that answers for every seat as `answer` does, but acts as told for a seat and round."""
    brief = Brief(question=begin.question, panel=begin.panel, seed=begin.seed)
    rounds = ("1", "2", "3", "judge-ab", "judge-ba")
    asked = {brief.mark(name, seat, n): (seat, name) for name in rounds for seat in begin.panel for n in (1, 2)}

    async def act(writer: asyncio.StreamWriter, seen: servers.Seen) -> bool:
        prompt = seen.body["messages"][0]["content"]
        seat, name = next(
            (asked[mark] for mark in re.findall(r"[0-9a-f]{12}", prompt) if mark in asked), (REFINER, "1")
        )
        mark = next((mark for mark in re.findall(r"[0-9a-f]{12}", prompt) if mark in asked), "")
        ask = Ask(seat, name, Prompt(""), wants=_wants(prompt), mark=mark, options=(_side(seat),))
        told = acts.get((seat.name, name)) or acts.get((seat.name, "*"))
        return await (told or servers.said(answer(ask).text))(writer, seen)

    return act


def _wants(prompt: str) -> str:
    words = {'"claims"': "argument", '"leaning"': "assessment", '"a_logic"': "judgement"}
    return next((wants for word, wants in words.items() if word in prompt), "speech")


def _side(seat: Seat) -> str:
    return "pro" if seat in (PROPONENT, ADVOCATE) else "con"


PATIENCE = Fraction(3, 10)
