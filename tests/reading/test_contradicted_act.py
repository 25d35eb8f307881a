"""No ballot for ACT stands beside something more careful: neither doubled nor cut, nor around it, nor within."""

import json

import pytest

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Finish, Read
from quorate.reading.decision import from_file, read
from quorate.reading.text.decision_ballot import NAMES, conflict_with
from quorate.reading.text.labelled_lines import label_lines, labelled_ballot, other_labels
from quorate.reading.text.strict_json import load_json

OURS, THEIRS, OTHERS = "a1b2c3d4e5f6", "0f0f0f0f0f0f", "111111111111"
GATE = ("ACT", "WARN", "REFUSE")


def ballot(word: object = "ACT", mark: object = "", **beside: object) -> dict[str, object]:
    stated: dict[str, object] = {"decision": word, "confidence": 90, "risk": 10, "reasoning": "sound"}
    return {**({"mark": mark} if mark else {}), **stated, **beside}


def told(text: str, finish: Finish = "stop", *, shown: str = "", last: bool = False) -> str:
    return choice(read(text, AnswerTerms(mark=OURS, shown=shown, last=last), finish))


def handed(**fields: object) -> Read:
    written = load_json(json.dumps(fields))
    assert isinstance(written, dict)
    return from_file(written, AnswerTerms(options=GATE))


def choice(found: Read) -> str:
    return found.unreadable if found.ballot is None else "VETO" if found.ballot.veto else found.ballot.choice


@pytest.mark.parametrize("word", ["WARN", "REFUSE", "VETO", "ACT"])
def test_of_two_ballots_within_one_marked_object_neither_counts(word: str) -> None:
    both = json.dumps({"ballot": ballot(), "vote": ballot(word)})

    assert told(f"BALLOT {OURS} {both}") == told(f"BALLOT {OURS.upper()} {both}") == "ambiguous"
    assert told(json.dumps({"mark": OURS, "ballot": ballot(), "vote": ballot(word)})) == "ambiguous"
    assert told(json.dumps({"a": ballot(mark=OURS), "b": ballot(word, OURS)})) == "ambiguous"
    assert told(both) == "ambiguous"


@pytest.mark.parametrize("other", [{"decision": "WARN"}, {"decision": "VETO"}, {"confidence": 80}, {"risk": 20}])
def test_two_ballots_without_a_mark_count_where_they_agree_in_every_value(other: dict[str, object]) -> None:
    one, again, another = (json.dumps(ballot("REFUSE", **more)) for more in ({}, {"reasoning": "again"}, other))

    assert choice(read(f"{one}\n{again}")) == "REFUSE"
    assert choice(read(f"{one}\n{another}")) == "ambiguous"


def test_a_quoted_refusal_behind_an_approval_takes_nothing_back_and_words_behind_it_do() -> None:
    own, quoted = json.dumps(ballot(mark=OURS)), f"> BALLOT {json.dumps(ballot('REFUSE'))}"

    assert told(f"BALLOT {own}\n\n{quoted}\n\nThat was theirs.") == "ACT"
    assert told(f"BALLOT {own}\n\n{quoted}\n\nI refuse too.") == "contradicted"
    assert told(f"BALLOT {own}\n\nI refuse.\n\n{quoted}") == "contradicted"


@pytest.mark.parametrize("between", ["", " ", "\n"])
def test_what_another_ballot_for_act_reasons_takes_none_back(between: str) -> None:
    own, other = json.dumps(ballot(mark=OURS)), json.dumps(ballot(mark=THEIRS, reasoning="Some would refuse."))

    assert told(f"{own}{between}{other}") == "ACT"
    assert told(f"{own}{between}{other} I refuse.") == "contradicted"


def test_ballots_of_others_within_one_object_are_none_of_this_seat() -> None:
    assert told(json.dumps({"a": ballot(mark=THEIRS), "b": ballot("WARN", OTHERS)})) == "incomplete"
    assert told(json.dumps([ballot("REFUSE", THEIRS), ballot(mark=OURS)])) == "ACT"
    assert told(json.dumps(ballot("REFUSE", THEIRS, reply=ballot(mark=OURS)))) == "duplicate"
    assert told(json.dumps({"a": ballot(mark=OURS), "b": ballot("REFUSE", THEIRS)})) == "two_answers"
    assert told(json.dumps({"a": ballot("REFUSE", THEIRS), "b": ballot(mark=OURS)})) == "two_answers"


@pytest.mark.parametrize("where", ["beside", "around", "within", "deeper"])
@pytest.mark.parametrize(
    ("beside", "why"), [({"veto": True}, "also_vetoed"), ({"veto": "no", "Veto": "I use it"}, "also_vetoed")]
)
def test_a_veto_takes_an_approval_back_wherever_in_its_object_it_stands(
    where: str, beside: dict[str, object], why: str
) -> None:
    places = {
        "beside": ballot(mark=OURS, **beside),
        "around": {"mark": OURS, **beside, "ballot": ballot()},
        "within": ballot(mark=OURS, meta=beside),
        "deeper": {"mark": OURS, "ballot": ballot(), "meta": {"more": [{"most": beside}]}},
    }

    assert told(json.dumps(places[where])) == why


