"""`quorate diff`: how two deliberations differ, field by field."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from quorate.doors.cli import shared_options as options
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.records import load_record
from quorate.doors.cli.screen import one_line, say, say_json

if TYPE_CHECKING:
    from quorate.service.record_comparison import Difference

__all__ = ["diff"]


@click.command(epilog="\b\nExample:\n  quorate diff last aqk3")
@click.argument("first", metavar="ID", shell_complete=options.complete_ids)
@click.argument("second", metavar="ID", shell_complete=options.complete_ids)
@options.ledger
@options.as_json
def diff(first: str, second: str, ledger: str | None, *, as_json: bool) -> int:
    """Compare two deliberations.

    It compares the question, the protocol and rules, the models, each seat's vote, the verdict and the cost, and
    shows only what differs. Each ID may be `last`, or a beginning or end that only one id has.
    """
    from quorate.service.record_comparison import compare_records, comparison_document

    records = load_record(ledger, first), load_record(ledger, second)
    if as_json:
        say_json(comparison_document(*records))
        return DONE
    say(f"{one_line(records[0].id)} → {one_line(records[1].id)}")
    for line in _lines(compare_records(*records)):
        say(line)
    return DONE


def _lines(differing: "Sequence[Difference]") -> Iterator[str]:
    if not differing:
        yield "no difference in what is compared"
    wide = max((len(name) for name, *_ in differing), default=0)
    for name, before, after in differing:
        yield f"{one_line(name):<{wide}}  {one_line(before or '-', 60)} → {one_line(after or '-', 60)}"
