"""`quorate decide` and `quorate read`: the rules and the reader by themselves, no model asked."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE, gate_of
from quorate.doors.cli.screen import say, say_json, text_from

if TYPE_CHECKING:
    from quorate.model import Argument, Ballot, Read
    from quorate.model.specs import FormSpec

__all__ = ["decide", "read"]


class DecideOptions(options.OutputOptions):
    """What `quorate decide` was told."""

    rulebook: str | None
    panel: str | None
    protocol: str | None
    form: str | None


@click.command(
    epilog="""\b
Example:
  echo '[{"seat": "Safety", "decision": "VETO", "confidence": 5, "risk": 95, "reasoning": "…"}]' | quorate decide -"""
)
@click.argument("file", metavar="FILE|-")
@options.rulebook
@options.panel
@options.protocol
@click.option("--as", "form", type=click.Choice(["s4"]), help="Print the decision as the S4 system's JSON.")
@options.manner
def decide(file: str, **wish: Unpack[DecideOptions]) -> int:
    """Decide on ballots from a file; no model is asked.

    FILE (- is stdin) is a JSON list with one object for each seat. Seats and vetoes come from --panel, else from
    the protocol's preset. If the names in the file are different, the file is the panel and no seat has a veto.
    With --rulebook plurality any text can be an option, and options in the same words count as one. Without
    --protocol the kind of ballot is recognised: decisions, votes, rankings, approvals, numbers, findings, or the
    arguments of a debate, one object for each seat and round.
    """
    from quorate.offline.decide import ballot_result
    from quorate.views.result import Result

    charter = None
    if wish["panel"]:
        from quorate.settings.panel_file import load_charter

        charter = load_charter(wish["panel"])
        charter = replace(charter, protocol=wish["protocol"] or charter.protocol)
    given = ballot_result(text_from(file), charter=charter, rulebook=wish["rulebook"], protocol=wish["protocol"])
    protocol = given.state.convened.protocol
    gate = gate_of(wish["gate"], protocol, charter.settings if charter else (), None)
    result = Result(decision=given.decision)
    if wish["form"]:
        say_json(given.s4())
    elif wish["as_json"]:
        say_json(given.document())
    else:
        from quorate.doors.cli.watchers import show_verdict

        show_verdict(result, given.decision.verdict, protocol, quiet=wish["quiet"])
    return DONE if gate is None else gate.code(result)


@click.command(
    epilog="\b\nExamples:\n  quorate read reply.txt --json\n  quorate read reply.txt --option Yes --option No"
)
@click.argument("file", metavar="FILE|-")
@options.protocol
@click.option(
    "--option", "choices", multiple=True, metavar="TEXT", help="Read a plain answer: one of these. Repeat it."
)
@click.option("--answer", "is_answer", is_flag=True, help="Read a plain answer, whatever it is.")
@options.as_json
def read(file: str, protocol: str | None, choices: tuple[str, ...], *, is_answer: bool, as_json: bool) -> int:
    r"""Show how a model's reply would be read.

    FILE (- is stdin) is a model's reply, word for word. It is read as the protocol would
    read it: as a ballot, or with the reason why it is none. With --option or --answer it is
    read as a plain answer, as benchmarks and people write one ("Answer: B", \boxed{C},
    an object with a key `answer`), less strictly than a ballot.
    """
    from quorate import catalogue
    from quorate.model.ask import ANY
    from quorate.model.charter import DEFAULT_PROTOCOL
    from quorate.reading.text.plain_answer import read_answer

    if protocol and (choices or is_answer):
        raise click.UsageError("--protocol reads a ballot, --option and --answer a plain answer; leave one of them out")
    form = catalogue.form(catalogue.protocol(protocol or DEFAULT_PROTOCOL).form)
    text = text_from(file)
    plain = bool(choices) or is_answer
    found = read_answer(text, choices) if plain else form.read(text, ANY, "stop")
    ballot = _ballot(found.ballot, ("abstain", "probabilities") if plain else form.shows)
    if as_json:
        case = {"argument": _case(found.argument)} if found.argument else {}
        say_json({"ballot": ballot, **case, "silence": found.unreadable or None, "cautions": list(found.cautions)})
    else:
        _show_reading(found, ballot, _told(form, found.unreadable, plain=plain))
    return DONE


def _show_reading(found: "Read", ballot: dict[str, Any] | None, unreadable: str) -> None:
    if found.argument is not None:
        _show_lines(_case(found.argument))
    elif ballot is not None:
        _show_lines({name: value for name, value in ballot.items() if name not in _WHOLE and value not in _EMPTY})
        for caution in found.cautions:
            say(f"caution     {caution}")
    else:
        say(f"no ballot: {unreadable} ({found.unreadable})" if unreadable else f"no ballot: {found.unreadable}")


def _show_lines(told: dict[str, Any]) -> None:
    for name, value in told.items():
        say(f"{_LABELS.get(name, name):<12}{_plain(value)}")


def _told(form: "FormSpec", why: str, *, plain: bool) -> str:
    """Why a reply is none, in the words in which the seat would be asked for another; for a plain answer nobody is."""
    from quorate.model.ask import ANY

    if plain:
        return _PLAIN_SAID.get(why, "")
    found = re.match(r"Your reply could not be counted: (.+?)\. Write ", form.repair(why, ANY))
    return found[1] if found else ""


_PLAIN_SAID = {
    "no_answer": "there was no answer in it",
    "unknown_option": "its answer is none of the options",
    "ambiguous": "it held several answers that differ",
    "cut_short": "it was cut short",
    "empty": "it was empty",
    "no_option": "its answer was empty",
    "placeholder": "it held a placeholder instead of an answer",
    "refusal": "it declined to answer",
}
_LABELS = {"continue_debate": "go on", "abstain": "abstains", "would_change": "unless"}
_EMPTY: tuple[object, ...] = (None, {}, [], "")
_WHOLE = frozenset({"ranking", "approved", "estimate"})
"""What the choice says in words already."""


def _ballot(ballot: "Ballot | None", shows: tuple[str, ...]) -> dict[str, Any] | None:
    from quorate.views.document import number, remarks, whole_vote

    if ballot is None:
        return None
    more = {
        "abstain": ballot.abstain,
        "continue_debate": ballot.continue_debate,
        "probabilities": {option: number(share) for option, share in ballot.shares},
        "evidence": [{"url": one.url, "quote": one.quote} for one in ballot.evidence],
    }
    return {
        "choice": "VETO" if ballot.veto else ballot.choice,
        "confidence": number(ballot.confidence),
        "risk": number(ballot.risk),
        "reason": ballot.rationale,
        **remarks(ballot),
        **{name: more[name] for name in shows},
        **whole_vote(ballot.vote),
    }


def _case(argument: "Argument") -> dict[str, Any]:
    from quorate.views.document import number

    return {
        "claims": list(argument.claims),
        "evidence": list(argument.evidence),
        "confidence": number(argument.confidence),
    }


def _plain(value: object) -> str:
    from quorate.views.card import share
    from quorate.views.escape import one_line

    if isinstance(value, list):
        return "; ".join(map(_plain_item, value))
    if isinstance(value, dict):
        return ", ".join(f"{one_line(str(name))} {share(part)}" for name, part in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return share(value) if isinstance(value, float) else one_line(str(value))


def _plain_item(item: object) -> str:
    from quorate.views.escape import one_line

    return one_line(f"{item['url']}: {item['quote']}" if isinstance(item, dict) else str(item))
