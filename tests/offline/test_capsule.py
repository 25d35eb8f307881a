import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quorate import catalogue, chair
from quorate.errors import BadSetting, LedgerBroken
from quorate.ledger.chain import first, link
from quorate.ledger.serde import canonical
from quorate.ledger.signing.merkle import root as root_of
from quorate.ledger.signing.signing_keys import SigningKey, load_key, new_key
from quorate.model import Decided, Origin, Panel, PartRef, Reviewed, RuleTrace, Seat
from quorate.offline.attest import StoredRecord
from quorate.offline.capsule import capsule_of, imprint, make_capsule, parse_capsule, withhold, write_capsule
from tests.capsules import FORGERIES, Capsule, record_of_events, run_verifier, verifier
from tests.hostile_capsules import Forger, hostile, rehashed, rest_of, sound
from tests.play import convened, play, words
from tests.plugins.packages import write_metadata
from tests.written import golden


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    new_key(tmp_path / "key.pem")
    return load_key(tmp_path / "key.pem")


@cache
def events_played(protocol: str, choices: str = "") -> tuple[Any, ...]:
    spec = catalogue.protocol(protocol)
    said = choices.split()
    seats = [seat.name for seat in spec.panel]
    told = dict(zip(seats, said, strict=True)) if said else {}
    return tuple(play(convened(spec.panel, protocol), lambda ask: words(ask, told.get(ask.seat.name, "ACT"))))


def tribunal(key: SigningKey | None, choices: str = "ACT ACT WARN") -> Capsule:
    return make_capsule(record_of_events(list(events_played("tribunal", choices))), key)


def conference(key: SigningKey | None, seats: int) -> Capsule:
    panel = Panel(seats=tuple(Seat(name=f"Seat {number}") for number in range(seats)))
    return make_capsule(record_of_events(play(convened(panel, "conference"), words)), key)


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_a_stranger_recomputes_a_capsule_of_every_protocol(protocol: str, tmp_path: Path, key: SigningKey) -> None:
    capsule = make_capsule(record_of_events(list(events_played(protocol))), key)

    code, told = run_verifier(tmp_path, capsule, key.public)

    assert (code, told.startswith("holds: ")) == (0, True), told
    assert json.dumps(json.loads(capsule["statement"])["verdict"]) in told
    taken = {"oracle": "what sources weigh", "debate": "the marks of arguments"}
    assert told.count("taken as stated") == (protocol in taken)
    assert f"taken as stated: {taken.get(protocol, '')}" in told or protocol not in taken


@pytest.mark.parametrize("name", ["tribunal", "conference", "debate", "oracle", "turned_away"])
def test_a_golden_record_is_counted_again_and_one_of_another_version_is_not(name: str, tmp_path: Path) -> None:
    record, rows = golden(name)
    capsule = capsule_of(StoredRecord(id=record.id, rows=rows))

    facts = json.loads(capsule["statement"])
    events = verifier(tmp_path).check_entries(capsule, facts)
    told = "\n".join(verifier(tmp_path).recount(capsule, facts, events))

    if name == "turned_away":
        assert "turned away before any vote" in told
    else:
        assert "not recomputed" not in told
        decided = next(event for event in events if event["event"] == "Decided")
        decided["version"] = chair.VERSION + 1
        (told,) = verifier(tmp_path).recount(capsule, facts, events)
        assert told.startswith(f"the verdict was not recomputed: version {chair.VERSION + 1} of the rules decided it")


def test_without_a_key_nobody_vouches_and_the_code_says_so(tmp_path: Path, key: SigningKey) -> None:
    assert run_verifier(tmp_path, tribunal(key))[0] == 3
    assert run_verifier(tmp_path, tribunal(None))[0] == 3
    code, told = run_verifier(tmp_path, tribunal(None), key.public)
    assert (code, "nobody has signed" in told) == (1, True)


def test_a_file_that_is_not_there_is_not_called_forged(tmp_path: Path) -> None:
    run_verifier(tmp_path, tribunal(None))
    program, missing = str(tmp_path / "verify_capsule.py"), str(tmp_path / "nothing.json")

    done = subprocess.run((sys.executable, program, missing), capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.startswith("cannot be read")) == (2, True)


