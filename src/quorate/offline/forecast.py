"""What a deliberation would take, played with made-up speeches, and what its panel withstands; nobody is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from quorate import catalogue
from quorate.analysis.fault_domains import merge_domains
from quorate.chair import ATTEMPTS, State, steps
from quorate.chair.tolerance import tolerance_of
from quorate.engine.prices import Prices
from quorate.engine.routing import resolve_routes
from quorate.errors import BadSetting, Suggestion
from quorate.evidence.errand_look import ROOM
from quorate.frozen import dataclass
from quorate.middleware.budget import MOST, Charge, CostEstimate
from quorate.model import (
    Adjourn,
    Ask,
    AskKey,
    Convened,
    Decided,
    Event,
    Found,
    Hear,
    Limits,
    Reply,
    Run,
    SeatModel,
    Spoken,
    Step,
    TurnedAway,
    Write,
)
from quorate.model.charter import Charter
from quorate.model.lookup import PER_REPLY
from quorate.panelists.price import Price
from quorate.panelists.registry import domain, most_of
from quorate.settings.provider_settings import ProviderLimits
from quorate.settings.rulebook_file import default_rulebook
from quorate.views.document import number, withstands_document
from quorate.views.result import bench_tally
from quorate.views.rounds import titles

__all__ = ["ExpectedAsk", "Forecast", "fault_statement", "forecast", "require_one_pass"]

TYPICAL: Final = 400
"""Tokens of a speech as most models write it."""
ROUNDS: Final = 30
"""Rounds that are played at most, so that an answer comes at once."""
LETTERS: Final = 4
"""Characters to a token, on average."""
PLACEHOLDER: Final = "word " * TYPICAL
FOUND: Final = "x" * (ROOM + PER_REPLY * 200)
"""As much as one reply's lookups can add to a prompt, with what is written around each."""
AGREED: Final = " if the first ballots agree, else "


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedAsk:
    """One ask, what it should take and what it may take, its repair and all lookups included."""

    round: str
    seat: str
    about: str
    model: str
    likely: Charge
    most: Charge
    priced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Every ask to expect if nobody falls silent; none if the question would be turned away, and why."""

    convened: Convened
    asks: tuple[ExpectedAsk, ...]
    reasons: tuple[str, ...] = ()
    complete: bool = True
    """Whether all rounds are in it: of very many only the first are played."""
    if_agreed: Charge | None = None
    """What it should take if the sealed ballots agree, where the panel then holds no debate."""
    shortest: Charge | None = None
    """What it should take if everybody would end it as soon as may be, where rounds are numbered."""

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Models whose price nobody knows."""
        return tuple(dict.fromkeys(ask.model for ask in self.asks if not ask.priced))

    @property
    def likely(self) -> Charge:
        return sum((ask.likely for ask in self.asks), Charge())

    @property
    def most(self) -> Charge:
        return sum((ask.most for ask in self.asks), Charge())

    @property
    def one_pass(self) -> Charge:
        """What one complete pass should take: all rounds that have names, of numbered ones the fewest it may end after.

        A panel that debates only when it is split must be able to: nobody knows beforehand whether it will be.
        """
        return self.shortest or self.likely

    def check_budget(self, limits: Limits) -> None:
        """See that a budget could pay for one complete pass.

        Raises:
            BadSetting: it could not, with both figures.
        """
        need, brief = self.one_pass, self.if_agreed or Charge()
        said = (
            (need.calls, limits.calls, "{} calls", brief.calls),
            (need.tokens, limits.tokens, "{:,} tokens", brief.tokens),
            (need.money, limits.money, "${:.4f}", brief.money),
        )
        for needed, limit, words, agreed in said:
            if limit is None or needed <= limit:
                continue
            about = "" if "calls" in words else "about "
            less = f" ({about}{words.format(agreed)} if the first ballots agree)" if self.if_agreed else ""
            raise BadSetting(
                f"one complete pass takes {about}{words.format(needed)}{less}, and the budget is "
                f"{words.format(limit)}; raise it. Nothing was asked",
                suggestions=(Suggestion("allow_partial", wish="to go as far as it lasts"),),
            )

    def document(self) -> dict[str, object]:
        """The forecast in the names of the one document."""
        return {
            "schema": 1,
            "question": self.convened.question.text,
            "protocol": self.convened.protocol,
            "asks": [
                {"round": ask.round, "seat": ask.seat, "about": ask.about or None, "tokens": ask.likely.tokens}
                for ask in self.asks
            ],
            "cost": self._cost(self.likely),
            "if_agreed": self._cost(self.if_agreed) if self.if_agreed else None,
            "at_most": self._cost(self.most),
            "seats": [{"seat": s.seat, "model": s.model, "domain": s.domain} for s in self.convened.seated],
            "turned_away": list(self.reasons),
            "complete": self.complete,
        }

    def _cost(self, charge: Charge) -> dict[str, object]:
        money = None if self.unpriced else number(charge.money)
        return {"calls": charge.calls, "tokens": charge.tokens, "money": money}

    def lines(self) -> Iterator[str]:
        """The forecast for a person."""
        yield from (f"This question would be turned away: {reason}" for reason in self.reasons)
        announced = titles(self.convened.protocol)
        for name in dict.fromkeys(ask.round for ask in self.asks):
            here = [ask for ask in self.asks if ask.round == name]
            tokens = sum(ask.likely.tokens for ask in here)
            title = announced.get(name, f"Round {name}" if name.isdecimal() else name)
            yield f"{title:<18}{len(here):>3} asks, about {tokens:>7,} tokens"
        if not self.complete:
            yield f"{'':<18}… and more rounds; only the first {ROUNDS} are counted here"
        yield from self._sums()

    def _sums(self) -> Iterator[str]:
        likely, most, brief = self.likely, self.most, self.if_agreed
        calls = f"{brief.calls:>3}{AGREED}{likely.calls}" if brief else f"{likely.calls:>3}"
        counted = f"{brief.tokens:,}{AGREED}{likely.tokens:,}" if brief else f"{likely.tokens:,}"
        looks = ", every time after all lookups there may be" if self.convened.lookups else ""
        yield f"{'calls':<18}{calls}, at most {most.calls} if every answer must be asked for again{looks}"
        yield f"{'tokens':<18}about {counted}, at most {most.tokens:,}"
        yield f"{'price':<18}{self.price}"

    @property
    def price(self) -> str:
        """What it should cost and may cost, in words."""
        if self.asks and not self.most.money and not self.unpriced:
            return "nothing: what answers here is free"
        if self.unpriced:
            return f"unknown for {', '.join(self.unpriced)}"
        brief = f"{_dollars(self.if_agreed.money)}{AGREED}" if self.if_agreed else ""
        return f"about {brief}{_dollars(self.likely.money)}, at most {_dollars(self.most.money)}"


