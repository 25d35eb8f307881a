"""`quorate demo`: a deliberation written by hand, played on the screen; no model is asked and nothing is recorded."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from quorate.doors.cli import signals as stopping
from quorate.doors.cli.exit_codes import DONE
from quorate.doors.cli.screen import say

if TYPE_CHECKING:
    from quorate.chair import State
    from quorate.ledger import Entry
    from quorate.model import Ask, Convened, Reply
    from quorate.panelists import Panelist, WordListener

__all__ = ["demo"]

EXAMPLES: Final = ("tribunal", "conference", "debate", "oracle")
PACE: Final[Mapping[str, float]] = {"tribunal": 0.17, "conference": 0.24, "debate": 0.1, "oracle": 0.6}
"""Seconds a word: so each example takes about twenty."""
LABELS: Final[Mapping[str, str]] = {
    "decision": "BALLOT",
    "vote": "VOTE:",
    "argument": "ARGUMENT",
    "assessment": "ASSESSMENT",
    "finding": "FINDING",
}
NOTICE: Final = (
    "This is an example, written by hand, to show what quorate does.\nNo model is asked, and nothing is recorded.\n"
)
ENDING: Final = (
    "\nThis was an example: nobody decided anything, and nothing was recorded.\n"
    'Ask your own: quorate ask "…"; see what could answer here: quorate models'
)


@click.command(epilog="\b\nExamples:\n  quorate demo\n  quorate demo debate")
@click.argument("example", type=click.Choice(EXAMPLES), default=EXAMPLES[0], metavar="[" + "|".join(EXAMPLES) + "]")
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="2 is twice as fast; 0 prints it all at once.",
)
def demo(example: str, speed: float) -> int:
    """Play an example on the screen, in about twenty seconds.

    It was written by hand; the protocol and the rules are the real ones. It shows how a deliberation goes and how
    its verdict comes about. No model is asked and nothing is recorded.
    """
    import json

    say(NOTICE)
    script = json.loads((Path(__file__).parent / "demo.json").read_text(encoding="utf-8"))[example]
    with ExitStack() as stack:
        convened, panelists = _convened(example, script, PACE[example] / speed if speed else 0.0, stack)
        stopping.run(lambda: _play(convened, panelists))
    say(ENDING)
    return DONE


class HandWritten:
    """Says what stands in the script for its seat and round, word by word."""

    def __init__(self, speeches: Mapping[str, Any], pace: float) -> None:
        self.speeches = speeches
        self.pace = pace

    async def answer(self, ask: "Ask", overheard: "WordListener" = lambda _: None) -> "Reply":
        """The speech for this ask, with its ballot where one is wanted."""
        import asyncio
        from fractions import Fraction

        from quorate.model import Reply, Usage
        from quorate.reading.text.pattern import answer_line

        about = f">{ask.about.name}" if ask.about else ""
        speech = self.speeches[f"{ask.round}/{ask.seat.name}{about}"]
        for word in speech["says"].split(" "):
            overheard(f"{word} ")
            await asyncio.sleep(self.pace)
        label = LABELS.get(ask.wants, "")
        stated = f"\n\n{answer_line(label, ask.mark, speech['states'])}" if label else ""
        usage = Usage(asked=0, answered=0, money=Fraction(0))
        return Reply(text=f"{speech['says']}{stated}", model="written by hand", usage=usage)


def _convened(
    name: str, script: Mapping[str, Any], pace: float, stack: ExitStack
) -> "tuple[Convened, Mapping[str, Panelist]]":
    """The example's question put to its protocol's own panel; what can be cited lies in a file while it runs."""
    import json
    from dataclasses import replace
    from tempfile import TemporaryDirectory

    from quorate.model import Panel, Question
    from quorate.presets import panel
    from quorate.service.panel_files import example_opening
    from quorate.service.program import answered_by

    own = panel(name)
    speakers = {place.partition("/")[2].partition(">")[0] for place in script["speeches"]}
    seats = tuple(seat for seat in own.panel if seat.name in speakers)
    settings, speeches = dict(script["settings"]), script["speeches"]
    if "sources" in script:
        file = Path(stack.enter_context(TemporaryDirectory(prefix="quorate-demo-"))) / "sources.json"
        file.write_text(json.dumps(script["sources"]), encoding="utf-8")
        settings["sources"] = str(file)
    # Each seat has its own, as on a panel of several models: an example is no place for advice on who answers.
    panelists: dict[str, Panelist] = {seat.name: HandWritten(speeches, pace) for seat in seats}
    charter = answered_by(replace(own, panel=Panel(seats=seats), settings=tuple(settings.items())), panelists)
    return example_opening(Question(script["question"], context=script["context"]), charter), panelists


async def _play(convened: "Convened", panelists: "Mapping[str, Panelist]") -> None:
    """Hold it in memory; the verdict is shown without an id or a cost: there is nothing to find again or to pay."""
    from dataclasses import replace

    from quorate.doors.cli.watchers import watcher_for
    from quorate.ledger.memory import MemoryLedger
    from quorate.service.host_processes import Runner
    from quorate.views.result import Result

    watcher = watcher_for(silent=False, notes=True, drawn=True)

    def watch(entry: "Entry", state: "State") -> None:
        watcher.saw(state, entry.event)

    # Who answers has a name that only a program could use; what it says is written by hand.
    watcher.begin(replace(convened, seated=tuple(replace(sat, model="written by hand") for sat in convened.seated)))
    async with Runner(MemoryLedger(), env={}) as runner, watcher:
        record = await runner.hold(convened, panelists=panelists, watch=watch, listen=watcher.listen)
    watcher.catch_up(record.state)
    watcher.end(replace(Result.of(record), id="", cost=None))
