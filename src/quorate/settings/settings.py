"""Settings: what was said of each option, each value with its source, and what a door makes of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

from quorate.errors import NoModel, Suggestion
from quorate.frozen import dataclass
from quorate.model import Limits, LookupTerms, Panel, Rulebook
from quorate.model.charter import Charter
from quorate.model.numbers import TWO_THIRDS, share
from quorate.panelists.key_places import ALLOWED
from quorate.settings import table
from quorate.settings.amounts import BUDGET_PARTS, written_part
from quorate.settings.option import Option
from quorate.settings.provider_settings import ProviderLimits
from quorate.settings.rulebook_file import meant

if TYPE_CHECKING:
    from quorate.settings.consent import Consent

__all__ = ["ConfigRow", "Settings", "Value", "Values", "spread"]

T = TypeVar("T")
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Value(Generic[T]):
    """What an option was set to, and where that was said."""

    value: T
    source: str


Values: TypeAlias = Mapping[str, Value[Any]]
"""What was said, by the option's name; each part of one that has parts by itself: `budget.calls`, `seats.Safety`."""


def spread(option: Option[Any], value: Any, source: str) -> Values:  # noqa: ANN401  what it is depends on the row
    """What an option was read into, with its source; an option's parts each by itself."""
    if option.is_keyed:
        return {f"{option.name}.{key}": Value(part, source) for key, part in dict(value).items()}
    return {option.name: Value(value, source)}


