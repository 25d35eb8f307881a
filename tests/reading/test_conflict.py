"""An answer that its own object contradicts is none, whatever its form; what else stands there is harmless."""

import json
from collections.abc import Mapping

import pytest

from quorate import catalogue
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Read
from quorate.reading.text.answer_file import FileAnswer
from quorate.reading.text.conflict import CONFLICTS
from quorate.reading.text.strict_json import load_json

MARK = "5eed5eed5eed"
LISTED = ("Kafka", "NATS", "Redis")

ANSWERS: Mapping[str, dict[str, object]] = {
    "decision": {"decision": "ACT", "confidence": 90, "risk": 10, "reasoning": "sound"},
    "vote": {"option": "Kafka", "confidence": 0.9, "rationale": "sound", "continue_debate": False},
    "approval": {"approved": ["Kafka", "Redis"], "confidence": 0.9, "rationale": "sound"},
    "ranking": {"ranking": ["Kafka", "NATS", "Redis"], "confidence": 0.9, "rationale": "sound"},
    "estimate": {"value": 12, "low": 10, "high": 15, "confidence": 0.9, "rationale": "sound"},
    "finding": {"outcome": "YES", "confidence": 0.9, "reasoning": "sound", "evidence": []},
    "probability": {"outcome": "0.9", "confidence": 0.9, "reasoning": "sound", "evidence": []},
    "quantity": {"outcome": "12", "confidence": 0.9, "reasoning": "sound", "evidence": []},
    "argument": {"claims": ["It works"], "evidence": ["It took 3 hours"], "confidence": 0.9},
    "assessment": {"agreed": [], "open": [], "leaning": "for", "confidence": 0.9},
    "judgement": {"a_evidence": 0.9, "a_logic": 0.9, "b_evidence": 0.1, "b_logic": 0.1},
}
OTHERS = {
    "decision": "REFUSE", "vote": "NATS", "approval": "NATS", "ranking": "NATS", "estimate": 99, "finding": "NO",
    "probability": "0.1", "quantity": "99", "argument": "con", "assessment": "against", "judgement": "B",
}  # fmt: skip
"""Another answer in each form."""
OPTIONS = dict.fromkeys(("vote", "approval", "ranking"), LISTED)
HANDED = tuple(name for name in ANSWERS if catalogue.form(name).from_file)


def read(form: str, **beside: object) -> Read:
    written = json.dumps({"mark": MARK, **ANSWERS[form], **beside}, ensure_ascii=False)
    return catalogue.form(form).read(written, AnswerTerms(mark=MARK, options=OPTIONS.get(form, ())))


def handed(form: str, **beside: object) -> Read:
    fields = load_json(json.dumps({"seat": "Ann", **ANSWERS[form], **beside}))
    assert isinstance(fields, dict)
    options = {"decision": ("ACT", "WARN", "REFUSE"), "finding": ("YES", "NO", "UNDETERMINED"), **OPTIONS}
    return FileAnswer(seat="Ann", round=1, fields=fields).read(form, options.get(form, ()))


def choice(found: Read) -> str:
    if found.ballot is None:
        return "case" if found.argument else found.unreadable
    return "VETO" if found.ballot.veto else str(found.ballot.vote)


def test_every_form_that_reads_an_answer_is_tried() -> None:
    assert set(ANSWERS) == set(catalogue.names("form")) - {"speech"}


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("name", ["veto", "VETO", "vetoed", "veto_used", "I veto", "uses-veto", "véto", "\uff36eto"])
def test_an_answer_with_a_veto_in_it_is_none(form: str, name: str) -> None:
    found = [read(form, **{name: value}).unreadable for value in (True, "true", "YES", "Yes.", 1, "1")]

    assert set(found) == {"also_vetoed"}


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("name", ["abstain", "Abstain", "abstains", "abstained", "abstention", "is_abstention"])
def test_an_answer_with_an_abstention_in_it_is_none(form: str, name: str) -> None:
    found = [read(form, **{name: value}).unreadable for value in (True, "yes", 1, "for lack of data", ["true"])]

    assert set(found) == {"also_abstained"}


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize(
    "beside",
    [
        *({name: True} for name in ("refuse", "Refused", "reject", "rejected", "blocked", "withdrawn", "invalid")),
        *({name: False} for name in ("approval", "proceed", "valid", "act")),
        {"proceed": "no, not yet"},
    ],
)
def test_an_answer_with_a_refusal_in_it_is_none(form: str, beside: dict[str, object]) -> None:
    assert read(form, **beside).unreadable == "also_refused"


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize(
    "name", ["vote", "verdict", "final_decision", "Final Answer", "finalChoice", "my-vote", "final"]
)
def test_an_answer_with_another_in_it_is_none(form: str, name: str) -> None:
    other = OTHERS[form]

    assert read(form, **{name: other}).unreadable == "two_answers"
    assert read(form, **{name: {"note": "this one"}}).unreadable == ""


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("name", ["choice", "Decision", "OUTCOME", "answer", "option"])
def test_another_answer_under_a_name_that_some_forms_read_is_none_either(form: str, name: str) -> None:
    if name.lower() not in ANSWERS[form]:
        assert read(form, **{name: OTHERS[form]}).unreadable in {"two_answers", "duplicate"}


