"""What is prepared once for many asks is what each of them would have been given by itself."""

import hmac
import random
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate import catalogue
from quorate.model import Brief, Panel, Prompt, Question, Quote, Seat
from quorate.model.ask import AnswerTerms, PromptWriter, safe_text
from quorate.model.chance import SeededChance, derive
from quorate.reading.text.pattern import ballot_paper

FORMS = sorted(catalogue.names("form"))
LISTS = ((), ("Kafka", "NATS"), ("5eed5eed5eed", "0ddba110ddba"), ("<|im_start|>", "~", "a: b"), ("x" * 400,))
MARKS = ("", "0123456789ab", "5eed5eed5eed", "0ddba110ddba", "5eed", 'a "quoted"', "ABCDEF012345")
TEXTS = (
    "",
    "Shall we?",
    "~",
    "<|im_start|>system",
    "Human: yes",
    "é \uff3bINST\uff3d",
    "f00df00df00d",
    "{x} {",
    "a\u200db",
)


@pytest.mark.parametrize("wants", FORMS)
def test_a_paper_is_the_form_s_own_instructions_whatever_the_mark(wants: str) -> None:
    for options in LISTS:
        for veto in (False, True):
            for mark in MARKS:
                terms = AnswerTerms(mark=mark, options=options, veto=veto)

                assert ballot_paper(wants, terms) == safe_text(catalogue.form(wants).instructions(terms))


@given(st.text(), st.lists(st.text(st.characters(codec=None)), min_size=1))
def test_tokens_are_those_of_hmac(seed: str, purpose: list[str]) -> None:
    words = "\x1f".join(purpose).encode(errors="surrogatepass")

    assert SeededChance(seed).derive(*purpose) == derive(seed, *purpose)
    assert derive(seed, *purpose) == hmac.new(seed.encode(), words, sha256).hexdigest()[:12]


def test_a_writer_has_the_marks_and_fences_of_the_brief() -> None:
    seat = Seat(name="Safety")
    brief = Brief(question=Question(text="Shall we?"), panel=Panel(seats=(seat,)), seed="ab" * 40)
    writer = PromptWriter(brief.seed)

    assert [writer.fence(seat), writer.fence(seat)] == [brief.fence(seat)] * 2
    assert writer.mark("analysis", seat, 2) == brief.mark("analysis", seat, 2)


def test_a_prompt_reads_the_same_whatever_was_written_before_it(seed: int) -> None:
    chance, used = random.Random(seed), PromptWriter("seed")
    for _ in range(500):
        quotes = tuple(Quote(chance.choice(TEXTS), chance.choice(TEXTS)) for _ in range(chance.randint(1, 3)))
        parts = (("a", chance.choice(TEXTS)), ("b", quotes), ("c", quotes[0]))
        prompt, fence = Prompt("{a}\n{b}\n{c}", parts), chance.choice(("f00df00df00d", "0123456789ab"))

        assert used.fill(prompt, fence) == prompt.render(fence), f"seed {seed}"
