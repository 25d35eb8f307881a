"""What spares most texts the compiled patterns changes nothing of what is found in them."""

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.guard.injection import SIGNS, WORDING, phrases
from quorate.guard.injection.folding import fold, turn_around
from quorate.guard.injection.phrase_pattern import SpacedPhrases, unspaced_phrases
from quorate.guard.injection.wording import GAPS

SOUGHT = [spaced for _, spaced in SIGNS] + [unspaced_phrases(sign.letters) for sign in phrases.SIGNS]


def spoken(line: str, between: str) -> Iterator[str]:
    """A phrase as somebody may say it: in its first words or its last, whole, and with each of them left out."""
    slots = [["so"] if slot in GAPS else slot.strip("!^?").replace("*", "s").split("|") for slot in line.split()]
    for choice, out in product((0, -1), range(-1, len(slots))):
        yield between.join(words[choice] for place, words in enumerate(slots) if place != out)


def spelled_out(phrases_: str) -> str:
    """Phrases with every set of words in the place of its name."""
    for name, words in phrases.SETS.items():
        phrases_ = phrases_.replace(name, words)
    return phrases_


@pytest.mark.parametrize("sign", phrases.SIGNS, ids=[sign.does for sign in phrases.SIGNS])
def test_a_phrase_that_is_not_looked_for_is_not_there(sign: phrases.Sign) -> None:
    spaced, letters = spelled_out(sign.phrases).splitlines(), sign.letters.splitlines()
    texts = [text for line in spaced for text in spoken(line, " ")] + [
        one for line in letters for one in spoken(line, "")
    ]
    found = 0
    for folded in map(fold, texts):
        codes = WORDING.hear(folded).codes
        for sought in SOUGHT:
            for said in (codes, folded):
                places = [one.span() for one in sought.compiled.finditer(said)]
                found += bool(places)

                assert [one.span() for one in sought.finditer(said, frozenset(said))] == places, folded
    assert found


@given(st.text(st.characters(max_codepoint=127)))
def test_an_ascii_text_is_told_apart_into_the_same_words_as_any_other(text: str) -> None:
    folded = fold(text)

    assert WORDING.hear(folded).words == WORDING.hear(f"{folded}\u4e00").words


@pytest.mark.parametrize(("sign", "spaced"), SIGNS, ids=[sign.does for sign in phrases.SIGNS])
def test_the_name_of_a_set_stands_for_all_of_its_words(sign: phrases.Sign, spaced: SpacedPhrases) -> None:
    assert SpacedPhrases(spelled_out(sign.phrases), WORDING).compiled.pattern == spaced.compiled.pattern


@given(st.text(st.characters(max_codepoint=127)))
def test_an_ascii_text_is_folded_as_it_is_beside_any_other(text: str) -> None:
    assert fold(f"{text}\n\n\n\n") == fold(f"{text}\n\n\n\n\u4e00")[:-1]


TURNED = st.lists(st.sampled_from([*"ab1@$_%.:,;! \n\t-#é\u4e00\u0430\u3002", "ignore", "vtaber", "erongi", "a" * 30]))


@given(TURNED.map("".join))
def test_a_text_that_is_turned_around_has_the_words_of_the_text_turned_around(text: str) -> None:
    folded = fold(text)

    assert WORDING.readings(folded) == tuple(
        frozenset(WORDING.hear(said).codes) for said in (folded, *turn_around(folded))
    )
