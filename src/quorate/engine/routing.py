"""`auto`: which model answers for which seat, by the task, the table and what can be used here; nothing is asked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Final

from quorate import catalogue
from quorate.engine.prices import Prices
from quorate.errors import NoModel, QuorateError
from quorate.frozen import dataclass
from quorate.middleware.budget import MOST, CostEstimate
from quorate.model import Convened, Question, Routed, Seat, SeatModel
from quorate.panelists.registry import PROVIDERS, domain, key_of, parse
from quorate.settings.model_names import AUTO
from quorate.settings.provider_settings import ProviderLimits
from quorate.settings.route_table import OTHERWISE, Facts, RouteTable, Task, load_table

__all__ = ["RouteChoice", "Router", "resolve_routes"]

FALLBACKS: Final = 2
"""How many models stand ready behind the chosen one: with it, one for each attempt there is."""
SAMPLE: Final = 1000
_WORD: Final = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteChoice:
    """What was chosen for a seat, and why; `passed` are the models before it that could not be taken."""

    seat: str
    part: str
    task: str
    by: str
    model: str
    domain: str
    fallbacks: tuple[str, ...]
    passed: tuple[tuple[str, str], ...]
    table: str

    @property
    def why(self) -> str:
        """One sentence for the record."""
        skipped = "; ".join(f"{model}: {why}" for model, why in self.passed)
        return f"auto: {self.task}, {self.by}; by {self.table}{f'; passed over {skipped}' if skipped else ''}"

    @property
    def routed(self) -> Routed:
        """The same as an event."""
        seated = SeatModel(seat=self.seat, model=self.model, domain=self.domain, fallbacks=self.fallbacks)
        return Routed(seated=seated, why=self.why)


@dataclass(frozen=True, slots=True)
class Router:
    """A table, and what can be used here: keys and addresses from the environment, prices where they are known."""

    table: RouteTable
    env: Mapping[str, str]
    prices: Prices
    provider_limits: ProviderLimits = field(default_factory=ProviderLimits)

    @classmethod
    def of(cls, provider_limits: ProviderLimits, env: Mapping[str, str], prices: Prices | None = None) -> "Router":
        """The router of a runner.

        Raises:
            BadPanel: the table of routes cannot be read.
        """
        return cls(load_table(provider_limits.routes), env, prices or Prices(None, env), provider_limits)

    def route(self, convened: Convened, seated: Sequence[SeatModel]) -> tuple[RouteChoice, ...]:
        """Choose for every seat that says `auto`, in seat order; seats that name their model are left alone.

        Raises:
            NoModel: nothing that can be used is there for a seat, and why.
        """
        taken = {sat.domain for sat in seated if sat.model != AUTO}
        made: list[RouteChoice] = []
        for sat in seated:
            if sat.model == AUTO:
                seat = convened.panel.seat(sat.seat)
                made.append(self._choice(convened, seat, taken))
                taken.add(made[-1].domain)
        return tuple(made)

    def task(self, protocol: str, seat: Seat, question: Question) -> tuple[Task, str]:
        """The task of a seat and how it was found: the protocol's own hint, the table's, or the question's words."""
        hint = catalogue.protocol(protocol).task
        if hint in self.table.tasks:
            return self.table.tasks[hint], f"as protocol {protocol} says"
        parts = self.table.protocols.get(protocol, {})
        hint = parts.get(seat.acts, parts.get(OTHERWISE, ""))
        if hint:
            return self.table.tasks[hint], f"as the table says for {seat.acts if seat.acts in parts else protocol}"
        words = dict.fromkeys(_WORD.findall(question.text.casefold()))
        found = [(task, [word for word in words if word in task.words]) for task in self.table.tasks.values()]
        task, known = max(found, key=lambda one: len(one[1]))  # the first of several, in the table's order
        if known:
            return task, f"by the question's words {', '.join(known)}"
        return self.table.tasks[self.table.otherwise], "as no word of the question is in the table"

    def _choice(self, convened: Convened, seat: Seat, taken: set[str]) -> RouteChoice:
        task, by = self.task(convened.protocol, seat, convened.question)
        question = convened.question
        shown = (question.text, question.context, *(one.text for one in question.precedents))
        need = CostEstimate("".join(shown), MOST, None).charge().tokens
        usable, passed = list[str](), list[tuple[str, str]]()
        for model in task.order(seat.acts):
            why = next(self._against(model, need), "")
            if why:
                passed.append((model, why))
            else:
                usable.append(model)
        if not usable:
            raise NoModel(_nothing(seat, task, passed))
        if self.table.spread and "vote" in seat.powers:
            usable.sort(key=lambda model: domain(model, self.env) in taken)  # stable: otherwise in the table's order
        first, order = usable[0], task.order(seat.acts)
        spread = ((model, "its provider has a seat already") for model in order if model in usable)
        return RouteChoice(
            seat=seat.name,
            part=seat.acts,
            task=task.name,
            by=by,
            model=first,
            domain=domain(first, self.env),
            fallbacks=tuple(usable[1 : 1 + FALLBACKS]),
            passed=_before(first, (*passed, *spread), order),
            table=f"{self.table.file} of {self.table.date}",
        )

    def _against(self, model: str, need: int) -> Iterator[str]:
        """What stands against a model here."""
        try:
            named = parse(model, self.env)
            key_of(named, self.env)
        except NoModel:
            yield f"{PROVIDERS[parse(model).provider].variable} is not set"
            return
        except QuorateError as wrong:
            yield str(wrong)
            return
        yield from self._forbidden(model)
        if named.local and not named.given and not self._addressed(named.provider):
            yield f"no server is named; set {PROVIDERS[named.provider].address_variable(named.provider)}"
        yield from self._unfit(model, need)

    def _forbidden(self, model: str) -> Iterator[str]:
        """What the user file has against it."""
        limits = self.provider_limits
        if any(fnmatchcase(model, pattern) for pattern in limits.disabled):
            yield "the user file disables it"
        if self.provider_limits.enabled and not any(
            fnmatchcase(model, pattern) for pattern in self.provider_limits.enabled
        ):
            yield "the user file does not enable it"

    def _unfit(self, model: str, need: int) -> Iterator[str]:
        """What of the table's facts does not suffice for the question or the table's limits."""
        known = self.table.models.get(model, Facts())
        if known.context is not None and known.context < need:
            yield f"reads {known.context} tokens, and this needs {need}"
        wanted = self.table.limits
        price = known.price if known.price is not None else self._price(model)
        yield from _beyond("price", price, wanted.price)
        yield from _beyond("latency", known.latency, wanted.latency)
        if wanted.context is not None and (known.context is None or known.context < wanted.context):
            yield f"its context is {known.context or 'not known'}, the limit at least {wanted.context}"

    def _addressed(self, provider: str) -> bool:
        """Whether somebody said where a local server is, be it where it always is."""
        return bool(
            self.env.get(PROVIDERS[provider].address_variable(provider)) or self.env.get(f"{provider.upper()}_HOST")
        )

    def _price(self, model: str) -> Fraction | None:
        if self.table.limits.price is None:
            return None
        price = self.prices.of(model)
        return price.of(SAMPLE, SAMPLE) if price else None


