"""Several models for a seat, one number of attempts for all of them, and what a fallback does to independence."""

import json
from asyncio import StreamWriter
from contextlib import suppress

import pytest

from quorate.analysis.fault_domains import family, merge_domains, same_model
from quorate.engine.runner import Runner
from quorate.engine.seating import answered_by
from quorate.engine.verify import verify_record
from quorate.errors import PanelistError
from quorate.ledger import new_id, open_ledger
from quorate.middleware.deadline import TimeLimit
from quorate.middleware.fallback import Fallback
from quorate.middleware.retry import Retries, Retry
from quorate.model import Ask, Asked, Decided, Prompt, Question, Routed, Seat, SeatModel, Verdict
from quorate.model.charter import Charter
from quorate.settings.convene import convene
from quorate.testing import FAULTS, Faulty, Scripted
from quorate.views import Record
from quorate.views.document import document
from tests import servers
from tests.tribunal import PANEL

ASK = Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"), wants="decision", mark="5eed")
QUICK = Retries(base=0.0)


def ballots(decision: str = "ACT") -> servers.Act:
    """Answer whatever is asked with the same ballot, under the mark that the prompt gives."""

    async def act(writer: StreamWriter, seen: servers.Seen) -> bool:
        schema = seen.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        mark = schema.get("properties", {}).get("mark", {}).get("const", "")
        said = {"mark": mark, "decision": decision, "confidence": 90, "risk": 5, "reasoning": "It can be undone."}
        return await servers.said(json.dumps(said))(writer, seen)

    return act


def seated(*models: str) -> Charter:
    return Charter(panel=PANEL, models=tuple((seat.name, model) for seat, model in zip(PANEL, models, strict=True)))


async def held(charter: Charter) -> Record:
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        return await runner.hold(convene(Question(text="Shall we?"), charter))


def verdict(record: Record) -> Verdict:
    last = record.events[-1]
    assert isinstance(last, Decided)
    return last.verdict


@pytest.mark.parametrize(
    ("models", "asked"),
    [(1, (3,)), (2, (2, 1)), (3, (1, 1, 1)), (4, (1, 1, 1, 0))],
)
async def test_all_models_of_a_seat_share_one_number_of_attempts(models: int, asked: tuple[int, ...]) -> None:
    down = [Faulty("overloaded") for _ in range(models)]
    retry = Retry(Fallback([(f"m{n}", one) for n, one in enumerate(down)], 3), TimeLimit(), QUICK)
    with pytest.raises(PanelistError, match="overloaded"):
        await retry.answer(ASK)

    assert tuple(one.asked for one in down) == asked


async def test_a_failure_that_no_attempt_can_mend_moves_on_at_once() -> None:
    wrong, fine, moves = Faulty("wrong_key"), Scripted({"Safety": ["Well.", "Well."]}), list[tuple[str, ...]]()
    fallback = Fallback([("a", wrong), ("b", fine)], 3, lambda _, left, __: moves.append(left))
    retry = Retry(fallback, TimeLimit(), QUICK)
    await retry.answer(ASK)
    await retry.answer(ASK)

    assert (wrong.asked, len(fine.asked), moves) == (1, 2, [("b",)])


@pytest.mark.parametrize("why", ["budget", "deadline", "no_longer_needed"])
async def test_what_is_our_own_limit_is_no_reason_to_ask_another(why: str) -> None:
    ours, other = Scripted({"Safety": PanelistError(why)}), Faulty("slow")
    with pytest.raises(PanelistError, match=why):
        await Retry(Fallback([("a", ours), ("b", other)], 3), TimeLimit(), QUICK).answer(ASK)

    assert other.asked == 0


@pytest.mark.parametrize("fault", [kind for kind in FAULTS if kind not in {"never", "slow"}])
async def test_whatever_the_fault_a_seat_is_asked_at_most_as_often_as_allowed(fault: str) -> None:
    faulty = [Faulty(fault) for _ in range(3)]
    with suppress(PanelistError):
        await Retry(Fallback([(str(n), one) for n, one in enumerate(faulty)], 3), TimeLimit(), QUICK).answer(ASK)

    assert sum(one.asked for one in faulty) <= 3


