"""Wherever an answer stands and whichever form it has: what was cut, quoted or only looks like a mark is seen alike."""

import json

import pytest

from quorate import catalogue
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Read
from quorate.model.specs import FormSpec
from quorate.reading.text.unreadable import STILL_SPEECH

MARK = "5eed5eed5eed"
LISTS = {"decision": ("ACT", "WARN", "REFUSE"), "argument": ("con",)}
FORMS = {name: catalogue.form(name) for name in sorted({*catalogue.names("form")} - {"speech"})}
every_form = pytest.mark.parametrize(("name", "form"), FORMS.items(), ids=list(FORMS))
AWAY = (0, 1, 2, 5, 94, 95, 96, 97, 98, 200)
"""Signs in front of an answer: none, few, about as many as are looked at, and more."""

SAMPLES = {
    "approval": 'BALLOT {"approved": ["something"], "confidence": 0.5, "rationale": "as said"}',
    "argument": 'ARGUMENT {"claims": ["It works"], "evidence": ["It took 3 hours"], "confidence": 0.5}',
    "assessment": 'ASSESSMENT {"agreed": [], "open": ["The cost"], "leaning": "balanced", "confidence": 0.5}',
    "decision": 'BALLOT {"decision": "WARN", "confidence": 50, "risk": 50, "reasoning": "as said"}',
    "estimate": 'BALLOT {"value": 12, "low": 10, "high": 15, "confidence": 0.5, "rationale": "as said"}',
    "finding": 'FINDING {"outcome": "UNDETERMINED", "confidence": 0.5, "reasoning": "as said", "evidence": []}',
    "judgement": 'JUDGEMENT {"a_evidence": 0.5, "a_logic": 0.5, "b_evidence": 0.5, "b_logic": 0.5}',
    "probability": 'FINDING {"outcome": "0.4", "confidence": 0.5, "reasoning": "as said", "evidence": []}',
    "quantity": 'FINDING {"outcome": "1", "confidence": 0.5, "reasoning": "as said", "evidence": []}',
    "ranking": 'BALLOT {"ranking": ["something", "something else"], "confidence": 0.5, "rationale": "as said"}',
    "vote": 'VOTE: {"option": "something", "confidence": 0.5, "rationale": "as said", "continue_debate": true}',
}


def terms(name: str, mark: str = MARK, *, last: bool = False) -> AnswerTerms:
    return AnswerTerms(mark=mark, options=LISTS.get(name, ()), last=last, shown="?" if last else "")


def something(found: Read) -> bool:
    return found.ballot is not None or found.argument is not None


@every_form
def test_a_sample_commits_itself_to_nothing_and_is_always_the_same(name: str, form: FormSpec) -> None:
    stated = json.loads(SAMPLES[name].partition(" ")[2])
    label, _, marked = form.sample(terms(name)).partition(" ")

    assert form.sample(terms(name, "")) == SAMPLES[name]
    assert (label, json.loads(marked)) == (SAMPLES[name].partition(" ")[0], {"mark": MARK, **stated})


@pytest.mark.parametrize(("name", "last"), [("finding", '"C"'), ("vote", '"1"'), ("approval", '["1"]')])
def test_a_sample_names_an_option_of_the_list(name: str, last: str) -> None:
    assert f": {last}, " in FORMS[name].sample(AnswerTerms(options=("A", "B", "C")))


@every_form
def test_an_answer_is_read_and_cut_out_wherever_it_stands(name: str, form: FormSpec) -> None:
    sample = form.sample(terms(name))
    alone = form.read(sample, terms(name))

    for away in AWAY:
        for before, behind in (("\n", ""), (" ", ""), ("\n\n", "\n"), (".\n", "\n\nSo it is.")):
            text = "x" * away + before + sample + behind
            found = form.read(text, terms(name))
            begin = away + len(before)

            assert (found.ballot, found.argument, found.unreadable) == (alone.ballot, alone.argument, ""), text
            assert found.cuts == ((begin, begin + len(sample)),), text


