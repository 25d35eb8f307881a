"""The protocol that suits a question, and panels made from flags, as the command line has them."""

import asyncio

from tests.doors.conftest import Quorate, Told
from tests.servers import Endpoint, said

WHICH = "Which database should we use, Postgres or MySQL?"


def planned(quorate: Quorate, *words: str) -> tuple[str, dict[str, str], str]:
    told = quorate("ask", *words, "--dry-run", "--json")
    assert told.code == 0, told.err
    seats = {one["seat"]: one["model"] for one in told.document["seats"]}
    return told.document["protocol"], seats, told.err


def test_a_question_that_asks_which_is_not_answered_with_act(quorate: Quorate) -> None:
    told = quorate("ask", WHICH, "--model", "demo:scripted", "--json")

    assert told.document["protocol"] == "conference"
    assert "among Postgres, MySQL" in told.err
    assert "because it asks 'which'" in told.err
    assert "--protocol tribunal" in told.err


def test_a_named_protocol_or_panel_wins_and_nothing_is_said(quorate: Quorate) -> None:
    for words in (("--protocol", "tribunal", "--model", "demo:scripted"), ("--panel", "demo")):
        protocol, _, err = planned(quorate, WHICH, *words)
        assert (protocol, err) == ("tribunal", "")


def test_route_chooses_the_protocol_that_ask_does(quorate: Quorate) -> None:
    told = quorate("route", WHICH, "--model", "ollama:a", "--json")

    assert told.document["protocol"] == "conference"


def test_seats_with_names_of_their_own_make_the_panel_where_seats_are_alike(quorate: Quorate) -> None:
    named = ("--seat", "claude=ollama:a", "--seat", "codex=ollama:b", "--seat", "gemini=ollama:c")

    for protocol in ("conference", "oracle", "delphi"):
        _, seats, err = planned(quorate, "How many?", "--protocol", protocol, *named)
        assert seats == {"claude": "ollama:a", "codex": "ollama:b", "gemini": "ollama:c"}
        assert "the panel is claude (ollama:a), codex (ollama:b), gemini (ollama:c)" in err


def test_several_models_make_a_seat_each_named_by_its_model(quorate: Quorate) -> None:
    _, seats, _ = planned(quorate, WHICH, "--model", "ollama:a", "--model", "vllm:org/b", "--model", "vllm:a")

    assert seats == {"a": "ollama:a", "b": "vllm:org/b", "a 2": "vllm:a"}


def test_several_models_are_dealt_to_seats_with_roles_in_order_and_said(quorate: Quorate) -> None:
    three = ("--model", "ollama:a", "--model", "ollama:b", "--model", "vllm:c")
    protocol, seats, err = planned(quorate, "Should we?", *three)
    assert (protocol, [*seats.values()]) == ("tribunal", ["ollama:a", "ollama:b", "vllm:c"])
    assert "using ollama:a for Utility, ollama:b for Accuracy, vllm:c for Safety" in err

    _, debate, _ = planned(quorate, "Should we?", "--protocol", "debate", *three)
    assert [*debate.values()][:3] == ["ollama:a", "vllm:c", "ollama:b"]


def test_more_models_than_seats_are_an_error_that_lists_the_seats(quorate: Quorate) -> None:
    models = [word for name in "abcd" for word in ("--model", f"ollama:{name}")]

    told = quorate("ask", "Should we?", *models)

    assert (told.code, told.out) == (1, "")
    assert "4 models are named" in told.err
    assert "Utility, Accuracy, Safety" in told.err


def test_a_seat_that_fits_nowhere_is_an_error_that_lists_the_seats(quorate: Quorate) -> None:
    told = quorate("ask", "Should we?", "--seat", "claude=ollama:a", "--model", "ollama:b")
    assert (told.code, told.out) == (1, "")
    assert "there are Accuracy, Safety, Utility" in told.err
    assert "--protocol conference" in told.err

    assert "did you mean 'Safety'?" in quorate("ask", "Should we?", "--seat", "Safty=ollama:a").err
    mistyped = quorate("ask", WHICH, "--seat", "Alhpa=ollama:a", "--model", "ollama:b")
    assert "did you mean 'Alpha'?" in mistyped.err


def test_a_model_for_nobody_and_a_panel_of_one_are_refused(quorate: Quorate) -> None:
    two = ("--seat", "claude=ollama:a", "--seat", "codex=ollama:b")

    assert "would answer for nobody" in quorate("ask", WHICH, *two, "--model", "ollama:c").err
    assert "one seat" in quorate("ask", WHICH, *two[:2]).err


def test_a_model_at_a_tool_is_understood(quorate: Quorate) -> None:
    _, seats, _ = planned(quorate, WHICH, "--model", "sonnet@claude", "--model", "llama3.2:3b@ollama")

    assert seats == {"sonnet": "cli:claude/sonnet", "llama3.2:3b": "ollama:llama3.2:3b"}


def test_a_bare_name_suggests_whose_model_it_may_be(quorate: Quorate) -> None:
    assert "cli:claude for the command-line tool, or anthropic:MODEL" in refused(quorate, "claude").err
    assert "anthropic:claude-sonnet-4-5" in refused(quorate, "claude-sonnet-4-5").err
    assert "openai:gpt-4.1" in refused(quorate, "gpt-4.1").err


def refused(quorate: Quorate, model: str) -> Told:
    told = quorate("ask", "Should we?", "--model", model)
    assert (told.code, told.out) == (1, "")
    return told


async def test_an_address_on_this_machine_needs_neither_a_scheme_nor_a_key(quorate: Quorate) -> None:
    async with Endpoint(otherwise=said("Decision: WARN\nConfidence: 80\nRisk: 30\nReasoning: wait")) as endpoint:
        host = endpoint.url.removeprefix("http://").removesuffix("/v1")
        told = await asyncio.to_thread(quorate, "ask", "Should we?", "--model", f"openai:m@{host}", "--json")

    assert told.document["verdict"]["outcome"] == "WARN"
    assert {seat["model"] for seat in told.document["seats"]} == {f"openai:m@http://{host}/v1"}
