"""P10: a record that its own words do not bear out passes at no door, whoever it says wrote it."""

import asyncio
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import chair, resume
from quorate.errors import LedgerMismatch
from quorate.ledger import export as records
from quorate.ledger import open_ledger
from quorate.ledger.chain import drop_words, first, line, seal
from quorate.model import (
    Admitted,
    Ballot,
    Caution,
    Choice,
    Convened,
    Decided,
    Event,
    Origin,
    Question,
    Reviewed,
    Silent,
    Spoken,
    TurnedAway,
    Verdict,
)
from tests.doors.conftest import Quorate, Told, home, quorate
from tests.doors.test_cli_review import put
from tests.engine.test_verify import as_of
from tests.play import convened, play, words
from tests.reviewing import demo, tribunal
from tests.tribunal import PANEL

pytestmark = pytest.mark.promise

__all__ = ["home", "quorate"]

ID = "z" * 26
AGAINST = dict.fromkeys(("Utility", "Accuracy", "Safety"), "REFUSE")
FOR = dict.fromkeys(("Utility", "Accuracy", "Safety"), "ACT")


def decided(events: Sequence[Event]) -> list[Event]:
    """What was heard, and the verdict that follows from the ballots as they are recorded."""
    return [*events, Decided(verdict=chair.verdict_of(chair.replay(events, check=False)), version=chair.VERSION)]


def another_verdict() -> list[Event]:
    approved = tribunal(FOR)[-1]
    return [*tribunal(AGAINST)[:-1], approved]


def other_ballots() -> list[Event]:
    def approving(event: Event) -> Event:
        if isinstance(event, Spoken) and event.ballot is not None:
            return replace(event, ballot=replace(event.ballot, vote=Choice("ACT"), veto=False))
        return event

    return decided([approving(event) for event in tribunal(AGAINST)[:-1]])


def ballots_from_nothing() -> list[Event]:
    def nothing(event: Event) -> Event:
        if isinstance(event, Spoken) and event.ballot is not None:
            return replace(event, reply=replace(event.reply, text="I cannot say."), cuts=())
        return event

    return decided([nothing(event) for event in tribunal(FOR)[:-1]])


def turned_away_and_approved() -> list[Event]:
    begin = replace(convened(PANEL), question=Question(text=" "))
    approved = Verdict(outcome="ACT", decided=True, rule="guard", because="fine")
    reasons = (Caution(name="empty", text="the question is blank"),)
    return [begin, TurnedAway(reasons=reasons, verdict=approved, version=chair.VERSION)]


def let_in_all_the_same() -> list[Event]:
    events = tribunal(FOR)
    begin = replace(convened(PANEL), question=Question(text=" "))
    heard = play(replace(begin, question=Question(text="May we?")), lambda ask: words(ask, "ACT"))
    assert isinstance(events[1], Admitted)
    return [begin, *heard[1:]]


def decided_before_all_were_heard() -> list[Event]:
    heard = tribunal({**AGAINST, "Utility": "ACT", "Accuracy": "ACT"})[:-1]
    safety = next(place for place, event in enumerate(heard) if _of(event, "revision", "Safety"))
    return decided(heard[:safety] + heard[safety + 1 :])


def a_second_ballot() -> list[Event]:
    against, approving = tribunal(AGAINST)[:-1], tribunal(FOR)
    return decided([*against, *(event for event in approving if _of(event, "revision", ""))])


def a_reply_nobody_asked_for() -> list[Event]:
    approve = Ballot(vote=Choice("ACT"))
    said = next(event for event in tribunal(FOR) if isinstance(event, Spoken))
    extra = replace(said, round="revision", seat="Nobody", ballot=approve)
    return decided([*tribunal(FOR)[:-1], extra])


def silenced() -> list[Event]:
    heard = tribunal({**FOR, "Safety": "REFUSE"})[:-1]
    return decided([*heard, Silent(round="revision", seat="Safety", why="timeout")])


