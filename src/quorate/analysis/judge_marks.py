"""A judge's marks on two sides it knew as A and B, shown to it in both orders."""

import re
from fractions import Fraction
from typing import Final

from quorate.analysis.debate_course import Debate, argument_of
from quorate.frozen import dataclass
from quorate.model import Ballot, Heard, Side

__all__ = ["AB", "BA", "JudgeMarks", "blind", "letters", "mean_marks"]

AB: Final = "judge-ab"
BA: Final = "judge-ba"
"""The rounds in which a judge is asked: the proponent is A in the first and B in the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeMarks:
    """What a judge holds of each side, the mean of both orders."""

    pro_evidence: Fraction
    pro_logic: Fraction
    con_evidence: Fraction
    con_logic: Fraction

    def marks(self, side: Side) -> tuple[Fraction, Fraction]:
        """Evidence and logic of a side."""
        return (self.pro_evidence, self.pro_logic) if side == "pro" else (self.con_evidence, self.con_logic)


def letters(round_: str) -> tuple[Side, Side]:
    """Which side is A and which B in a round."""
    return ("pro", "con") if round_ == AB else ("con", "pro")


def mean_marks(heard: Heard, debate: Debate) -> JudgeMarks | None:
    """The mean of both judgements, none unless both could be read: one order alone is no blind judgement."""
    if debate.judge is None:
        return None
    ballots = [heard.ballot(round_, debate.judge) for round_ in (AB, BA)]
    ab, ba = (dict(ballot.shares) if isinstance(ballot, Ballot) else {} for ballot in ballots)
    if not ab or not ba:
        return None
    return JudgeMarks(
        pro_evidence=(ab["a_evidence"] + ba["b_evidence"]) / 2,
        pro_logic=(ab["a_logic"] + ba["b_logic"]) / 2,
        con_evidence=(ab["b_evidence"] + ba["a_evidence"]) / 2,
        con_logic=(ab["b_logic"] + ba["a_logic"]) / 2,
    )


def blind(heard: Heard, debate: Debate, side: Side, rounds: tuple[int, ...]) -> str:
    """What a side claimed and brought as evidence, without its prose, its confidence and the names of seats."""
    seats = [seat for seat in debate.counting if debate.side(seat) == side]
    cases = [case for number in rounds for seat in seats if (case := argument_of(heard, seat, number))]
    lines = [f"- {line}" for case in cases for line in (*case.claims, *case.evidence)]
    names = "|".join(re.escape(seat.name) for seat in heard.panel)
    return re.sub(rf"(?i)\b(?:the )?(?:{names})\b", "a speaker", "\n".join(lines))
