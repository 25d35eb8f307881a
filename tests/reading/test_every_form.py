"""What holds of every form: what it shows can be read, what it asks for cannot, and nobody votes for another."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from quorate import catalogue
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Finish, Read
from quorate.model.specs import FormSpec
from quorate.reading import decision
from quorate.reading.text.answer_file import read_file
from tests.promises import forms, garbage

MARK = garbage.MARK
GATE = ("ACT", "WARN", "REFUSE")
LISTS = {"decision": GATE, "argument": ("con",)}
FORMS = sorted({*catalogue.names("form")} - {"speech"})
ANSWERS = [pytest.param(name, catalogue.form(name), id=name) for name in FORMS]
every_form = pytest.mark.parametrize(("name", "form"), ANSWERS)


def lists(name: str) -> list[tuple[str, ...]]:
    return [LISTS[name]] if name in LISTS else [(), ("Kafka", "NATS"), tuple(f"Option {at}" for at in range(12))]


def something(found: Read) -> bool:
    return found.ballot is not None or found.argument is not None


@every_form
def test_a_sample_can_be_read_with_its_mark_and_without_one(name: str, form: FormSpec) -> None:
    for options in lists(name):
        for mark in (MARK, ""):
            terms = AnswerTerms(mark=mark, options=options)
            found = form.read(f"As said.\n\n{form.sample(terms)}", terms)

            assert (something(found), found.unreadable) == (True, "")
            assert mark in form.sample(terms)
            assert found.ballot is None or form.vote is type(found.ballot.vote)
            assert found.ballot is None or not found.ballot.abstain


@every_form
def test_what_a_seat_is_told_holds_the_mark_and_every_option_and_is_no_answer(name: str, form: FormSpec) -> None:
    for options in lists(name):
        terms, unmarked = AnswerTerms(mark=MARK, options=options), AnswerTerms(options=options)
        for text in (form.instructions(terms), form.repair("no_ballot", terms)):
            found = form.read(text, terms)

            assert (something(found), bool(found.unreadable)) == (False, True)
            assert f'"mark": "{MARK}", ' in text
            assert name in {*LISTS, "assessment", "judgement", "estimate", "quantity", "probability"} or all(
                option in text for option in options
            )
        assert "mark" not in form.instructions(unmarked).partition("with your own")[0]


@every_form
def test_why_it_could_not_be_counted_is_said_in_words(name: str, form: FormSpec) -> None:
    terms = AnswerTerms(mark=MARK, options=LISTS.get(name, ()))
    whys = ("unmarked", "cut_short", "bad_number", "duplicate", "placeholder", "of no kind we know")
    said = [form.repair(why, terms).partition(": ")[2].partition(". Write")[0] for why in whys]

    assert all(said)
    assert len({*said}) == len(whys)


@every_form
@pytest.mark.parametrize(
    ("text", "finish", "why"),
    [
        ("", "stop", "empty"),
        ("<think>I wonder.</think>", "stop", "thinking_only"),
        ("I cannot help with that.", "stop", "refusal"),
        ("So be it.", "filter", "filter"),
        ("So be it.", "refusal", "refusal"),
        ("SAMPLE", "filter", "filter"),
        ("SAMPLE", "refusal", "refusal"),
        ("<think>SAMPLE</think>", "stop", "thinking_only"),
    ],
)
def test_why_nothing_could_be_read_is_the_same_word_in_every_form(
    name: str, form: FormSpec, text: str, finish: Finish, why: str
) -> None:
    terms = AnswerTerms(mark=MARK, options=LISTS.get(name, ()))
    sample = form.sample(terms)
    found = form.read(text.replace("SAMPLE", sample), terms, finish)

    assert (something(found), found.unreadable) == (False, why)
    assert form.read("So be it.", terms).unreadable.startswith("no_")
    assert (found.cuts[-1][1] if found.cuts else 0) >= len(sample) * ("SAMPLE" in text)


@pytest.mark.parametrize(("name", "form"), [one for one in ANSWERS if one.id != "decision"])
def test_what_was_cut_off_is_no_answer_though_it_seems_whole(name: str, form: FormSpec) -> None:
    terms = AnswerTerms(mark=MARK, options=LISTS.get(name, ()))
    sample = form.sample(terms)

    assert {form.read(sample[:-1], terms, finish).unreadable for finish in ("stop", "length")} == {"cut_short"}
    assert form.read(sample, terms, "length").unreadable == ("" if name == "vote" else "cut_short")


@every_form
def test_an_answer_marked_for_another_seat_or_quoted_or_given_twice_in_two_ways_is_none(
    name: str, form: FormSpec
) -> None:
    terms = AnswerTerms(mark=MARK, options=LISTS.get(name, ()))
    own, foreign = form.sample(terms), form.sample(replace(terms, mark=forms.PEER))
    unmarked, bare = form.sample(replace(terms, mark="")), replace(terms, mark="")

    assert not something(form.read(foreign, terms))
    assert not something(form.read(f"> {unmarked}", bare))
    assert not something(form.read(f"Well.\n> {unmarked}", bare))
    assert something(form.read(f"{foreign}\n\n{own}\n\n{foreign}", terms))
    assert form.read(f"{unmarked}\n\nSaid {MARK}.", terms).unreadable == "unmarked"
    assert form.read(foreign, terms).unreadable == "other_mark"
    assert form.read(unmarked, terms).unreadable == "unmarked"
    assert form.read(unmarked, replace(terms, last=True, shown="Shall we?")).cautions[0] == "unmarked"
    assert form.read(f"{unmarked} But no.", replace(terms, last=True, shown="?")).unreadable == "quoted"


@every_form
def test_a_number_that_stands_in_an_answer_twice_in_two_ways_makes_it_none(name: str, form: FormSpec) -> None:
    terms = AnswerTerms(mark=MARK, options=lists(name)[0])
    twice = '"a_logic": 0.25' if name == "judgement" else '"confidence": 0.25'

    assert form.read(f"{form.sample(terms)[:-1]}, {twice}}}", terms).unreadable == "duplicate"


@every_form
def test_what_a_provider_may_enforce_names_the_mark_first_and_allows_nothing_else(name: str, form: FormSpec) -> None:
    for options in lists(name):
        schema, bare = (form.schema(AnswerTerms(mark=mark, options=options)) for mark in (MARK, ""))
        properties = dict(schema["properties"])  # type: ignore[call-overload]

        assert properties["mark"] == {"type": "string", "enum": [MARK]}
        assert list(properties) == schema["required"] == ["mark", *bare["required"]]  # type: ignore[misc]
        assert schema["additionalProperties"] is False


@every_form
def test_what_a_provider_may_enforce_is_closed_wherever_an_object_stands_in_it(name: str, form: FormSpec) -> None:
    waiting: list[object] = [form.schema(AnswerTerms(mark=MARK, options=lists(name)[0]))]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict) and part.get("type") == "object":
            assert (part["required"], part["additionalProperties"]) == (list(part["properties"]), False)
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()


@every_form
def test_the_example_of_a_file_can_be_read_from_one(name: str, form: FormSpec) -> None:
    if form.from_file is not None:
        _, answers = read_file(form.example, "", rounds=True)

        assert something(answers[0].read(name, LISTS.get(name, ())))
        assert answers[0].seat == json.loads(form.example)[0]["seat"]


def meant(form: str, chance: random.Random, mark: str, *, alone: bool = False) -> tuple[str, tuple[Fraction, ...]]:
    if form == "decision":
        ballot = garbage.valid(chance, mark, alone=alone)
        return ballot.text, (Fraction(ballot.confidence, 100), Fraction(ballot.risk, 100))
    stated = forms.stated(form, chance, mark, alone=alone)
    return stated.text, stated.numbers


def numbers(form: str, text: str, **asked: Any) -> tuple[Fraction | None, ...]:  # noqa: ANN401 - whatever terms there are
    if form != "decision":
        return forms.numbers_of(forms.read(form, text, **asked))
    terms = {"mark": MARK, "options": GATE, **asked}
    ballot = decision.read(text, AnswerTerms(**terms)).ballot
    return () if ballot is None else (ballot.confidence, ballot.risk)


DRAWN = pytest.mark.parametrize("form", ["decision", *forms.READERS])


@DRAWN
def test_replies_in_many_writings_are_read_as_meant_and_only_with_the_mark(form: str, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        marked, stated = meant(form, chance, MARK)
        unmarked, other = meant(form, chance, "")
        alone, only = meant(form, chance, "", alone=True)

        assert numbers(form, marked) == stated, f"seed {seed}: {marked}"
        assert numbers(form, unmarked, mark="") == other, f"seed {seed}: {unmarked}"
        refuses = form == "decision" and "REFUSE" in f"{alone}{unmarked}".upper()
        assert refuses or numbers(form, unmarked) == numbers(form, alone) == (), f"seed {seed}: {alone}"
        assert numbers(form, alone, last=True, shown="Shall we?") == only, f"seed {seed}: {alone}"
        assert numbers(form, alone, last=True, shown=alone) == (), f"seed {seed}: {alone}"


@DRAWN
def test_what_another_seat_wrote_never_counts_wherever_it_is_quoted(form: str, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        own, stated = meant(form, chance, MARK)
        peer, _ = meant(form, chance, forms.PEER)
        at = chance.choice((0, len(own)))
        quoted = chance.choice((peer, "\n> ".join(peer.splitlines()), peer.replace('"', '\\"')))

        assert numbers(form, f"{own[:at]}\n{quoted}\n{own[at:]}") in {(), stated}, f"seed {seed}: {own} {quoted}"
        assert numbers(form, quoted) == (), f"seed {seed}: {quoted}"


@pytest.mark.parametrize("form", forms.READERS)
def test_of_spoiled_replies_nothing_is_read_but_what_stands_there(form: str, seed: int) -> None:
    chance, read = random.Random(seed), 0
    for _ in range(120):
        text = garbage.spoiled(forms.stated(form, chance).text, chance)
        found = forms.read(form, text)

        assert something(found) != bool(found.unreadable), f"seed {seed}: {text}"
        assert not something(found) or forms.stands(form, found, text), f"seed {seed}: {text}"
        assert not something(forms.read(form, text, "length")), f"seed {seed}: {text}"
        read += something(found)
    assert read >= 12


def test_of_spoiled_ballots_none_becomes_act_that_was_not_meant_so(seed: int) -> None:
    chance, acts = random.Random(seed), 0
    for _ in range(600):
        text = garbage.spoiled(garbage.valid(chance).text, chance)
        ballot = decision.read(text, AnswerTerms(mark=MARK)).ballot
        if ballot is not None and ballot.choice == "ACT":
            acts += 1
            assert garbage.holds_act(text, MARK), f"seed {seed}: {text}"
    assert acts >= 12
