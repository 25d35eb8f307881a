"""Options that several commands have, and the words a shell can complete them with."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar

import click

from quorate.settings.option import Option
from quorate.settings.table import ALLOW_KEYS, LEDGER, MODEL, PANEL, PROTOCOL, RULEBOOK, TRUST, options_at

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from quorate.ledger import Ledger, Summary

__all__ = [
    "FORMS",
    "CatalogueOption",
    "OutputOptions",
    "SettingsCommand",
    "TrustOptions",
    "allow_key",
    "as_json",
    "complete_ids",
    "complete_ids_or",
    "complete_ids_or_files",
    "complete_panels",
    "consent",
    "flag",
    "ledger",
    "manner",
    "panel",
    "protocol",
    "quiet",
    "rulebook",
    "settings",
    "trust",
]

FORMS: Final = ("minutes", "json", "markdown", "html", "s4", "s4-log", "counsel", "debate", "oracle")
"""In which a deliberation can be shown."""

COMPLETED: Final = 50
"""Ids that a shell is offered at most."""

F = TypeVar("F", bound=Callable[..., Any])
Completion = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


class OutputOptions(TypedDict):
    """How a verdict is to be shown, and whether it sets the exit code."""

    as_json: bool
    quiet: bool
    gate: str | None


class TrustOptions(TypedDict):
    """What an attestation is checked against: keys, the attestation behind a proof, a record in a file."""

    keys: tuple[str, ...]
    attested: str | None
    record: str | None


def trust(function: F) -> F:
    """What `quorate verify` needs for what `quorate attest` wrote."""
    for option in reversed(_TRUST):
        function = option(function)
    return function


def known_names(kind: str) -> tuple[str, ...]:
    """Everything of a kind there is, of other packages too."""
    from quorate import catalogue, presets

    listed: Mapping[str, Callable[[], Iterable[str]]] = {
        PANEL.name: presets.panels,
        PROTOCOL.name: lambda: catalogue.names("protocol"),
        RULEBOOK.name: presets.rulebooks,
    }
    return tuple(listed[kind]())


def complete_ids(ctx: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Deliberations for the shell: `last`, and the newest ids that begin so, each with its question."""
    return _ids(ctx, incomplete, "last")


def complete_ids_or(word: str) -> Completion:
    """The same where a command also takes a word of its own in place of an id."""

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        return _ids(ctx, incomplete, "last", word)

    return complete


def complete_ids_or_files(ctx: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """The same where a file will do too."""
    return [_files(incomplete), *_ids(ctx, incomplete, "last")]


def complete_panels(ctx: click.Context, _: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Panels by name, and panel files."""
    del ctx
    names = (_item(name) for name in known_names(PANEL.name) if name.startswith(incomplete))
    return [_files(incomplete), *names]


def _files(incomplete: str) -> "CompletionItem":
    """The shell's own files. First, for bash forgets what it was offered before."""
    return _item(incomplete, type="file")


def _item(word: str, **told: str) -> "CompletionItem":
    from click.shell_completion import CompletionItem

    return CompletionItem(word, **told)


def _ids(ctx: click.Context, incomplete: str, *words: str) -> "list[CompletionItem]":
    from quorate.doors.cli.records import with_ledger
    from quorate.errors import QuorateError

    async def work(held: "Ledger") -> "list[Summary]":
        return [summary async for summary in held.list()]

    try:
        found = with_ledger(ctx.params.get(LEDGER.name), work)
    except QuorateError:  # whoever completes a word is not told what is wrong with a ledger
        found = []
    ids = [_item(one.id, help=one.question[:60]) for one in found if one.id.startswith(incomplete)]
    fitting = [word for word in words if word.startswith(incomplete) and (found or word != "last")]
    return [*map(_item, fitting), *ids[:COMPLETED]]


class CatalogueOption(click.Option):
    """An option that takes a name of the catalogue: what there is, is looked up when the shell or a reader asks."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        if self.name == PANEL.name:
            return complete_panels(ctx, self, incomplete)
        return [_item(name) for name in known_names(str(self.name)) if name.startswith(incomplete)]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Protocols by name; for panels and rulebooks much would be loaded, and help must be there at once."""
        record = super().get_help_record(ctx)
        if record is None or self.name != PROTOCOL.name:
            return record
        return record[0], f"{record[1].rstrip('.')}: {', '.join(_protocol_files())}."


def _protocol_files() -> tuple[str, ...]:
    """Protocols by the names of their files and entry points, none of them loaded."""
    import pkgutil

    from quorate import protocols
    from quorate.plugins import entry_points_of

    files = {module.name for module in pkgutil.iter_modules(protocols.__path__)}
    return tuple(sorted(files | {point.name for point in entry_points_of("quorate.protocols")}))


def as_json(function: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else on stdout.")(
        function
    )


def quiet(function: F) -> F:
    told = "Print only the first line of the verdict; the reason and the first point go to stderr."
    return click.option("--quiet", "-q", is_flag=True, help=told)(function)


def manner(function: F) -> F:
    """How a verdict is shown, and whether it sets the exit code."""
    return as_json(quiet(gate(function)))


def gate(function: F) -> F:
    return click.option(
        "--gate",
        is_flag=False,
        flag_value="",
        default=None,
        metavar="[OUTCOME]",
        help="Set the exit code by the verdict: 0 ACT, 10 WARN, 20 REFUSE. With an OUTCOME: 0 for that one, "
        "10 if undecided or waiting for review, 20 for any other. Your review at a terminal or on your "
        "page replaces the verdict; any other only makes it stricter.",
    )(function)


def flag(option: Option[Any], **changes: Any) -> Callable[[F], F]:  # noqa: ANN401 - whatever click takes
    """The flag of an option as the table has it; a command may say more, or something else, of it."""
    made: dict[str, Any] = {"metavar": option.metavar or None, "help": option.help, "multiple": option.is_repeated}
    if option.shape == "switch":
        made["is_flag"] = True
    if option in {PANEL, PROTOCOL, RULEBOOK}:
        made["cls"] = CatalogueOption
    names = (option.flag, option.short, option.name) if option.short else (option.flag, option.name)
    return click.option(*names, **{**made, **changes})


def _settings() -> list[Option[Any]]:
    return [option for option in options_at("flag") if option.shape != "switch"]


def settings(function: Callable[..., int]) -> Callable[..., int]:
    """Everything that says who sits, who answers, under which rules and limits; a `SettingsCommand` hands it on."""
    for option in reversed(_settings()):
        function = flag(option, **({"multiple": True} if option is MODEL else {}))(function)
    return function


class SettingsCommand(click.Command):
    """A command that is handed all that was said of the options of the table as one argument, `said`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:  # a shell that completes a word has not said everything
            ctx.params["said"] = {option.name: ctx.params.pop(option.name) for option in _settings()}
        return rest


_TRUST = (
    click.option(
        "--key",
        "keys",
        multiple=True,
        metavar="PUBLIC",
        help="For an attestation: a public key you trust, ed25519:… or an address 0x…; may be repeated.",
    ),
    click.option("--attestation", "attested", metavar="FILE", help="For a proof: the attestation it belongs to."),
    click.option(
        "--record", metavar="FILE", help="For an attestation: the exported record; default: the one in the ledger."
    ),
)
panel, protocol, rulebook = flag(PANEL), flag(PROTOCOL), flag(RULEBOOK)
ledger, allow_key, consent = flag(LEDGER), flag(ALLOW_KEYS), flag(TRUST)
