import random
import time

import pytest

from quorate import catalogue
from quorate.model.ask import AnswerTerms
from quorate.model.ballot import Read
from quorate.reading import decision, speech
from quorate.reading.text.thinking import public_span

BALLOT = 'BALLOT {"mark": "0123456789ab", "decision": "ACT", "confidence": 80, "risk": 20, "reasoning": "as said"}'
REFUSES = BALLOT.replace("ACT", "REFUSE")
PAIRS = {
    "think": ("<think>", "</think>"),
    "thinking": ("<THINKING>", "</Thinking >"),
    "thought": ("<thought>", "</thought>"),
    "thoughts": ("<thoughts>", "</thoughts>"),
    "reflection": ("<reflection>", "</reflection>"),
    "scratchpad": ("<scratchpad>", "</scratchpad>"),
    "antthinking": ("<antThinking>", "</antThinking>"),
    "mm:think": ("<mm:think>", "</mm:think>"),
    "reasoning": ('<reasoning effort="high">', "</reasoning>"),
    "seed": ("<seed:think>", "</seed:think>"),
    "mistral": ("[THINK]", "[/THINK]"),
    "kimi": ("◁think▷", "◁/think▷"),
    "sky": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "command": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "gemma": ("<|channel>thought", "<channel|>"),
    "harmony": (
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    ),
}

FORMS = [name for name in catalogue.names("form") if name != "speech"]
MENTIONED = {**PAIRS, "harmony": ("<|channel|>", "<|channel|>final<|message|>")}


def read(text: str) -> Read:
    return decision.read(text, AnswerTerms(mark="0123456789ab"))


def words(text: str) -> str:
    begin, end = public_span(text)
    return text[begin:end]


@pytest.mark.parametrize(("opens", "ends"), PAIRS.values(), ids=PAIRS)
def test_thinking_is_private_and_casts_no_ballot(opens: str, ends: str) -> None:
    thought = read(f"{opens}What if {BALLOT}{ends}\nNo.\n{REFUSES}")

    assert thought.ballot is not None
    assert thought.ballot.choice == "REFUSE"
    assert words(f"{opens}hm{ends}Aloud.") == "Aloud."
    assert speech.read(f"{opens}hm{ends} \n").unreadable == "thinking_only"


@pytest.mark.parametrize(("opens", "ends"), MENTIONED.values(), ids=MENTIONED)
def test_thinking_that_never_ends_leaves_nothing_readable(opens: str, ends: str) -> None:
    assert words(f"Aloud. {opens}hm {BALLOT}") == ""
    assert read(f"{BALLOT}\n{opens}hm, wait").ballot is None
    assert read(f"{opens}hm\n{BALLOT}").ballot is None
    assert read(f"{opens}I might end with `{ends}`.\n{BALLOT}").ballot is None


@pytest.mark.parametrize("form", FORMS)
def test_no_ballot_counts_behind_a_tag_that_never_ends_whatever_it_is_called(form: str) -> None:
    terms = AnswerTerms(mark="0123456789ab", options=("Merge", "Wait") if form in ("approval", "ranking") else ())
    spec = catalogue.form(form)
    cast = spec.sample(terms)
    names = (
        "think hidden",
        "think time = 3",
        "THINK a='<'",
        "analysis",
        "draft",
        "inner_thoughts",
        "t\u04bbink",
        "ns:think",
    )
    tags = (
        *(f"<{name}>" for name in names),
        "\uff1cthink\uff1e",
        "&lt;think&gt;",
        "**<cot>**",
        "<think",
        "<t\u200bhink>",
    )

    def counts(text: str) -> bool:
        found = spec.read(text, terms)
        return found.ballot is not None or found.argument is not None

    assert [tag for tag in tags if counts(f"{tag}\nPerhaps\n{cast}\nLet me see.")] == []
    for honest in (
        f"<analysis>\nIt works.\n</analysis>\n{cast}",
        f"<answer>\n{cast}",
        f"I read <b> and <https://a.example/>.\n{cast}",
    ):
        assert counts(honest), honest