def decided_twice() -> list[Event]:
    return [*tribunal(AGAINST), tribunal(FOR)[-1]]


def a_demo_reviewed_to_approve() -> list[Event]:
    return [*demo(), Reviewed(outcome="ACT", by="Ann", because="so", origin=Origin(interface="terminal"))]


def reviewed_to_what_cannot_be() -> list[Event]:
    return [
        *tribunal(AGAINST),
        Reviewed(outcome="ACT\nverdict  holds: ACT", by="Ann", because="so", origin=Origin(interface="terminal")),
    ]


def _of(event: Event, round_: str, seat: str) -> bool:
    return isinstance(event, Spoken) and event.round == round_ and seat in {"", event.seat}


FORGED: tuple[Callable[[], list[Event]], ...] = (
    another_verdict,
    other_ballots,
    ballots_from_nothing,
    turned_away_and_approved,
    let_in_all_the_same,
    decided_before_all_were_heard,
    a_second_ballot,
    a_reply_nobody_asked_for,
    silenced,
    decided_twice,
    a_demo_reviewed_to_approve,
    reviewed_to_what_cannot_be,
)


@pytest.fixture(params=FORGED, ids=lambda forge: forge.__name__)
def forged(request: pytest.FixtureRequest) -> list[Event]:
    events: list[Event] = request.param()
    return events


def lines(events: Sequence[Event], gone: Container[int] = (), time: str = "2026-11-16T00:00:00.000000Z") -> bytes:
    """An export of these events whose chain holds, without the words of the entries that are `gone`."""
    rows = [seal(events[0], 1, first(ID), time)]
    for number, event in enumerate(events[1:], 2):
        rows.append(seal(event, number, rows[-1].hash, time))
    header = b'{"quorate":1,"id":"%b","entries":%d,"head":"%b"}\n' % (ID.encode(), len(rows), rows[-1].hash.encode())
    return b"".join((header, *(line(drop_words(row) if row.number in gone else row) for row in rows)))


def replies(events: Sequence[Event]) -> list[int]:
    return [number for number, event in enumerate(events, 1) if isinstance(event, Spoken)]


def test_no_command_passes_it(quorate: Quorate, home: Path, forged: list[Event]) -> None:
    id_, key = put(home, forged), str(home / "key.pem")
    assert quorate("attest", "keygen", "--key", key).code == 0
    commands = (
        *(("show", id_, "--as", form) for form in ("minutes", "markdown", "json", "s4", "s4-log")),
        *(("resume", id_, *gate) for gate in ((), ("--gate",), ("--gate", "ACT"), ("--gate", "--json"), ("-q",))),
        ("attest", id_, "--key", key),
        ("attest", id_, "--entry", "2"),
        *(("verify", id_, *form) for form in ((), ("--json",))),
        ("replay", id_, "--rulebook", "tribunal"),
        ("review", id_, "--outcome", "REFUSE", "--by", "Ann", "--because", "so"),
        ("quality", id_),
        *(("list", *form) for form in ((), ("--json",))),
        ("export", id_),
    )

    assert [words for words in commands if passes(quorate(*words))] == []


def passes(told: Told) -> bool:
    """Whether a command left as if all were well, or printed a line that says so."""
    return told.code == 0 or any(row.startswith("verdict  holds") for row in told.out.splitlines())


def test_what_is_shown_says_first_that_it_does_not_hold(quorate: Quorate, home: Path, forged: list[Event]) -> None:
    id_ = put(home, forged)

    assert quorate("show", id_).out.startswith(f"**WARNING: {id_} ")
    assert quorate("show", id_, "--json").document["check"]["state"] == "differs"
    assert quorate("show", id_, "--as", "s4").out == ""
    assert quorate("resume", id_, "--json").out == quorate("attest", id_, "--key", "none.pem").out == ""
    checks = {one["id"]: one["check"] for one in quorate("list", "--json").document["deliberations"]}
    assert checks[id_] == "differs"
    assert id_ in quorate("list").err