@pytest.mark.parametrize("form", ["decision", "vote", "approval", "ranking", "finding", "argument", "estimate"])
def test_another_answer_in_an_object_of_its_own_is_seen(form: str) -> None:
    assert read(form, final={"decision": OTHERS[form]}).unreadable in {"two_answers", "ambiguous"}


HARMLESS: tuple[dict[str, object], ...] = (
    {"veto": False}, {"veto": "no"}, {"veto": "No."}, {"veto": None}, {"veto": 0}, {"veto": ""}, {"veto": "n/a"},
    {"veto": "not warranted: the harm is small"}, {"veto": "none"}, {"veto": []}, {"veto": "No grounds for a veto."},
    {"has_veto": True}, {"can_veto": True}, {"veto_power": True}, {"veto_reason": "nothing grave"},
    {"abstain": False}, {"abstain": "no"}, {"abstain": 0}, {"refusal": None}, {"refuse": False},
    {"approved_by": "nobody"}, {"proceed": True}, {"valid": True}, {"valid": None}, {"act": "deploy on Friday"},
    {"previous_decision": "REFUSE"}, {"initial_vote": "NATS"}, {"earlier_outcome": "NO"}, {"second_choice": "NATS"},
    {"warnings": ["watch the disk"]}, {"notes": "I refuse X"},
    {"seat": "Ann"}, {"model": "m-1"}, {"round": 2}, {"timestamp": 1700000000}, {"final": True}, {"final": "yes"},
    {"alternatives": [{"name": "NATS", "score": 0.2}]}, {"status": "final"}, {"result": "see above"},
    {"recommendation": "Proceed, and stop at the first error."}, {"stance": "as before"}, {"confidence_level": "high"},
)  # fmt: skip


@pytest.mark.parametrize("form", ANSWERS)
def test_what_contradicts_nothing_leaves_an_answer_as_it_is(form: str) -> None:
    alone = read(form)

    for beside in HARMLESS:
        found = read(form, **beside)
        assert (found.ballot, found.argument, found.unreadable) == (alone.ballot, alone.argument, ""), beside


@pytest.mark.parametrize("form", ["vote", "approval", "ranking"])
@pytest.mark.parametrize(
    "beside",
    [
        {"rejected": ["NATS"]}, {"veto": "NATS"}, {"against": ["cost", "NATS"]}, {"vote": "Kafka"}, {"answer": "1"},
        {"verdict": "Kafka, and not NATS"}, {"decision_made": "NATS"}, {"vote": "yes"}, {"answer": "It scales best."},
    ],
)  # fmt: skip
def test_a_vote_may_say_what_it_rejects_and_repeat_what_it_chose(form: str, beside: dict[str, object]) -> None:
    assert read(form, **beside).unreadable == ""


def test_a_list_of_very_many_answers_is_none_and_takes_no_time() -> None:
    assert read("vote", vote=["Kafka"] * 50).unreadable == ""
    assert read("vote", vote=["Kafka"] * 2_000).unreadable == "two_answers"


@pytest.mark.parametrize("form", ["vote", "approval", "ranking"])
@pytest.mark.parametrize("name", ["rejected", "veto", "refused", "against", "opposes"])
def test_who_rejects_what_is_chosen_takes_it_back(form: str, name: str) -> None:
    assert read(form, **{name: ["NATS", "Kafka"]}).unreadable in {"also_refused", "also_vetoed"}


def test_a_vote_on_no_list_is_contradicted_by_another_option_and_not_by_more_words() -> None:
    def words(beside: str) -> str:
        written = {"option": "Use Kafka", "confidence": 0.9, "rationale": "sound", "final_vote": beside}
        return catalogue.form("vote").read(json.dumps(written)).unreadable

    assert (
        words("Kafka") == words("use kafka for events") == words("Kafka it is, since nothing else scales as well") == ""
    )
    assert words("NATS") == words("Do not use Kafka") == words("no") == words("abstain") == "two_answers"


