"""Every seat itself stated the same choice."""

from quorate.model import Tally, Verdict


def rule(tally: Tally) -> Verdict | None:
    stated = tally.stated()
    if len(stated) != len(tally.eligible) or len(tally.cast) != 1:
        return None
    (choice,) = tally.cast
    return Verdict.on(tally, choice, f"all {len(stated)} seats chose {choice}", decided=True)