def test_a_decision_within_takes_an_approval_back_as_a_text_and_as_a_list() -> None:
    for deep in ({"decision": "REFUSE"}, {"outcome": ["REFUSE"]}, {"more": {"choice": "warn"}}):
        assert told(json.dumps(ballot(mark=OURS, note=deep))) in {"two_answers", "ambiguous"}
    assert told(json.dumps(ballot(mark=OURS, note={"refuse": True, "risk": "high", "conditions": ["a"]}))) == "ACT"


@pytest.mark.parametrize("name", ["decision", "confidence", "risk"])
def test_each_of_the_three_is_stated_once_and_whole(name: str) -> None:
    for word in ("ACT", "WARN"):
        written = json.dumps(ballot(word, OURS))
        value = json.dumps(ballot(word)[name])
        without = json.dumps({key: one for key, one in ballot(word, OURS).items() if key != name})

        assert told(written.replace('"reasoning"', f'"{name}": {value}, "reasoning"')) == "duplicate"
        assert told(without) == "incomplete"
        assert told(without, "length") == ("incomplete" if name == "decision" else "cut_short")


def test_a_reasoning_may_be_repeated_and_not_be_two() -> None:
    assert told(json.dumps(ballot(mark=OURS, rationale="sound"))) == "ACT"
    assert told(json.dumps(ballot(mark=OURS, rationale="unsound"))) == "duplicate"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('{"risk": 10, "confidence": 90, "decision": "WARN"', "WARN"),
        ('{"risk": 10, "confidence": 90, "decision": "WAR', "cut_short"),
        ('{"risk": 10, "decision": "WARN", "confidence": 9', "cut_short"),
        ('{"decision": "WARN", "confidence": 90, "risk": 1', "cut_short"),
        ('{"decision": "WARN", "confidence": 90, "risk": 1,', "WARN"),
        ('{"decision": "ACT", "confidence": 90, "risk": 1,', "cut_short"),
        ('{"decision": "REFUSE", "confidence": 90, "risk": 1, "reasoning": "so', "REFUSE"),
    ],
)
def test_a_ballot_that_was_cut_off_counts_by_values_that_are_whole_and_never_for_act(written: str, why: str) -> None:
    marked = written.replace("{", f'{{"mark": "{OURS}", ')

    assert told(marked) == told(marked, "length") == why


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("word", ["ACT", "WARN", "REFUSE"])
def test_of_lines_that_were_cut_off_the_last_may_go_on(word: str, end: str) -> None:
    lines = f"Mark: {OURS}\nDecision: {word}\nConfidence: 90\nRisk: 1{end}"

    assert told(lines) == word
    assert told(lines, "length") == ("cut_short" if word == "ACT" or not end else word)


@pytest.mark.parametrize(
    ("beside", "why"),
    [
        ({"veto": "who knows"}, "also_vetoed"),
        ({"refuse": "who knows"}, "also_refused"),
        ({"verdict": "No, too risky"}, "two_answers"),
        ({"verdict": "stop"}, "two_answers"),
        ({"status": "stop"}, "two_answers"),
        ({"status": "act"}, "two_answers"),
        ({"status": "stop at noon"}, "WARN"),
        ({"verdict": "act with care"}, "WARN"),
        ({"verdict": "warn"}, "WARN"),
    ],
)
def test_warn_is_taken_back_by_who_stops_or_goes_ahead(beside: dict[str, object], why: str) -> None:
    assert told(json.dumps(ballot("WARN", OURS, **beside))) == why
    assert choice(handed(**{**ballot("WARN"), **beside})) == why


def test_a_refusal_is_contradicted_by_nothing_and_nothing_contradicts_without_a_word() -> None:
    veto, act = ("veto", ("yes",)), ("verdict", ("ACT",))

    assert [conflict_with(word, [veto, act]) for word in ("REFUSE", "VETO")] == ["", ""]
    assert [conflict_with(word, []) for word in ("ACT", "WARN", "REFUSE")] == ["", "", ""]
    assert [conflict_with(word, [act]) for word in ("ACT", "WARN")] == ["", "two_answers"]
    assert [conflict_with(word, [veto]) for word in ("ACT", "WARN")] == ["also_vetoed", "also_vetoed"]


@pytest.mark.parametrize("name", ["recommendation", "status"])
def test_under_a_name_for_many_things_a_word_decides_and_a_sentence_does_not(name: str) -> None:
    for word in ("caution", "Conditional.", "stop", "abstained", "no", "UNSAFE"):
        assert told(json.dumps(ballot(mark=OURS, **{name: word}))) == "two_answers"
    for words in ("not started", "never mind", "no haste: nobody must REFUSE", "go"):
        assert told(json.dumps(ballot(mark=OURS, **{name: words}))) == "ACT"


