"""P26: no rulebook approves what no seat approved."""

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from quorate import catalogue, presets
from quorate.model import Approval, Estimate, PartRef, Ranking, Rulebook, Silence, Tally, Verdict, Voice
from quorate.model.numbers import decimal
from quorate.model.specs import ProtocolSpec
from quorate.rules import apply_rulebook, ask_rules, rulebook_origin
from quorate.settings.rulebook_file import amend_rulebook
from tests.doors.conftest import Quorate, home, quorate
from tests.figures import Figure

__all__ = ["home", "quorate"]

pytestmark = pytest.mark.promise

SCALES = (("ACT", "WARN", "REFUSE"), ("SUPPORT", "UNCERTAIN", "OPPOSE"), ("YES", "UNDETERMINED", "NO"), ())
WORDS = (
    "ACT",
    "act",
    "APPROVE",
    "WARN",
    "SUPPORT",
    "UNCERTAIN",
    "YES",
    "NO",
    "UNDETERMINED",
    "INVALID",
    "REFUSE",
    "red",
    "7",
    "",
)
CAREFUL = {"ACT": "WARN", "SUPPORT": "UNCERTAIN", "YES": "UNDETERMINED"}
NOTHING_FOUND = (None, "", "UNDETERMINED", "INVALID")
SHARES = ("1/100", "1/3", "1/2", "2/3", "9/10", "1", "0", "-1", "5")
DRAWN = 100_000
RULES = [name for name in catalogue.names("rule") if catalogue.rule(name).rule is not None]
CAPS = [name for name in catalogue.names("rule") if catalogue.rule(name).cap is not None]
ENDINGS = [name for name in RULES if catalogue.rule(name).always]


def violates(tally: Tally, verdict: Verdict) -> bool:
    """Whether this approves without a seat that did; worked out from the ballots alone."""
    outcome = verdict.outcome
    scale = tally.options and "UNDETERMINED" not in tally.options
    careful = (*NOTHING_FOUND, *(tally.options[1:] if scale else ()))
    if outcome in careful:
        return False
    heard = {voice.seat for voice in tally.voices if not voice.assumed}
    if any(voice.veto for voice in tally.voices) or not set(tally.guardians) <= heard:
        return True
    return not any(names(tally, voice, str(outcome)) for voice in tally.voices if not voice.assumed)


def names(tally: Tally, voice: Voice, outcome: str) -> bool:
    match voice.vote:
        case Approval(approved):
            return outcome in approved
        case Ranking(ranking):
            after = [place for at, place in enumerate(ranking) if any(outcome in one for one in ranking[:at])]
            unranked = {"red", "green", "blue"} - {option for place in ranking for option in place}
            return outcome in ranking[0] or bool(after or (unranked and any(outcome in place for place in ranking)))
        case Estimate():
            values = [other.value for other in tally.voices if other.value is not None and not other.assumed]
            return outcome.lstrip("-").replace(".", "", 1).isdigit() and min(values) <= Fraction(outcome) <= max(values)
        case _:
            return voice.option == outcome and (not tally.sides or voice.quality is not None)


def draw_part(random: Random, name: str) -> PartRef:
    settings = catalogue.settings(catalogue.rule(name).function)
    chosen = [one for one in settings if random.random() < 0.7]
    written = ((one.name, draw_value(random, one.type)) for one in chosen)
    return PartRef(name, tuple((key, text) for key, text in written if text is not None))


def draw_value(random: Random, kind: object) -> str | None:
    if kind is Fraction:
        return random.choice(SHARES)
    if kind is int:
        return random.choice(("0", "1", "3", "20"))
    if kind is str:
        return random.choice(WORDS)
    return random.choice(("true", "false")) if kind is bool else None


def draw_book(random: Random) -> Rulebook:
    return Rulebook(
        name="drawn",
        rules=tuple(draw_part(random, name) for name in random.choices(RULES, k=random.randrange(4))),
        otherwise=draw_part(random, random.choice(ENDINGS)),
        unless=tuple(draw_part(random, name) for name in random.choices(CAPS, k=random.randrange(3))),
        silence=random.choice((*WORDS[:-1], "none", "carry")),
    )


