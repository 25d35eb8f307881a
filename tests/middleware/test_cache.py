"""A cache of equal asks: never across marks, never what was cut off, on record all the same."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quorate.engine.runner import Runner
from quorate.errors import BadSetting
from quorate.ledger import open_ledger
from quorate.middleware.cache import CachedPanelist, ReplyCache, cache_of
from quorate.model import Ask, Asked, Prompt, Question, Reply, Seat, Usage
from quorate.settings.convene import convene
from quorate.settings.provider_settings import ProviderLimits
from quorate.testing import Scripted
from tests import servers
from tests.middleware.test_fallback import ballots, seated

ASK = Ask(Seat(name="Safety"), "analysis", Prompt("Shall we?"))


def asking(
    cache: ReplyCache, replies: int, model: str = "m", said: str | Reply = "Well."
) -> tuple[CachedPanelist, list[Ask]]:
    noted: list[Ask] = []
    return CachedPanelist(Scripted({"Safety": [said] * replies}), cache, model, noted.append), noted


async def test_the_same_ask_is_answered_once_and_then_costs_nothing() -> None:
    cached, noted = asking(ReplyCache(), 1)
    first, second = await cached.answer(ASK), await cached.answer(ASK)

    assert (first.text, second.text) == ("Well.", "Well.")
    assert second.usage == Usage(asked=0, answered=0, money=Fraction(0))
    assert noted == [ASK]


@pytest.mark.parametrize(
    "other",
    [
        replace(ASK, mark="5eed"),
        replace(ASK, prompt=Prompt("Shall we not?")),
        replace(ASK, wants="decision"),
        replace(ASK, options=("a", "b")),
    ],
)
async def test_whatever_differs_is_another_ask(other: Ask) -> None:
    cached, noted = asking(ReplyCache(), 2)
    await cached.answer(ASK)
    await cached.answer(other)

    assert noted == []


async def test_another_model_is_another_ask() -> None:
    cache = ReplyCache()
    for model in ("m", "n"):
        cached, noted = asking(cache, 1, model)
        await cached.answer(ASK)

        assert noted == []


@pytest.mark.parametrize(
    "reply", [Reply(text="Well, I", finish="length"), Reply(text=" "), Reply(text="No.", finish="refusal")]
)
async def test_what_was_not_said_to_the_end_is_not_kept(reply: Reply) -> None:
    cached, noted = asking(ReplyCache(), 2, said=reply)
    await cached.answer(ASK)
    await cached.answer(ASK)

    assert noted == []


async def test_a_file_outlives_the_process_and_survives_a_torn_line(tmp_path: Path) -> None:
    file = tmp_path / "cache.jsonl"
    await asking(ReplyCache(str(file)), 1)[0].answer(ASK)
    with file.open("a", encoding="utf-8") as opened:
        opened.write('{"key": "x", "te')
    cached, noted = asking(ReplyCache(str(file)), 0)

    assert (await cached.answer(ASK)).text == "Well."
    assert noted == [ASK]
    assert file.stat().st_mode & 0o077 == 0


def test_a_line_nested_without_end_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "cache.jsonl"
    file.write_text("[" * 200_000 + "\n")

    assert cache_of(str(file)) is not None


def test_a_cache_that_cannot_be_made_is_told_of_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="cannot be used"):
        cache_of(str(tmp_path / "nowhere" / "cache.jsonl"))

    assert cache_of("off") is None


async def test_the_same_deliberation_again_asks_nobody_and_another_asks_anew() -> None:
    async with servers.Endpoint(otherwise=ballots()) as endpoint:
        convened = convene(Question(text="Shall we?"), seated(*(f"openai:m{n}@{endpoint.url}" for n in range(3))))
        async with Runner(open_ledger(":memory:"), provider_limits=ProviderLimits(cache="memory")) as runner:
            first = await runner.hold(convened)
            asked = len(endpoint.seen)
            second = await runner.hold(convened)
            again = len(endpoint.seen)
            await runner.hold(replace(convened, seed="ab" * 32))
    prompts = [[event.prompt for event in record.events if isinstance(event, Asked)] for record in (first, second)]

    assert again == asked
    assert sorted(prompts[0]) == sorted(prompts[1])
    assert len(endpoint.seen) == 2 * asked
