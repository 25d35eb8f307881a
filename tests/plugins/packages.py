"""Packages of somebody else's, written into a temporary folder and installed by pip as anybody would."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "1.0"
{points}
"""

PROVIDER = '''
"""Models that are spoken to in Oddish."""

from quorate.authoring import JsonEndpoint, Provider, Reply, Usage


class Odd:
    def __init__(self, endpoint, http, options, price):
        self.model, self.most = endpoint.model, options.most
        self.endpoint = JsonEndpoint(endpoint, http, "talk", {"X-Odd-Key": endpoint.key})

    async def answer(self, ask, overheard=None):
        came = await self.endpoint.post({"to": self.model, "say": ask.prompt.template, "words": self.most})
        if self.model == "crash":
            raise RuntimeError("the parser of acme-odd, with key odd-key-0123456789abcdef")
        return Reply(text=came["spoke"]["words"], model=self.model, usage=Usage(asked=600, answered=150))


PROVIDER = Provider("https://odd.example/v1", "ODD_API_KEY", speaks=Odd, models=("parrot", "crash"))
'''

LEDGER = '''
"""Ledgers on a shelf, by name."""

from pathlib import Path

from quorate.ledger import open_ledger


def open_shelf(address, *, spool, ttl):
    name = address.partition("://")[2].rpartition("@")[2]
    if name == "crash":
        raise RuntimeError("no such shelf")
    return open_ledger(Path.home() / "shelf" / f"{name}.db", spool=spool, ttl=ttl)
'''

ERRAND = '''
"""The weather of tomorrow."""

from quorate.authoring import Found, Passage


async def weather(errand):
    if errand.about == "crash":
        raise RuntimeError("no barometer")
    passage = Passage(url="https://odd.example/sky", text="It rains in Oddtown.")
    return Found(**errand.key._asdict(), passages=(passage,))
'''

PROTOCOL = '''
"""Everyone votes once the weather is known."""

from quorate.authoring import Ask, Errand, PartRef, Panel, Prompt, ProtocolSpec, Quote, Rulebook, Seat


def protocol(brief, heard, *, about: str = ""):
    yield Errand(kind="weather", round="sky", about=about)
    found = heard.found("weather", "sky", about=about)
    if found is None:
        return
    sky = tuple(Quote("the sky", one.text) for one in found.passages) or "(Nobody knows.)"
    parts = (("question", Quote("the question", brief.question.text)), ("sky", sky))
    for seat in brief.panel:
        yield Ask(seat, "vote", Prompt("{question}\\n\\n{sky}\\n\\n{ballot}", parts), wants="decision")


SPEC = ProtocolSpec(
    protocol=protocol,
    form="decision",
    outcomes=("ACT", "WARN", "REFUSE"),
    count=PartRef("heads", (("final", "vote"), ("sealed", "vote"))),
    rulebook=Rulebook(name="outing", rules=(PartRef("all_silent"), PartRef("unanimous")), otherwise=PartRef("hold")),
    panel=Panel(seats=(Seat(name="Ann"), Seat(name="Ben"))),
    titles=(("vote", "Vote"),),
    final="vote",
    sealed="vote",
)
'''

COMMAND = '''
"""A command that greets."""

import click


@click.command()
@click.argument("name", default="you")
def greet(name):
    """Greet somebody oddly."""
    if name == "crash":
        raise RuntimeError("no greeting")
    click.echo(f"odd day, {name}")
'''

ODD = {
    "acme_odd/__init__.py": "",
    "acme_odd/provider.py": PROVIDER,
    "acme_odd/ledger.py": LEDGER,
    "acme_odd/errand.py": ERRAND,
    "acme_odd/outing.py": PROTOCOL,
    "acme_odd/command.py": COMMAND,
}
ODD_POINTS = {
    "quorate.providers": {"odd": "acme_odd.provider:PROVIDER"},
    "quorate.ledgers": {"shelf": "acme_odd.ledger:open_shelf"},
    "quorate.errands": {"weather": "acme_odd.errand:weather"},
    "quorate.protocols": {"outing": "acme_odd.outing"},
    "quorate.commands": {"greet": "acme_odd.command:greet"},
}


def write_package(folder: Path, name: str, files: Mapping[str, str], points: Mapping[str, Mapping[str, str]]) -> Path:
    """A package as its author has it: sources, and a pyproject.toml with its entry points."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "pyproject.toml").write_text(PYPROJECT.format(name=name, points=_toml(points)), encoding="utf-8")
    return folder


def install(package: Path, site: Path) -> None:
    """Have pip build and install a package where nobody else has anything installed."""
    command = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index")
    where = ("--no-deps", "--no-build-isolation", "--target", str(site), str(package))
    subprocess.run((*command, *where), check=True, capture_output=True)


def write_metadata(site: Path, name: str, files: Mapping[str, str], points: Mapping[str, Mapping[str, str]]) -> Path:
    """The same as `install`, without pip: the sources, and what pip writes beside them. It takes no second."""
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    groups = (f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in one.items()) for group, one in points.items())
    (info / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
    for path, text in files.items():
        (site / path).write_text(text, encoding="utf-8")
    return site


def _toml(points: Mapping[str, Mapping[str, str]]) -> str:
    groups = (
        f'[project.entry-points."{group}"]\n' + "".join(f'{name} = "{value}"\n' for name, value in one.items())
        for group, one in points.items()
    )
    return "\n".join(groups)
