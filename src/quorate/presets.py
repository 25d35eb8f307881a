"""Pure. Panels and rulebooks that ship, as plain values."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.errors import UnknownName
from quorate.model import Named, Panel, Rulebook, Seat
from quorate.model.charter import Charter

__all__ = ["PANELS", "RULEBOOKS", "panel", "rulebook"]

TRIBUNAL: Final = Rulebook(
    name="tribunal",
    rules=(
        Named("veto", (("means", "REFUSE"),)),
        Named("all_silent", (("means", "REFUSE"),)),
        Named("unanimous"),
        Named("supermajority", (("at_least", "2/3"),)),
        Named("tie", (("means", "REFUSE"),)),
    ),
    otherwise=Named("hold", (("means", "WARN"),)),
    unless=(
        Named("demo", (("instead_of", "ACT"), ("means", "WARN"))),
        Named("veto_seat_silent", (("instead_of", "ACT"), ("means", "WARN"))),
        Named("sealed_vote", (("mode", "guard"), ("at_least", "2/3"), ("instead_of", "ACT"), ("means", "WARN"))),
    ),
    silence="REFUSE",
)

STRICT: Final = Rulebook(
    name="strict",
    rules=(
        Named("veto", (("means", "REFUSE"),)),
        Named("all_silent", (("means", "REFUSE"),)),
        Named("any_silent", (("means", "REFUSE"),)),
        Named("unsure", (("below", "40 %"), ("means", "REFUSE"))),
        Named("safe_act", (("above", "80 %"), ("risk_below", "30 %"))),
        Named("short_of_refusal", (("at_least", "60 %"), ("means", "WARN"))),
    ),
    otherwise=Named("hold", (("means", "REFUSE"),)),
    unless=(
        Named("demo", (("instead_of", "ACT"), ("means", "WARN"))),
        Named("sealed_vote", (("mode", "guard"), ("at_least", "2/3"), ("instead_of", "ACT"), ("means", "WARN"))),
    ),
    silence="REFUSE",
)

PLURALITY: Final = Rulebook(
    name="plurality",
    rules=(
        Named("all_silent", (("means", ""),)),
        Named("quorum", (("more_than", "1/2"), ("means", ""))),
        Named("unanimous"),
        Named("plurality"),
    ),
    otherwise=Named("no_winner"),
    unless=(Named("demo_finds", (("means", ""),)),),
    silence="carry",
)

ORACLE: Final = Rulebook(
    name="oracle",
    rules=(
        Named("all_silent", (("means", "INVALID"),)),
        Named("too_few", (("min_seats", "3"), ("means", "INVALID"))),
        Named("all_undetermined", (("means", "UNDETERMINED"),)),
        Named(
            "consensus",
            (
                ("at_least", "2/3"),
                ("decide_by", "heads"),
                ("weight_ratio", "3/2"),
                ("min_confidence", "1/2"),
                ("max_source_overlap", "4/5"),
            ),
        ),
    ),
    otherwise=Named("no_consensus", (("means", "UNDETERMINED"),)),
    unless=(
        Named("demo", (("instead_of", "YES"), ("means", "UNDETERMINED"))),
        Named("demo_finds", (("means", "UNDETERMINED"),)),
        Named("one_voice", (("instead_of", "YES"), ("means", "UNDETERMINED"))),
    ),
)


def _debate(name: str, by: str) -> Rulebook:
    return Rulebook(
        name=name,
        rules=(
            Named("all_silent", (("means", "UNCERTAIN"), ("confidence", "1/2"))),
            Named("one_sided", (("means", "UNCERTAIN"), ("confidence", "1/2"))),
        ),
        otherwise=Named(by, (("margin", "1.2"), ("cap_at", "95 %"))),
        unless=(Named("demo", (("instead_of", "SUPPORT"), ("means", "UNCERTAIN"))),),
    )


DEBATE: Final = _debate("debate", "confidence_weighted")
DEBATE_EVIDENCE: Final = _debate("debate_evidence", "evidence_based")
DEBATE_ROUNDS: Final = _debate("debate_rounds", "majority_vote")

RULEBOOKS: Final[Mapping[str, Rulebook]] = MappingProxyType(
    {book.name: book for book in (TRIBUNAL, STRICT, PLURALITY, ORACLE, DEBATE, DEBATE_EVIDENCE, DEBATE_ROUNDS)}
)

BENCH: Final = (
    Seat(
        name="Utility",
        role="You ask whether acting on this is useful and practical: what is gained, for whom, and at what cost.",
    ),
    Seat(
        name="Accuracy",
        role="You ask whether this can be verified: what is known, what is assumed, what evidence is missing. "
        "You choose ACT only when you are at least 85 % sure.",
        sure=Fraction(17, 20),
    ),
    Seat(
        name="Safety",
        role="You ask what could go wrong: who could be harmed, how badly, and whether it can be undone. "
        "You hold the veto and use it when the risk reaches 50 %.",
        powers=("vote", "veto"),
    ),
)

RESEARCHERS: Final = (
    Seat(name="Broad", part="comprehensive", role="You miss nothing that bears on it."),
    Seat(name="Exact", part="focused", role="You hold to the letter of what settles it."),
    Seat(name="Varied", part="diverse", role="You look where nobody else does."),
    Seat(name="Doubting", part="skeptical", role="You believe nothing that only one source says."),
    Seat(name="Second", part="comprehensive", role="You look again at everything, as if nobody had before you."),
)

DEBATERS: Final = (
    Seat(name="Proponent", role="You argue for the proposal."),
    Seat(name="Opponent", role="You argue against the proposal."),
    Seat(name="Moderator", role="You chair the debate and take no side.", powers=()),
    Seat(name="Advocate", role="You speak for those who would use it.", powers=()),
    Seat(name="Critic", role="You look for what is wrong with every argument.", powers=()),
    Seat(name="Refiner", role="You draw together what holds on either side.", powers=()),
)

COUNCIL: Final = (
    Seat(name="Pragmatist", role="You ask what would work by next month with the people and money at hand."),
    Seat(name="Skeptic", role="You ask what everybody takes for granted here, and what follows if it is wrong."),
    Seat(name="Scholar", role="You ask what is known: what others tried, what was measured, what only sounds true."),
    Seat(name="Steward", role="You speak for those who will live with it in five years and have to pay for it."),
    Seat(name="Outsider", role="You know nothing of this trade and ask what its people no longer see."),
)

REVIEWERS: Final = (
    Seat(name="Attacker", role="You ask how you would abuse this: what you would send, steal, forge or exhaust first."),
    Seat(
        name="Defender",
        role="You ask what stands in the way: which control stops it, who would notice, how soon it is undone. "
        "You hold the veto and use it when harm could be done that nobody would notice or undo.",
        powers=("vote", "veto"),
    ),
    Seat(
        name="Privacy", role="You ask whose data this touches, who may see it, how long it is kept, and by what right."
    ),
    Seat(
        name="Operations",
        role="You ask what happens at three in the morning when this fails, and who can roll it back.",
    ),
)

ARCHITECTS: Final = (
    Seat(name="Simplicity", role="You ask what could be left out, and what a newcomer would have to understand."),
    Seat(
        name="Operations",
        role="You ask how it is deployed, watched, backed up and mended by those who did not build it.",
    ),
    Seat(name="Growth", role="You ask what breaks first at ten times the load or the team, and what that would cost."),
    Seat(
        name="Change", role="You ask which decision here is hard to take back, and how to put it off or make it cheap."
    ),
)

PANELS: Final[Mapping[str, Charter]] = MappingProxyType(
    {
        "architecture": Charter(
            panel=Panel(seats=ARCHITECTS), protocol="conference", settings=(("options", "nominated"),)
        ),
        "council": Charter(panel=Panel(seats=COUNCIL), protocol="conference", settings=(("anonymous", "true"),)),
        "security-review": Charter(panel=Panel(seats=REVIEWERS)),
        "debate": Charter(panel=Panel(seats=DEBATERS), protocol="debate"),
        "conference": Charter(
            panel=Panel(seats=tuple(Seat(name=name) for name in ("Alpha", "Beta", "Gamma"))), protocol="conference"
        ),
        "demo": Charter(
            panel=Panel(seats=BENCH, demo=True),
            models=tuple((seat.name, "demo:scripted") for seat in BENCH),
        ),
        "oracle": Charter(panel=Panel(seats=RESEARCHERS), protocol="oracle"),
        "embedded": Charter(
            panel=Panel(seats=BENCH, demo=True),
            models=tuple((seat.name, "embedded:smollm2") for seat in BENCH),
        ),
        "tribunal": Charter(panel=Panel(seats=BENCH)),
    }
)


def rulebook(name: str) -> Rulebook:
    """A rulebook that ships.

    Raises:
        UnknownName: none of that name.
    """
    if name not in RULEBOOKS:
        raise UnknownName("rulebook", name, RULEBOOKS)
    return RULEBOOKS[name]


def panel(name: str) -> Charter:
    """A panel that ships.

    Raises:
        UnknownName: none of that name.
    """
    if name not in PANELS:
        raise UnknownName("panel", name, PANELS)
    return PANELS[name]
