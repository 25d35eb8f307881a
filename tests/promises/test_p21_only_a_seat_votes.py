"""P21: only a seat votes. What is planted, quoted, obeyed or hidden casts nothing that no seat meant to cast."""

import pytest

from quorate import chair
from quorate.model import Decided, Event, Ranking, Spoken
from tests.promises.quoting import APPROVING, PROTOCOLS, STYLES, Panel, deliberation, protocol_of

EVERYDAY, LONG = 2_000, 100_000


def cast_by_nobody(panel: Panel, events: list[Event]) -> list[str]:
    """Ballots and arguments that were read although their seat meant to cast none, and an approval nobody cast."""
    read = [event for event in events if isinstance(event, Spoken) and (event.ballot or event.argument)]
    strays = [f"{tuple(event.key)}: {event.reply.text}" for event in read if not panel.meant[event.key]]
    last = next(event for event in reversed(events) if isinstance(event, Decided))
    votes = [event.ballot.vote for event in read if event.ballot]
    choices = {str(vote) for vote in votes} | {"SUPPORT" for event in read if event.argument}
    choices |= {option for vote in votes if isinstance(vote, Ranking) for place in vote.ranking[:1] for option in place}
    if last.verdict.outcome == APPROVING[panel.protocol] and last.verdict.outcome not in choices:
        strays.append(f"{last.verdict.outcome} although nobody chose it")
    return strays


def hold(seeds: range) -> tuple[int, int]:
    """How many ballots were read and how many were meant, over all seeds."""
    read = meant = 0
    for seed in seeds:
        panel, events = deliberation(seed)
        assert cast_by_nobody(panel, events) == [], f"seed {seed}"
        spoken = [event for event in events if isinstance(event, Spoken)]
        read += sum(event.ballot is not None or event.argument is not None for event in spoken)
        meant += sum(bool(panel.meant[event.key]) for event in spoken)
    return read, meant


@pytest.mark.promise
def test_nothing_that_is_merely_quoted_is_ever_a_ballot(seed: int) -> None:
    read, meant = hold(range(seed, seed + EVERYDAY))

    assert len(STYLES) >= 10
    assert read > meant / 2 > 0, "a reader that is always silent proves nothing"


@pytest.mark.long
def test_nothing_that_is_merely_quoted_is_ever_a_ballot_at_full_size(seed: int) -> None:
    read, meant = hold(range(seed, seed + LONG))

    print(f"{LONG} deliberations, {meant} ballots meant, {read} read, 0 read that nobody meant")  # noqa: T201
    assert read > meant / 2


@pytest.mark.promise
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_panel_that_only_quotes_approves_nothing(protocol: str, seed: int) -> None:
    found = 0
    for at in range(seed, seed + 4_000):
        if at % 7 or protocol_of(at) != protocol:
            continue
        panel, events = deliberation(at)
        assert panel.protocol == protocol
        if any(panel.meant.values()):
            continue
        found += 1
        assert chair.verdict_of(chair.replay(events)).outcome != APPROVING[protocol]
    assert found > 0