def _dollars(sum_: Fraction) -> str:
    return f"${float(sum_):.4f}"


def forecast(convened: Convened, env: Mapping[str, str]) -> Forecast:
    """Play the protocol to its end with made-up speeches and add up what its asks would take.

    Where a panel may end sooner it is played both ways: unsure, and sure of the same from the start.
    """
    found = _played(convened, env)
    if found.reasons:
        return found
    if ("debate", "when_split") in convened.settings:
        return replace(found, if_agreed=_played(convened, env, sure=True).likely)
    if all(ask.round.isdecimal() for ask in found.asks):
        return replace(found, shortest=_played(convened, env, sure=True).likely)
    return found


def require_one_pass(convened: Convened, provider_limits: ProviderLimits, env: Mapping[str, str]) -> None:
    """Refuse a budget that could not pay for one complete pass, before anything is spent.

    Raises:
        BadSetting: so it is, with both figures.
    """
    if convened.limits.has_budget:
        forecast(resolve_routes(convened, provider_limits, env), env).check_budget(convened.limits)


def _played(convened: Convened, env: Mapping[str, str], *, sure: bool = False) -> Forecast:
    prices, asks = Prices(None, env), list[ExpectedAsk]()
    models = {sat.seat: sat.model for sat in convened.seated}
    rounds = set[str]()
    for asked in _course(State.open(convened), sure=sure):
        if isinstance(asked, TurnedAway):
            return Forecast(convened=convened, asks=(), reasons=tuple(reason.text for reason in asked.reasons))
        rounds.add(asked.round)
        if len(rounds) > ROUNDS:
            break
        model = models.get(asked.seat.name, "")
        asks.append(_expected(asked, model, prices.of(model), _looks(convened, asked)))
    return Forecast(convened=convened, asks=tuple(asks), complete=len(rounds) <= ROUNDS)


