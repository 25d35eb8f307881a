"""Every option, declared once. Flags, variables, files, keywords of programs and reference pages are made from it.

To add an option, add a row here, then `make docs`.
"""

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any, Final

from quorate.settings.option import Option, Place

if TYPE_CHECKING:
    from fractions import Fraction

    from quorate.model import Rulebook
    from quorate.settings.provider_settings import BreakerLimits, Rate

__all__ = ["TABLE", "options_at"]  # rows are imported by name; to list them would be to say them twice


def options_at(place: Place, among: Container[str] | None = None) -> tuple[Option[Any], ...]:
    """The options that may stand in a place, in their order; all of them, or those of these names."""
    return tuple([option for option in TABLE if (among is None or option.name in among) and place in option.places])


EVERYWHERE: Final[tuple[Place, ...]] = ("flag", "variable", "panel file", "user file", "program", "http", "mcp")
LOCAL: Final[tuple[Place, ...]] = ("flag", "variable", "panel file", "user file", "program")
"""Not for callers over a network: it names a folder or counts what the owner's files may be asked for."""
NOT_IN_PANELS: Final[tuple[Place, ...]] = ("flag", "variable", "user file", "program")
NO_FLAG: Final[tuple[Place, ...]] = ("variable", "panel file", "user file")
IN_PANELS: Final[tuple[Place, ...]] = ("panel file",)
IN_USER_FILE: Final[tuple[Place, ...]] = ("user file",)

