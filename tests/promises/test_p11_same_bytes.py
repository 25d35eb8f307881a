"""P11: the same ballots give the same verdict everywhere: hash seeds, locales, time zones, versions of Python."""

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from quorate import catalogue, presets
from quorate.engine.runner import Runner
from quorate.errors import PanelistError
from quorate.ledger import export as records
from quorate.ledger import open_ledger
from quorate.model import Ask, Reply
from quorate.panelists import WordListener, ignore_words
from quorate.testing import approval, argument, assessment, ballot, estimate, finding, vote
from tests.figures import Figure
from tests.house.tree import ROOT
from tests.play import OPTIONS, convened, has_setting

PROGRAM = Path(__file__).with_name("recompute_all.py")
WORDINGS = (
    "Delete it",
    "Delete it now",
    "Keep it",
    "Keep \u0130t for \u0131stanbul",
    "Archive \ufb01rst: \u00bd of it",
)
"""Options that casing, sorting or folding by a locale would treat otherwise."""
HOLDS = b'"state": "holds"'
ZONES = ("UTC", "Asia/Tokyo", "America/St_Johns")


class Draws:
    """Answers whatever is asked by chance, and is silent now and then."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    async def answer(self, ask: Ask, _: WordListener = ignore_words) -> Reply:
        chance = self._chance
        if chance.random() < 0.1:
            raise PanelistError("timeout", "no reply")
        return Reply(text=f"{chance.choice(WORDINGS)}.\n\n{self._cast(ask)}")

    def _cast(self, ask: Ask) -> str:
        chance = self._chance
        share = round(chance.random(), 2)
        casts: dict[str, Callable[[], str]] = {
            "decision": lambda: ballot(ask, chance.choice(("ACT", "WARN", "REFUSE", "VETO")), int(100 * share), 30),
            "vote": lambda: vote(ask, chance.choice(WORDINGS), share, more=chance.random() < 0.3),
            "finding": lambda: finding(ask, chance.choice(("YES", "NO", "UNDETERMINED")), share),
            "argument": lambda: argument(ask, [chance.choice(WORDINGS)], ["In 2024 it took 3.5 hours."], share),
            "assessment": lambda: assessment(ask, share),
            "approval": lambda: approval(ask, chance.sample(OPTIONS, 2), share),
            "estimate": lambda: estimate(ask, round(chance.uniform(1, 1000), 3), None, share),
        }
        return casts.get(ask.wants, lambda: catalogue.form(ask.wants).sample(ask.terms(ask.mark)))()


async def recorded(folder: Path, number: int, seed: int) -> None:
    """So many deliberations, of every protocol in turn, as `quorate export` writes them, and ballots beside them."""
    chance, protocols = random.Random(seed), catalogue.names("protocol")
    ledger = open_ledger(":memory:")
    async with Runner(ledger) as runner:
        for at in range(number):
            protocol = protocols[at % len(protocols)]
            panel = presets.panel(protocol).panel
            settings = (("similarity", "overlap"),) if has_setting(protocol, "similarity") else ()
            begin = replace(convened(panel, protocol, settings), seed=f"{chance.getrandbits(256):064x}")
            record = await runner.hold(begin, panelists={seat.name: Draws(chance.getrandbits(32)) for seat in panel})
            lines = await records.export(ledger, record.id)
            (folder / f"{at:04}-{protocol}.jsonl").write_bytes(b"".join(lines))
    for at in range(number):
        cast = [
            {"seat": seat, "decision": chance.choice(("ACT", "WARN", "REFUSE")), "confidence": chance.randrange(101),
             "risk": chance.randrange(101), "reasoning": chance.choice(WORDINGS)}
            for seat in ("Utility", "Accuracy", "Safety")
        ]  # fmt: skip
        (folder / f"{at:04}-ballots.json").write_text(json.dumps(cast), encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a verdict is computed: which interpreter, hash seed, locale and time zone."""

    python: str
    hash_seed: int
    locale: str
    zone: str

    def computes(self, folder: Path, locales: Path, manner: str = "") -> bytes:
        env = {
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONHASHSEED": str(self.hash_seed),
            "LC_ALL": self.locale,
            "LOCPATH": str(locales),
            "TZ": self.zone,
            "HOME": str(locales),
            "PATH": os.environ["PATH"],
        }
        words = [self.python, str(PROGRAM), str(folder), *([manner] if manner else [])]
        done = subprocess.run(words, env=env, cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


@pytest.fixture(scope="module")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of locales: Turkish, whose letters have their own capitals, and German, if this system can make them."""
    folder = tmp_path_factory.mktemp("locales")
    if maker := shutil.which("localedef"):
        for name in ("tr_TR", "de_DE"):
            subprocess.run(
                [maker, "-i", name, "-f", "UTF-8", folder / f"{name}.UTF-8"], capture_output=True, check=False
            )
    return folder


def known(locales: Path) -> list[str]:
    return ["C", "C.UTF-8", *sorted(path.name for path in locales.iterdir())]


def others(folder: Path) -> Iterator[str]:
    """Other versions of Python that are here and can be given what quorate needs."""
    here = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in ("3.11", "3.12", "3.13", "3.14"):
        if version == f"{sys.version_info.major}.{sys.version_info.minor}":
            continue
        found = [shutil.which(f"python{version}"), *map(str, here.glob(f"{version}.*/bin/python"))]
        ready = (_made(python, folder / version) for python in found if python)
        if python := next(filter(None, ready), None):
            yield python


def _made(python: str, venv: Path) -> str:
    """An environment with the locked base; nothing if it cannot be made here."""
    made = str(venv / "bin" / "python")
    needs = ("--require-hashes", "-r", str(ROOT / "requirements" / "base.txt"))
    orders = (
        ("uv", "venv", "--quiet", "--python", python, str(venv)),
        ("uv", "pip", "install", "--quiet", "--python", made, *needs),
    )
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    env = {**os.environ, "PATH": path}
    fine = all(subprocess.run(order, env=env, capture_output=True, check=False).returncode == 0 for order in orders)
    return made if fine else ""


def differ(places: Sequence[Place], folder: Path, locales: Path, manner: str = "") -> list[Place]:
    """Where something else comes out than at the first place; there every record must hold."""
    first = places[0].computes(folder, locales, manner)
    assert first.count(HOLDS) == len([*folder.glob("*.jsonl")])
    return [place for place in places[1:] if place.computes(folder, locales, manner) != first]


def everywhere(pythons: Sequence[str], seeds: int, names: Sequence[str]) -> list[Place]:
    """Every hash seed in every locale, in each of the Pythons; the time zones take turns."""
    return [
        Place(python=python, hash_seed=seed, locale=name, zone=ZONES[(seed + at) % len(ZONES)])
        for python in pythons
        for seed in range(seeds)
        for at, name in enumerate(names)
    ]


def in_turn(seeds: int, names: Sequence[str]) -> list[Place]:
    """Each hash seed in the next of the locales and time zones."""
    return [
        Place(python=sys.executable, hash_seed=seed, locale=names[seed % len(names)], zone=ZONES[seed % len(ZONES)])
        for seed in range(seeds)
    ]


@pytest.mark.promise
def test_7_deliberations_come_to_the_same_bytes_at_four_places(
    tmp_path: Path, locales: Path, seed: int, figure: Figure
) -> None:
    asyncio.run(recorded(tmp_path, 7, seed))
    places = in_turn(4, known(locales))

    assert differ(places, tmp_path, locales) == []
    figure(f"7 deliberations and 7 sets of ballots, 4 hash seeds in locales {', '.join(known(locales))}: same bytes")


@pytest.mark.promise
def test_the_same_comparison_shows_what_leans_on_hash_order_or_on_a_locale(tmp_path: Path, locales: Path) -> None:
    """Control: a tie decided by the order of a set, and a number as the locale writes it."""
    by_seed = differ(in_turn(6, ["C"]), tmp_path, locales, "careless")
    names = known(locales)
    by_locale = differ(
        [replace(place, hash_seed=1) for place in in_turn(len(names), names)], tmp_path, locales, "careless"
    )

    assert by_seed
    assert {place.locale for place in by_locale} == {*names} - {"C", "C.UTF-8"}


@pytest.mark.long
def test_100_deliberations_come_to_the_same_bytes_on_every_python_seed_and_locale(
    tmp_path: Path, locales: Path, seed: int, figure: Figure
) -> None:
    kept, pythons = tmp_path / "records", [sys.executable, *others(tmp_path / "pythons")]
    kept.mkdir()
    asyncio.run(recorded(kept, 100, seed))
    places = everywhere(pythons, 10, known(locales))

    assert differ(places, kept, locales) == []
    versions = ", ".join(_version(python) for python in pythons)
    figure(
        f"100 deliberations and 100 sets of ballots at {len(places)} places (10 hash seeds, locales "
        f"{', '.join(known(locales))}, Python {versions}): same bytes"
    )


def _version(python: str) -> str:
    said = subprocess.run([python, "--version"], capture_output=True, check=True, text=True)
    return said.stdout.split()[1]