def rejected(tmp_path: Path, file: bytes, key: str) -> bool:
    """Whether the verifier, run in process, rejects it for a reason that it names."""
    program = verifier(tmp_path)
    path = tmp_path / "changed.json"
    path.write_bytes(file)
    try:
        program.main(str(path), key)
    except program.WRONG:
        return True
    return False


def test_one_flipped_bit_is_rejected_wherever_it_is(tmp_path: Path, key: SigningKey, seed: int) -> None:
    whole, chance = write_capsule(tribunal(key)), Random(seed)
    places = {0, 1, len(whole) - 1, *chance.sample(range(len(whole)), 80)}

    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << chance.randrange(8)
        assert rejected(tmp_path, bytes(changed), key.public), place


@pytest.mark.parametrize(
    "share", [pytest.param(16, marks=pytest.mark.promise), pytest.param(1, marks=pytest.mark.long)]
)
def test_every_byte_of_a_capsule_matters(tmp_path: Path, key: SigningKey, share: int, seed: int) -> None:
    alone = Panel(seats=(Seat(name="Ann"),))
    whole = write_capsule(make_capsule(record_of_events(play(convened(alone, "approval"), words)), key))

    for place in range(seed % share, len(whole), share):
        changed = bytearray(whole)
        changed[place] ^= 1
        assert rejected(tmp_path, bytes(changed), key.public), place