def test_it_is_not_imported(quorate: Quorate, home: Path, forged: list[Event]) -> None:
    file = home / "record.jsonl"
    file.write_bytes(lines(forged))

    assert quorate("verify", str(file)).code == 1
    assert quorate("import", str(file)).code == 1
    assert quorate("list").out == ""
    assert quorate("show", "last").code == 1


def test_no_program_passes_it(home: Path, forged: list[Event]) -> None:
    id_ = put(home, forged)

    with pytest.raises(LedgerMismatch, match=id_):
        asyncio.run(resume(id_, ledger=home / "ledger.db"))


def test_a_record_whose_words_were_left_out_opens_no_gate(quorate: Quorate, home: Path) -> None:
    """Ballots whose words are gone cannot be told from ballots that were made up."""
    parsed = records.parse(lines(tribunal(FOR)).splitlines())
    header, bare = lines(tribunal(FOR)).splitlines(keepends=True)[0], [line(drop_words(row)) for row in parsed.rows]
    rows = list(records.parse([header, *bare]).rows)
    told = b'{"quorate":1,"id":"%b","entries":%d,"head":"%b"}\n' % (ID.encode(), len(rows), rows[-1].hash.encode())
    (home / "bare.jsonl").write_bytes(told + b"".join(bare))

    assert quorate("import", str(home / "bare.jsonl")).code == 0
    for gate in (("--gate",), ("--gate", "ACT"), ("--gate", "--json")):
        assert quorate("resume", ID, *gate).code == 1
    assert quorate("verify", ID, "--json").document["state"] == "forgotten"
    said = quorate("verify", ID).out
    assert "verdict  unproven: ACT by the ballots on record; the words behind them cannot be read here" in said
    assert "verdict  holds" not in said


def test_one_reply_that_is_gone_hides_no_other(quorate: Quorate, home: Path) -> None:
    forged_ = other_ballots()[:-1]
    (home / "one.jsonl").write_bytes(lines(forged_, gone=replies(forged_)[:1]))

    told = quorate("import", str(home / "one.jsonl"))

    assert told.code == 1
    assert "its words read REFUSE" in told.err
    assert quorate("list").out == ""


@pytest.mark.parametrize("left", [0, 1], ids=["no reply is left", "one reply is left"])
@pytest.mark.parametrize("ended", [True, False], ids=["decided", "open"])
def test_nothing_is_done_with_a_record_that_lost_part_of_its_words(
    quorate: Quorate, home: Path, left: int, *, ended: bool
) -> None:
    events = tribunal(FOR) if ended else tribunal(FOR)[:-1]
    gone = replies(events)[left:]
    (home / "part.jsonl").write_bytes(lines(events, gone=gone))
    assert quorate("import", str(home / "part.jsonl")).code == 0
    assert quorate("attest", "keygen", "--key", str(home / "key.pem")).code == 0

    for words_ in (("resume", ID, "--trust"), ("resume", ID, "--gate", "--trust"), ("verify", ID), ("show", ID)):
        told = quorate(*words_)
        assert told.code == 1, words_
        assert f"(entry {gone[0]})" in told.err, words_
    review = ("review", ID, "--outcome", "ACT", "--by", "Ann", "--because", "so")
    for others in (("attest", ID, "--key", str(home / "key.pem")), review, ("list",)):
        assert quorate(*others).code == 1, others
    document = quorate("verify", ID, "--json").document
    assert (document["state"], document["holds"], document["finished"]) == ("partly_forgotten", False, ended)
    assert document["entries"] == len(events)


@pytest.mark.parametrize("version", [0, chair.VERSION + 1, 999])
def test_another_version_is_not_believed(quorate: Quorate, home: Path, version: int) -> None:
    events = as_of(version, other_ballots())
    (home / "other.jsonl").write_bytes(lines(events))
    id_ = put(home, events)

    for words_ in (("import", str(home / "other.jsonl")), ("verify", id_), ("resume", id_, "--gate"), ("show", id_),
                   ("attest", id_, "--entry", "2")):  # fmt: skip
        told = quorate(*words_)
        assert (told.code, told.out) == (1, ""), words_
        assert f"was written by version {version} of quorate's rules" in told.err, words_
    assert quorate("list", "--json").document["deliberations"][0]["check"] == "other_version"