@pytest.mark.parametrize("tag", ["<think time = 3>", "\uff1cthink\uff1e", "\ufe64think\ufe65"])
def test_odd_spelling_leaves_thinking_private(tag: str) -> None:
    ends = tag.replace("think", "/think").replace(" time = 3", "")

    assert words(f"Aloud. {tag}hm {BALLOT}") == ""
    assert words(f"{tag}hm {BALLOT}{ends}Aloud.") == "Aloud."


@pytest.mark.parametrize(("opens", "ends"), PAIRS.values(), ids=PAIRS)
def test_a_template_may_begin_the_thinking_itself(opens: str, ends: str) -> None:
    del opens
    assert words(f"What if {BALLOT}{ends}Aloud.") == "Aloud."


@pytest.mark.parametrize(("opens", "ends"), MENTIONED.values(), ids=MENTIONED)
@pytest.mark.parametrize("quotes", ['""', "``", "''", "“”"])
def test_a_tag_in_quotation_marks_is_a_mention(opens: str, ends: str, quotes: str) -> None:
    said = f"Put {quotes[0]}{opens}{quotes[1]} and {quotes[0]}{ends}{quotes[1]} around it.\n\n"

    assert words(f"{said}{BALLOT}") == f"{said}{BALLOT}"


@pytest.mark.parametrize(
    "text",
    [
        f"<think>I might write </reasoning> here. {BALLOT}",
        f"<think>I might write [/THINK] here. {BALLOT}",
        f"<|channel|>analysis<|message|>I might write </think> here. {BALLOT}<|end|>",
        f"<|channel|>commentary to=functions.vote<|message|>{BALLOT}<|call|>",
        f"<|channel|>final<|message|>Done.<|return|>{BALLOT}",
        f"<think>I quote <|channel|>final<|message|>{BALLOT}",
        f'"so"<think>"hm" {BALLOT}',
        f"analysisThe user wants a vote. {BALLOT}",
    ],
)
def test_what_other_thinking_would_end_stays_private(text: str) -> None:
    assert read(text).ballot is None


def test_harmony_without_its_tokens_is_known_by_its_words() -> None:
    assert words(f"analysisWe might say {REFUSES}assistantfinalGo.\n{BALLOT}") == f"Go.\n{BALLOT}"
    assert words("analysis shows that it is final.") == "analysis shows that it is final."


@pytest.mark.parametrize(
    "text",
    [
        "I think <thinking about it> that x < y, [THINKING], a<b>c</b>.",
        "It ends with <|end|> and <|return|>, as Phi does.",
        "A list[THINKER], a reason, <reason>, <rethink>.",
    ],
)
def test_honest_words_are_meant_for_others(text: str) -> None:
    assert words(text) == text


def test_any_mixture_of_tags_shows_nothing_that_some_tag_had_hidden(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(2_000):
        opens, ends = chance.choice(list(PAIRS.values()))
        others = [tag for pair in PAIRS.values() if pair != (opens, ends) for tag in pair if "final" not in tag]
        noise = " ".join(chance.choices([*others, "words", '"', "`"], k=chance.randrange(6)))

        assert BALLOT not in words(f"{opens}{noise} {BALLOT} {noise}".replace(ends, "")), noise


@pytest.mark.parametrize(
    "piece",
    ["<think", "<", "[THINK", "<think>", "</think>", "<|channel|>", "<|channel|>final ", "< ", "<think ", "`<think>`"],
)
def test_it_takes_time_in_proportion(piece: str) -> None:
    before = time.process_time()
    public_span(piece * (400_000 // len(piece)))

    assert time.process_time() - before < 4


@pytest.mark.parametrize(
    ("text", "aloud"),
    [
        ('"<think>" is a tag.', '"<think>" is a tag.'),
        ('They write "</think>" at its end.', 'They write "</think>" at its end.'),
        ('Note:"<think>" is a tag.', 'Note:"<think>" is a tag.'),
        ('x"</think>" Aloud.', '" Aloud.'),
        ('"</think> Aloud.', " Aloud."),
        ('</think>" Aloud.', '" Aloud.'),
        ("It ends with '</think>", ""),
    ],
)
def test_a_tag_is_mentioned_only_where_quotation_marks_begin_and_end_with_it(text: str, aloud: str) -> None:
    assert words(text) == aloud
