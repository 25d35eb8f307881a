"""Always speaks: several options lead together, so none wins."""

from quorate.model import Tally, Verdict


def rule(tally: Tally) -> Verdict | None:
    most = max((tally.heads(option) for option in tally.cast), default=0)
    because = f"{len(tally.leaders)} options lead with {most} each, so none wins"
    return Verdict.on(tally, None, because, decided=False, review=True)
