"""Which protocol a question gets where nobody names one."""

from dataclasses import replace

import pytest

from quorate import presets
from quorate.model import Question
from quorate.settings.convene import convene
from quorate.settings.layers import door_values
from quorate.settings.protocol_choice import LANGUAGES, choose_protocol
from quorate.settings.resolve import keep_to_named

CONFERENCE = [
    ("Which database should we use, Postgres or MySQL?", ("Postgres", "MySQL")),
    ("Which cloud: AWS, GCP or Azure?", ("AWS", "GCP", "Azure")),
    ("For our new service, which queue should we use, Kafka, NATS, or SQS?", ("Kafka", "NATS", "SQS")),
    ("Should we use Postgres or MySQL for the new service?", ("Postgres", "MySQL")),
    ("Should we use Amazon Aurora or MySQL?", ("Amazon Aurora", "MySQL")),
    ("Postgres or MySQL?", ("Postgres", "MySQL")),
    ("Should we merge this now or wait until Monday?", ()),
    ("Is Postgres or MySQL better for us?", ()),
    ("What should we call the new service?", ()),
    ("Who should own the on-call rota?", ()),
    ("How do we store sessions?", ()),
    ("In which region do we deploy first?", ()),
    ("Welche Datenbank nehmen wir, Postgres oder MySQL?", ("Postgres", "MySQL")),
    ("Was sollen wir als Nächstes bauen?", ()),
    ("Quelle base de données choisir, Postgres ou MySQL ?", ("Postgres", "MySQL")),
    ("¿Qué base de datos usamos, Postgres o MySQL?", ("Postgres", "MySQL")),
    ("Quale database usiamo, Postgres o MySQL?", ("Postgres", "MySQL")),
    ("Qual banco de dados usamos, Postgres ou MySQL?", ("Postgres", "MySQL")),
    ("Welke database nemen we, Postgres of MySQL?", ("Postgres", "MySQL")),
    ("Какую базу данных выбрать, Postgres или MySQL?", ("Postgres", "MySQL")),
]
TRIBUNAL = [
    "Should we delete the staging database?",
    "May the agent run: rm -rf build",
    "Is it safe to merge this?",
    "Can we drop or truncate the table?",
    "Is it safe to delete it or not?",
    "Should we require Python 3.11 or later?",
    "Given what we know, should we ship?",
    "Was the migration safe?",
    "Should we tell them what happened?",
    "Ship it?",
    "Delete the staging database",
    "Delete what is left of it",
    "Dürfen wir das Protokoll löschen?",
    "Faut-il supprimer la base ?",
    "¿Podemos borrar la base?",
    "Можно ли удалить базу?",
    "",
]


@pytest.mark.parametrize(("text", "options"), CONFERENCE)
def test_a_question_for_an_answer_goes_to_a_conference(text: str, options: tuple[str, ...]) -> None:
    choice = choose_protocol(Question(text=text))

    assert (choice.protocol, choice.options) == ("conference", options)


@pytest.mark.parametrize("text", TRIBUNAL)
def test_a_question_for_leave_goes_to_the_tribunal_and_so_does_what_is_neither(text: str) -> None:
    assert choose_protocol(Question(text=text)).protocol == "tribunal"


@pytest.mark.parametrize(
    "text",
    [
        "What are the pros and cons of microservices?",
        "Weigh the arguments for and against remote work",
        "Was sind die Vor- und Nachteile von Microservices?",
        "Quels sont les avantages et inconvénients du télétravail ?",
    ],
)
def test_a_proposal_to_weigh_is_debated(text: str) -> None:
    assert choose_protocol(Question(text=text)).protocol == "debate"


def test_sources_options_and_a_gate_go_before_words() -> None:
    which = Question(text="Which is right?")

    assert choose_protocol(which, sources=True).protocol == "oracle"
    assert choose_protocol(which, gate="").protocol == "tribunal"
    assert choose_protocol(which, gate="ACT").protocol == "tribunal"
    assert choose_protocol(which, gate="Postgres").protocol == "conference"
    assert choose_protocol(Question(text="Should we?", options=("a", "b")), gate="a").protocol == "conference"


def test_a_change_or_a_command_as_context_is_judged_by_the_tribunal() -> None:
    change = choose_protocol(Question(text="This one.", context="diff --git a/x b/x\n--- a/x\n"))
    command = choose_protocol(Question(text="This one.", context="$ rm -rf build"))

    assert (change.protocol, command.protocol) == ("tribunal", "tribunal")
    assert "change" in change.why
    assert "command" in command.why


def test_what_somebody_named_keeps_the_protocol_it_belongs_to() -> None:
    which = choose_protocol(Question(text="Which one?"))

    def kept(**said: object) -> str:
        return keep_to_named(which, door_values(said)).protocol

    assert kept(seats=("Safety=ollama:a",)) == "tribunal"
    assert kept(seats=("claude=ollama:a",)) == "conference"
    assert kept(rulebook="strict") == "tribunal"
    assert kept(settings=("veto=final",)) == "tribunal"
    assert kept(settings=("no-such-setting=1",)) == "conference"
    assert kept(seats=("Opponent=ollama:a",), settings=("no-such-setting=1",)) == "debate"


def test_the_sentence_says_what_was_chosen_why_and_how_to_choose_otherwise() -> None:
    choice = choose_protocol(Question(text="Which one, a or b?"))

    assert "using the conference protocol" in choice.sentence
    assert "among a, b, because it asks 'which'" in choice.sentence
    assert choice.alternative[:2] == ("protocol", "tribunal")
    assert choose_protocol(Question(text="Ship it?")).alternative[:2] == ("protocol", "conference")


def test_every_language_has_every_kind_of_word_in_lower_case() -> None:
    for words in LANGUAGES.values():
        for listed in (words.asks, words.should, words.may, words.either, words.weighs, words.no):
            assert listed
            assert all(word == word.casefold() for word in listed)


def test_a_long_text_is_chosen_for_at_once() -> None:
    assert choose_protocol(Question(text="or " * 40_000)).protocol == "tribunal"


@pytest.mark.parametrize(("said", "holds"), [((), "given"), ((("options", "open"),), "open")])
def test_options_given_to_a_named_conference_are_the_only_ones_that_can_win(
    said: tuple[tuple[str, str], ...], holds: str
) -> None:
    charter = presets.panel("conference")
    models = tuple((seat.name, "demo:scripted") for seat in charter.panel)
    question = Question(text="Which queue?", options=("Kafka", "NATS"))

    held = convene(question, replace(charter, models=models, settings=said))

    assert dict(held.settings)["options"] == holds
    assert "options" not in dict(convene(Question(text="Which?"), replace(charter, models=models)).settings)