class ConfigRow(NamedTuple):
    """A line of `quorate config`."""

    key: str
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that a door needs to convene, but the question. What a panel file says alone has the same form."""

    values: Values
    panel: Panel
    """Who sits."""
    digest: str = ""
    """Of a panel file: the hash of its content; empty for a panel that ships or that a program made."""
    keys: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Of a panel file: its keys and commands, by variable; one in the environment goes before them."""
    key_variables: tuple[str, ...] = ()
    """The variables that hold a key, by name."""
    state: Path = field(default_factory=Path)
    """The folder that keeps what the user has allowed."""
    file: "Settings | None" = None
    """What the panel file says, whether or not something else goes before it; none if there is no such file."""
    consent: "Consent | None" = None
    """What may be done; none as long as nobody looked at what the panel file would do."""
    dealt: str = ""
    """How flags made the panel or dealt several models to it, in words; empty if they did not."""

    def __getitem__(self, option: Option[T]) -> T:
        """What an option is set to."""
        return cast("T", self.get(option))

    def get(self, option: Option[T]) -> T | None:
        """What was said of an option, None if nothing was; of one with parts or a list, all that was said."""
        if option.is_keyed:
            return cast("T", {key: part.value for key, part in self.parts(option).items()})
        found = self.values.get(option.name)
        if found is None:
            return cast("T", ()) if option.shape == "list" else None
        return cast("T", found.value)

    def parts(self, option: Option[Any]) -> dict[str, Value[Any]]:
        """Each part of an option, with its source."""
        begin = f"{option.name}."
        return {name.removeprefix(begin): part for name, part in self.values.items() if name.startswith(begin)}

    def source(self, option: Option[Any]) -> str:
        """Where the value was said, in words."""
        found = self.values.get(option.name)
        return DEFAULT if found is None else found.source

    def environment(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """The environment with the pairs of key and place that are allowed.

        Once the panel file was allowed to act, its keys and commands stand where the environment has none.
        """
        keys = dict(self.file.keys) if self.consent and self.file else {}
        pairs = (*self[table.ALLOW_KEYS], *(self.consent.pairs if self.consent else ()))
        said = {name: value for name, value in env.items() if value or name not in keys}
        return {**keys, **said, **({ALLOWED: ",".join(pairs)} if pairs else {})}

    @property
    def limits(self) -> Limits:
        """What a deliberation may use."""
        budget = self[table.BUDGET]
        return Limits(
            **{**budget, "unpriced": bool(budget.get("unpriced"))},  # type: ignore[arg-type]  # as BUDGET_PARTS reads
            deadline=self.get(table.DEADLINE),
            patience=self.get(table.PATIENCE),
        )

    @property
    def draft(self) -> Charter:
        """The charter, though perhaps some seats have no model yet: enough to decide, and to show."""
        return Charter(
            panel=self.panel,
            protocol=self[table.PROTOCOL],
            models=tuple(self[table.SEATS].items()),
            rulebook=self[table.RULEBOOK],
            settings=tuple(self._protocol_settings()),
            limits=self.limits,
            lookups=self.lookups,
        )

    @property
    def lookups(self) -> LookupTerms | None:
        """Where seats may look, and how often; none unless somebody named a folder."""
        root, times = self.get(table.LOOK_IN), table.LOOK_LIMIT
        return LookupTerms(root=root, replies=self.get(times) or times.read(times.default or "")) if root else None

    @property
    def charter(self) -> Charter:
        """The charter with a model for every seat.

        Raises:
            NoModel: some seat has none, with the ways to give it one.
        """
        models = self[table.SEATS]
        without = [seat.name for seat in self.panel if seat.name not in models]
        if without:
            raise _no_model(without, self.key_variables)
        return self.draft

    @property
    def provider_limits(self) -> ProviderLimits:
        """How providers are treated, for the runner."""
        return ProviderLimits(
            rate=self[table.RATE],
            breaker=self[table.BREAKER],
            cache=self[table.CACHE],
            routes=self[table.ROUTES],
            enabled=self[table.ENABLED],
            disabled=self[table.DISABLED],
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read otherwise than it is written: 66 and 67 percent mean two thirds; and which keys stay here."""
        written = (*_rule_settings(self[table.RULEBOOK]), *self._protocol_settings())
        read = (f"{key}: {text} is read as 2/3" for key, text in written if _meant_as_two_thirds(text))
        return (*filter(None, (self.dealt,)), *read)

    def _protocol_settings(self) -> Iterator[tuple[str, str]]:
        """Settings but for those that the rulebook has taken in already: those of a rule, and what stands for one."""
        for key, text in self[table.SETTINGS].items():
            if "." not in key and not meant(self[table.PROTOCOL], [(key, text)]):
                yield key, text

    def rows(self) -> tuple[ConfigRow, ...]:
        """Everything for `quorate config`; of keys only the names of the variables that are set."""
        file_keys = self.file.keys if self.file else ()
        return (
            *(row for option in table.TABLE if option.is_listed for row in self._rows(option)),
            ConfigRow("keys", ", ".join(self.key_variables) or "none", "environment"),
            *(ConfigRow("allow_keys", pair, "allowed by you") for pair in self[table.ALLOW_KEYS]),
            *(ConfigRow("keys", name, "panel file") for name, _ in file_keys if name not in self.key_variables),
        )

    def _rows(self, option: Option[Any]) -> Iterator[ConfigRow]:
        unsaid = Value(None, DEFAULT)
        parts = self.parts(option)
        if option.shape == "parts":
            for key in BUDGET_PARTS:
                part = parts.get(key, unsaid)
                yield ConfigRow(f"{option.name}.{key}", written_part(key, part.value), part.source)
        elif option.shape == "pairs":
            keys = (seat.name for seat in self.panel) if option is table.SEATS else parts
            for key in keys:
                part = parts.get(key, unsaid)
                yield ConfigRow(f"{option.flag.removeprefix('--')} {key}", option.write(part.value), part.source)
        else:
            yield ConfigRow(option.name, option.write(self.get(option)), self.source(option))


def _rule_settings(book: Rulebook) -> Iterator[tuple[str, str]]:
    for named in (*book.rules, book.otherwise, *book.unless):
        for key, text in named.settings:
            yield f"{named.name}.{key}", text


def _meant_as_two_thirds(text: str) -> bool:
    return "/" not in text and share(text) == TWO_THIRDS


def _no_model(without: Iterable[str], keys: tuple[str, ...]) -> NoModel:
    there = f"; {' and '.join(keys)} {'is' if len(keys) == 1 else 'are'} set, only the model's name is missing"
    openai = "use OpenAI" if "OPENAI_API_KEY" in keys else "use OpenAI, after export OPENAI_API_KEY=…"
    return NoModel(
        f"no model answers for {', '.join(without)}{there if keys else ''}",
        suggestions=(
            Suggestion("model", "openai:NAME", f"to {openai}"),
            Suggestion("model", "ollama:NAME", "to use Ollama"),
            Suggestion("model", "openai:NAME@http://127.0.0.1:9000/v1", "to use any endpoint"),
            Suggestion("panel", "demo", "to try it without any model"),
        ),
    )
