"""The reference page of providers, from the table they are opened by and the very requests that would be sent."""

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.panelists.cli.tools import TOOLS
from quorate.panelists.http.client import Http
from quorate.panelists.http.finishes import BROKE_DOWN, ENDED
from quorate.panelists.http.wire_format import Wire
from quorate.panelists.model_options import EFFORTS, OPTIONS
from quorate.panelists.registry import PROVIDERS, Provider, open_panelist

INTRO = (
    "Who can be asked, by the prefix of a model's name: `prefix:name`, or `prefix:name@address` for another address. "
    "How to use them is in [Use your models](../how-to/use-your-models.md)."
)
SCHEMA: Mapping[str, object] = {"type": "object", "title": "a ballot"}

BESIDES = """\
## Others

| name | who answers | form of a ballot enforced | streams | asks money |
|---|---|---|---|---|
| `cli:NAME`, `cli:NAME/MODEL` | a command-line tool of yours | no | if it writes plain text | as its own account says |
| `pydantic:PROVIDER:NAME` | whatever pydantic-ai reaches (`quorate[providers]`) | where that provider can | yes | yes |
| `embedded:smollm2` | the small built-in model (`quorate[embedded]`) | yes | yes | no |
| `person`, `person:NAME` | a person, now or next week | no | no | no |
| `recording:ID`, `recording:FILE` | an earlier deliberation's replies, again | no | no | no |
| `demo:scripted` | nobody: scripted speeches | no | no | no |
| `auto` | what the [table of routes](../how-to/route-models.md) chooses of the providers above | – | – | – |
"""


def providers() -> Iterator[str]:
    yield "## Providers\n"
    yield "| prefix | address unless you say otherwise | moved by | key in | wire format | runs here |"
    yield "|---|---|---|---|---|---|"
    for name, one in PROVIDERS.items():
        moved, format_ = one.address_variable(name), one.speaks if isinstance(one.speaks, str) else "its own"
        cells = (f"`{name}`", one.base_url, f"`{moved}`", f"`{one.variable}`", format_, "yes" if one.local else "no")
        yield f"| {' | '.join(cells)} |"
    yield "\nWhat runs here needs no key and counts as free; nor is a key needed at an address of your own.\n"
    yield from formats()
    yield from ends()
    yield BESIDES
    yield from tools()
    yield from options()


def formats() -> Iterator[str]:
    """The wire formats, each as one of its providers would be asked."""
    yield "## Wire formats\n"
    yield "| format | asked at | form of a ballot enforced by | streamed by |"
    yield "|---|---|---|---|"
    spoken = {one.speaks: name for name, one in PROVIDERS.items() if isinstance(one.speaks, str)}
    for format_, name in sorted(spoken.items()):
        wire = opened(name, PROVIDERS[name])
        at, streamed = (wire._url(streaming=how).removeprefix(PROVIDERS[name].base_url) for how in (False, True))  # noqa: SLF001
        enforced = " → ".join(f"`{key}`" for key in place(wire._wanted("decision", "", SCHEMA, frozenset())))  # noqa: SLF001
        said = ", ".join(f"`{key}`" for key in wire._streaming(frozenset()))  # noqa: SLF001
        yield f"| {format_} | `{at}` | {enforced} | {said or f'`{streamed}`'} |"
    yield "\nAn endpoint that declines a form is asked again without it, and the words are read all the same."
    yield "So it is with a cap on tokens, `temperature`, `effort` and streams."
    yield "What it declines is remembered for a day, by address and model."
    yield "Delete `quorate/declines.json` in the XDG cache folder to try again sooner.\n"


def ends() -> Iterator[str]:
    """What a provider's word for the end of a reply means."""
    yield "## How a reply ended\n"
    yield "| the provider says, in any case of letters | the reply |"
    yield "|---|---|"
    meanings = {
        "stop": "is complete",
        "filter": "was withheld by a filter: silence",
        "refusal": "is a refusal: silence",
    }
    for finish, meaning in meanings.items():
        said = ", ".join(f"`{word}`" for word, meant in ENDED.items() if meant == finish)
        yield f"| {said} | {meaning} |"
    yield f"| {', '.join(f'`{word}`' for word in sorted(BROKE_DOWN))} | failed, and is asked for again |"
    yield "| anything else, known or new | was cut off: a ballot for ACT in it does not count |\n"
    yield "`tool_use` is complete where the ballot was cast by tool. Only chat completions may leave the word out.\n"


def opened(name: str, provider: Provider) -> Wire:
    panelist = open_panelist(f"{name}:NAME", Http(), {provider.variable: "k"})
    if not isinstance(panelist, Wire):
        raise TypeError(f"{name} is asked over no wire")
    return panelist


def place(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - any JSON
    """Where in a request the schema stands."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        found = () if inner is SCHEMA else place(inner)
        if inner is SCHEMA or found:
            return (key, *found)
    return ()


def tools() -> Iterator[str]:
    yield "## Command-line tools\n"
    yield "| tool | command | takes a model | takes an effort | whose models |"
    yield "|---|---|---|---|---|"
    for name, tool in TOOLS.items():
        model, effort = ("yes" if said else "no" for said in (tool.model, tool.effort))
        yield f"| `cli:{name}` | `{tool.argv[0]}` | {model} | {effort} | {tool.maker or 'not known'} |"
    yield "\nAny other is declared under `commands` in a panel file, or in `QUORATE_COMMAND_NAME`.\n"


def options() -> Iterator[str]:
    """What may stand behind a name."""
    yield "## Options behind a name\n"
    yield "| of | options |"
    yield "|---|---|"
    for whose, known in OPTIONS.items():
        yield f"| a {whose} | {', '.join(f'`{name}`' for name in known)} |"
    yield f"\n`effort` is one of {', '.join(EFFORTS)}.\n"
