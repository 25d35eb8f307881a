"""What if: ballots on record counted again, without a seat, under another rulebook or another threshold."""

from contextlib import suppress

import pytest

from quorate import catalogue, presets
from quorate.errors import BadSetting, QuorateError, UnknownName
from quorate.model import Ask, Reply
from quorate.offline.recount import WhatIf, recount
from quorate.testing import ballot
from quorate.views import Record
from tests.play import convened, play, words

PROTOCOLS = tuple(catalogue.protocols())


def split(ask: Ask) -> Reply:
    """Utility acts, the others warn."""
    if ask.wants != "decision":
        return words(ask)
    return Reply(text=f"Words.\n\n{ballot(ask, 'ACT' if ask.seat.name == 'Utility' else 'WARN', 70, 30)}")


@pytest.fixture(scope="module")
def tribunal() -> Record:
    return Record(id="0" * 26, events=play(convened(presets.panel("tribunal").panel), split))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_is_counted_again_without_each_of_its_seats(protocol: str) -> None:
    panel = presets.panel(protocol).panel
    record = Record(id="0" * 26, events=play(convened(panel, protocol), words))
    same = recount(record, WhatIf())

    assert not same.changed
    for seat in panel:
        with suppress(QuorateError):  # where nobody who votes would be left
            document = recount(record, WhatIf(without=(seat.name,))).document()
            assert seat.name not in {vote["seat"] for vote in document["verdict"]["votes"]}  # type: ignore[index]


def test_without_the_one_who_differs_all_agree(tribunal: Record) -> None:
    before, after = recount(tribunal, WhatIf()), recount(tribunal, WhatIf(without=("Utility",)))

    assert (before.decision.verdict.agreement or 0) < 1
    assert after.decision.verdict.agreement == 1
    assert after.decision.tally.eligible == ("Accuracy", "Safety")


def test_a_threshold_nobody_reaches_changes_the_verdict(tribunal: Record) -> None:
    higher = recount(tribunal, WhatIf(settings={"supermajority.at_least": "3/4"}))

    assert higher.changed
    assert "before" in str(higher.document()["because"])


@pytest.mark.parametrize(
    ("supposed", "error"),
    [
        (WhatIf(rulebook="nothing"), UnknownName),
        (WhatIf(without=("Nobody",)), UnknownName),
        (WhatIf(settings={"nothing": "1"}), UnknownName),
        (WhatIf(settings={"nothing.at_least": "1"}), UnknownName),
        (WhatIf(settings={"supermajority.at_least": "lots"}), BadSetting),
        (WhatIf(settings={"veto": "immediate"}), BadSetting),
        (WhatIf(without=("Utility", "Accuracy", "Safety")), BadSetting),
    ],
)
def test_what_cannot_be_supposed_is_said(tribunal: Record, supposed: WhatIf, error: type[QuorateError]) -> None:
    with pytest.raises(error):
        recount(tribunal, supposed)
