"""A file that does not fit is told in a sentence, and does not stand in the way of the others."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import pytest

from quorate import catalogue, presets
from quorate.errors import BadPlugin, UnknownName
from quorate.model import PartRef
from quorate.model.specs import ProtocolSpec, RuleSpec, Variant
from quorate.protocols.tribunal import SPEC

CACHES = (
    *(catalogue.names, catalogue.module, catalogue.protocols, catalogue.protocol, catalogue.rule),
    *(presets.panels, presets.rulebooks),
)
BOOK = SPEC.rulebook


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[tuple[str, str], object]]:
    """What other packages name, by group and name, in place of what is installed here."""
    points: dict[tuple[str, str], object] = {}
    install(tmp_path, "[quorate.protocols]\n[quorate.rules]\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    class Point(EntryPoint):
        def load(self) -> object:
            found = points[self.group, self.name]
            if isinstance(found, Exception):
                raise found
            return found

    def entry_points(*, group: str, name: str | None = None) -> EntryPoints:
        found = (key for key in points if key[0] == group and name in {None, key[1]})
        return EntryPoints(Point(name=key[1], value=f"acme.{key[1]}", group=key[0]) for key in found)

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    _forget()
    yield points
    _forget()


def install(place: Path, declared: str) -> None:
    """A package as it lies in a folder of packages, as far as its entry points go."""
    made = place / "acme-1.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Name: acme\nVersion: 1.0\n", encoding="utf-8")
    (made / "entry_points.txt").write_text(declared, encoding="utf-8")


def _forget() -> None:
    for cached in CACHES:
        cached.cache_clear()


def module(spec: object = None) -> ModuleType:
    made = ModuleType("acme.poll")
    if spec is not None:
        made.__dict__["SPEC"] = spec
    return made


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (replace(SPEC, form="sonnet"), "no form 'sonnet'"),
        (
            replace(SPEC, count=PartRef("rankings")),
            "count 'rankings' does not count those",
        ),
        (replace(SPEC, count=PartRef("heads", (("finale", "x"),))), "'finale'"),
        (replace(SPEC, turned_away="MAYBE"), "turned_away = 'MAYBE' is none of its outcomes"),
        (replace(SPEC, varies_by="mood", variants={"a": Variant(form="decision", outcomes=())}), "varies_by = 'mood'"),
        (replace(SPEC, rulebook=replace(BOOK, rules=(PartRef("coin"),))), "no rule 'coin'"),
        (replace(SPEC, rulebook=replace(BOOK, otherwise=PartRef("veto"))), "ends with 'veto', which may stay silent"),
        (replace(SPEC, rulebook=replace(BOOK, rules=(PartRef("demo"),))), "caps go into unless"),
    ],
)
def test_what_does_not_fit_together_is_told_when_it_is_loaded(
    installed: dict[tuple[str, str], object], spec: ProtocolSpec, told: str
) -> None:
    installed["quorate.protocols", "poll"] = module(spec)

    with pytest.raises(BadPlugin, match="protocol 'poll' cannot be used") as wrong:
        catalogue.protocol("poll")
    assert told in str(wrong.value)
    assert "poll" in catalogue.names("protocol")
    assert "poll" not in catalogue.protocols()
    assert "tribunal" in presets.panels()


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (module(), "has no SPEC = ProtocolSpec"),
        (module(RuleSpec(rule=lambda _: None)), "has no SPEC = ProtocolSpec"),
        (SPEC, "must name a module"),
        (ImportError("no acme"), "cannot be imported"),
        (SyntaxError("odd"), "cannot be imported"),
    ],
)
def test_what_is_no_protocol_at_all_is_told_too(
    installed: dict[tuple[str, str], object], found: object, told: str
) -> None:
    installed["quorate.protocols", "poll"] = found

    with pytest.raises(BadPlugin, match=told):
        catalogue.protocol("poll")


def test_a_protocol_of_another_package_brings_its_rulebook_and_its_panel(
    installed: dict[tuple[str, str], object],
) -> None:
    installed["quorate.protocols", "poll"] = module(replace(SPEC, rulebook=replace(BOOK, name="poll"), rulebooks=()))

    assert presets.rulebook("poll").rules == BOOK.rules
    assert presets.panel("poll").protocol == "poll"
    with pytest.raises(UnknownName, match=r"no protocol 'pool'; there are .*, poll, ranked"):
        catalogue.protocol("pool")


def test_a_rule_that_is_neither_or_both_is_refused(installed: dict[tuple[str, str], object]) -> None:
    installed["quorate.rules", "odd"] = module(RuleSpec())

    with pytest.raises(BadPlugin, match="neither a rule nor a cap"):
        catalogue.rule("odd")


ASKED = """
import sys
from quorate import catalogue
from quorate.errors import UnknownName
names = catalogue.names("rule")
print("coin" in names, "importlib.metadata" in sys.modules)
"""


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ("[console_scripts]\nacme = acme:main\n", "False False"),
        ("[quorate.rules]\ncoin = acme.coin\n", "True True"),
        ("[console_scripts]\nacme = acme:main\n\n[quorate.rules]\ncoin = acme.coin\n", "True True"),
    ],
)
def test_a_rule_of_another_package_is_found_and_where_there_is_none_nothing_is_loaded_to_look_for_one(
    tmp_path: Path, declared: str, told: str
) -> None:
    install(tmp_path, declared)

    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", ASKED], env=env, capture_output=True, text=True, check=True)

    assert (run.stdout.strip(), run.stderr) == (told, "")