@pytest.mark.parametrize(
    ("confidence", "risk", "cautions"), [(90, 10, ()), (0.9, 10, ("scale",)), (90, 0.1, ("scale",)), (1, 0, ())]
)
def test_a_share_where_a_percentage_was_asked_for_is_noticed_in_a_reply_and_in_a_file(
    confidence: float, risk: float, cautions: tuple[str, ...]
) -> None:
    stated = ballot(mark=OURS, confidence=confidence, risk=risk)

    assert read(json.dumps(stated), AnswerTerms(mark=OURS)).cautions == cautions
    assert handed(**stated).cautions == cautions


@pytest.mark.parametrize(
    ("beside", "why"),
    [
        ({"decision": "PERHAPS"}, "bad_decision"),
        ({"decision": "PERHAPS", "risk": "much"}, "bad_decision"),
        ({"confidence": "much"}, "bad_number"),
        ({"risk": 101}, "bad_number"),
        ({"choice": "WARN"}, "duplicate"),
    ],
)
def test_why_a_ballot_of_a_file_cannot_be_counted_is_told(beside: dict[str, object], why: str) -> None:
    assert choice(handed(**ballot(risk=100))) == "ACT"
    assert handed(**ballot(**beside)).unreadable == why


def test_a_veto_of_a_file_is_a_ballot_for_the_most_careful_option() -> None:
    vetoed = handed(decision="veto").ballot

    assert vetoed is not None
    assert (vetoed.choice, vetoed.veto) == ("REFUSE", True)


@pytest.mark.parametrize("mark", ["n/a", "<mark>", "", f"{THEIRS}0"])
def test_what_has_not_the_shape_of_a_mark_is_none(mark: str) -> None:
    written = json.dumps({**ballot(), "mark": mark})

    assert told(written) == "unmarked"
    assert told(written, last=True, shown="?") == "ACT"


def test_a_mark_in_front_does_not_make_what_was_shown_the_seats_own() -> None:
    shown = json.dumps(ballot())

    assert told(f"BALLOT {OURS} {shown}") == "ACT"
    assert told(f"BALLOT {OURS} {shown}", shown=f"They wrote {shown}") != "ACT"
    assert told(json.dumps(ballot(mark=OURS)), shown=f"They wrote {shown}") == "ACT"


def test_the_lines_of_a_ballot_are_those_that_state_it_and_not_too_many() -> None:
    text = "Mark: x\nDecision: ACT\nReason: sound\nConfidence: 90\nRisk: 10\nVeto: no\n"
    found = labelled_ballot(text, 0, len(text), NAMES)
    many = [labelled_ballot(text + "Reason: so\n" * more, 0, 10_000, NAMES) for more in (59, 60)]

    assert found is not None
    assert found.lines == ("Decision: ACT", "Confidence: 90", "Risk: 10")
    assert [text[begin:end] for begin, end in found.spans] == text.splitlines()[:-1]
    assert [one is None for one in many] == [False, True]
    assert other_labels(text, 0, len(text), NAMES) == [("veto", "no")]
    assert found.marks == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Decision: ACT\nSo.\nRisk: 10", ("Decision: ACT", "Risk: 10")),
        ("Outcome = ACT\nConfidence: 10", ("Outcome = ACT", "Confidence: 10")),
        ("\uff24ecision\uff1a ACT\nRisk: 10", ("\uff24ecision\uff1a ACT", "Risk: 10")),
        ("Decision: ACT\nReason: so", ()),
        ("Risk: 10\nConfidence: 90", ()),
    ],
)
def test_lines_are_pieces_of_a_ballot_where_a_decision_and_a_number_stand(text: str, lines: tuple[str, ...]) -> None:
    assert tuple(text[begin:end] for begin, end in label_lines(text)) == lines


@pytest.mark.parametrize("label", ["Reasoning", "Rationale", "Note"])
def test_a_mark_on_a_line_with_another_label_marks_no_lines(label: str) -> None:
    lines = "Decision: WARN\nConfidence: 70\nRisk: 20"

    assert told(f"{lines}\nMark: {OURS}") == "WARN"
    assert told(f"{lines}\n{label}: {OURS}") == "unmarked"


@pytest.mark.parametrize(
    ("sentence", "decides"),
    [
        ("We go ahead with the plan as it was asked for", False),
        ("Somebody else should look at this", True),
        ("Somebody else should look at this first", False),
        ("No reason to refuse was found in any of the papers we read", False),
        ("No reason to wait was found in any of the papers we read", True),
        ("Never do this before somebody has looked at the backups", True),
        ("After all this the seat would rather REFUSE than go ahead", True),
    ],
)
def test_a_sentence_for_an_answer_takes_an_approval_back_where_it_decides_otherwise(
    sentence: str, decides: bool
) -> None:
    assert told(json.dumps(ballot(mark=OURS, verdict=sentence))) == ("two_answers" if decides else "ACT")