async def test_first_choice_down_second_rate_limited_third_answers() -> None:
    limited = servers.failing(429, "slow down", "Retry-After: 0")
    async with (
        servers.Endpoint(otherwise=servers.failing(503)) as first,
        servers.Endpoint(otherwise=limited) as second,
        servers.Endpoint(otherwise=ballots()) as third,
    ):
        models = ", ".join(f"openai:m{n}@{one.url}" for n, one in enumerate((first, second, third)))
        record = await held(seated(models, models, models))
        routed = [event for event in record.events if isinstance(event, Routed)]
        asked = [event for event in record.events if isinstance(event, Asked)]

    assert verdict(record).outcome == "ACT"
    assert (len(first.seen), len(second.seen)) == (3, 3)
    assert len(asked) == sum(len(one.seen) for one in (first, second, third))
    assert max(event.sending for event in asked) == 3
    assert [event.seated.model.partition("@")[0] for event in routed] == ["openai:m1"] * 3 + ["openai:m2"] * 3
    assert all("failed: overloaded" in event.why for event in routed[:3])
    assert verify_record(record).same


async def test_seats_that_all_fall_back_on_one_model_are_one_voice() -> None:
    async with (
        servers.Endpoint(otherwise=servers.failing(503)) as a,
        servers.Endpoint(otherwise=servers.failing(503)) as b,
        servers.Endpoint(otherwise=ballots()) as last,
    ):
        spare = f"openai:spare@{last.url}"
        firsts = (f"openai:one@{a.url}", f"openai:two@{b.url}", f"openai:three@{last.url}")
        record = await held(seated(*(f"{model}, {spare}" for model in firsts)))
        shown = document(record)

    told = verdict(record)
    assert (told.outcome, told.rule, told.decided, told.requires_human_review) == ("WARN", "one_voice", False, True)
    assert "after fallbacks the 3 seats for ACT share models and count as 1 voice, so ACT becomes WARN" in told.because
    assert {"fallback", "one_voice"} <= {caution.name for caution in told.cautions}
    assert shown["verdict"]["withstands"]["domains"] == 1  # type: ignore[index]
    assert verify_record(record).same


async def test_wherever_a_record_breaks_off_it_goes_on_with_the_model_it_had_come_to() -> None:
    async with (
        servers.Endpoint(otherwise=servers.failing(401)) as down,
        servers.Endpoint(otherwise=ballots()) as fine,
    ):
        models = [f"openai:a{n}@{down.url}, openai:b{n}@{fine.url}" for n in range(3)]
        whole = (await held(seated(*models))).events
        moved = [place for place, event in enumerate(whole) if isinstance(event, Routed)]
        for cut in range(moved[-1] + 1, len(whole), 5):
            before, ledger, id_ = len(down.seen), open_ledger(":memory:"), new_id()
            async with ledger.own(id_) as book:
                for event in whole[:cut]:
                    book.write(event)
            async with Runner(ledger) as runner:
                record = await runner.resume(id_)

            assert len(down.seen) == before
            assert verdict(record).outcome == verdict(Record(id="", events=whole)).outcome


async def test_a_reply_that_names_another_model_is_an_event_and_a_caution() -> None:
    async def other(writer: StreamWriter, seen: servers.Seen) -> bool:
        seen.body["model"] = "quite-another"
        return await ballots()(writer, seen)

    async with servers.Endpoint(otherwise=other) as swapped, servers.Endpoint(otherwise=ballots()) as honest:
        plain = [f"openai:m{n}@{honest.url}" for n in range(2)]
        record = await held(seated(*plain, f"openai:asked@{swapped.url}"))

    (routed,) = (event for event in record.events if isinstance(event, Routed))
    assert (routed.seated.model.partition("@")[0], routed.seated.serves) == ("openai:asked", "quite-another")
    texts = [caution.text for caution in verdict(record).cautions if caution.name == "another_model"]
    assert len(texts) == 1
    assert texts[0].endswith("was asked, and quite-another answered")