PANEL: "Option[str]" = Option(
    name="panel",
    places=(*NOT_IN_PANELS, "http", "mcp"),
    about="the panel: a panel file, or a preset that `quorate panels` lists",
    metavar="FILE|PRESET",
    short="-p",
    keyword="",
    is_listed=True,
    otherwise="the preset `tribunal`",
    is_path=True,
    words="presets:panels",
)
EXTENDS: "Option[str | None]" = Option(
    name="extends", places=IN_PANELS, about="a preset to begin with; only what differs need be said"
)
PROTOCOL: "Option[str]" = Option(
    name="protocol",
    places=EVERYWHERE,
    about="how the seats deliberate",
    flag_help="How the panel deliberates; `quorate rules` explains each.",
    metavar="NAME",
    keyword="",
    is_listed=True,
    default="tribunal",
)
RULEBOOK: "Option[Rulebook]" = Option(
    name="rulebook",
    places=EVERYWHERE,
    about="the name of one that ships, or a whole rulebook",
    flag_help="The rules that turn votes into a verdict; `quorate rules` lists them.",
    metavar="NAME",
    reader="presets:rulebook",
    field_reader="settings.rulebook_file:rulebook_of",
    is_listed=True,
    writer="settings.rulebook_file:rulebook_name",
    otherwise="the protocol's own",
)
MODEL: "Option[str | None]" = Option(
    name="model",
    places=LOCAL,
    about="who answers for every seat that names none: a model, a list of them, or `auto`",
    flag_help="The model for every seat: provider:name, or provider:name@address. Repeat it to use several.",
    metavar="MODEL",
    short="-m",
    reader="settings.readers:model_name",
    field_reader="settings.readers:models_of",
)
MODELS: "Option[tuple[str, ...]]" = Option(
    name="models",
    places=("program", "http", "mcp"),
    about="the model for every seat, or several: one seat each where seats are alike, else dealt in order",
    keyword="Sequence[str]",
    keyword_note="Several models: one seat each where seats are alike, else dealt to the seats in order.",
    shape="list",
    reader="settings.readers:model_name",
    otherwise="what is found on this machine",
)
SEATS: "Option[Mapping[str, str]]" = Option(
    name="seats",
    places=("flag", "panel file", "program", "http", "mcp"),
    about="who sits",
    flag_name="--seat",
    flag_help="The model for one seat; may be repeated. Where seats have no fixed roles, as in a conference, "
    "new names make your own panel.",
    metavar="NAME=MODEL",
    keyword="Mapping[str, str]",
    shape="pairs",
    example="Safety=openai:NAME",
    reader="settings.readers:model_name",
    is_listed=True,
    otherwise="those of the panel",
)
FALLBACKS: "Option[str | None]" = Option(
    name="fallbacks", places=IN_PANELS, about="models to ask in turn if that one fails"
)
SETTINGS: "Option[Mapping[str, str]]" = Option(
    name="settings",
    places=("flag", "panel file", "user file", "program", "http", "mcp"),
    about="settings of the protocol, its way to count, and rules (`RULE.KEY`)",
    flag_name="--set",
    flag_help="A setting of the protocol, or of a rule, written RULE.KEY; `quorate rules show NAME` lists them.",
    metavar="KEY=VALUE",
    keyword="Mapping[str, str | int | float | bool]",
    shape="pairs",
    example="supermajority.at_least=3/4",
    field_reader="settings.readers:protocol_settings",
    is_listed=True,
)
ACT_ERROR: "Option[Fraction | None]" = Option(
    name="act_error",
    places=EVERYWHERE,
    about="the share of errors up to which verdicts may be acted on without a person, as 2.5%",
    flag_name="--act-error",
    flag_help="Act alone only where labelled past decisions promise at most this share of errors, as 2.5%; else a "
    "person is asked.",
    metavar="SHARE",
    reader="settings.amounts:error_share",
    is_listed=True,
    writer="settings.amounts:written_error_share",
    otherwise="no promise is asked for",
)
SOURCES: "Option[tuple[str, ...]]" = Option(
    name="sources",
    places=("flag", "program"),
    about="what the oracle's seats may cite",
    flag_help="Documents an oracle may cite: a folder, an archive, a document or a JSON list; may be repeated.",
    metavar="PATH",
    keyword="Sequence[str]",
    keyword_note="Documents an oracle may cite: folders, archives, documents or JSON lists.",
    shape="list",
)
FILES: "Option[tuple[tuple[str, str], ...]]" = Option(
    name="files",
    places=("flag", "panel file", "program"),
    about="patterns of files for the context, meant from the panel file's folder, which they may not leave",
    flag_help="Files from this folder to add as context, such as 'src/**/*.py'; may be repeated.",
    metavar="PATTERN",
    keyword="Sequence[str]",
    keyword_note="Files from this folder to add as context, such as src/**/*.py.",
    shape="list",
)
LOOK_IN: "Option[str | None]" = Option(
    name="look_in",
    places=LOCAL,
    about="a folder whose files the seats may list, read and search before they answer; off unless given",
    flag_name="--look-in",
    flag_help="A folder the seats may look into before they answer: list, read and search files, nothing else. "
    "What they see goes to their models. Names that secrets have are left out.",
    metavar="FOLDER",
    keyword="str | Path",
    is_listed=True,
    is_path=True,
)
LOOK_LIMIT: "Option[int]" = Option(
    name="look_limit",
    places=LOCAL,
    about="how many times a seat may look something up before one answer, from 1 to 10",
    flag_name="--look-limit",
    metavar="N",
    keyword="int",
    reader="settings.amounts:look_limit",
    is_listed=True,
    default="3",
)
MEMORY: "Option[int]" = Option(
    name="memory",
    places=(*NOT_IN_PANELS, "http", "mcp"),
    about="whether seats are shown similar earlier decisions as precedent: `off`, `on`, or the most tokens for that",
    flag_help="Show the seats similar earlier decisions of this ledger as precedent: off, on (1500 tokens at most), "
    "or the most tokens, such as 3k.",
    metavar="on|TOKENS",
    keyword="str | int",
    reader="settings.amounts:memory_tokens",
    is_listed=True,
    writer="settings.amounts:written_memory",
    default="off",
)
BUDGET: "Option[Mapping[str, int | Fraction]]" = Option(
    name="budget",
    places=EVERYWHERE,
    about="in one line as for `--budget`, or a field each",
    flag_help="The most it may spend, such as '20 calls, 50k tokens, $0.50'.",
    metavar="LIMITS",
    shape="parts",
    reader="settings.amounts:budget",
    field_reader="settings.readers:budget_of",
    is_listed=True,
    otherwise="no limit",
)
PICKED_BUDGET: "Option[Mapping[str, int | Fraction]]" = Option(
    name="picked_budget",
    places=("variable", "user file"),
    about="the budget where quorate picks the models itself and none is set; `budget` goes before it",
    reader="settings.amounts:budget",
    is_listed=True,
    writer="settings.amounts:written_budget",
    default="$0.50, 500k tokens, unpriced",
)
DEADLINE: "Option[Fraction | None]" = Option(
    name="deadline",
    places=EVERYWHERE,
    about="the longest a deliberation may take",
    flag_help="The longest it may take in all, such as 60s or 2m. Whoever has not answered by then is silent.",
    metavar="TIME",
    reader="settings.amounts:seconds",
    is_listed=True,
    writer="settings.amounts:written_seconds",
    otherwise="no limit",
)
PATIENCE: "Option[Fraction]" = Option(
    name="patience",
    places=EVERYWHERE,
    about="the longest one answer may take",
    flag_help="The longest one answer may take; default: 120s.",
    metavar="TIME",
    reader="settings.amounts:seconds",
    is_listed=True,
    writer="settings.amounts:written_seconds",
    default="120s",
)
DEMO: "Option[bool]" = Option(
    name="demo", places=IN_PANELS, about="true for a panel whose answers mean nothing; it never approves"
)
KEYS: "Option[None]" = Option(
    name="keys",
    places=IN_PANELS,
    about="keys by the variable they would otherwise be in; the environment goes first",
)
COMMANDS: "Option[None]" = Option(
    name="commands",
    places=IN_PANELS,
    about="command-line tools by name, each a list of the program and its arguments, for `cli:NAME`",
)
LEDGER: "Option[str]" = Option(
    name="ledger",
    places=NOT_IN_PANELS,
    about="where deliberations are kept: a file, or the address of a PostgreSQL database",
    flag_help="The file, or the postgresql:// address, that keeps every deliberation; default: $QUORATE_LEDGER, "
    "else a file in the XDG data folder.",
    metavar="PATH|ADDRESS",
    keyword="str | Path | Ledger",
    is_listed=True,
    writer="ledger.address:shown_ledger",
    otherwise="`~/.local/share/quorate/ledger.db`",
    is_path=True,
)
TRANSCRIPTS: "Option[str | None]" = Option(
    name="transcripts",
    places=("variable", "user file"),
    about="a folder into which the minutes of every deliberation are written",
    is_listed=True,
    is_path=True,
)
CONCURRENCY: "Option[int]" = Option(
    name="concurrency",
    places=("variable", "user file", "program"),
    about="how many asks may be under way at once, over all deliberations of the process",
    keyword="int",
    reader="settings.amounts:whole",
    is_listed=True,
    default="64",
)
TENANT: "Option[str]" = Option(
    name="tenant",
    places=("variable", "user file", "program"),
    about="for whom workers hold it: each tenant has its turn, however much another has queued",
    reader="settings.readers:tenant",
    is_listed=True,
    default="everyone",
)
PRIORITY: "Option[str]" = Option(
    name="priority",
    places=("variable", "user file", "program"),
    about="how soon workers take it: `high` goes before `normal`, and that before `low`",
    reader="settings.readers:priority",
    is_listed=True,
    default="normal",
)
RATE: "Option[Rate]" = Option(
    name="rate",
    places=NO_FLAG,
    about="the most requests and tokens a minute",
    reader="settings.provider_settings:rate",
    field_reader="settings.provider_settings:rate_of",
    is_listed=True,
    writer="settings.provider_settings:written_rate",
    default="off",
)
BREAKER: "Option[BreakerLimits]" = Option(
    name="breaker",
    places=NO_FLAG,
    about="when a provider is left alone",
    reader="settings.provider_settings:breaker",
    field_reader="settings.provider_settings:breaker_of",
    is_listed=True,
    writer="settings.provider_settings:written_breaker",
    default="10 failures, 30s",
)
CACHE: "Option[str]" = Option(
    name="cache",
    places=NO_FLAG,
    about="where replies to equal asks are kept",
    reader="settings.provider_settings:cache",
    is_listed=True,
    default="off",
    is_path=True,
    words="settings.provider_settings:CACHES",
)
ROUTES: "Option[str]" = Option(
    name="routes",
    places=("variable", "user file"),
    about="the table that `auto` chooses from",
    is_listed=True,
    writer="settings.provider_settings:written_routes",
    default="",
    otherwise="the table that ships",
    is_path=True,
)
ALLOW_KEYS: "Option[tuple[str, ...]]" = Option(
    name="allow_keys",
    places=NOT_IN_PANELS,
    about="keys that may go to another host than their provider's",
    flag_name="--allow-key",
    flag_help="Allow a key to go to a host not its provider's own: openai@gateway.example; may be repeated.",
    metavar="PROVIDER@HOST",
    keyword="Sequence[str]",
    keyword_note="Keys that may go to another host than their provider's, such as openai@gateway.example.",
    shape="list",
    reader="settings.readers:key_pair",
    field_reader="settings.readers:key_pairs_of",
)
ENABLED: "Option[tuple[str, ...]]" = Option(
    name="enabled",
    places=IN_USER_FILE,
    about="patterns of the models that seats may use",
    shape="list",
    field_reader="settings.readers:texts_of",
    otherwise="every model",
)
DISABLED: "Option[tuple[str, ...]]" = Option(
    name="disabled",
    places=IN_USER_FILE,
    about="patterns of the models that seats may not use",
    shape="list",
    field_reader="settings.readers:texts_of",
)
HOOK_ON_TIMEOUT: "Option[str]" = Option(
    name="hook_on_timeout",
    places=("variable", "user file"),
    about="what `quorate hook` answers where there is no verdict, in time or at all: `ask` a person, or `deny`",
    reader="settings.readers:ask_or_deny",
    is_listed=True,
    default="ask",
)
ALLOW_PARTIAL: "Option[bool]" = Option(
    name="allow_partial",
    places=("flag", "program", "http", "mcp"),
    about="start even if the budget can't pay for one complete pass, and go as far as it lasts",
    flag_name="--allow-partial",
    keyword="bool",
    keyword_note="Start even if the budget can't pay for one complete pass.",
    shape="switch",
    otherwise="no",
)
TRUST: "Option[bool]" = Option(
    name="trust",
    places=("flag", "program"),
    about="allow the files named here to run, reach and read what they name, for this run",
    flag_help="For this run, allow the panel file, routes table or record to run the commands, reach the addresses and "
    "read the files that it names; `quorate panel trust FILE` shows them. Keys are not sent: see --allow-key.",
    keyword="bool",
    keyword_note="Allow the panel file, routes table or record to use the commands, addresses and files it names.",
    shape="switch",
    otherwise="no",
)

# Every row above, in its order: a row that had to be listed once more could be forgotten here.
TABLE: Final[tuple[Option[Any], ...]] = tuple(row for row in tuple(globals().values()) if isinstance(row, Option))