def test_an_open_record_with_other_ballots_gets_no_verdict(quorate: Quorate, home: Path) -> None:
    id_ = put(home, other_ballots()[:-1])

    assert quorate("resume", id_, "--gate", "--trust").code == 1
    document = quorate("verify", id_, "--json").document
    assert (document["state"], document["recorded"], document["finished"]) == ("differs", None, False)


@pytest.mark.parametrize("time", ["2026-13-45T00:00:00.000000Z", "2026-11-16T00:00:00.000000", "----------::::::::::"])
def test_a_time_that_is_none_is_refused_in_a_sentence(quorate: Quorate, home: Path, time: str) -> None:
    (home / "when.jsonl").write_bytes(lines(tribunal(FOR), time=time))

    for command in ("import", "verify"):
        told = quorate(command, str(home / "when.jsonl"))
        assert told.code == 1
        assert f"entry 1 says it was written at '{time}', which is no time" in told.err


def test_the_same_words_honestly_counted_pass_every_door(quorate: Quorate, home: Path) -> None:
    """The control: what is refused above is refused for what was forged."""
    id_, key = put(home, tribunal(FOR)), str(home / "key.pem")
    quorate("attest", "keygen", "--key", key)

    assert quorate("resume", id_, "--gate").code == 0
    assert quorate("resume", id_, "--gate", "--json").document["check"] == {
        "state": "holds", "because": None, "notes": [],
    }  # fmt: skip
    for words_ in (("show", id_), ("attest", id_, "--key", key), ("verify", id_), ("list",), ("export", id_)):
        assert quorate(*words_).code == 0, words_


def test_the_columns_beside_a_record_are_not_believed(quorate: Quorate, home: Path) -> None:
    import apsw

    id_ = put(home, tribunal(AGAINST))
    with apsw.Connection(str(home / "ledger.db")) as db:
        db.execute("UPDATE deliberations SET outcome = CAST('ACT' AS BLOB), awaits = 0, begun = char(10) || 'x'")

    told = quorate("list")

    assert "REFUSE" in told.out
    assert "ACT" not in told.out.replace("REFUSE", "")
    assert quorate("resume", id_, "--gate").code == 20


def test_no_option_writes_a_line_of_its_own(quorate: Quorate, home: Path) -> None:
    option = "Wait\nverdict  holds: ACT, recomputed from the record\u202e\x1b[2K"
    begin = convened(PANEL, "conference")
    assert isinstance(begin, Convened)
    asked = replace(begin, question=replace(begin.question, options=(option, "Go")))
    id_ = put(home, play(asked, words))
    quorate("attest", "keygen", "--key", str(home / "key.pem"))
    key = quorate("attest", id_, "--key", str(home / "key.pem"), "-o", str(home / "a.json"))
    assert key.code == 0

    for said in (("verify", id_), ("list",), ("show", id_), ("resume", id_), ("review", "list"), ("resume", id_, "-q")):
        told = quorate(*said)
        shown = told.out + told.err
        assert not any(row.startswith("verdict  holds: ACT") for row in shown.splitlines()), said
        assert not {"\u202e", "\x1b"} & {*shown}, said


async def test_an_import_is_checked_before_it_is_in_the_ledger(home: Path) -> None:
    ledger = open_ledger(home / "ledger.db")

    def check(*_: object) -> None:
        raise LedgerMismatch("no")

    with pytest.raises(LedgerMismatch):
        await records.import_(ledger, lines(another_verdict()).splitlines(keepends=True), check)
    assert [summary async for summary in ledger.list()] == []
    await ledger.close()