def leaves(document: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    match document:
        case dict():
            return [leaf for name, value in document.items() for leaf in leaves(value, (*path, name))]
        case list():
            return [leaf for place, value in enumerate(document) for leaf in leaves(value, (*path, place))]
        case _:
            return [path]


def otherwise(document: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401  JSON is anything
    """The same document with another value in one place."""
    changed = json.loads(json.dumps(document))
    place = changed
    for step in path[:-1]:
        place = place[step]
    match place[path[-1]]:
        case str(text):
            place[path[-1]] = text[:-1] + ("0" if text[-1:] != "0" else "1")
        case bool(flag):
            place[path[-1]] = not flag
        case other:
            place[path[-1]] = (other or 0) + 1
    return changed


def test_a_changed_value_is_rejected_even_if_the_file_is_hashed_again(
    tmp_path: Path, key: SigningKey, seed: int
) -> None:
    chance = Random(seed)
    for protocol in ("tribunal", "debate", "oracle"):
        capsule = make_capsule(record_of_events(list(events_played(protocol))), key)
        every, facts = leaves(capsule), json.loads(capsule["statement"])
        for path in chance.sample(every, min(25, len(every))):
            assert rejected(tmp_path, write_capsule(otherwise(capsule, path)), key.public), (protocol, path)
        for path in chance.sample(leaves(facts), 10):
            forged = {**capsule, "statement": canonical(otherwise(facts, path))}
            assert rejected(tmp_path, write_capsule(forged), key.public), (protocol, path)


@pytest.mark.parametrize("change", FORGERIES)
def test_what_was_changed_or_hidden_without_saying_so_is_rejected(
    change: Callable[[Capsule], None], tmp_path: Path, key: SigningKey
) -> None:
    for signed in (key, None):
        capsule = tribunal(signed)
        change(capsule)
        assert rejected(tmp_path, write_capsule(capsule), key.public if signed else "")


def test_figures_cannot_be_left_out_or_moved(tmp_path: Path, key: SigningKey) -> None:
    for signed in (key, None):
        whole = make_capsule(record_of_events(list(events_played("debate"))), signed)
        for changed in ([], whole["tally"][1:], whole["tally"][::-1], [*whole["tally"][:-1], whole["tally"][0]]):
            assert rejected(tmp_path, write_capsule({**whole, "tally": changed}), key.public if signed else "")


@pytest.mark.parametrize("figure", [{"silent": "timeout"}, {"weight": "9"}, {"quality": "1", "consistency": "1"}])
def test_nobody_can_state_what_is_to_be_counted(figure: dict[str, str], tmp_path: Path, key: SigningKey) -> None:
    capsule = tribunal(None)
    ballot = spoken(capsule, "revision")[0]
    row = canonical({"salt": "", "entry": ballot, **figure})
    facts = {**json.loads(capsule["statement"]), "tally": [sha256(row.encode()).hexdigest()]}
    stated = {**capsule, "tally": [row], "statement": canonical(facts)}

    code, told = run_verifier(tmp_path, stated)

    assert (code, "states what is to be worked out" in told) == (1, True), told


def test_a_rulebook_changed_by_value_does_not_come_to_the_recorded_verdict(tmp_path: Path, key: SigningKey) -> None:
    begin, *events = events_played("tribunal", "ACT ACT WARN")
    harder = replace(begin.rulebook, rules=(PartRef("supermajority", (("at_least", "1"),)),))
    forged = capsule_of(record_of_events([replace(begin, rulebook=harder), *events]), key)

    code, told = run_verifier(tmp_path, forged, key.public)

    assert (code, "the votes come to" in told) == (1, True), told


def test_rules_and_protocols_that_it_does_not_know_are_not_judged(tmp_path: Path) -> None:
    capsule = tribunal(None)
    facts, program = json.loads(capsule["statement"]), verifier(tmp_path)
    for known, other in (
        ('"name":"hold"', '"name":"coin"'),
        ('"name":"demo"', '"name":"moon"'),
        (':"tribunal",', ':"duel",'),
    ):
        events = [json.loads(entry["event"].replace(known, other)) for entry in capsule["entries"]]
        (told,) = program.recount(capsule, facts, events)
        assert "this verifier does not know" in told


def with_coin(choices: str, rule: str, outcome: str, *said: str) -> Capsule:
    """A tribunal whose rulebook asks somebody else's rule, `coin`, before the supermajority; `said` are who spoke."""
    begin, *events, decided = events_played("tribunal", choices)
    book = begin.rulebook
    at = [one.name for one in book.rules].index("supermajority")
    book = replace(book, rules=(*book.rules[:at], PartRef("coin"), *book.rules[at:]))
    asked = [one.name for one in book.rules[: at + (1 if "coin" in said else 2)]]
    verdict = replace(
        decided.verdict,
        rule=rule,
        outcome=outcome,
        decided=rule != "rule_failed",
        trace=tuple(RuleTrace(name, "so it is" if name in said else "") for name in (*asked, "veto_seat_silent")),
    )
    played = [replace(begin, rulebook=book), *events, replace(decided, verdict=verdict)]
    return capsule_of(record_of_events(played))


@pytest.fixture
def coin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that brings the rule `coin` is installed, and nothing remembers it afterwards."""
    caches = (catalogue.module, catalogue.names, catalogue.rule)
    text = "from quorate.authoring import RuleSpec\nSPEC = RuleSpec(rule=lambda tally: None)\n"
    points = {"quorate.rules": {"coin": "acme_coin"}}
    monkeypatch.syspath_prepend(str(write_metadata(tmp_path / "site", "acme-coin", {"acme_coin.py": text}, points)))
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()
    sys.modules.pop("acme_coin", None)


@pytest.mark.usefixtures("coin")
@pytest.mark.parametrize(
    ("capsule", "code", "told"),
    [
        (("ACT ACT WARN", "supermajority", "ACT", "supermajority"), 3, "does not know coin: what it decides is taken"),
        (("ACT ACT WARN", "coin", "WARN", "coin"), 3, "does not know coin: what it decides is taken"),
        (("ACT ACT WARN", "coin", "ACT", "coin"), 3, "does not know coin: what it decides is taken"),
        (("ACT ACT WARN", "rule_failed", "WARN"), 3, "not recomputed: this verifier does not know coin"),
        (("ACT ACT WARN", "veto_seat_silent", "WARN", "coin"), 3, "not recomputed: this verifier does not know coin"),
        (("ACT ACT WARN", "supermajority", "WARN", "supermajority"), 1, "the votes come to"),
        (("WARN WARN REFUSE", "coin", "ACT", "coin"), 1, "the votes come to"),
        (("ACT ACT VETO", "coin", "ACT", "coin"), 1, "the votes come to"),
        (("ACT ACT ACT", "coin", "WARN", "coin"), 1, "the votes come to"),
    ],
)
def test_of_somebody_elses_rule_it_takes_what_it_decides_and_checks_all_else(
    capsule: tuple[str, ...], code: int, told: str, tmp_path: Path
) -> None:
    came, said = run_verifier(tmp_path, with_coin(*capsule))

    assert came == code, said
    assert told in said


def test_a_forged_record_with_all_hashes_anew_is_rejected_for_its_key(tmp_path: Path, key: SigningKey) -> None:
    new_key(tmp_path / "other.pem")
    forged = tribunal(load_key(tmp_path / "other.pem"), "REFUSE REFUSE REFUSE")

    assert run_verifier(tmp_path, forged, key.public)[0] == 1
    forged["key"] = key.public
    code, told = run_verifier(tmp_path, forged, key.public)
    assert (code, "signature" in told) == (1, True)


def test_a_verdict_that_the_votes_do_not_come_to_is_rejected_even_if_it_is_signed(
    tmp_path: Path, key: SigningKey
) -> None:
    *events, decided = events_played("tribunal", "ACT ACT WARN")
    assert isinstance(decided, Decided)
    wrong = events_played("tribunal", "REFUSE REFUSE REFUSE")[-1]
    forged = capsule_of(record_of_events([*events, wrong]), key)

    code, told = run_verifier(tmp_path, forged, key.public)

    assert (code, "the votes come to" in told) == (1, True)


@pytest.mark.parametrize("name", ["agreement", "confidence"])
def test_a_share_that_the_votes_do_not_come_to_is_rejected_even_if_it_is_signed(
    name: str, tmp_path: Path, key: SigningKey
) -> None:
    *events, decided = events_played("tribunal", "ACT ACT WARN")
    assert isinstance(decided, Decided)
    change: Any = {name: Fraction(99, 100)}
    wrong = replace(decided, verdict=replace(decided.verdict, **change))

    code, output = run_verifier(tmp_path, capsule_of(record_of_events([*events, wrong]), key), key.public)

    assert (code, "DOES NOT HOLD: agreement and confidence come to" in output) == (1, True)


def spoken(capsule: Capsule, round_: str) -> list[int]:
    """The numbers of the entries in which somebody spoke in a round."""
    events = [json.loads(entry["event"]) for entry in capsule["entries"]]
    return [number for number, event in enumerate(events, 1) if event["event"] == "Spoken" and event["round"] == round_]


def test_words_and_prompts_can_be_withheld_and_the_verdict_is_still_recomputed(tmp_path: Path, key: SigningKey) -> None:
    capsule = tribunal(key)
    redacted = withhold(
        parse_capsule(write_capsule(capsule)),
        ["1:words", "2", *(f"{one}:words" for one in spoken(capsule, "revision"))],
    )

    code, told = run_verifier(tmp_path, redacted, key.public)

    assert code == 0, told
    assert "[2, 'event']" in told
    assert "staging" not in json.dumps(redacted)
    assert "BALLOT" not in str([redacted["entries"][one - 1] for one in spoken(capsule, "revision")])


def test_without_the_first_entry_nothing_is_recomputed(tmp_path: Path, key: SigningKey) -> None:
    code, told = run_verifier(tmp_path, withhold(tribunal(key), ["1"]), key.public)

    assert (code, "the rules or the verdict itself is withheld" in told) == (3, True)


@pytest.mark.parametrize("kind", ["Found", "Spoken"])
def test_what_groups_or_weights_rest_on_can_be_withheld_and_leaves_the_verdict_open(
    kind: str, tmp_path: Path, key: SigningKey
) -> None:
    for protocol in ("conference", "oracle", "debate"):
        capsule = make_capsule(record_of_events(list(events_played(protocol))), key)
        kinds = json.loads(capsule["statement"])["kinds"]
        if kind in kinds:
            last = len(kinds) - kinds[::-1].index(kind)
            redacted = withhold(capsule, [str(last)])
            code, told = run_verifier(tmp_path, redacted, key.public)
            assert code == 3 or "whatever the withheld votes were" in told, told
            assert all(json.loads(row)["entry"] != last for row in redacted["tally"] if isinstance(row, str))


def test_a_withheld_ballot_that_could_matter_leaves_the_verdict_open(tmp_path: Path, key: SigningKey) -> None:
    capsule = tribunal(key)
    ballot = spoken(capsule, "revision")[0]
    redacted = withhold(capsule, [str(ballot)])

    code, told = run_verifier(tmp_path, redacted, key.public)

    assert (code, "on which the outcome may rest" in told) == (3, True), told


def test_a_withheld_ballot_that_could_not_matter_does_not(tmp_path: Path, key: SigningKey) -> None:
    capsule = conference(key, 5)
    last = max(spoken(capsule, "2") or spoken(capsule, "1"))

    code, told = run_verifier(tmp_path, withhold(capsule, [str(last)]), key.public)

    assert (code, "whatever the withheld votes were" in told) == (0, True), told


def test_a_persons_word_on_the_verdict_is_told_and_cannot_be_withheld_in_silence(
    tmp_path: Path, key: SigningKey
) -> None:
    reviewed = Reviewed(outcome="REFUSE", by="Ann", because="There is no backup.", origin=Origin(interface="terminal"))
    capsule = make_capsule(record_of_events([*events_played("tribunal", "ACT ACT ACT"), reviewed]), key)
    *before, decided = events_played("tribunal", "ACT ACT ACT")
    asks = replace(decided, verdict=replace(decided.verdict, requires_human_review=True))
    waiting = capsule_of(record_of_events([*before, asks]), key)

    code, told = run_verifier(tmp_path, capsule, key.public)
    hidden, then = run_verifier(tmp_path, withhold(capsule, [str(len(capsule["entries"]))]), key.public)

    assert (code, 'a person reviewed it: "REFUSE", says "Ann"' in told) == (0, True), told
    assert (hidden, "what a person said of the verdict is withheld" in then) == (3, True), then
    assert "it is for a person to review" in run_verifier(tmp_path, waiting, key.public)[1]


@pytest.mark.parametrize("wrong", ["0", "99", "4:all", "x", "-1", "4:"])
def test_what_cannot_be_withheld_is_named(wrong: str) -> None:
    capsule = tribunal(None)
    if wrong == "4:":
        assert withhold(capsule, [wrong])["withheld"] == [[4, "event"]]
        return
    with pytest.raises(BadSetting, match="cannot withhold"):
        withhold(capsule, [wrong])


def test_a_changed_capsule_is_not_taken_in_again() -> None:
    file = write_capsule(tribunal(None))

    assert parse_capsule(file) == json.loads(json.dumps(tribunal(None) | parse_capsule(file)))
    with pytest.raises(LedgerBroken, match="changed or cut"):
        parse_capsule(file.replace(b"ACT", b"act", 1))


SPELLINGS: tuple[tuple[bytes, bytes], ...] = (
    (b'"withheld": []', b'"withheld": [[1, "event"]],\n "withheld": []'),
    (b'"withheld": []', b'"withheld":[]'),
    (b'"withheld": []', b'"withheld": [\n]'),
    (b'"withheld": []', b'"\\u0077ithheld": []'),
    (b'"entries": [', b'"entries": [],\n "entries": ['),
    (b"\n}\n", b"\n}\n\n"),
    (b"\n}\n", b"\n} \n"),
)
"""What another reader may read in another way: a repeated key, another spelling, something at the end."""


@pytest.mark.parametrize(("written", "changed"), SPELLINGS)
def test_a_capsule_that_two_readers_may_read_in_two_ways_is_refused(
    written: bytes, changed: bytes, tmp_path: Path
) -> None:
    rest = rest_of(tribunal(None))
    assert rest.count(written) == 1
    file = rehashed(rest.replace(written, changed))

    code, told = run_verifier(tmp_path, file)

    assert (code, told.startswith("DOES NOT HOLD: ")) == (1, True), told
    assert "repeated" in told or "odd" in told
    with pytest.raises(LedgerBroken, match="not a capsule as quorate writes it"):
        parse_capsule(file)


STATEMENTS: tuple[tuple[str, str], ...] = (
    ('"verdict":{', '"verdict":{"outcome":"REFUSE"},"verdict":{'),
    ('{"domains"', '{ "domains"'),
    ('"decided":true', '"decided":true,"decided":true'),
    ('"tribunal"', '"tr\\u0069bunal"'),
    ('"head"', '"he\\u0061d"'),
)


@pytest.mark.parametrize(("written", "changed"), STATEMENTS)
@pytest.mark.parametrize("signed", [True, False])
def test_a_statement_or_an_event_in_another_spelling_is_refused_whoever_signs_it(
    written: str, changed: str, tmp_path: Path, key: SigningKey, *, signed: bool
) -> None:
    capsule = tribunal(None)
    rows = [entry["event"] for entry in capsule["entries"]]
    place = next((at for at, text in enumerate(rows) if written in text), None)
    if written in capsule["statement"]:
        capsule["statement"] = capsule["statement"].replace(written, changed, 1)
    else:
        assert place is not None
        capsule = relinked(capsule, {place: {"event": rows[place].replace(written, changed, 1)}})
    if signed:
        said = f"quorate capsule 1\n{capsule['statement']}".encode()
        capsule |= {"key": key.public, "signature": key.sign(said).hex()}

    code, told = run_verifier(tmp_path, capsule, *([key.public] if signed else []))

    assert (code, told.startswith("DOES NOT HOLD: ")) == (1, True), told
    assert "repeated" in told or "odd" in told


def relinked(capsule: Capsule, changes: dict[int, dict[str, str]]) -> Capsule:
    """The capsule with some parts of its entries changed, and all hashes made anew."""
    entries = [{**entry, **changes.get(at, {})} for at, entry in enumerate(capsule["entries"])]
    facts = json.loads(capsule["statement"])
    before, hashes = first(facts["id"]), list[str]()
    for number, entry in enumerate(entries, 1):
        before = link(before, number, entry["time"], entry["event"].encode())
        hashes.append(before)
    stated = canonical({**facts, "head": before, "root": root_of(hashes)})
    return {**capsule, "entries": entries, "statement": stated}


def test_the_verifier_accepts_what_is_sound_and_refuses_all_that_is_spelled_or_made_up(
    tmp_path: Path, key: SigningKey
) -> None:
    """The same tables as the page's: the two agree."""
    forger = Forger(key)
    for public in (key.public, ""):
        assert [name for name, file in sound(forger) if rejected(tmp_path, file, public)] == []
        assert [name for name, file in hostile(forger) if not rejected(tmp_path, file, public)] == []


def test_hashes_made_anew_fit(tmp_path: Path) -> None:
    """The control: it's the spelling and the time that are refused above, not our hashes."""
    assert run_verifier(tmp_path, relinked(tribunal(None), {}))[0] == run_verifier(tmp_path, tribunal(None))[0]


def test_a_timestamp_that_somebody_made_up_is_refused_and_of_a_real_one_it_is_said_what_is_not_checked(
    tmp_path: Path,
) -> None:
    capsule = tribunal(None)
    root = imprint(json.loads(capsule["statement"])["root"])
    signed, token = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("060b2a864886f70d0109100104")
    inner = signed + token + root
    answer = bytes((0x30, 0x81, len(inner))) + inner
    for made_up in (b"", root, b"at noon " + root, answer + b"\0", answer[:-1], answer[3:], inner):
        forged = {**capsule, "timestamp": b64encode(made_up).decode()}
        code, told = run_verifier(tmp_path, forged)
        assert (code, "timestamp" in told) == (1, True), told
    spelt = b64encode(answer).decode()
    for odd in (f"{spelt[:4]}\n{spelt[4:]}", f"!{spelt}", spelt.rstrip("=") + "=" * 7):
        assert run_verifier(tmp_path, {**capsule, "timestamp": odd})[0] == 1

    code, told = run_verifier(tmp_path, {**capsule, "timestamp": spelt})
    assert "taken as stated: when it was stamped; check that with: openssl ts -verify" in told
    assert code == 3
