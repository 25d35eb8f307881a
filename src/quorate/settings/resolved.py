"""Every setting as it was chosen, with where it was found, and what a door makes of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from quorate import catalogue
from quorate.errors import NoModel
from quorate.model import Limits, Panel, Rulebook
from quorate.model.charter import Charter
from quorate.model.numbers import TWO_THIRDS, share
from quorate.panelists.key_places import ALLOWED
from quorate.settings.panel_file import PanelFile
from quorate.settings.provider_settings import Breaking, Care, Rate, written_breaker, written_rate

if TYPE_CHECKING:
    from quorate.settings.consent import Consent

__all__ = ["Chosen", "Resolved", "Row", "Settings"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chosen(Generic[T]):
    """A value, and where it was found."""

    value: T
    source: str


class Row(NamedTuple):
    """A line of `quorate config`."""

    key: str
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting as it was chosen. A seat without a model is not among `models`; `keys` are names of variables."""

    panel: Chosen[str]
    protocol: Chosen[str]
    rulebook: Chosen[Rulebook]
    models: tuple[tuple[str, Chosen[str]], ...]
    settings: tuple[tuple[str, Chosen[str]], ...]
    calls: Chosen[int | None]
    tokens: Chosen[int | None]
    money: Chosen[Fraction | None]
    unpriced: Chosen[bool | None]
    deadline: Chosen[Fraction | None]
    patience: Chosen[Fraction | None]
    ledger: Chosen[str]
    concurrency: Chosen[int]
    rate: Chosen[Rate]
    breaker: Chosen[Breaking]
    cache: Chosen[str]
    routes: Chosen[str]
    keys: tuple[str, ...]
    allow_keys: tuple[str, ...] = ()
    """Pairs of a key and a place other than its provider's, allowed by a flag, the environment or the user file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """All that a door needs to convene, but the question."""

    settings: Settings
    panel: Panel
    state: Path
    """The folder that keeps what the user has allowed."""
    files: tuple[tuple[str, str], ...] = ()
    """Patterns of files for the context, each with its folder: the flags' and the panel file's together."""

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    file: PanelFile | None = None
    """The panel file as it was read; none for a panel that ships or that a program made."""
    consent: "Consent | None" = None
    """What may be done; none as long as nobody looked at what the panel file would do."""

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Keys and commands from the panel file, by variable: one in the environment goes before them."""
        return self.file.layer.keys if self.file else ()

    def environment(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """The environment with the pairs of key and place that are allowed.

        Once the panel file was allowed to act, its keys and commands stand where the environment has none.
        """
        keys = dict(self.keys) if self.consent else {}
        pairs = (*self.settings.allow_keys, *(self.consent.pairs if self.consent else ()))
        said = {name: value for name, value in env.items() if value or name not in keys}
        return {**keys, **said, **({ALLOWED: ",".join(pairs)} if pairs else {})}

    @property
    def _of_rules(self) -> frozenset[str]:
        """Settings that the rulebook has taken in already: those of a rule, and what stands for one."""
        aliases = catalogue.protocol(self.settings.protocol.value).aliases
        return frozenset(key for key, _ in self.settings.settings if "." in key or key in aliases)

    @property
    def draft(self) -> Charter:
        """The charter, though perhaps some seats have no model yet: enough to decide, and to show."""
        chosen = self.settings
        return Charter(
            panel=self.panel,
            protocol=chosen.protocol.value,
            models=tuple((seat, model.value) for seat, model in chosen.models),
            rulebook=chosen.rulebook.value,
            settings=tuple((key, text.value) for key, text in chosen.settings if key not in self._of_rules),
            limits=Limits(
                calls=chosen.calls.value,
                tokens=chosen.tokens.value,
                money=chosen.money.value,
                deadline=chosen.deadline.value,
                patience=chosen.patience.value,
                unpriced=bool(chosen.unpriced.value),
            ),
        )

    @property
    def charter(self) -> Charter:
        """The charter with a model for every seat.

        Raises:
            NoModel: some seat has none, with the ways to give it one.
        """
        staffed = {seat for seat, _ in self.settings.models}
        without = [seat.name for seat in self.panel if seat.name not in staffed]
        if without:
            raise NoModel(_how_to_give_a_model(without, self.settings.keys))
        return self.draft

    @property
    def ledger(self) -> str:
        return self.settings.ledger.value

    @property
    def concurrency(self) -> int:
        return self.settings.concurrency.value

    @property
    def care(self) -> Care:
        """How providers are treated, for the chamber."""
        chosen = self.settings
        return Care(
            rate=chosen.rate.value,
            breaker=chosen.breaker.value,
            cache=chosen.cache.value,
            routes=chosen.routes.value,
            enabled=self.enabled,
            disabled=self.disabled,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read otherwise than it is written: 66 and 67 percent mean two thirds; and which keys stay here."""
        book = self.settings.rulebook.value
        written = (
            *_rule_settings(book),
            *((key, text.value) for key, text in self.settings.settings if key not in self._of_rules),
        )
        read = (f"{key}: {text} is read as 2/3" for key, text in written if _meant_as_two_thirds(text))
        return (*read, *(self.consent.held if self.consent else ()))

    def rows(self) -> tuple[Row, ...]:
        """Everything for `quorate config`; of keys only the names of the variables that are set."""
        chosen = self.settings
        return (
            Row("panel", *_shown(chosen.panel)),
            Row("protocol", *_shown(chosen.protocol)),
            Row("rulebook", chosen.rulebook.value.name, chosen.rulebook.source),
            *_model_rows(self.panel, dict(chosen.models)),
            *(Row(f"set {key}", *_shown(text)) for key, text in chosen.settings),
            Row("budget.calls", *_shown(chosen.calls)),
            Row("budget.tokens", *_shown(chosen.tokens)),
            Row("budget.money", *_shown(chosen.money, "${}")),
            Row("budget.unpriced", "true" if chosen.unpriced.value else "false", chosen.unpriced.source),
            Row("deadline", *_shown(chosen.deadline, "{} s")),
            Row("patience", *_shown(chosen.patience, "{} s")),
            Row("ledger", *_shown(chosen.ledger)),
            Row("concurrency", *_shown(chosen.concurrency)),
            Row("rate", written_rate(chosen.rate.value), chosen.rate.source),
            Row("breaker", written_breaker(chosen.breaker.value), chosen.breaker.source),
            Row("cache", *_shown(chosen.cache)),
            Row("routes", chosen.routes.value or "shipped", chosen.routes.source),
            Row("keys", ", ".join(chosen.keys) or "none", "environment"),
            *(Row("allow_keys", pair, "allowed by you") for pair in chosen.allow_keys),
            *(Row("keys", name, "panel file") for name, _ in self.keys if name not in chosen.keys),
        )


def _shown(chosen: Chosen[T], form: str = "{}") -> tuple[str, str]:
    value = chosen.value
    if value is None:
        return "none", chosen.source
    return form.format(_decimal(value) if isinstance(value, Fraction) else value), chosen.source


def _decimal(value: Fraction) -> str:
    return format(Decimal(value.numerator) / Decimal(value.denominator), "f")


def _model_rows(panel: Panel, models: Mapping[str, Chosen[str]]) -> Iterator[Row]:
    for seat in panel:
        yield Row(f"seat {seat.name}", *_shown(models.get(seat.name, Chosen("none", "default"))))


def _rule_settings(book: Rulebook) -> Iterator[tuple[str, str]]:
    for named in (*book.rules, book.otherwise, *book.unless):
        for key, text in named.settings:
            yield f"{named.name}.{key}", text


def _meant_as_two_thirds(text: str) -> bool:
    return "/" not in text and share(text) == TWO_THIRDS


def _how_to_give_a_model(without: Iterable[str], keys: tuple[str, ...]) -> str:
    openai = "openai:NAME" if "OPENAI_API_KEY" in keys else "openai:NAME (after export OPENAI_API_KEY=…)"
    there = f"; {' and '.join(keys)} {'is' if len(keys) == 1 else 'are'} set, only the model's name is missing"
    return (
        f"no model answers for {', '.join(without)}{there if keys else ''}; give one with --model {openai}, "
        "--model ollama:NAME, or --model openai:NAME@http://127.0.0.1:9000/v1 for any endpoint; "
        "or try it without any model: --panel demo"
    )
