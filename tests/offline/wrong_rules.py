"""Ten rules that are wrong, each in its own way, as another package would ship them, and rulebooks that use them."""

from collections.abc import Mapping
from pathlib import Path

BEGIN = '''"""A wrong rule."""
from fractions import Fraction
from quorate.authoring import RuleSpec, Tally, Verdict

'''
ALWAYS = "\n\nSPEC = RuleSpec(rule=rule, always=True)\n"
MAJORITY = """
def rule(tally: Tally):
    for option in tally.options:
        if 2 * tally.heads(option) > len(tally.eligible):
            return Verdict.on(tally, option, "a majority", decided=True)
    return Verdict.on(tally, {otherwise!r}, "no majority", decided=False)
"""
RULES = {
    "forgets_the_veto": MAJORITY.format(otherwise="REFUSE"),
    "first_of_a_tie": """
def rule(tally: Tally):
    heads = {voice.option: tally.heads(voice.option) for voice in tally.stated()}
    best = max(heads, key=heads.get, default="REFUSE")
    return Verdict.on(tally, best, "first seen wins", decided=True)
""",
    "float_threshold": """
def rule(tally: Tally):
    share = tally.heads("ACT") / max(1, len(tally.eligible))
    if share >= 0.66 and not tally.vetoes and not any(seat.seat in tally.guardians for seat in tally.silent):
        return Verdict.on(tally, "ACT", "two thirds, nearly", decided=True)
    return Verdict.on(tally, "REFUSE", "less", decided=False)


def needs(seats, **_):
    return -(-2 * seats // 3)


SPEC = RuleSpec(rule=rule, always=True, needs=needs, power=False)
""",
    "silence_helps": """
def rule(tally: Tally):
    if tally.vetoes or not tally.stated():
        return Verdict.on(tally, "REFUSE", "a veto, or nobody", decided=True)
    if tally.heads("ACT") + len(tally.silent) > tally.heads("REFUSE") + tally.heads("WARN"):
        return Verdict.on(tally, "ACT", "nobody objects", decided=True)
    return Verdict.on(tally, "REFUSE", "some object", decided=False)
""",
    "raises_on_nothing": """
def rule(tally: Tally):
    if tally.vetoes:
        return Verdict.on(tally, "REFUSE", "a veto", decided=True)
    mean = sum(voice.confidence for voice in tally.stated()) / len(tally.stated())
    return Verdict.on(tally, "REFUSE", f"{mean}", decided=True)
""",
    "knows_a_seat": """
def rule(tally: Tally):
    if any(voice.seat == "Utility" and voice.option == "ACT" for voice in tally.stated()) and not tally.vetoes:
        return Verdict.on(tally, "ACT", "Utility says so", decided=True)
    return Verdict.on(tally, "REFUSE", "Utility does not say so", decided=False)
""",
    "shrinking_whole": """
def rule(tally: Tally):
    if tally.vetoes:
        return Verdict.on(tally, "REFUSE", "a veto", decided=True)
    if tally.stated() and 3 * tally.heads("ACT") >= 2 * len(tally.stated()):
        return Verdict.on(tally, "ACT", "two thirds of those who answered", decided=True)
    return Verdict.on(tally, "REFUSE", "less", decided=False)
""",
    "veto_only_at_risk": """
def rule(tally: Tally):
    if any(voice.risk is not None and voice.risk > Fraction(1, 2) for voice in tally.vetoes):
        return Verdict.on(tally, "REFUSE", "a veto at high risk", decided=True)
    return Verdict.on(tally, "WARN", "no veto that counts", decided=False)
""",
    "approves_by_default": MAJORITY.format(otherwise="ACT").replace(
        "    for option",
        '    if tally.vetoes:\n        return Verdict.on(tally, "REFUSE", "a veto", decided=True)\n    for option',
        1,
    ),
    "parity": """
def rule(tally: Tally):
    if tally.vetoes:
        return Verdict.on(tally, "REFUSE", "a veto", decided=True)
    if tally.heads("ACT") and tally.heads("ACT") % 2 == 0:
        return Verdict.on(tally, "ACT", "an even number", decided=True)
    return Verdict.on(tally, "WARN", "an odd number", decided=False)
""",
}
"""Each rule's source."""

BREAKS = {
    "forgets_the_veto": ("veto", 3),
    "first_of_a_tie": ("order", 2),
    "float_threshold": ("guarantee", 50),
    "silence_helps": ("approval", 2),
    "raises_on_nothing": ("answers", 1),
    "knows_a_seat": ("names", 1),
    "shrinking_whole": ("approval", 2),
    "veto_only_at_risk": ("veto", 1),
    "approves_by_default": ("approval", 3),
    "parity": ("approval", 3),
}
"""The property that each of them breaks, and with how many ballots at the least."""

UNRULY = {
    "raises_its_own": """
class Unheard(Exception):
    def __str__(self):
        raise RuntimeError("no words either")


def rule(tally: Tally):
    raise Unheard
""",
    "recurses": """
def rule(tally: Tally):
    return rule(tally)
""",
    "leaves": """
def rule(tally: Tally):
    raise SystemExit(0)
""",
}
"""Rules that give no answer at all, each in its own way."""


def install(site: Path, rules: Mapping[str, str] = RULES) -> None:
    """Put them where Python finds packages, as pip leaves them behind."""
    package, info = site / "acme_wrong", site / "acme_wrong-1.0.dist-info"
    package.mkdir(parents=True)
    info.mkdir()
    (package / "__init__.py").write_text("")
    for name, text in rules.items():
        source = BEGIN + text.lstrip("\n") + ("" if "SPEC" in text else ALWAYS)
        (package / f"{name}.py").write_text(source, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-wrong\nVersion: 1.0\n")
    listed = "\n".join(f"{name} = acme_wrong.{name}" for name in rules)
    (info / "entry_points.txt").write_text(f"[quorate.rules]\n{listed}\n")


def panel_file(name: str) -> str:
    """A panel whose rulebook is one wrong rule."""
    return f"extends: tribunal\nrulebook:\n  name: {name}\n  rules: []\n  otherwise: {name}\n  silence: none\n"