def resolve_routes(convened: Convened, provider_limits: ProviderLimits, env: Mapping[str, str]) -> Convened:
    """The same with every `auto` chosen, for a forecast; a deliberation writes its choices down instead.

    Raises:
        NoModel: nothing that can be used is there for a seat.
        BadPanel: the table of routes cannot be read.
    """
    if all(sat.model != AUTO for sat in convened.seated):
        return convened
    choices = Router.of(provider_limits, env).route(convened, convened.seated)
    chosen = {choice.seat: choice.routed.seated for choice in choices}
    return replace(convened, seated=tuple(chosen.get(sat.seat, sat) for sat in convened.seated))


def _before(first: str, passed: Sequence[tuple[str, str]], order: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Those that stand before the chosen model in the table's order, in that order."""
    earlier = (pair for pair in passed if order.index(pair[0]) < order.index(first))
    return tuple(sorted(earlier, key=lambda pair: order.index(pair[0])))


def _beyond(name: str, known: Fraction | None, limit: Fraction | None) -> Iterator[str]:
    if limit is not None and (known is None or known > limit):
        yield f"its {name} is {'not known' if known is None else f'{float(known):g}'}, the limit {float(limit):g}"


def _nothing(seat: Seat, task: Task, passed: Sequence[tuple[str, str]]) -> str:
    tried = "; ".join(f"{model}: {why}" for model, why in passed)
    return (
        f"auto found no model for seat {seat.name!r} ({task.name}): {tried}; set a key or an address, "
        "or name a table of your own with 'routes' in the user file"
    )