def draw_tally(random: Random) -> Tally:
    scale, kind = random.choice(SCALES), random.choice(("choice", "choice", "approval", "ranking", "estimate"))
    sides = scale == SCALES[1]
    seats = tuple(f"s{number}" for number in range(random.randrange(1, 6)))
    speak = [seat for seat in seats if random.random() < 0.7]
    guardians = tuple(seat for seat in seats if random.random() < 0.25)
    options = scale or ("red", "green", "blue")
    return Tally(
        eligible=seats,
        options=scale,
        voices=tuple(draw_voice(random, seat, options, "choice" if scale else kind, guardians) for seat in speak),
        silent=tuple(Silence(seat=seat, why="timeout") for seat in seats if seat not in speak),
        guardians=guardians,
        sides=sides,
    )


def draw_voice(random: Random, seat: str, options: tuple[str, ...], kind: str, guardians: tuple[str, ...]) -> Voice:
    voice = Voice(
        seat=seat, option="", confidence=Fraction(random.randrange(11), 10), risk=Fraction(random.randrange(11), 10)
    )
    if kind == "approval":
        liked = tuple(one for one in options if random.random() < 0.5)
        return replace(voice, option=liked[0] if len(liked) == 1 else "", vote=Approval(liked))
    if kind == "ranking":
        order = random.sample(options, random.randrange(1, len(options) + 1))
        return replace(voice, option=order[0], vote=Ranking(tuple((one,) for one in order)))
    if kind == "estimate":
        value = Fraction(random.randrange(90, 110), 10)
        return replace(voice, option=decimal(value), value=value, vote=Estimate(value, value, value))
    veto = seat in guardians and random.random() < 0.2
    quality = random.choice((None, Fraction(1, 2)))
    carried = random.choice(("", "1"))
    choice = options[-1] if veto else random.choice(options)
    return replace(voice, option=choice, veto=veto, quality=quality, carried_from=carried, round="1")


def drawn(seed: int, number: int) -> Iterator[tuple[Tally, Rulebook]]:
    random = Random(f"{seed} approval")
    return ((draw_tally(random), draw_book(random)) for _ in range(number))


@pytest.mark.timeout(600)
def test_no_drawn_rulebook_approves_what_no_seat_approved(seed: int, figure: Figure) -> None:
    for tally, book in drawn(seed, DRAWN):
        verdict = apply_rulebook(tally, book)
        assert not violates(tally, verdict), (seed, book, tally, verdict)
        if verdict.rule == "not_approved":
            assert not verdict.decided
            assert verdict.requires_human_review
    figure(f"{DRAWN:,} drawn rulebooks and ballots, seed {seed}: 0 approvals that no seat gave")


def test_without_the_last_check_the_same_draw_finds_violations(seed: int) -> None:
    """Control: what the rules alone say does approve without a seat, and the test sees it."""
    found = 0
    for tally, book in drawn(seed, 2000):
        counted = tally if book.silence in ("none", "carry") else tally.assuming(book.silence)
        found += violates(tally, ask_rules(counted, book, [])[1])

    assert found > 100, seed


def casts(spec: ProtocolSpec, seat: str) -> list[Voice | None]:
    """Every ballot of a seat: none, each choice, a veto; approvals, rankings and estimates where those are counted."""
    scale = scale_of(spec)
    options, sides = scale or ("red", "green"), "SUPPORT" in scale
    quality = Fraction(1, 2) if sides else None
    voice = Voice(seat=seat, option="", confidence=Fraction(1), risk=Fraction(0))
    kinds = catalogue.count(spec.count.name).votes
    if Approval in kinds:
        liked = ((), ("red",), ("green",), ("red", "green"))
        return [None, *(replace(voice, option=one[0] if len(one) == 1 else "", vote=Approval(one)) for one in liked)]
    if Ranking in kinds:
        orders = (("red",), ("green",)), (("green",), ("red",)), (("red", "green"),)
        return [None, *(replace(voice, option=one[0][0], vote=Ranking(one)) for one in orders)]
    if Estimate in kinds:
        values = map(Fraction, (9, 10, 20))
        return [None, *(replace(voice, option=decimal(one), value=one, vote=Estimate(one, one, one)) for one in values)]
    chosen = [replace(voice, option=one, quality=quality, round="1" * sides) for one in options]
    return [None, *chosen, replace(voice, option=options[-1], veto=True)]


