"""Deliberations of every protocol drawn by chance: faults, cancellations, merged options, early stops, deadlines."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Final

from quorate import catalogue
from quorate.engine.runner import Runner
from quorate.ledger import open_ledger
from quorate.model import Ask, Convened, Limits, Panel, Question, Reply, SeatModel, Usage
from quorate.panelists import WordListener, ignore_words
from quorate.testing import FAULTS, Faulty, approval, argument, assessment, estimate, finding, judgement, vote
from quorate.views import Record
from tests.promises import virtual_time

OPTIONS: Final = ("Delete it", "Keep it", "Archive it first")
SPELLED: Final = (
    "Delete it", '"delete it."', "Keep it", "KEEP IT", "Event sourcing for audit trail",
    "Use event sourcing to implement audit trail", "Self-documenting code", "Prioritize self-documenting code",
    "abstain",
)  # fmt: skip
"""Several of them are one option in other words."""
SETTINGS: Final[dict[str, tuple[dict[str, str], ...]]] = {
    "tribunal": (
        {},
        {"veto": "immediate"},
        {"final_vote": "asked"},
        {"debate": "when_split"},
        {"stop_when_settled": "true"},
        {"debate": "when_split", "stop_when_settled": "true"},
        {"veto": "immediate", "stop_when_settled": "true"},
    ),
    "conference": (
        {"max_rounds": "2"},
        {"max_rounds": "3", "alike": "0.8"},
        {"max_rounds": "4"},
        {"options": "nominated", "max_rounds": "3"},
        {"options": "given", "mode": "quick"},
        {"options": "given", "mode": "quick", "stop_when_settled": "true"},
        {"mode": "quick"},
    ),
    "oracle": (
        {},
        {"min_verified": "0"},
        {"answers": "number", "min_verified": "0", "tolerance": "10 %"},
        {"answers": "probability", "min_verified": "0"},
        {"answers": "options", "min_verified": "0"},
        {"few_sources": "exclude"},
    ),
    "debate": (
        {"max_rounds": "2", "min_rounds": "1"},
        {"max_rounds": "2", "allies": "true", "form": "extended"},
        {"max_rounds": "1", "min_rounds": "1", "judge": "decides"},
    ),
    "ranked": ({}, {"rounds": "2"}),
    "approval": ({}, {"stop_when_settled": "true"}),
    "delphi": ({"max_rounds": "2"}, {"max_rounds": "3"}),
}  # fmt: skip
REASONS: Final = (
    "Backups were restored last week. The rest is routine.",
    "Nobody is on call during the weekend, and a rollback takes an hour.",
    "It depends on the index; without one the job locks the table.",
    "",
)
CONDITIONS: Final = (
    "The Thursday backup is restored once on a scratch host",
    "the thursday backup is restored once on a scratch host.",
    "It runs before noon",
    "Somebody is named who rolls back. " * 11,
)
SEVERAL: Final = 3


@dataclass(frozen=True)
class Play:
    """One deliberation as it was drawn."""

    convened: Convened
    panelist: "DrawnPanelist"


def drawn_plays(number: int, seed: int, library: Path) -> list[Play]:
    """So many deliberations, every protocol as often; `library` is a folder that some oracles search."""
    protocols = catalogue.names("protocol")
    return [_play(protocols[at % len(protocols)], Random(f"{seed} {at}"), library) for at in range(number)]


def hold_all(plays: list[Play]) -> list[Record]:
    """Hold them one after the other, on a clock that nobody has to wait for."""

    async def work() -> list[Record]:
        return [await _held(play) for play in plays]

    return virtual_time.run(work())


async def _held(play: Play) -> Record:
    panelists = dict.fromkeys((seat.name for seat in play.convened.panel), play.panelist)
    async with Runner(open_ledger(":memory:"), concurrency=play.panelist.chance.randrange(1, 9)) as runner:
        return await runner.hold(play.convened, panelists=panelists)


def _play(protocol: str, chance: Random, library: Path) -> Play:
    settings = dict(chance.choice(SETTINGS[protocol]))
    if protocol == "conference":
        settings["similarity"] = chance.choice(("overlap", "tfidf"))
    if protocol == "oracle" and chance.random() < 0.5:
        settings["sources"] = str(library)
    panel = _panel(protocol, chance)
    listed = settings.get("options") == "given" or settings.get("answers") == "options"
    ranks = protocol in {"ranked", "approval"}
    question = Question(
        text="Should we delete the staging database before the weekend?", options=OPTIONS if listed or ranks else ()
    )
    convened = Convened(
        question=question,
        panel=panel,
        protocol=protocol,
        rulebook=chance.choice(catalogue.protocol(protocol).books),
        settings=tuple(settings.items()),
        seated=tuple(_seated(panel, chance)),
        limits=_limits(chance),
        seed=f"{chance.getrandbits(256):064x}",
    )
    return Play(convened, DrawnPanelist(chance))


def _panel(protocol: str, chance: Random) -> Panel:
    panel = catalogue.protocol(protocol).panel
    seats = panel.seats if protocol == "debate" else panel.seats[: chance.choice((1, 2, 3, 3, 3, 5))]
    if protocol in {"tribunal", "conference"} and chance.random() < 0.4:
        seats = (
            *seats,
            *(replace(seats[0], name=f"Seat {name}") for name in ("north", "south")[: chance.choice((1, 2))]),
        )
    return replace(panel, seats=seats, demo=chance.random() < 0.05)


def _seated(panel: Panel, chance: Random) -> list[SeatModel]:
    shared = chance.choice((0.0, 0.0, 0.5, 1.0))
    return [
        SeatModel(seat=seat.name, model="test:fake", domain="shared" if chance.random() < shared else seat.name)
        for seat in panel
    ]


def _limits(chance: Random) -> Limits:
    drawn = chance.randrange(12)
    return Limits(
        calls=chance.randrange(2, 12) if drawn == 0 else None,
        deadline=Fraction(chance.randrange(1, 40)) if drawn == 1 else None,
        patience=Fraction(6),
    )


class DrawnPanelist:
    """Answers well, late, badly or not at all; the faults are those that are shipped for tests."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.lean = chance.randrange(9)
        self.alike = chance.choice((0.3, 0.8, 1.0))
        self.faulty = chance.choice((0.0, 0.0, 0.05, 0.2, 0.7))
        self.kinds = chance.sample(FAULTS, chance.choice((1, 3, len(FAULTS))))
        self.slowest = chance.choice((0.0, 1.0, 9.0))

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer, or fail as it was drawn."""
        chance = self.chance
        await asyncio.sleep(chance.uniform(0, self.slowest))
        if chance.random() < self.faulty:
            return await Faulty(chance.choice(self.kinds), then=_Sane(self)).answer(ask, overheard)
        return self.reply(ask)

    def reply(self, ask: Ask) -> Reply:
        """A good answer, with a usage that is now and then unknown."""
        chance = self.chance
        said = SAID.get(ask.wants)
        words = said(ask, Random(self.lean) if chance.random() < self.alike else chance) if said else ""
        usage = Usage(
            asked=chance.randrange(1, 900), answered=chance.randrange(1, 90), money=Fraction(chance.randrange(9), 1000)
        )
        if chance.random() < 0.03:
            usage = Usage(asked=None, answered=5)
        return Reply(
            text=f"{ask.seat.name} thinks.\n\n{words}".strip(),
            model="test:fake",
            usage=usage,
            took=chance.randrange(9000),
        )


class _Sane:
    """Answers for a fault that passes, in the form that was asked for."""

    def __init__(self, panelist: DrawnPanelist) -> None:
        self._panelist = panelist

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        return self._panelist.reply(ask)


def _sure(chance: Random) -> float:
    return chance.choice((0.3, 0.55, 0.7, 0.8, 0.8, 0.97, chance.randrange(101) / 100))


def _decision(ask: Ask, chance: Random) -> str:
    bold = "veto" in ask.seat.powers or chance.random() < 0.1
    stated = {
        "mark": ask.mark,
        "decision": chance.choice(("ACT", "ACT", "WARN", "REFUSE", *(("VETO",) if bold else ()))),
        "confidence": round(100 * _sure(chance)),
        "risk": chance.choice((5, 20, 40, 60, 90)),
        "reasoning": chance.choice(REASONS),
    }
    if stated["decision"] == "WARN":
        stated["conditions"] = chance.sample(CONDITIONS, chance.randrange(SEVERAL))
    return f"BALLOT {json.dumps(stated)}"


def _vote(ask: Ask, chance: Random) -> str:
    option = chance.choice(ask.options or SPELLED)
    return vote(ask, option, _sure(chance), chance.choice(REASONS), more=chance.random() < 0.7)


def _ranking(ask: Ask, chance: Random) -> str:
    order = chance.sample(ask.options or OPTIONS, chance.randrange(1, SEVERAL + 1))
    stated = {"mark": ask.mark, "ranking": order, "confidence": _sure(chance), "rationale": chance.choice(REASONS)}
    return f"BALLOT {json.dumps(stated)}"


def _approval(ask: Ask, chance: Random) -> str:
    return approval(
        ask, chance.sample(ask.options or OPTIONS, chance.randrange(SEVERAL + 1)), _sure(chance), chance.choice(REASONS)
    )


def _estimate(ask: Ask, chance: Random) -> str:
    return estimate(ask, chance.choice((95, 99.5, 100, 101, 1000)), None, _sure(chance), chance.choice(REASONS))


def _argument(ask: Ask, chance: Random) -> str:
    claims = [
        f"It takes {chance.choice(('hours', 'days', 'a weekend', 'no time'))} to restore",
        *chance.choice(((), ("It is routine",))),
    ]
    evidence = ["It took two hours in March 2024"] * chance.randrange(SEVERAL)
    return argument(ask, claims, evidence, _sure(chance))


def _assessment(ask: Ask, chance: Random) -> str:
    return assessment(
        ask, chance.choice((0.4, 0.6, 0.9)), chance.choice(("for", "against", "balanced")), (), ("the cost",)
    )


def _judgement(ask: Ask, chance: Random) -> str:
    return judgement(ask, (_sure(chance), _sure(chance)), (_sure(chance), _sure(chance)))


SHOWN: Final = re.compile(r"begin: source \d+: (\S+), [^\n]*\n(.*?)\n\[\w+ end\]", re.DOTALL)


def _finding(outcomes: tuple[str, ...]) -> Callable[[Ask, Random], str]:
    def said(ask: Ask, chance: Random) -> str:
        shown = SHOWN.findall(ask.prompt.template)
        cited = [
            {
                "url": url,
                "title": "t",
                "quote": " ".join(text.split()[:8]),
                "category": chance.choice(("news", "official")),
            }
            for url, text in chance.sample(shown, chance.randrange(len(shown) + 1))
        ]
        if chance.random() < 0.2:
            cited.append({"url": "https://example.net/made-up", "title": "t", "quote": "Nobody ever wrote this."})
        outcome = chance.choice(ask.options or outcomes)
        return finding(ask, outcome, _sure(chance), cited, chance.choice(REASONS))

    return said


SAID: Final[dict[str, Callable[[Ask, Random], str]]] = {
    "decision": _decision,
    "vote": _vote,
    "ranking": _ranking,
    "approval": _approval,
    "estimate": _estimate,
    "argument": _argument,
    "assessment": _assessment,
    "judgement": _judgement,
    "finding": _finding(("YES", "YES", "NO", "UNDETERMINED")),
    "probability": _finding(("0.4", "0.5", "0.7", "0.9")),
    "quantity": _finding(("95", "100", "104", "120", "0")),
}
DOCUMENTS: Final = (
    (
        "news",
        "https://www.reuters.com/a",
        "The staging database was last restored from its backup on a Thursday in spring.",
    ),
    ("gov", "https://transport.gov/b", "Deleting the staging database before the weekend was approved by the council."),
    (
        "blog",
        "https://blog.example.net/c",
        "A rollback of the staging database before the weekend needs somebody on call.",
    ),
)


def fill_library(folder: Path) -> Path:
    """Three documents: fewer than any minimum asks for."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, url, text in DOCUMENTS:
        (folder / f"{name}.md").write_text(
            f"---\nurl: {url}\ntitle: {name}\ndate: 2024-03-05\n---\n{text}\n", encoding="utf-8"
        )
    return folder
