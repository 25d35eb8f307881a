"""Minutes in Markdown: the question, who sat, every round, the votes, the verdict and what it cost.

Everything a person or a model wrote stands in a quotation or in one escaped line, so it can forge no heading.
"""

from collections.abc import Iterator, Sequence

from quorate import chair
from quorate.model import Convened, Halted, Voice
from quorate.model.ballot import NOT_NEEDED
from quorate.views import Record
from quorate.views.access import COULD_NOT_BE_ASKED
from quorate.views.card import demo_notice, outcome, own_words, portion, rows
from quorate.views.escape import harmless_markdown, one_line
from quorate.views.result import Result
from quorate.views.rounds import Round, RoundSpeech, round_heading, rounds

__all__ = ["cell", "line", "minutes", "question_lines", "quote_lines", "round_", "verdict_lines"]


def minutes(record: Record) -> str:
    """The whole deliberation as a page to read."""
    state, result = record.state, Result.of(record)
    parts = [f"# Minutes of {record.id}", *question_lines(state.convened)]
    held = rounds(state, record.events)
    parts += [part for one in held if one.said for part in round_(one)]
    parts += [part for last in held[-1:] for part in _locked(last, result)]
    parts += verdict_lines(result, state)
    return "\n\n".join(parts) + "\n"


def question_lines(convened: Convened) -> Iterator[str]:
    """The question and who sat."""
    if notice := demo_notice(convened):
        yield f"**{notice}**"
    question = convened.question
    yield quote_lines(question.text)
    for label, text in (("Context", question.context), ("Criteria", question.criteria)):
        if text:
            yield f"{label}:"
            yield quote_lines(text)
    for precedent in question.precedents:
        yield f"Precedent that the seats were shown, {line(precedent.id)} ({precedent.tier}), {line(precedent.label)}:"
        yield quote_lines(precedent.text)
    if question.options:
        yield "\n".join(f"- {line(option)}" for option in question.options)
    made_by = line(convened.made_by or "quorate")
    yield f"Protocol {line(convened.protocol)}, rulebook {line(convened.rulebook.name)}, {made_by}."
    yield "## Seats"
    yield _seats(convened)


def _seats(convened: Convened) -> str:
    models = {sat.seat: sat for sat in convened.seated}
    lines = ["| seat | model | domain | powers |", "|---|---|---|---|"]
    for seat in convened.panel:
        sat = models.get(seat.name)
        named = (sat.model, sat.domain) if sat else ("", "")
        lines.append(f"| {' | '.join(map(cell, (seat.name, *named, ', '.join(seat.powers))))} |")
    return "\n".join(lines)


def round_(held: Round) -> Iterator[str]:
    """What was said in a round, seat by seat."""
    yield f"## {round_heading(held.number, held.title)}"
    for said in held.said:
        yield f"### {_heading(said)}"
        if said.lookups:
            yield "\n".join(("Looked up:", "", *(f"- {line(one)}" for one in said.lookups)))
        if said.silence:
            yield from _silence(said)
        elif said.text:
            yield quote_lines(said.text)
        if said.ballot:
            yield f"<details><summary>The ballot as it came</summary>\n\n{quote_lines(said.ballot)}\n\n</details>"


def _silence(said: RoundSpeech) -> Iterator[str]:
    if said.detail:
        yield quote_lines(said.detail)
    if said.uncounted:
        yield "It said this, and nothing of it could be counted:"
        yield quote_lines(said.uncounted)
    elif not said.detail:
        yield "(Nothing was said.)"


def _locked(held: Round, result: Result) -> Iterator[str]:
    """A last round without a word is where ballots are locked in, once there are any."""
    votes = result.decision.votes if result.decision else ()
    if not held.said and votes:
        yield f"## Round {held.number}: {held.title}"
        yield _votes(votes)


def _heading(said: RoundSpeech) -> str:
    who = f"⚔ {line(said.seat)} challenges {line(said.about)}" if said.about else line(said.seat)
    if said.silence == NOT_NEEDED:
        return f"{who}: not needed any more"
    if said.silence:
        return f"{who}: silent ({line(said.silence)})"
    if not said.choice:
        return who
    before = f"{_position(said.before, said.earlier)} → " if said.before else ""
    return f"{who}: {before}{_position(said.choice, said.numbers)}"


def _position(choice: str, numbers: str) -> str:
    return f"{line(choice)}{f' ({numbers})' if numbers else ''}"


def verdict_lines(result: Result, state: chair.State) -> Iterator[str]:
    """The verdict and what stands behind it."""
    yield "## Verdict"
    if result.failures:
        yield f"{COULD_NOT_BE_ASKED}. Then continue with `quorate resume {result.id}`."
    elif result.decision is None:
        why = f": {line(state.closed.why)}" if isinstance(state.closed, Halted) else ""
        yield f"There is none yet{why}. Continue with `quorate resume {result.id}`."
    else:
        yield f"**{line(outcome(result.decision.verdict))}**"
    yield "\n".join(_bullets(result))


def _votes(votes: Sequence[Voice]) -> str:
    lines = ["| seat | vote | confidence | risk | reason |", "|---|---|---|---|---|"]
    for vote in votes:
        choice = f"{vote.choice} (assumed)" if vote.assumed else own_words(vote)
        cells = (vote.seat, choice, portion(vote.confidence), portion(vote.risk), vote.reason)
        lines.append(f"| {' | '.join(map(cell, cells))} |")
    return "\n".join(lines)


def _bullets(result: Result) -> Iterator[str]:
    for label, lines in rows(result):
        if label == "id":
            continue
        if len(lines) == 1:
            yield f"- {label}: {line(lines[0])}"
        else:
            yield f"- {label}:"
            yield from (f"  - {line(one)}" for one in lines)


def quote_lines(text: str) -> str:
    """Somebody's words as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in harmless_markdown(text).split("\n"))


def line(text: str) -> str:
    """Somebody's words in one escaped line."""
    return harmless_markdown(one_line(text))


def cell(text: str) -> str:
    """The same inside a table."""
    return line(text).replace("|", "\\|")
