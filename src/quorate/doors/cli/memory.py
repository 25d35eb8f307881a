"""`quorate memory`: earlier decisions like a question, those that contradict each other, and how one changed."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.records import whole_id, with_ledger
from quorate.doors.cli.screen import note, one_line, say, say_json

if TYPE_CHECKING:
    from quorate.ledger import Ledger
    from quorate.model import Question
    from quorate.service.decision_memory import (
        Contradiction,
        EarlierDecision,
        EarlierDecisions,
        SimilarDecision,
        TimelineEntry,
    )

__all__ = ["memory"]

T = TypeVar("T")
ALL = 1_000
"""Contradictions of an export at most."""


class MemoryOptions(TypedDict):
    """What `quorate memory` was told."""

    subject: str | None
    limit: int
    ledger: str | None
    as_json: bool


@click.command(
    epilog="""\b
Examples:
  quorate memory similar "Should we drop the staging database?"
  quorate memory timeline last
  quorate memory contradictions
  quorate memory export > decisions.md"""
)
@click.argument(
    "action",
    type=click.Choice(("similar", "contradictions", "timeline", "export")),
    metavar="similar|contradictions|timeline|export",
)
@click.argument("subject", required=False, metavar="[QUESTION|ID]", shell_complete=options.complete_ids)
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="How many to show at most.")
@options.ledger
@options.as_json
def memory(action: str, **wish: Unpack[MemoryOptions]) -> int:
    """Look through earlier decisions.

    `quorate memory similar QUESTION|ID` lists earlier decisions on similar questions: by how alike the questions are,
    and those in which every word you give stands.

    `quorate memory timeline QUESTION|ID` lists every decision on that question, oldest first, and says where the
    outcome changed.

    `quorate memory contradictions [ID]` lists pairs of decisions on the same question with different outcomes.

    `quorate memory export` writes every decision as Markdown, or as JSON with --json.

    Only records that verify are listed. To show earlier decisions to a panel: quorate ask --memory on
    """
    if action in {"similar", "timeline"} and not (wish["subject"] or "").strip():
        raise click.UsageError(f"memory {action} needs a question in quotes, or the id of a deliberation")
    if action == "export" and wish["subject"]:
        raise click.UsageError("memory export takes no question; it writes every decision")
    return ACTIONS[action](wish)


def _similar(wish: MemoryOptions) -> int:
    from quorate.service.decision_memory import similar_document

    async def work(earlier: "EarlierDecisions", held: "Ledger") -> "list[SimilarDecision]":
        question, own = await _question(earlier, held, wish["subject"] or "")
        return await earlier.similar(question, wish["limit"], but=own)

    earlier, found = _looked(wish, work)
    if wish["as_json"]:
        say_json(similar_document(earlier, found))
        return DONE
    for one in found:
        say(f"{one.tier:<8} {one.score:.2f}  {_line(one.decision)}")
        say(f"{'':<14} {'; '.join(_about(one))}")
    return _end(earlier, found, "no earlier decision is like this")


def _timeline(wish: MemoryOptions) -> int:
    from quorate.service.decision_memory import count_changes, timeline, timeline_document

    async def work(earlier: "EarlierDecisions", held: "Ledger") -> "list[TimelineEntry]":
        return await timeline(earlier, (await _question(earlier, held, wish["subject"] or ""))[0])

    earlier, entries = _looked(wish, work)
    if wish["as_json"]:
        say_json(timeline_document(earlier, entries))
        return DONE
    for one in entries:
        say(f"{'CHANGED' if one.changed else '':<8} {_line(one.decision)}")
        terms = () if one.same_terms else ("asked with another context, other criteria or other options",)
        say(f"{'':<8} {'; '.join((*_status(one.decision, one.replaced_by), *terms))}")
    if entries:
        decisions, changes = _counted(len(entries), "decision"), _counted(count_changes(entries), "change")
        say(f"{decisions}, {changes} of a settled outcome")
    return _end(earlier, entries, "nothing was decided on this question")


def _contradictions(wish: MemoryOptions) -> int:
    from quorate.service.decision_memory import contradictions, contradictions_document

    async def work(earlier: "EarlierDecisions", held: "Ledger") -> "list[Contradiction]":
        id_ = await whole_id(held, wish["subject"]) if wish["subject"] else ""
        return await contradictions(earlier, wish["limit"], id_)

    earlier, found = _looked(wish, work)
    if wish["as_json"]:
        say_json(contradictions_document(earlier, found))
        return DONE
    for one in found:
        say(_line(one.earlier))
        say(_line(one.later))
        holds = (
            "the later supersedes the earlier" if one.is_resolved else "a person said the earlier, so it still stands"
        )
        say(f"  different outcomes; {holds}")
    return _end(earlier, found, "no two decisions on the same question have different outcomes")


def _export(wish: MemoryOptions) -> int:
    from quorate.service.decision_memory import decision_log, export_document

    async def work(earlier: "EarlierDecisions", _: "Ledger") -> "dict[str, object] | list[str]":
        if wish["as_json"]:
            return await export_document(earlier, ALL)
        return [part async for part in decision_log(earlier)]

    earlier, written = _looked(wish, work)
    if isinstance(written, dict):
        say_json(written)
        return DONE
    say("\n\n".join(written))
    return _end(earlier, written[1:], "nothing was decided yet")


ACTIONS: dict[str, Callable[[MemoryOptions], int]] = {
    "similar": _similar,
    "contradictions": _contradictions,
    "timeline": _timeline,
    "export": _export,
}


def _looked(
    wish: MemoryOptions, work: "Callable[[EarlierDecisions, Ledger], Awaitable[T]]"
) -> "tuple[EarlierDecisions, T]":
    from quorate.service.decision_memory import EarlierDecisions

    async def looked(held: "Ledger") -> "tuple[EarlierDecisions, T]":
        earlier = await EarlierDecisions.of(held)
        return earlier, await work(earlier, held)

    return with_ledger(wish["ledger"], looked)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


async def _question(earlier: "EarlierDecisions", held: "Ledger", subject: str) -> "tuple[Question, str]":
    """What is asked: the question of a record and its id, or the words as they are."""
    from quorate.errors import NotRecorded
    from quorate.model import Question

    if " " in subject.strip():
        return Question(text=subject), ""
    try:
        decision = await earlier.by_id(await whole_id(held, subject))
    except NotRecorded:
        return Question(text=subject), ""
    return decision.question, decision.id


def _line(one: "EarlierDecision") -> str:
    outcome = one_line(one.outcome or "no outcome", 24)
    return f"{one.id}  {one.begun[:10]}  {outcome:<10}  {one_line(one.question.text, 80)}"


def _about(one: "SimilarDecision") -> Iterator[str]:
    if one.has_same_text:
        yield "the same question" if one.is_same else "the same question with another context, criteria or options"
    elif one.tier == "related":
        yield "related, not the same question"
    elif one.has_all_words and one.tier == "brief":
        yield "has all of these words"
    yield from _status(one.decision, one.replaced_by)


def _status(decision: "EarlierDecision", replaced_by: str) -> Iterator[str]:
    from quorate.service.decision_memory import status_words

    yield from status_words(decision)
    if replaced_by:
        yield f"superseded by {replaced_by}"


def _end(earlier: "EarlierDecisions", found: Sequence[object], nothing: str) -> int:
    """Say what was left out, and where nothing was found, that."""
    if not found:
        note(nothing)
    for id_, why in earlier.unusable.items():
        note(f"note: {one_line(id_)} is left out: {one_line(why, 200)}")
    return DONE