def _course(state: State, *, sure: bool = False) -> Iterator[Ask | TurnedAway]:
    """Every ask if everything goes well, in order; or that the question would be turned away.

    All asks that are possible are sent at once, so one that isn't needed in the end is paid for too.
    """
    sent = set[AskKey]()
    while state.closed is None:
        due = steps(state)
        for step in due:
            if isinstance(step, Hear) and step.ask.key not in sent:
                sent.add(step.ask.key)
                yield state.put(step.ask)
        event = _made_up(state, due, sure=sure)
        if isinstance(event, TurnedAway):
            yield event
        if event is None or isinstance(event, Decided | TurnedAway):
            return
        state = state.after(event)


def _made_up(state: State, due: Sequence[Step], *, sure: bool) -> Event | None:
    """What would happen next, if everything went well."""
    match due[0]:
        case Write(event=event):
            return event
        case Run(errand=errand):
            return Found(**errand.key._asdict(), why="forecast")
        case Hear(ask=ask):
            return _spoken(state, ask, sure=sure)
        case Adjourn():
            return None


def _spoken(state: State, ask: Ask, *, sure: bool) -> Spoken:
    """A made-up speech; who is sure would end it here, a moderator too."""
    form, terms = catalogue.form(ask.wants), ask.terms("")
    own = sure or ask.wants == catalogue.protocol(state.convened.protocol).form
    ballot = form.read(form.sample(terms), terms, "stop").ballot if own else None
    if sure and ballot is not None:
        ballot = replace(ballot, confidence=Fraction(1), risk=Fraction(0), continue_debate=False)
    return Spoken(
        round=ask.round,
        seat=ask.seat.name,
        about=ask.about.name if ask.about else "",
        reply=Reply(text=PLACEHOLDER),
        ballot=ballot,
    )


def _looks(convened: Convened, ask: Ask) -> int:
    """How many replies to an ask may ask to see something instead of answering it."""
    return convened.lookups.replies if convened.lookups and ask.lookups else 0


def _expected(ask: Ask, model: str, price: Price | None, looks: int) -> ExpectedAsk:
    prompt = ask.prompt.template
    asked = -(-len(prompt) // LETTERS)
    longest = most_of(model, MOST)
    answered = min(TYPICAL, longest)
    once = CostEstimate(prompt, longest, price).charge()
    seen = [CostEstimate(prompt + FOUND * number, longest, price).charge() for number in range(1, looks + 1)]
    again = CostEstimate(prompt + FOUND * looks + PLACEHOLDER, longest, price).charge()
    return ExpectedAsk(
        round=ask.round,
        seat=ask.seat.name,
        about=ask.about.name if ask.about else "",
        model=model,
        likely=Charge(1, asked + answered, price.of(asked, answered) if price else Fraction(0)),
        most=sum((*seen, *(again for _ in range(ATTEMPTS - 1))), once),
        priced=price is not None,
    )


def fault_statement(charter: Charter, env: Mapping[str, str]) -> dict[str, object]:
    """The statement that every verdict of this panel will carry; without a model for every seat, per seat alone."""
    models = dict(charter.models)
    voters = charter.panel.voters
    seated = merge_domains(
        tuple(
            SeatModel(seat=seat.name, model=models[seat.name], domain=domain(models[seat.name], env))
            for seat in voters
            if seat.name in models
        )
    )
    known = tuple((sat.seat, sat.domain) for sat in seated) if len(seated) == len(voters) else ()
    bench = bench_tally(charter.panel, catalogue.protocol(charter.protocol), charter.settings)
    tally = replace(bench, domains=known)
    book = charter.rulebook or default_rulebook(charter.protocol)
    return {
        "schema": 1,
        "protocol": charter.protocol,
        "rulebook": book.name,
        "withstands": withstands_document(tolerance_of(tally, book)),
        "seats": [{"seat": sat.seat, "model": sat.model, "domain": sat.domain} for sat in seated],
    }
