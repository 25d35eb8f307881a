"""What this server has done, counted, in the text form that Prometheus reads."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from quorate.model import Asked, Event, Spoken
from quorate.model.panel import is_person
from quorate.views.prometheus import metric_lines

__all__ = ["Counts"]


@dataclass(slots=True)
class Counts:
    """Everything that is counted since the server began; `running` and `viewers` as they are now."""

    begun: int = 0
    resumed: int = 0
    ended: Counter[str] = field(default_factory=Counter[str])
    running: int = 0
    viewers: int = 0
    dropped: int = 0
    entries: int = 0
    calls: int = 0
    tokens: int = 0
    requests: Counter[int] = field(default_factory=Counter[int])
    errors: int = 0

    def add_event(self, event: Event) -> None:
        """Count an entry that was written here, and the call or the tokens in it."""
        self.entries += 1
        if isinstance(event, Asked) and not is_person(event.model):
            self.calls += 1
        if isinstance(event, Spoken):
            self.tokens += event.reply.usage.credible.tokens or 0

    def text(self) -> str:
        """All of it, a line each, with what each is."""
        return "\n".join((*self._lines(), ""))

    def _lines(self) -> Iterator[str]:
        ended = {f'{{state="{state}"}}': many for state, many in sorted(self.ended.items())}
        answered = {f'{{status="{status}"}}': many for status, many in sorted(self.requests.items())}
        yield from metric_lines("deliberations_begun_total", "Deliberations begun.", self.begun)
        yield from metric_lines("deliberations_resumed_total", "Deliberations resumed.", self.resumed)
        yield from metric_lines("deliberations_ended_total", "Deliberations ended, by how they stand.", ended)
        yield from metric_lines("deliberations_running", "Deliberations that this server holds now.", self.running)
        yield from metric_lines("entries_total", "Entries written to ledgers.", self.entries)
        yield from metric_lines("calls_total", "Calls to models.", self.calls)
        yield from metric_lines("tokens_total", "Tokens asked and answered, as far as models tell.", self.tokens)
        yield from metric_lines("viewers", "Event streams that are open now.", self.viewers)
        yield from metric_lines(
            "viewers_dropped_total", "Event streams dropped because nobody read them.", self.dropped
        )
        yield from metric_lines("http_requests_total", "Requests answered, by status.", answered)
        yield from metric_lines(
            "errors_total", "Requests and deliberations that failed by a fault of ours.", self.errors
        )