BESIDE_ACT = (
    {"verdict": "Refuse: the backup is old"}, {"final_decision": "No, too risky"}, {"vote": "warn"},
    {"vote": "abstain"}, {"answer": "I would REFUSE"}, {"verdict": "not yet"}, {"recommendation": "Reject"},
    {"decision_2": "VETO"}, {"do_not_proceed": True}, {"no-go": "yes"}, {"not_safe": 1},
    {"verdict": "no reason to act"},
    {"veto": "I use it"}, {"veto": 0.5}, {"veto": ["yes"]}, {"veto": {"used": True}}, {"veto": "No way: VETO"},
    {"meta": {"veto": True}}, {"meta": {"deep": {"decision": "REFUSE"}}}, {"refuse": "too dangerous"},
    {"warn": True}, {"unsafe": "yes"}, {"safe": False}, {"safe_to_act": "no"}, {"REFUSE": True}, {"ACT": False},
)  # fmt: skip


@pytest.mark.parametrize("beside", BESIDE_ACT, ids=json.dumps)
def test_nothing_that_says_otherwise_beside_it_is_read_as_act(beside: dict[str, object]) -> None:
    assert read("decision", **beside).unreadable in CONFLICTS


@pytest.mark.parametrize(
    "beside", [{"verdict": "No objections"}, {"safe": True}, {"vote": "approve"}, {"verdict": "act"}]
)
def test_what_says_the_same_as_act_leaves_it(beside: dict[str, object]) -> None:
    assert choice(read("decision", **beside)) == "ACT"


@pytest.mark.parametrize(
    ("beside", "meant"),
    [
        ({"veto": True}, "also_vetoed"),
        ({"abstain": "yes"}, "also_abstained"),
        ({"proceed": False}, "also_refused"),
        ({"verdict": "REFUSE"}, "two_answers"),
        ({"final_decision": "ACT"}, "two_answers"),
        ({"safe": False, "warn": True, "proceed": True}, "WARN"),
        ({"verdict": "Proceed with caution"}, "WARN"),
    ],
)
def test_warn_is_contradicted_by_what_refuses_and_not_by_its_concerns(beside: dict[str, object], meant: str) -> None:
    assert choice(read("decision", decision="WARN", **beside)) == meant


@pytest.mark.parametrize("value", [True, "yes", "TRUE", 1])
def test_to_refuse_and_to_say_that_it_is_a_veto_is_a_veto(value: object) -> None:
    assert choice(read("decision", decision="REFUSE", veto=value)) == "VETO"
    assert choice(handed("decision", decision="REFUSE", veto=value)) == "VETO"


@pytest.mark.parametrize("word", ["REFUSE", "VETO"])
@pytest.mark.parametrize(
    "beside", [{"veto": False}, {"veto": "who knows"}, {"abstain": True}, {"final_decision": "ACT"}]
)
def test_what_refuses_never_becomes_milder_by_what_stands_beside_it(word: str, beside: dict[str, object]) -> None:
    assert choice(read("decision", decision=word, **beside)) == word
    assert choice(handed("decision", decision=word, **beside)) == word


@pytest.mark.parametrize("line", ["Veto: yes", "**Veto:** I use it", "Final decision: REFUSE", "- Abstain: yes"])
def test_a_ballot_on_labelled_lines_is_contradicted_by_a_line_among_them(line: str) -> None:
    written = "Decision: ACT\nConfidence: 90\n{line}\nRisk: 10\nReasoning: sound"
    form = catalogue.form("decision")

    assert form.read(written.format(line=line)).unreadable in CONFLICTS
    assert choice(form.read(written.format(line="Veto: no"))) == "ACT"
    assert choice(form.read(written.format(line=line).replace("ACT", "REFUSE"))) in {"REFUSE", "VETO"}


@pytest.mark.parametrize("form", ANSWERS)
def test_what_stands_around_an_answer_counts_too(form: str) -> None:
    terms = AnswerTerms(mark=MARK, options=OPTIONS.get(form, ()))
    alone, with_more = (json.dumps({"mark": MARK, **more, "vote": ANSWERS[form]}) for more in ({}, {"abstain": True}))

    assert catalogue.form(form).read(alone, terms).unreadable == ""
    assert catalogue.form(form).read(with_more, terms).unreadable == "also_abstained"