@pytest.mark.parametrize(
    ("asked", "answered", "same"),
    [
        ("openai:gpt-x", "gpt-x-2026-01-31", True),
        ("openai:gpt-x", "gpt-x-mini", False),
        ("openrouter:maker/gpt-x:free", "maker/gpt-x", True),
        ("mistral:large-latest", "large-2512", True),
        ("ollama:llama3@http://127.0.0.1:1/v1", "llama3:8b", True),
        ("llamacpp:qwen3", "/models/Qwen3.gguf", True),
        ("openai:gpt-x?effort=high", "gpt-x", True),
        ("openai:gpt-x", "claude-y", False),
        ("cli:claude", "claude-opus-4-8", True),
        ("cli:claude?effort=high", "claude-sonnet-5-20260301", True),
        ("cli:claude/opus", "claude-opus-4-8", True),
        ("cli:claude/sonnet[1m]", "claude-sonnet-4-5-20250929", True),
        ("cli:claude/opus", "claude-haiku-4-5", False),
        ("cli:claude/claude-opus-4", "claude-opus-4-8", False),
        ("cli:gemini/flash", "gemini-2.5-flash", True),
        ("cli:gemini/flash", "gemini-2.5-flash-lite", False),
        ("cli:llm/gpt-x", "cli:llm/gpt-x", True),
        ("anthropic:claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
        ("anthropic:claude-opus-4-0", "claude-opus-4-20250514", True),
        ("gemini:gemini-2.5-flash", "gemini-2.5-flash-preview-05-20", True),
        ("gemini:gemini-2.0-flash", "gemini-2.0-flash-001", True),
        ("gemini:gemini-flash-latest", "gemini-2.5-flash-preview-09-2025", True),
        ("gemini:gemini-flash-latest", "gemini-2.5-flash-lite", False),
        ("gemini:gemini-2.5-pro", "gemini-3-pro", False),
        ("xai:grok-4", "grok-4-0709", True),
        ("openrouter:anthropic/claude-sonnet-4.5", "anthropic/claude-4.5-sonnet-20250929", True),
        ("openrouter:anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4", False),
        ("pydantic:openai:gpt-x", "gpt-x-2026-01-31", True),
        ("pydantic:openai:gpt-x", "openai:gpt-x", True),
        ("pydantic:openai:gpt-x", "gpt-y", False),
    ],
)
def test_editions_of_a_model_are_the_same_model(asked: str, answered: str, *, same: bool) -> None:
    assert same_model(asked, answered) is same


@pytest.mark.parametrize(
    ("seats", "domains"),
    [
        ((("openai:gpt-x", "openai"), ("openrouter:openai/gpt-x", "openai")), 1),
        ((("a:gpt-x@http://h1", "h1"), ("b:gpt-x-2026-01-31@http://h2", "h2")), 1),
        ((("a:m@http://h1", "h1"), ("b:n@http://h2", "h2"), ("c:n@http://h1", "h1")), 1),
        ((("a:m", "a"), ("b:n", "b")), 2),
        ((("test:scripted", "a"), ("test:scripted", "b")), 2),
    ],
)
def test_seats_on_one_provider_or_one_model_are_one_domain(seats: tuple[tuple[str, str], ...], domains: int) -> None:
    found = merge_domains([SeatModel(seat=str(n), model=model, domain=where) for n, (model, where) in enumerate(seats)])

    assert len({sat.domain for sat in found}) == domains
    assert family("Maker/Model-X:free") == "model-x"


@pytest.mark.parametrize(
    "named",
    [
        *("x@http://127.0.0.1:9/v1", "a/x@http://evil.example", "a/x@http://", "a/x@https://u:p@h", "a/x?heat=1", "/"),
        *("?", "@http://x", "a/x@http://h:0", "a?b/x", "a:b/c", " / ", "\ud800/x", "a/" + "x" * 10_000),
    ],
)
def test_a_name_in_a_reply_is_no_address(named: str) -> None:
    sat = SeatModel(seat="A", model="openrouter:maker/gpt-x", domain="maker")
    moved = answered_by(sat, named, dict)

    assert moved is not None
    assert (moved.model, moved.serves) == (sat.model, named)
    assert moved.domain in {"maker", "a"}


@pytest.mark.parametrize("named", ["openai/x", "anthropic/y", "z"])
def test_whoever_answers_at_a_given_address_stays_who_it_is(named: str) -> None:
    sat = SeatModel(seat="A", model="openrouter:maker/gpt-x@http://evil.example/v1", domain="evil.example:80")
    moved = answered_by(sat, named, dict)

    assert moved is not None
    assert moved.domain == sat.domain
