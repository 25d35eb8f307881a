"""Rankings as real models write them."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Ballot, Finish, Ranking
from quorate.reading.ranking import SPEC, instructions, read, repair, sample, schema
from quorate.reading.text.strict_json import load_json
from tests.reading.files import handed

OURS = "a1b2c3d4e5f6"
THEIRS = "0f0f0f0f0f0f"
PAPER = ("Stay on PostgreSQL", "Move to SQLite", "Write our own")
STAY, MOVE, OWN = PAPER
TERMS = AnswerTerms(mark=OURS, options=PAPER)
SECOND = f"{MOVE} > {STAY} = {OWN}"


def line(ranking: str, mark: str = OURS, more: str = '"confidence": 0.8, "rationale": "small"') -> str:
    bears = f'"mark": "{mark}", ' if mark else ""
    return f'{{{bears}"ranking": {ranking}, {more}}}'


def order(text: str, terms: AnswerTerms = TERMS, finish: Finish = "stop") -> str:
    """The order that was read, or why there is none."""
    found = read(text, terms, finish)
    assert (found.ballot is None) == bool(found.unreadable)
    return str(found.ballot.vote) if found.ballot else found.unreadable


@pytest.mark.parametrize(
    "written",
    ["BALLOT {}", "I looked at it.\n\nBALLOT {}", "**BALLOT:** {}", "```json\n{}\n```", "{}", '{{"vote": {}}}'],
)
def test_a_ranking_is_read_however_it_is_dressed(written: str) -> None:
    text = written.format(line('["2", "1", "3"]'))

    assert read(text, TERMS).ballot == Ballot(
        vote=Ranking(((MOVE,), (STAY,), (OWN,))), confidence=Fraction(4, 5), rationale="small"
    )


@pytest.mark.parametrize(
    ("written", "places"),
    [
        (f'["{MOVE}", "{STAY}", "{OWN}"]', ((MOVE,), (STAY,), (OWN,))),
        ('["move to sqlite.", "option 1", "3. Write our own"]', ((MOVE,), (STAY,), (OWN,))),
        ("[2, 1, 3]", ((MOVE,), (STAY,), (OWN,))),
        ('["2", ["1", "3"]]', ((MOVE,), (STAY, OWN))),
        ('[["2"], ["1", "3"]]', ((MOVE,), (STAY, OWN))),
        ('[["2", "1", "3"]]', ((MOVE, STAY, OWN),)),
        (f'["{MOVE} = {STAY}", "3"]', ((MOVE, STAY), (OWN,))),
        ('"2 > 1 = 3"', ((MOVE,), (STAY, OWN))),
        (f'"{MOVE}>{STAY}"', ((MOVE,), (STAY,), (OWN,))),
        ('{"1": "2", "2": "1", "3": "3"}', ((MOVE,), (STAY,), (OWN,))),
        ('{"2nd": "1", "1st": "2"}', ((MOVE,), (STAY,), (OWN,))),
        ('[{"rank": 2, "option": "1"}, {"rank": 1, "option": "2"}]', ((MOVE,), (STAY,), (OWN,))),
        ('[{"rank": 1, "option": "1"}, {"rank": 1, "option": "2"}]', ((STAY, MOVE), (OWN,))),
        ('[{"option": "3"}, {"option": "2"}]', ((OWN,), (MOVE,), (STAY,))),
        ('["3"]', ((OWN,), (STAY, MOVE))),
        ("['2', '1', '3',]", ((MOVE,), (STAY,), (OWN,))),
    ],
)
def test_the_order_is_read_however_it_is_written(written: str, places: tuple[tuple[str, ...], ...]) -> None:
    found = read(line(written), TERMS).ballot

    assert found is not None
    assert found.vote == Ranking(places)


@pytest.mark.parametrize("empty", ["[]", "{}", "[[]]"])
def test_an_order_under_another_name_is_not_the_ranking(empty: str) -> None:
    theirs = '"the_others": {"1": "3", "2": "1"}, "confidence": 0.8'

    assert order(line(empty, more=theirs)) == "no_option"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('["2", "2"]', "duplicate"),
        (f'["2", "{MOVE}"]', "duplicate"),
        ('["1", ["2", "1"]]', "duplicate"),
        ('"2 > 1 > 2"', "duplicate"),
        ('["2", "Use Oracle"]', "unknown_option"),
        ('["4"]', "unknown_option"),
        ('{"1": "2", "2": "Use Oracle"}', "unknown_option"),
        ("[<best>, <next best>, <and so on>]", "placeholder"),
        ('["<best>"]', "placeholder"),
        ('["your choice"]', "placeholder"),
        ("[]", "no_option"),
        ('""', "no_option"),
        ('["2", ""]', "no_option"),
        ('{"first": "2", "second": "1"}', "no_option"),
        ('{"1": ["2", "1"]}', "no_option"),
        ('["2", {"option": "1"}]', "no_option"),
        ('[{"rank": "best", "option": "1"}]', "bad_number"),
    ],
)
def test_what_is_no_order_is_unreadable_with_its_reason(written: str, why: str) -> None:
    assert order(line(written)) == why


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('"confidence": 8', "bad_number"),
        ('"rationale": "small"', "no_confidence"),
        ('"confidence": <number>', "bad_number"),
        ('"confidence": 0.8, "confidence": 0.9', "duplicate"),
        ('"ranking": ["1"], "confidence": 0.8', "duplicate"),
        (f'"mark": "{THEIRS}", "confidence": 0.8', "other_mark"),
    ],
)
def test_numbers_and_names_that_stand_there_twice_or_are_none_are_told(more: str, why: str) -> None:
    assert order(line('["2", "1"]', more=more)) == why


def test_an_option_is_taken_by_its_words_where_it_looks_like_an_order_itself() -> None:
    terms = AnswerTerms(mark=OURS, options=("A > B", "B = A", "C"))

    assert read(line('["B = A", "A > B"]'), terms).ballot == read(line('["2", "1"]'), terms).ballot
    assert read(line('"A > B"'), terms).ballot == read(line('["1"]'), terms).ballot


def test_options_that_are_numbers_are_never_taken_for_places() -> None:
    terms = AnswerTerms(mark=OURS, options=("3", "2", "1"))

    assert order(line('["1", "3"]'), terms) == "1 > 3 > 2"


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_ranking_that_was_cut_off_is_none(cut: int) -> None:
    assert order(line('["2", "1", "3"]')[:-cut]) == "cut_short"
    assert order(line('["2", "1", "3"]'), finish="length") == "cut_short"


def test_the_pattern_copied_as_it_stands_is_no_ranking_and_hides_none() -> None:
    paper = instructions(TERMS)

    assert order(paper) == "placeholder"
    assert order(f'BALLOT {{"mark": "{OURS}", "ranking": ["1", "<next best>"], "confidence": 0.') == "placeholder"
    assert order(f'BALLOT {{"mark": "{OURS}", "ranking": ["1", "2"], "confidence": 0.') == "cut_short"
    assert order(f"{paper}\n{line('[2]')}") == SECOND
    assert order(f"{line('[2]')}\n{paper}") == SECOND


@pytest.mark.parametrize("written", ['"abstain"', '["abstain"]', '"I abstain"'])
def test_who_abstains_ranks_nothing(written: str) -> None:
    for more in ('"confidence": 0.8', '"rationale": "no view"'):
        ballot = read(line(written, more=more), TERMS).ballot
        assert ballot is not None
        assert ballot.abstain
        assert ballot.vote == Ranking(())


def test_the_own_mark_counts_and_a_quotation_does_not() -> None:
    others = line('["3"]', THEIRS)

    assert order(f"They say {others}, and I say\n{line('[2]')}") == SECOND
    assert order(f"I refuse. They say {others}") == "other_mark"
    assert order(f"> {line('[3]', '')}\n\nI would not say.") == "quoted"
    assert order(line("[2]", "")) == "unmarked"


def test_two_own_rankings_that_differ_are_none() -> None:
    assert order(f"{line('[2, 1]')}\nNo, better:\n{line('[1, 2]')}") == "two_answers"


def test_a_second_ranking_that_runs_into_the_first_is_in_doubt() -> None:
    text = f'{{"mark": "{OURS}", "rationale": "they "ranking": ["3"] wrote", "ranking": ["2"], "confidence": 1}}'

    assert order(text) == "ambiguous"


def test_what_others_are_shown_holds_neither_the_ranking_nor_the_mark() -> None:
    text = f"Small is good.\n\nBALLOT {line('[2]')}\n"
    for begin, end in reversed(read(text, TERMS).cuts):
        text = text[:begin] + text[end:]

    assert text.strip() == "Small is good."


def test_the_schema_and_the_sample_agree_with_the_list() -> None:
    for options in (PAPER, ("1", "2"), ()):
        terms = AnswerTerms(mark=OURS, options=options)
        properties = schema(terms)["properties"]
        assert isinstance(properties, dict)
        assert [*properties] == ["mark", "rationale", "ranking", "confidence", "would_change"]
        assert read(sample(terms), terms).ballot is not None


def test_repair_says_what_was_wrong_and_shows_the_list_again() -> None:
    asked = repair("duplicate", TERMS)

    assert "something stood in its ranking twice" in asked
    assert "2. Move to SQLite" in asked
    assert OURS in asked


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"ranking": ["B", "A"]}', "B > A"),
        ('{"ranking": ["B", ["A", "C"]], "confidence": 0.8}', "B > A = C"),
        ('{"ranking": "B > A = C"}', "B > A = C"),
        ('{"ranking": {"1": "B", "2": "A"}}', "B > A"),
        ('{"ranking": "abstain"}', ""),
        ('{"ranking": ["B", "B"]}', "duplicate"),
        ('{"ranking": ["B", "b"]}', "duplicate"),
        ('{"ranking": ["A"], "ranking": ["B"]}', "duplicate"),
        ('{"ranking": []}', "no_option"),
        ('{"ranking": ["B", {"A": 1}]}', "no_option"),
        ('{"ranking": ["B", null]}', "no_option"),
        ('{"ranking": true}', "no_option"),
        ('{"ranking": ["B"], "confidence": 80}', "bad_number"),
        ('{"option": "B"}', "no_ballot"),
    ],
)
def test_a_ranking_is_handed_over_as_an_object(written: str, said: str) -> None:
    fields = load_json(written)
    assert isinstance(fields, dict)
    found = handed(SPEC, fields, AnswerTerms())

    assert (str(found.ballot.vote) if found.ballot else found.unreadable) == said


@given(st.permutations(PAPER), st.lists(st.booleans(), min_size=2, max_size=2))
def test_what_json_writes_is_read_as_it_was_meant(names: list[str], joined: list[bool]) -> None:
    places = [[names[0]]]
    for name, equal in zip(names[1:], joined, strict=True):
        places = [*places[:-1], [*places[-1], name]] if equal else [*places, [name]]
    text = json.dumps({"mark": OURS, "ranking": places, "confidence": 0.5}, indent=2)

    found = read(text, TERMS).ballot
    assert found is not None
    assert found.vote == Ranking(tuple(map(tuple, places)))
    assert order(line(json.dumps(" > ".join(" = ".join(place) for place in places)))) == str(found.vote)


@given(st.text(max_size=80), st.integers(0, 120))
def test_garbage_never_becomes_an_option_of_nobody(garbage: str, at: int) -> None:
    whole = line('["2", ["1", "3"]]')
    found = read(whole[:at] + garbage + whole[at:], TERMS).ballot

    if found is not None and isinstance(found.vote, Ranking):
        named = [option for place in found.vote.ranking for option in place]
        assert set(named) <= set(PAPER)
        assert len(set(named)) == len(named)


@pytest.mark.parametrize("words", ["abstain", "none", "I abstain."])
def test_to_abstain_is_no_option_that_could_be_ranked_in_a_file(words: str) -> None:
    assert handed(SPEC, {"ranking": [words, "Kafka"]}, AnswerTerms()).unreadable == "unknown_option"
    assert handed(SPEC, {"ranking": [words, "Kafka"]}, AnswerTerms(options=("Kafka", words))).ballot is not None


def test_a_ranking_of_more_options_than_can_be_counted_is_none() -> None:
    many = [f"option number {at} of many" for at in range(101)]

    assert handed(SPEC, {"ranking": many}, AnswerTerms()).unreadable == "overfull"
    assert handed(SPEC, {"ranking": many[1:]}, AnswerTerms()).ballot is not None


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ('[[], "A", "B"]', "A > B"),
        ('[[["A"], "B"], "C"]', "A = B > C"),
        ('["A"], "ranking": ["B"]', "duplicate"),
        ('["A", "B"], "notes": ["C"]', "A > B"),
        ('[{"option": "A", "rank": 2}, {"option": "B", "rank": 1}]', "B > A"),
        ('[{"option": "A"}, {"name": "B"}]', "A > B"),
        ('[{"option": "A", "rank": 1}, {"option": "B"}]', "bad_number"),
        ('[{"option": "A", "rank": 1}, {"rank": 2}]', "no_option"),
        ('[{"option": "A", "rank": 1, "rank": 2}, {"option": "B", "rank": 2}]', "no_option"),
        ('["A", {"option": "B"}]', "no_option"),
        ('{"1": "A", "2": "B"}', "A > B"),
        ('{"1": "A", "why": "B"}', "no_option"),
    ],
)
def test_an_order_of_any_shape_is_read_whole_or_not_at_all(written: str, read_as: str) -> None:
    assert order(line(written), AnswerTerms(mark=OURS)) == read_as


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ('["A", ["B", "C"]]', "A > B = C"),
        ('["A", ["B", null]]', "no_option"),
        ('["A", null]', "no_option"),
        ('{"2": "A", "1": "B"}', "B > A"),
        ('{"1": "A", "2": ["B"]}', "no_option"),
        ('"A > B"', "A > B"),
        ("null", "incomplete"),
    ],
)
def test_an_order_of_a_file_is_read_whole_or_not_at_all(written: str, read_as: str) -> None:
    fields = load_json(f'{{"ranking": {written}}}')
    assert isinstance(fields, dict)
    found = handed(SPEC, fields, AnswerTerms())

    assert (str(found.ballot.vote) if found.ballot else found.unreadable) == read_as