@every_form
@pytest.mark.parametrize("fence", ["```", "````json", "~~~"])
def test_the_fence_around_an_answer_is_cut_out_with_it(name: str, form: FormSpec, fence: str) -> None:
    sample = form.sample(terms(name))
    fenced = f"{fence}\n{sample}\n{fence.removesuffix('json')}"

    for away in AWAY:
        text = "x" * (away - 1) + "\n" * bool(away) + fenced + "\nSo it is."
        assert form.read(text, terms(name)).cuts == ((away, away + len(fenced)),), text
    assert form.read(f"{sample}\n```", terms(name)).cuts == ((0, len(sample)),)


@every_form
def test_an_answer_in_a_block_quote_is_none_however_much_stands_before_it(name: str, form: FormSpec) -> None:
    unmarked = form.sample(terms(name, ""))
    signs = ["\n> ", "\n- > ", "\n  * > "]
    signs += [] if name in {"decision", "finding", "probability", "quantity"} else ['\n"', "\n'", "\n\u201c", '\n**"']

    for away in AWAY:
        assert not any(something(form.read("x" * away + sign + unmarked, terms(name, ""))) for sign in signs)
        assert something(form.read("> x" + "x" * away + "\n" + unmarked, terms(name, "")))
    assert not something(form.read(f"> {unmarked}", terms(name, "")))


@every_form
def test_no_beginning_of_an_answer_is_one(name: str, form: FormSpec) -> None:
    sample = form.sample(terms(name)).replace("WARN", "ACT")

    for end in range(len(sample)):
        found = form.read(sample[:end], terms(name))
        assert not something(found), sample[:end]
        assert something(found) != bool(found.unreadable), sample[:end]


@every_form
def test_objects_of_another_kind_are_words_like_any_other(name: str, form: FormSpec) -> None:
    missing = {"vote": "no_vote", "argument": "no_argument"}.get(name, "no_ballot")

    for text in ('It has {"size": 3}. So.', 'It has {"a": {"size": 3}, "b": [{"size": 4}]}. So.'):
        found = form.read(text, terms(name))
        assert (found.unreadable, found.cuts) == (missing, ())


@every_form
@pytest.mark.parametrize("mark", ["n/a", "<mark>", "5eed", f"{MARK[:-1]}x", "0" * 13])
def test_what_has_not_the_shape_of_a_mark_is_as_no_mark(name: str, form: FormSpec, mark: str) -> None:
    written = form.sample(terms(name, mark))
    found = form.read(written, terms(name, last=True))

    assert (something(found), found.cautions) == (True, ("unmarked",))
    assert form.read(written, terms(name)).unreadable == "unmarked"
    assert form.read(written, terms(name, "")).cautions == ()


@every_form
def test_a_mark_in_capitals_is_the_mark(name: str, form: FormSpec) -> None:
    assert something(form.read(form.sample(terms(name, MARK.upper())), terms(name)))


@every_form
def test_two_marks_in_one_answer_are_none(name: str, form: FormSpec) -> None:
    sample = form.sample(terms(name))

    assert not something(form.read(sample.replace("{", '{"mark": "0f0f0f0f0f0f", ', 1), terms(name, last=True)))


@pytest.mark.parametrize("at", range(4))
def test_one_mark_copied_from_the_pattern_makes_a_judgement_a_placeholder(at: int) -> None:
    values = ["0.9", "0.8", "0.7", "0.6"]
    names = ("a_evidence", "a_logic", "b_evidence", "b_logic")

    def why(written: list[str]) -> str:
        line = ", ".join(f'"{name}": "{value}"' for name, value in zip(names, written, strict=True))
        return FORMS["judgement"].read(f"{{{line}}}").unreadable

    assert why(values) == ""
    assert why([*values[:at], "<number>", *values[at + 1 :]]) == "placeholder"
    assert why([*values[:at], "1.1", *values[at + 1 :]]) == "bad_number"
    assert why([*values[:at], "", *values[at + 1 :]]) == "incomplete"