@pytest.mark.timeout(300)
def test_no_shipped_rulebook_does_on_any_ballots_of_up_to_four_seats(figure: Figure) -> None:
    tried = 0
    for spec in catalogue.protocols().values():
        scale = scale_of(spec)
        for book, seats in product(spec.books, range(1, 5)):
            eligible = tuple(f"s{number}" for number in range(seats))
            for cast in product(*(casts(spec, one) for one in eligible)):
                voices = tuple(one for one in cast if one is not None and (not one.veto or one.seat == "s0"))
                heard = {voice.seat for voice in voices}
                gone = tuple(Silence(seat=one, why="timeout") for one in eligible if one not in heard)
                tally = Tally(
                    eligible=eligible, options=scale, voices=voices, silent=gone, guardians=eligible[:1],
                    sides="SUPPORT" in scale,
                )  # fmt: skip
                assert not violates(tally, apply_rulebook(tally, book)), (book.name, cast)
                tried += 1
    figure(f"{tried:,} ways to vote of up to 4 seats under every shipped rulebook: 0 approvals that no seat gave")


def scale_of(spec: ProtocolSpec) -> tuple[str, ...]:
    return tuple(word for word in spec.outcomes if word != "INVALID")


OWN = """\
seats: [{name: A}, {name: B}, {name: C, powers: [veto]}]
rulebook:
  name: %s
  rules: [{hold: {means: ACT}}]
  otherwise: {hold: {means: ACT}}
  silence: ACT
"""
CAST = [{"seat": seat, "decision": "ACT", "confidence": 90, "risk": 5, "reasoning": "Sound."} for seat in "ABC"]


@pytest.mark.parametrize("name", ["loose", "tribunal"])
def test_a_rulebook_of_a_file_is_named_on_the_verdict_and_before_consent(
    quorate: Quorate, tmp_path: Path, name: str
) -> None:
    file, stranger = tmp_path / "panel.yaml", tmp_path / "stranger.yaml"
    file.write_text(OWN % name, encoding="utf-8")
    stranger.write_text(OWN % name + "model: openai:m@http://127.0.0.1:1/v1\n", encoding="utf-8")
    decide = ("decide", "-", "--panel", str(file))

    shown, told = quorate(*decide, "--json", stdin=json.dumps(CAST)), quorate(*decide, stdin=json.dumps(CAST))
    brief = quorate(*decide, "-q", stdin=json.dumps(CAST))
    asked, free = quorate("ask", "May I?", "--panel", str(stranger)), quorate("panel", "trust", str(file))

    assert json.loads(shown.out)["verdict"]["rulebook"] == {"name": name, "origin": "own"}
    assert f"rulebook    {name}, this panel's own" in told.out
    assert f"own rulebook {name}" in brief.out
    rules = f"decide by its own rulebook {name!r}: hold (means ACT); otherwise hold (means ACT); silence ACT"
    assert asked.code != 0
    assert rules in asked.err
    assert rules in free.out


def test_what_ships_is_told_from_what_was_changed() -> None:
    origins = {rulebook_origin(book) for book in presets.rulebooks().values()}
    stricter = amend_rulebook(presets.rulebook("tribunal"), [("supermajority.at_least", "3/4")])

    assert origins == {"shipped"}
    assert rulebook_origin(stricter) == "changed"


CAPPED = """\
seats: [{name: A}, {name: B}, {name: C, powers: [veto]}]
rulebook:
  name: capped
  rules: [veto, unanimous, supermajority]
  otherwise: {hold: {means: WARN}}
  unless: [%s]
"""


def settings_of(rule: str) -> set[str]:
    return {one.name for one in catalogue.settings(catalogue.rule(rule).function)}


LOOSENING = ("{instead_of: REFUSE}", "{instead_of: REFUSE, means: WARN}", "{instead_of: WARN, means: ACT}")


@pytest.mark.parametrize("settings", LOOSENING)
@pytest.mark.parametrize("cap", [name for name in CAPS if "instead_of" in settings_of(name)])
def test_no_cap_of_a_file_makes_an_outcome_less_careful(
    quorate: Quorate, tmp_path: Path, cap: str, settings: str
) -> None:
    file = tmp_path / "panel.yaml"
    refused = json.dumps([{**one, "decision": "REFUSE"} for one in CAST])
    more = "files: x, " if cap == "unseen_files" else ""
    told = []
    for written in (f"{{{more}{settings[1:]}", f"{{{more}means: WARN}}"):
        file.write_text(CAPPED % f"{{{cap}: {written}}}", encoding="utf-8")
        told.append(quorate("decide", "-", "--panel", str(file), "--json", stdin=refused))
    loosened, control = told

    assert loosened.code == 1
    assert "may only make an outcome more careful" in loosened.err
    assert json.loads(control.out)["verdict"]["outcome"] == "REFUSE"
