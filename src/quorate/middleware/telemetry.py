"""What was asked of whom and how it went, for whoever watches a running system: spans and metrics, or a plain log.

Spans and metrics follow OpenTelemetry's conventions for generative AI and go to the SDK the program has configured.
Without one, the logger `quorate` writes one JSON object a line, if anybody has turned it on. Keys are in neither;
prompts and replies only if they are asked for.
"""

import json
import logging
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Protocol

from quorate.errors import BadSetting, PanelistError
from quorate.frozen import dataclass
from quorate.model import Ask, Reply, Usage
from quorate.panelists import Panelist, WordListener, ignore_words

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram, MeterProvider
    from opentelemetry.trace import Span, Tracer, TracerProvider

__all__ = ["CallWatcher", "Log", "ObservedPanelist", "Spans", "log_to", "watch_deliberation", "watcher"]

LOGGER: Final = logging.getLogger("quorate")
TOKEN_BUCKETS: Final = tuple(4**power for power in range(14))
SECOND_BUCKETS: Final = tuple(0.01 * 2**power for power in range(14))


@dataclass(slots=True)
class Call:
    """One call while it is under way, and what became of it."""

    model: str
    ask: Ask
    began: float
    reply: Reply | None = None
    why: str = ""

    @property
    def provider(self) -> str:
        return self.model.partition(":")[0]

    @property
    def name(self) -> str:
        """The model alone: neither its address nor its options."""
        return self.model.partition(":")[2].partition("@")[0].partition("?")[0] or self.model


class CallWatcher(Protocol):
    """Whoever is told of deliberations and calls."""

    def deliberation(self, id_: str, protocol: str) -> AbstractContextManager[object]:
        """Around everything that is done for one deliberation in this process."""
        ...

    def call(self, model: str, ask: Ask) -> AbstractContextManager[Call]:
        """Around one call to a model."""
        ...


def watcher(environ: Mapping[str, str]) -> CallWatcher | None:
    """Who watches, if anybody: the SDK this program has configured, else the log if it is on.

    `QUORATE_LOG_WORDS=1` has prompts and replies written too.
    """
    words = environ.get("QUORATE_LOG_WORDS", "") in {"1", "true", "yes"}
    if _configured():
        return Spans.begun(words=words)
    return Log(words=words) if LOGGER.isEnabledFor(logging.INFO) and LOGGER.hasHandlers() else None


def _configured() -> bool:
    """Whether the program has given OpenTelemetry somewhere to report to."""
    # Nobody has configured what nobody has imported, and to import it takes longer than to start.
    if "opentelemetry.sdk" not in sys.modules:
        return False
    from opentelemetry import metrics, trace  # noqa: PLC0415  an extra, and only where it is in use

    providers = (type(trace.get_tracer_provider()), type(metrics.get_meter_provider()))
    return any(not kind.__module__.startswith(("opentelemetry.trace", "opentelemetry.metrics")) for kind in providers)


@contextmanager
def log_to(where: str) -> Generator[None]:
    """Write the log to a file meanwhile, to standard error for `-`, nowhere if nothing is said.

    Raises:
        BadSetting: the file cannot be written.
    """
    if not where:
        yield
        return
    try:
        scribe = logging.StreamHandler() if where == "-" else logging.FileHandler(Path(where), encoding="utf-8")
    except OSError as wrong:
        raise BadSetting(f"cannot write the log {where!r}: {wrong.strerror}; give QUORATE_LOG another path") from wrong
    scribe.setFormatter(logging.Formatter("%(message)s"))
    before, LOGGER.propagate = (LOGGER.level, LOGGER.propagate), False
    LOGGER.addHandler(scribe)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(scribe)
        scribe.close()
        LOGGER.setLevel(before[0])
        LOGGER.propagate = before[1]


class ObservedPanelist:
    """A panelist whose calls are watched."""

    def __init__(self, panelist: Panelist, model: str, by: CallWatcher) -> None:
        self._panelist = panelist
        self._model = model
        self._by = by

    async def answer(self, ask: Ask, overheard: WordListener = ignore_words) -> Reply:
        """Answer, and have it told.

        Raises:
            PanelistError: what the panelist raises.
        """
        with self._by.call(self._model, ask) as call:
            try:
                call.reply = await self._panelist.answer(ask, overheard)
            except PanelistError as gone:
                call.why = gone.why
                raise
            except BaseException as cut:
                # Cancelled: the deadline, a veto, or the program is being stopped.
                call.why = type(cut).__name__
                raise
            return call.reply