PEER = "0f0f0f0f0f0f"


def stated(name: str) -> dict[str, object]:
    return dict(json.loads(SAMPLES[name].partition(" ")[2]))


@every_form
def test_a_marked_answer_needs_no_label_among_words(name: str, form: FormSpec) -> None:
    written = json.dumps({"mark": MARK, **stated(name)})

    for text in (f"So this: {written} is it.", f"{written}\n\n{{so}}", f"It is\n\n{written}"):
        assert something(form.read(text, terms(name))), text


@every_form
def test_what_looks_like_a_mark_under_another_name_or_in_a_list_is_none(name: str, form: FormSpec) -> None:
    for beside in ({"id": MARK}, {"mark": [MARK]}, {"mark": {"is": MARK}}):
        assert form.read(json.dumps({**stated(name), **beside}), terms(name)).unreadable == "unmarked"
    for none in ({"id": PEER}, {"mark": [PEER]}, {"mark": None}):
        found = form.read(json.dumps({**stated(name), **none}), terms(name, last=True))
        assert (something(found), found.cautions) == (True, ("unmarked",))


@every_form
def test_who_leaves_out_why_is_noticed_where_a_reason_was_asked_for(name: str, form: FormSpec) -> None:
    reasons = {"rationale", "reasoning"}
    asked = not reasons.isdisjoint(stated(name))
    silent = {key: value for key, value in stated(name).items() if key not in reasons}

    assert form.read(json.dumps({"mark": MARK, **stated(name)}), terms(name)).cautions == ()
    assert form.read(json.dumps({"mark": MARK, **silent}), terms(name)).cautions == ("no_rationale",) * asked
    assert form.read(json.dumps(silent), terms(name, last=True)).cautions == ("unmarked", *("no_rationale",) * asked)


@every_form
def test_a_reply_without_a_vote_is_a_speech_only_where_somebody_speaks(name: str, form: FormSpec) -> None:
    assert form.still_speech == (STILL_SPEECH if name in ("vote", "ranking") else frozenset())
    assert STILL_SPEECH.isdisjoint({"empty", "thinking_only", "placeholder", "refusal", "filter", "overfull"})


def shown_to(name: str, shown: str, *, last: bool = False) -> AnswerTerms:
    return AnswerTerms(mark=MARK, options=LISTS.get(name, ()), shown=shown, last=last)


@every_form
def test_a_mark_around_what_a_seat_was_shown_makes_it_no_answer_of_its_own(name: str, form: FormSpec) -> None:
    around = json.dumps({"mark": MARK, "vote": stated(name)})
    within = json.dumps({"mark": MARK, **stated(name)})
    shown = json.dumps(stated(name))

    assert something(form.read(around, shown_to(name, "")))
    assert not something(form.read(around, shown_to(name, shown)))
    assert something(form.read(within, shown_to(name, shown)))


@every_form
def test_a_code_put_beside_what_a_seat_was_shown_makes_it_no_answer_of_its_own(name: str, form: FormSpec) -> None:
    copied = json.dumps({**stated(name), "id": PEER})

    assert something(form.read(copied, shown_to(name, "?", last=True)))
    assert not something(form.read(copied, shown_to(name, json.dumps(stated(name)), last=True)))


@every_form
def test_an_unmarked_answer_is_none_where_others_wrote_one_in_whatever_writing(name: str, form: FormSpec) -> None:
    alone, turned = json.dumps(stated(name)), json.dumps(dict(reversed(stated(name).items())))
    within = json.dumps({"log": [json.dumps(stated(name))]})

    for shown in (alone, turned, turned.replace("0.5", "50 %"), turned.upper(), turned.replace("5", "7"), within):
        assert not something(form.read(alone, shown_to(name, shown, last=True))), shown
    assert something(form.read(alone, shown_to(name, '{"log": [{"level": "info", "took": 5}]}', last=True)))
