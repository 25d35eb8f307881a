"""Nobody gave a ballot."""

from quorate.model import Tally, Verdict


def rule(tally: Tally, *, means: str = "REFUSE") -> Verdict | None:
    if tally.stated():
        return None
    because = f"none of the {len(tally.eligible)} seats gave a ballot"
    if tally.abstained:
        because = f"none of the {len(tally.eligible)} seats chose an option, {len(tally.abstained)} abstained"
    return Verdict.on(tally, means or None, because, decided=False, review=True)
