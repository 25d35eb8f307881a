import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from quorate.errors import BadSetting, PanelistError
from quorate.middleware import telemetry
from quorate.middleware.telemetry import Log, ObservedPanelist, Spans
from quorate.model import Ask, Prompt, Reply, Seat, Usage
from quorate.testing import Scripted

SECRET = "the plan nobody may read"
ASK = Ask(Seat(name="Safety"), "analysis", Prompt(SECRET), wants="decision")
REPLY = Reply(
    text="I would wait.", model="small-2026", usage=Usage(asked=12, answered=34, money=Fraction(1, 1000)), took=5
)
MODEL = "gemini:small@http://127.0.0.1:9/v1"


class Kept:
    """An SDK that keeps what it is told."""

    def __init__(self, *, words: bool = False) -> None:
        self._spans, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.watcher = Spans.begun(words=words, tracers=tracers, meters=MeterProvider([self._reader]))

    @property
    def spans(self) -> list[tuple[str, dict[str, object]]]:
        return [(span.name, dict(span.attributes or {})) for span in self._spans.get_finished_spans()]

    @property
    def parents(self) -> dict[str, bool]:
        return {span.name: span.parent is not None for span in self._spans.get_finished_spans()}

    @property
    def metrics(self) -> dict[str, list[tuple[float, dict[str, object]]]]:
        data = self._reader.get_metrics_data()
        assert data is not None
        told = (metric for group in data.resource_metrics for scope in group.scope_metrics for metric in scope.metrics)
        return {one.name: [*map(_point, one.data.data_points)] for one in told}


def _point(point: object) -> tuple[float, dict[str, object]]:
    assert isinstance(point, HistogramDataPoint)
    return point.sum, dict(point.attributes or {})


async def test_a_call_is_a_span_and_two_metrics_by_the_conventions() -> None:
    kept = Kept()
    with telemetry.watch_deliberation(kept.watcher, "abc", "tribunal"):
        await ObservedPanelist(Scripted({"Safety": REPLY}), MODEL, kept.watcher).answer(ASK)

    common = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "small",
    }
    (name, told), (outer, around) = kept.spans
    assert name == "chat small"
    assert told == {
        **common,
        "gen_ai.response.model": "small-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 34,
        "quorate.seat": "Safety",
        "quorate.round": "analysis",
        "quorate.attempt": 1,
    }
    assert (outer, around["gen_ai.conversation.id"]) == ("invoke_agent tribunal", "abc")
    assert kept.parents == {"chat small": True, "invoke_agent tribunal": False}
    served = {**common, "gen_ai.response.model": "small-2026"}
    assert sorted(kept.metrics["gen_ai.client.token.usage"], key=str) == [
        (12, {**served, "gen_ai.token.type": "input"}),
        (34, {**served, "gen_ai.token.type": "output"}),
    ]
    assert [about for _, about in kept.metrics["gen_ai.client.operation.duration"]] == [served]


async def test_a_call_that_fails_says_why_and_counts_no_tokens() -> None:
    kept = Kept()
    with pytest.raises(PanelistError):
        await ObservedPanelist(Scripted({"Safety": PanelistError("timeout", SECRET)}), MODEL, kept.watcher).answer(ASK)

    [(_, told)] = kept.spans
    assert told["error.type"] == "timeout"
    assert "gen_ai.client.token.usage" not in kept.metrics
    assert SECRET not in str(kept.spans) + str(kept.metrics)


@pytest.mark.parametrize("words", [True, False])
async def test_words_are_told_only_if_they_are_asked_for(words: bool) -> None:
    kept = Kept(words=words)
    await ObservedPanelist(Scripted({"Safety": REPLY}), MODEL, kept.watcher).answer(ASK)

    assert (SECRET in str(kept.spans), "I would wait." in str(kept.spans)) == (words, words)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Callable[[], str]]:
    path = tmp_path / "calls.jsonl"
    with telemetry.log_to(str(path)):
        yield path.read_text


async def test_the_log_holds_one_object_a_line_and_no_words(log: Callable[[], str]) -> None:
    by = Log()
    with by.deliberation("abc", "tribunal"):
        await ObservedPanelist(Scripted({"Safety": REPLY}), MODEL, by).answer(ASK)
        with pytest.raises(PanelistError):
            await ObservedPanelist(Scripted({"Safety": PanelistError("timeout", SECRET)}), MODEL, by).answer(ASK)

    began, call, failed, ended = map(json.loads, log().splitlines())
    assert (began["event"], ended["event"]) == ("deliberation_began", "deliberation_ended")
    assert {**call, "seconds": 0} == {
        "event": "call",
        "round": "analysis",
        "seat": "Safety",
        "attempt": 1,
        "model": MODEL,
        "answered_by": "small-2026",
        "finish": "stop",
        "tokens_in": 12,
        "tokens_out": 34,
        "dollars": 0.001,
        "seconds": 0,
    }
    assert failed["error"] == "timeout"
    assert SECRET not in log()


async def test_the_log_holds_words_if_they_are_asked_for(log: Callable[[], str]) -> None:
    await ObservedPanelist(Scripted({"Safety": REPLY}), MODEL, Log(words=True)).answer(ASK)

    told = json.loads(log())
    assert (told["prompt"], told["reply"]) == (SECRET, "I would wait.")


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(BadSetting, match=r"cannot write the log .*: Is a directory; give QUORATE_LOG another path"),
        telemetry.log_to(str(tmp_path)),
    ):
        raise AssertionError("it was taken for a log")


def test_an_sdk_that_nobody_has_configured_does_not_stand_in_the_way_of_the_log(log: Callable[[], str]) -> None:
    assert isinstance(telemetry.watcher({}), Log)