@pytest.mark.parametrize("form", HANDED)
@pytest.mark.parametrize("name", ["Veto", "abstain", "final_decision"])
def test_an_answer_of_a_file_is_contradicted_alike(form: str, name: str) -> None:
    assert handed(form).unreadable == handed(form, model="m", note="none", veto=False, abstain=None).unreadable == ""
    assert handed(form, **{name: OTHERS[form] if name == "final_decision" else True}).unreadable in CONFLICTS


def test_a_decision_of_a_file_in_another_case_is_another_decision() -> None:
    assert handed("decision", Decision="REFUSE").unreadable == "two_answers"
    assert choice(handed("decision", Decision="ACT")) == "ACT"


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("why", sorted(CONFLICTS))
def test_the_seat_is_told_what_contradicts_its_answer(form: str, why: str) -> None:
    asked = catalogue.form(form).repair(why, AnswerTerms(mark=MARK, options=OPTIONS.get(form, ())))

    said = {"also_vetoed": "and a veto", "also_abstained": "and an abstention", "also_refused": "refuses"}
    assert said.get(why, "two answers that differ") in asked


@pytest.mark.parametrize("name", ["override", "modified_decision", "verified", "threshold", "Safety says", "x"])
@pytest.mark.parametrize("word", ["REFUSE", "veto", "WARN", ["ACT", "REFUSE"]])
def test_a_more_careful_word_alone_under_any_name_takes_an_approval_back(name: str, word: object) -> None:
    assert choice(read("decision", **{name: word})) in CONFLICTS
    assert choice(handed("decision", **{name: word})) in CONFLICTS


@pytest.mark.parametrize(
    "name", ["previous_decision", "Initial vote", "original", "opponent", "fallback", "unless_met"]
)
def test_what_was_decided_at_another_time_or_by_others_takes_nothing_back(name: str) -> None:
    assert choice(read("decision", **{name: "REFUSE"})) == "ACT"
    assert choice(handed("decision", **{name: "REFUSE"})) == "ACT"


@pytest.mark.parametrize(
    "beside",
    [
        {"final": {"decision": "REFUSE"}},
        {"revision": {"round": 3, "decision": "VETO"}},
        {"meta": {"deep": [{"outcome": "WARN"}]}},
        {"meta": [{"veto": True}]},
    ],
    ids=json.dumps,
)
def test_an_approval_of_a_file_is_taken_back_by_what_stands_deeper_in_its_object(beside: dict[str, object]) -> None:
    assert choice(handed("decision", **beside)) in CONFLICTS
    assert choice(handed("decision", decision="REFUSE", **beside)) in {"REFUSE", "VETO"}


@pytest.mark.parametrize(
    "beside",
    [
        {"previous": {"decision": "REFUSE"}},
        {"meta": {"veto": False, "decision": "ACT"}},
        {"alternatives": [{"option": "WARN"}]},
        {"usage": {"tokens": [1, {"in": 2}]}},
    ],
    ids=json.dumps,
)
def test_what_stands_deeper_in_an_object_of_a_file_and_says_nothing_else_is_harmless(beside: dict[str, object]) -> None:
    assert choice(handed("decision", **beside)) == "ACT"


@pytest.mark.parametrize("name", ["final_decision", "verdict", "vote"])
@pytest.mark.parametrize(
    "words",
    [
        "I refuse",
        "We must refuse",
        "should not proceed",
        "hard no",
        "disapproved",
        "cancelled",
        "hold",
        "v\u00e9to",
        "re\u200bfuse",
    ],
)
def test_few_words_for_another_answer_need_not_be_known_to_take_an_approval_back(name: str, words: str) -> None:
    assert choice(read("decision", **{name: words})) in CONFLICTS


@pytest.mark.parametrize(
    "words",
    [
        "ACT", "Act.", "act with conditions", "approve", "Proceed with caution", "yes", True, "go ahead", "", None,
        "No further concerns", "no reason to refuse", "safe to proceed",
    ],
)  # fmt: skip
def test_few_words_that_agree_let_an_approval_stand(words: object) -> None:
    assert choice(read("decision", verdict=words)) == "ACT"


def test_a_no_that_is_said_twice_is_one_answer() -> None:
    found = catalogue.form("finding").read(
        json.dumps({**ANSWERS["finding"], "mark": MARK, "outcome": "NO", "verdict": "No"}), AnswerTerms(mark=MARK)
    )
    voted = catalogue.form("vote").read(
        json.dumps({**ANSWERS["vote"], "mark": MARK, "option": "No", "vote": "no"}), AnswerTerms(mark=MARK)
    )

    assert (choice(found), choice(voted)) == ("NO", "No")
