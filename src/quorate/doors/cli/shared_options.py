"""Options that several commands have, and the words a shell can complete them with."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypedDict, TypeVar

import click

__all__ = [
    "FORMS",
    "ONLY",
    "Charter",
    "Manner",
    "Trust",
    "allow_key",
    "as_json",
    "charter",
    "completed",
    "consent",
    "ledger",
    "manner",
    "panel",
    "protocol",
    "quiet",
    "rulebook",
    "trust",
]

FORMS: Final = ("minutes", "json", "markdown", "s4", "s4-log", "counsel", "debate", "oracle")
"""In which a deliberation can be shown."""

ONLY: Final[Mapping[str, str]] = MappingProxyType(
    {"s4": "tribunal", "s4-log": "tribunal", "counsel": "conference", "debate": "debate", "oracle": "oracle"}
)
"""Forms that one protocol alone has."""

F = TypeVar("F", bound=Callable[..., Any])


class Charter(TypedDict):
    """What the options of `charter` say, word for word."""

    panel: str | None
    protocol: str | None
    rulebook: str | None
    model: str | None
    seats: tuple[str, ...]
    settings: tuple[str, ...]
    sources: tuple[str, ...]
    files: tuple[str, ...]
    budget: str | None
    deadline: str | None
    patience: str | None
    ledger: str | None
    allow_keys: tuple[str, ...]


class Manner(TypedDict):
    """How a verdict is to be shown, and whether it sets the exit code."""

    as_json: bool
    quiet: bool
    gate: str | None


class Trust(TypedDict):
    """What an attestation is checked against: keys, the attestation behind a proof, a record in a file."""

    keys: tuple[str, ...]
    attested: str | None
    record: str | None


def trust(function: F) -> F:
    """What `quorate verify` needs for what `quorate attest` wrote."""
    for option in reversed(_TRUST):
        function = option(function)
    return function


def completed(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Complete names of a kind; what they are is looked up when the shell asks."""

    def names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
        from quorate import catalogue, presets

        known = {
            "panel": lambda: tuple(presets.panels()),
            "protocol": lambda: catalogue.names("protocol"),
            "rulebook": lambda: tuple(presets.rulebooks()),
        }[kind]()
        return [name for name in known if name.startswith(begun)]

    return names


def as_json(function: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else on stdout.")(
        function
    )


def quiet(function: F) -> F:
    return click.option("--quiet", "-q", is_flag=True, help="Print the verdict line alone.")(function)


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
        "10 if undecided or for a person to review, 20 for another. A review counts in place of the verdict.",
    )(function)


def ledger(function: F) -> F:
    return click.option(
        "--ledger",
        metavar="PATH",
        help="Where deliberations are kept; else QUORATE_LEDGER, else a file in the XDG data folder.",
    )(function)


def allow_key(function: F) -> F:
    return click.option(
        "--allow-key",
        "allow_keys",
        multiple=True,
        metavar="PROVIDER@HOST",
        help="Send a provider's key to another host than its own, such as openai@gateway.example; may be repeated.",
    )(function)


def consent(function: F) -> F:
    return click.option(
        "--trust",
        is_flag=True,
        help="For this run, let the files and the record named here run the commands, reach the addresses and read the "
        "files that they name; `quorate panel trust FILE` shows them. No key goes along: see --allow-key.",
    )(function)


def charter(function: F) -> F:
    """Everything that says who sits, who answers, under which rules and limits."""
    for option in reversed((*_CHARTER, ledger, allow_key)):
        function = option(function)
    return function


def panel(function: F) -> F:
    return click.option(
        "--panel",
        metavar="FILE|PRESET",
        shell_complete=completed("panel"),
        help="Who sits: a panel file, or a preset that `quorate panels` lists.",
    )(function)


def protocol(function: F) -> F:
    return click.option(
        "--protocol",
        metavar="NAME",
        shell_complete=completed("protocol"),
        help="Who speaks when; `quorate rules` lists them.",
    )(function)


def rulebook(function: F) -> F:
    return click.option(
        "--rulebook",
        metavar="NAME",
        shell_complete=completed("rulebook"),
        help="Which rules decide; `quorate rules` lists them.",
    )(function)


def _one_model(_: click.Context, __: click.Parameter, said: tuple[str, ...]) -> str | None:
    """The model for every seat. Two of them would be one too many, and none is dropped in silence."""
    if len(said) > 1:
        raise click.UsageError(
            f"--model stands {len(said)} times, and it answers for every seat; give it once, and the others "
            f"to seats by name: --seat NAME={said[1]}"
        )
    return said[0] if said else None


_TRUST = (
    click.option(
        "--key",
        "keys",
        multiple=True,
        metavar="PUBLIC",
        help="Of an attestation: a public key you trust, ed25519:… or an address 0x…; may be repeated.",
    ),
    click.option(
        "--attestation", "attested", metavar="FILE", help="Of a proof: the attestation whose root it leads to."
    ),
    click.option(
        "--record", metavar="FILE", help="Of an attestation: the exported record, else the ledger is looked at."
    ),
)
_CHARTER = (
    panel,
    protocol,
    rulebook,
    click.option(
        "--model",
        multiple=True,
        callback=_one_model,
        metavar="MODEL",
        help="Who answers for every seat: provider:name, or provider:name@address.",
    ),
    click.option(
        "--seat", "seats", multiple=True, metavar="NAME=MODEL", help="Who answers for one seat; may be repeated."
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="A setting of the protocol, or of a rule: RULE.KEY.",
    ),
    click.option(
        "--sources",
        multiple=True,
        metavar="PATH",
        help="What the oracle's seats may cite: a folder, an archive, a document or a JSON list; may be repeated.",
    ),
    click.option(
        "--files",
        multiple=True,
        metavar="PATTERN",
        help="Files for the context, such as 'src/**/*.py', within this folder; may be repeated.",
    ),
    click.option("--budget", metavar="LIMITS", help="The most it may use: '20 calls, 50k tokens, $0.50'."),
    click.option("--deadline", metavar="TIME", help="When the whole must end: 60s, 2m. Open asks then fall silent."),
    click.option("--patience", metavar="TIME", help="How long one answer may take."),
)
