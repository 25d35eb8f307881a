"""A package of somebody else's that is broken is told in a sentence: it is no bug of quorate's, and never silent."""

import sys
from pathlib import Path

import pytest

from quorate import catalogue
from quorate.catalogue import Kind
from quorate.errors import BadPlugin

PROTOCOL = (
    "SPEC = ProtocolSpec(protocol=len, form='vote', count=PartRef('heads'), panel=Panel(seats=(Seat(name='A'),)), "
    "rulebook={})"
)


def load(text: str, kind: Kind, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look up an entry point whose module holds this text."""
    (folder / "acme_broken.py").write_text(f"from quorate.authoring import *\n{text}\n", encoding="utf-8")
    known = folder / "acme_broken-1.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-broken\nVersion: 1.0\n", encoding="utf-8")
    (known / "entry_points.txt").write_text(f"[{catalogue.GROUPS[kind]}]\nbroken = acme_broken\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "acme_broken", raising=False)
    catalogue.module.cache_clear()
    find = {"protocol": catalogue.protocol, "rule": catalogue.rule, "form": catalogue.form, "count": catalogue.count}
    find[kind]("broken")


@pytest.mark.parametrize("text", ["raise RuntimeError('boom')", "raise SystemExit(3)", "1 / 0", "raise KeyError('x')"])
def test_whatever_goes_wrong_in_its_file_is_told(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadPlugin, match="cannot be imported"):
        load(text, "rule", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("rule", "SPEC = RuleSpec(rule='majority')", "its rule cannot be 'majority'"),
        ("rule", "SPEC = RuleSpec(rule=len, always='yes')", "its always cannot be 'yes'"),
        (
            "rule",
            "def rule(tally, *, more: 'Nowhere' = 1): ...\nSPEC = RuleSpec(rule=rule)",
            "its settings cannot be read",
        ),
        ("count", "SPEC = CountSpec(count=None)", "its count cannot be None"),
        ("count", "SPEC = CountSpec(count=len, votes=Choice)", "its votes cannot be"),
        ("form", "SPEC = FormSpec(read=1, instructions=1, repair=1, schema=1, sample=1)", "its read cannot be 1"),
        ("protocol", PROTOCOL.format("{}"), "its rulebook cannot be {}"),
        ("protocol", PROTOCOL.format("Rulebook(name='x', rules=('a',), otherwise=None)"), "cannot be used: "),
    ],
)
def test_a_declaration_of_a_wrong_type_is_told(
    kind: Kind, text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadPlugin, match=told):
        load(text, kind, tmp_path, monkeypatch)
