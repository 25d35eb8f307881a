"""How a worker goes on with a record: with its own keys and limits, and only as far as its operator allowed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from quorate.engine.runner import Watch
from quorate.engine.shared_runner import RunnerSettings, shared_runner
from quorate.ledger import Ledger
from quorate.middleware.rate_limit import Paces
from quorate.model import Convened, Event, Routed
from quorate.settings.consent import Consent
from quorate.settings.effects import of_models
from quorate.settings.settings import Settings
from quorate.settings.table import CONCURRENCY
from quorate.views import Record

__all__ = ["RecordHolder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHolder:
    """Holds what is on record. Whoever can write to the queue can name anything there, so it may only ask providers.

    A model that runs a command or has an address is asked if the operator named it by one of `models`, patterns such as
    `cli:*`, or allowed it as `quorate resume` would have it.
    """

    ledger: Ledger
    settings: Settings
    models: tuple[str, ...] = ()
    paces: Paces | None = None

    async def __call__(self, id_: str, watch: Watch) -> Record:
        """Go on with the deliberation of an id.

        Raises:
            LedgerError: the record cannot be read or kept, or another process is at it.
            NotTrusted: it names what would act, and the operator has not allowed that.
            QuorateError: it cannot be held here.
        """
        events = [entry.event for entry in await self.ledger.read(id_)]
        consent = self.settings.consent
        terms = RunnerSettings(
            concurrency=self.settings[CONCURRENCY],
            provider_limits=self.settings.provider_limits,
            consent=consent and self._with_models(consent, events),
            paces=self.paces,
        )
        env: Mapping[str, str] = {} if consent is None else consent.environment(id_, events)
        async with shared_runner(self.ledger, env, terms) as runner:
            return await runner.resume(id_, watch=watch)

    def _with_models(self, consent: Consent, events: Sequence[Event]) -> Consent:
        allowed = [model for model in _models(events) if any(fnmatchcase(model, one) for one in self.models)]
        return replace(consent, own=consent.own | {*of_models(allowed, consent.env)}) if allowed else consent


def _models(events: Sequence[Event]) -> Iterator[str]:
    """Every model that a record would have asked."""
    for event in events:
        seated = event.seated if isinstance(event, Convened) else (event.seated,) if isinstance(event, Routed) else ()
        for sat in seated:
            yield from (sat.model, *sat.fallbacks)
