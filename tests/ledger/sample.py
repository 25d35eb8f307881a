"""One of every event, with every field filled: what the golden record holds."""

from fractions import Fraction

from quorate.model import (
    Admitted,
    Argument,
    Asked,
    Ballot,
    Caution,
    Choice,
    Convened,
    Decided,
    Event,
    Evidence,
    Failed,
    Found,
    Halted,
    Limits,
    Origin,
    Panel,
    PartRef,
    Passage,
    Question,
    Reply,
    Reviewed,
    Routed,
    Rulebook,
    RuleTrace,
    Seat,
    SeatModel,
    Silent,
    Spoken,
    TurnedAway,
    TurnedOut,
    Usage,
    Verdict,
    Withdrawn,
)

SEED = "5eed" * 16
QUESTION = Question(
    text="Should we delete the staging database?",
    options=("yes", "nö"),
    context="It holds a copy of 2024.",
    criteria="Nothing may be lost.",
)
VERDICT = Verdict(
    outcome="WARN",
    decided=True,
    rule="majority",
    because="two of three said so",
    agreement=Fraction(2, 3),
    confidence=Fraction(7, 10),
    dissent=("Safety",),
    cautions=(Caution(name="carried", text="one ballot was carried", seat="Utility"),),
    requires_human_review=True,
    trace=(RuleTrace(rule="veto"), RuleTrace(rule="majority", said="two of three")),
)
CONVENED = Convened(
    question=QUESTION,
    panel=Panel(
        seats=(
            Seat(name="Utility", role="weigh the use"),
            Seat(
                name="Safety",
                part="skeptical",
                powers=("vote", "veto"),
                stance="against",
                weight=Fraction(3, 2),
                sure=Fraction(4, 5),
            ),
        ),
        demo=True,
    ),
    protocol="tribunal",
    rulebook=Rulebook(
        name="careful",
        rules=(PartRef("veto", (("means", "REFUSE"),)), PartRef("majority")),
        otherwise=PartRef("hold", (("means", "WARN"),)),
        unless=(PartRef("demo"),),
        silence="most_cautious",
    ),
    settings=(("veto", "immediate"),),
    seated=(SeatModel(seat="Utility", model="openai:a", domain="openai"),),
    limits=Limits(
        calls=9, tokens=10_000, money=Fraction(1, 4), deadline=Fraction(60), patience=Fraction(30), unpriced=True
    ),
    seed=SEED,
    made_by="quorate 0.1.0",
)
ASKED = Asked(
    round="analysis", seat="Safety", about="Utility", attempt=2, prompt="What now?\x1f", model="openai:a", sending=2
)
SPOKEN = Spoken(
    round="analysis",
    seat="Safety",
    about="Utility",
    attempt=2,
    reply=Reply(
        text="I would wait. \ud83d BALLOT 🙂",
        model="a-2026",
        finish="length",
        usage=Usage(asked=12, answered=34, money=Fraction(1, 3000)),
        took=1234,
    ),
    ballot=Ballot(
        vote=Choice("WARN"),
        confidence=Fraction(0),
        risk=Fraction(95, 100),
        rationale="it may be needed",
        evidence=(
            Evidence(
                url="https://a.example/1",
                title="A",
                quote="kept",
                category="official",
                relevance=Fraction(1, 3),
                credibility=Fraction(9, 10),
                date="2026-11-15",
            ),
        ),
        veto=True,
        abstain=True,
        continue_debate=False,
        shares=(("WARN", Fraction(2, 3)), ("ACT", Fraction(1, 3))),
    ),
    argument=Argument(side="con", claims=("too early",), evidence=("the minutes",), confidence=Fraction(3, 4)),
    cuts=((14, 20),),
    unreadable="two ballots",
    cautions=("cut",),
)
EVENTS: tuple[Event, ...] = (
    CONVENED,
    Admitted(cautions=(Caution(name="long", text="a long question", seat="Safety"),)),
    ASKED,
    SPOKEN,
    Silent(round="analysis", seat="Utility", about="Safety", attempt=2, why="timeout", detail="after 30 s"),
    Withdrawn(round="challenge", seat="Utility", about="Safety", attempt=2, why="veto"),
    Found(
        kind="compare",
        round="one",
        seat="Utility",
        about="Safety",
        scores=((0, 1, Fraction(1, 2)),),
        same=((0, 1),),
        passages=(
            Passage(
                url="https://b.example/2",
                title="B",
                text="lost",
                category="news",
                credibility=Fraction(3, 5),
                why="b.example",
                date="2026-11-14",
                digest="d1",
            ),
        ),
        by="overlap 1",
        why="no backend",
    ),
    Routed(seated=SeatModel(seat="Safety", model="openai:b", domain="openai"), why="overloaded"),
    Decided(verdict=VERDICT),
    Reviewed(outcome="REFUSE", by="ann", because="not today", origin=Origin(interface="terminal")),
    TurnedAway(reasons=(Caution(name="empty", text="there is no question"),), verdict=VERDICT),
    Failed(),
    Halted(why="given up"),
    TurnedOut(value="ACT", by="ben", because="it was needed", origin=Origin(interface="terminal")),
)