@dataclass(frozen=True, slots=True)
class Log:
    """One JSON object a line."""

    words: bool = False

    @contextmanager
    def deliberation(self, id_: str, protocol: str) -> Generator[None]:
        """Tell when work on a deliberation begins and ends here."""
        began = perf_counter()
        self._write(event="deliberation_began", deliberation=id_, protocol=protocol)
        try:
            yield
        finally:
            self._write(event="deliberation_ended", deliberation=id_, seconds=round(perf_counter() - began, 3))

    @contextmanager
    def call(self, model: str, ask: Ask) -> Generator[Call]:
        """Tell of a call once it is over."""
        call = Call(model, ask, perf_counter())
        try:
            yield call
        finally:
            place = {"round": ask.round, "seat": ask.seat.name, "about": ask.key.about, "attempt": ask.attempt}
            took = round(perf_counter() - call.began, 3)
            self._write(event="call", **place, model=model, **_went(call), seconds=took, **self._said(call))

    def _said(self, call: Call) -> dict[str, object]:
        if not self.words:
            return {}
        return {"prompt": call.ask.prompt.template, "reply": call.reply.text if call.reply else None}

    def _write(self, **told: object) -> None:
        LOGGER.info(json.dumps({name: value for name, value in told.items() if value not in ("", None)}))


def _went(call: Call) -> dict[str, object]:
    if call.reply is None:
        return {"error": call.why}
    usage = call.reply.usage
    return {
        "answered_by": call.reply.model,
        "finish": call.reply.finish,
        "tokens_in": usage.asked,
        "tokens_out": usage.answered,
        "dollars": None if usage.money is None else float(usage.money),
    }


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans and metrics by the conventions for generative AI."""

    tracer: "Tracer"
    seconds: "Histogram"
    tokens: "Histogram"
    words: bool = False

    @classmethod
    def begun(
        cls, *, words: bool = False, tracers: "TracerProvider | None" = None, meters: "MeterProvider | None" = None
    ) -> "Spans":
        """By the SDK that the program has configured, or by providers of one's own."""
        from opentelemetry import metrics, trace  # noqa: PLC0415  an extra, and only where it is in use

        meter = metrics.get_meter("quorate", meter_provider=meters)
        return cls(
            tracer=trace.get_tracer("quorate", tracer_provider=tracers),
            seconds=meter.create_histogram(
                "gen_ai.client.operation.duration",
                unit="s",
                description="GenAI operation duration",
                explicit_bucket_boundaries_advisory=SECOND_BUCKETS,
            ),
            tokens=meter.create_histogram(
                "gen_ai.client.token.usage",
                unit="{token}",
                description="Number of input and output tokens used",
                explicit_bucket_boundaries_advisory=TOKEN_BUCKETS,
            ),
            words=words,
        )

    def deliberation(self, id_: str, protocol: str) -> AbstractContextManager[object]:
        """A span around a deliberation: calls are within it."""
        about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": id_, "quorate.protocol": protocol}
        return self.tracer.start_as_current_span(f"invoke_agent {protocol}", attributes=about)

    @contextmanager
    def call(self, model: str, ask: Ask) -> Generator[Call]:
        """A span around a call, and its time and tokens once it is over."""
        from opentelemetry.trace import SpanKind  # noqa: PLC0415  an extra

        call = Call(model, ask, perf_counter())
        common = _common(call)
        about: dict[str, str | int] = {**common, "quorate.seat": ask.seat.name, "quorate.round": ask.round}
        about["quorate.attempt"] = ask.attempt
        with self.tracer.start_as_current_span(
            f"chat {call.name}", kind=SpanKind.CLIENT, attributes=about, record_exception=False
        ) as span:
            try:
                yield call
            finally:
                self._ended(span, call, common)

    def _ended(self, span: "Span", call: Call, common: dict[str, str]) -> None:
        reply = call.reply
        failed: dict[str, str] = {"error.type": call.why} if call.why else {}
        span.set_attributes({**failed, **(_answered(reply) if reply else {})})
        if self.words:
            span.set_attribute("gen_ai.input.messages", call.ask.prompt.template)
            span.set_attribute("gen_ai.output.messages", reply.text if reply else "")
        served = {"gen_ai.response.model": reply.model} if reply and reply.model else {}
        self.seconds.record(perf_counter() - call.began, {**common, **served, **failed})
        usage = reply.usage if reply else Usage()
        for kind, count in (("input", usage.asked), ("output", usage.answered)):
            if count is not None:
                self.tokens.record(count, {**common, **served, "gen_ai.token.type": kind})


def _common(call: Call) -> dict[str, str]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(call.provider, call.provider),
        "gen_ai.request.model": call.name,
    }


def _answered(reply: Reply) -> dict[str, Any]:
    told: dict[str, Any] = {"gen_ai.response.finish_reasons": (reply.finish,)}
    known = (
        ("gen_ai.response.model", reply.model or None),
        ("gen_ai.usage.input_tokens", reply.usage.asked),
        ("gen_ai.usage.output_tokens", reply.usage.answered),
    )
    return told | {name: value for name, value in known if value is not None}


def watch_deliberation(by: CallWatcher | None, id_: str, protocol: str) -> AbstractContextManager[object]:
    """Around a deliberation, for whoever watches, if anybody."""
    return nullcontext() if by is None else by.deliberation(id_, protocol)


_PROVIDERS: Final[Mapping[str, str]] = {
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "responses": "openai",
    "xai": "x_ai",
}
"""Where the conventions have another word for a provider."""
