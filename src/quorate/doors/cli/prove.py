"""`quorate prove`: what holds of a rulebook on every way to vote; no model is asked."""

import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import AGAINST, DONE, HELD
from quorate.doors.cli.screen import note, one_line, say, say_json
from quorate.errors import BadSetting

if TYPE_CHECKING:
    from quorate.service.proofs import Proof, Subject

__all__ = ["prove"]

TICK: Final = 0.25
"""Seconds between two signs of life."""


class ProveOptions(TypedDict):
    """What `quorate prove` was told."""

    whole: bool
    seats: int
    time_limit: float | None
    write: str | None
    as_json: bool


@click.command(
    epilog="""\b
Exit codes:
  0   everything holds, or a rule says of itself where it does not
  10  the time limit was reached before everything was tried
  20  something is refuted; the counter-example is told

\b
Example:
  quorate prove tribunal"""
)
@click.argument("what", metavar="[RULEBOOK|PANEL FILE]", required=False)
@click.option("--all", "whole", is_flag=True, help="Prove every rulebook there is.")
@click.option(
    "--seats", type=click.IntRange(1, 7), default=7, show_default=True, help="Try panels of up to so many seats."
)
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after this time.")
@click.option("--write", "-o", metavar="FILE", help="Write the smallest counter-example, and its panel beside it.")
@options.as_json
def prove(what: str | None, **wish: Unpack[ProveOptions]) -> int:
    """Check a rulebook on every way to vote; no model is asked.

    A rulebook by its name, or the one of a panel file, is tried on every combination of ballots of up to seven seats:
    it answers everything; order and names make no difference; a safer, silent or invalid ballot never makes the
    outcome bolder; a veto dominates; garbage never approves; what the panel is said to withstand is exact. Nothing is
    claimed for panels of more than seven seats.
    """
    from quorate.service.proofs import COVERAGE, proof_document

    told = _Ticker(wish["time_limit"], quiet=wish["as_json"])
    proofs = [_proved(subject, wish["seats"], told) for subject in _subjects(what, whole=wish["whole"])]
    if wish["as_json"]:
        say_json({"schema": 1, "proofs": [proof_document(proof) for proof in proofs]})
    else:
        say(COVERAGE)
    if wish["write"]:
        _write(proofs, wish["write"])
    if any(proof.refuted for proof in proofs):
        return AGAINST
    return DONE if all(proof.is_finished for proof in proofs) else HELD


def _subjects(what: str | None, *, whole: bool) -> "tuple[Subject, ...]":
    from quorate import presets
    from quorate.service.panel_files import load_charter
    from quorate.service.proofs import subject_of, subjects

    if whole == bool(what):
        raise BadSetting("name a rulebook or a panel file, or give --all; `quorate rules` lists the rulebooks")
    if not what:
        return subjects()
    return (subject_of(None, what),) if what in presets.rulebooks() else (subject_of(load_charter(what), None),)


def _proved(subject: "Subject", seats: int, told: "_Ticker") -> "Proof":
    from quorate.service.proofs import prove as proving

    told.subject = subject.name
    proof = proving.prove(subject, most=seats, tick=told)
    told.clear()
    if not told.quiet:
        _show(proof)
    return proof


def _show(proof: "Proof") -> None:
    from quorate.service.proofs import claim_words, counter_words

    rounds = bool(proof.subject.ballots.rounds)
    say(f"{one_line(proof.subject.name)}  (protocol {proof.subject.protocol})")
    for claim in proof.claims:
        ways = f", {claim.tried:,} ways to vote" if claim.tried else ""
        say(f"  {claim_words(claim, rounds=rounds):<26} {claim.title}{ways}")
        if claim.by:
            say(f"  {'':<26} rule {', '.join(claim.by)} says so; see docs/explanation/proofs.md")
        if claim.note:
            say(f"  {'':<26} {claim.note}")
        if claim.counter is not None:
            say(f"  {'':<26} {one_line(counter_words(claim.counter), 600)}")


def _write(proofs: "list[Proof]", where: str) -> None:
    from quorate.service.proofs import ballot_file, panel_file

    found = [proof.smallest for proof in proofs]
    smallest = min((one for one in found if one is not None), key=lambda one: len(one.casts), default=None)
    if smallest is None:
        note(f"nothing is refuted, so {where} is not written")
        return
    file = Path(where)
    beside = file.with_name(f"{file.stem}.panel.yaml")
    file.write_text(ballot_file(smallest), encoding="utf-8")
    beside.write_text(panel_file(smallest), encoding="utf-8")
    note(f"written; replay it with: quorate decide {file} --panel {beside}")


class _Ticker:
    """A sign of life on a terminal, and the clock."""

    def __init__(self, limit: float | None, *, quiet: bool) -> None:
        self.quiet, self.subject = quiet, ""
        self._until = None if limit is None else monotonic() + limit
        self._shown, self._count = 0.0, 0
        self._live = not quiet and sys.stderr.isatty()

    def __call__(self, what: str) -> bool:
        self._count += 1
        now = monotonic() if self._count % 64 == 0 or self._until is not None else 0.0
        if self._live and now > self._shown + TICK:
            self._shown = now
            click.echo(f"\r\x1b[2K{self.subject}: {what}, {self._count:,} ways tried", nl=False, err=True)
        return self._until is None or now < self._until

    def clear(self) -> None:
        """Take the sign away."""
        if self._live:
            click.echo("\r\x1b[2K", nl=False, err=True)
