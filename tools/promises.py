"""Writes the tables of promises: python -m tools.promises, or `make promises-table`.

All of them stand in docs/explanation/promises.md, and those that a newcomer should know first in README.md.

The words of a promise stand here, once. Its figures are what its tests measured when they last passed with
`pytest --figures`, which keeps them in tests/promises/figures.json; nobody types one.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["FIGURES", "PAGES", "PROMISES", "Promise", "main", "table", "written"]

ROOT: Final = Path(__file__).resolve().parent.parent
FIGURES: Final = ROOT / "tests" / "promises" / "figures.json"
BEGIN: Final = "<!-- promises: written by `make promises-table`; change tools/promises.py, not this table -->"
END: Final = "<!-- end of promises -->"
SHOWN: Final = 3
SIZES: Final = ("long", "everyday", "quick")
COUNT: Final = " tests"
"""How the name ends under which it is kept how many tests of a file passed."""
NONE: Final = "no figure recorded"

Figures = Mapping[str, Mapping[str, str]]
"""What was measured, when and at which size, by the name of the test."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised, and which files test it, or which tests of one; `tests/promises` goes without saying."""

    words: str
    tests: tuple[str, ...]
    first: bool = False
    """Whether the README shows it."""

    @property
    def places(self) -> tuple[str, ...]:
        """How the names of its tests begin."""
        return tuple(name if "/" in name else f"tests/promises/{name}" for name in self.tests)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(place.partition("::")[0] for place in self.places)


PROMISES: Final = (
    Promise(
        "Kill it anywhere: no recorded answer is bought twice, nothing acknowledged is lost. A call on the wire at "
        "that moment may be billed once more.",
        ("test_p1_kill.py",),
        first=True,
    ),
    Promise(
        "Your client may die, and so may the server: the deliberation goes on to the same verdict.",
        ("test_p17_mcp.py::test_killed", "tests/web/test_killed.py"),
    ),
    Promise("Power loss does not lose or corrupt a verdict.", ("test_p2_power_loss.py",), first=True),
    Promise(
        "A disk or a database that is full, failing or cut off: no verdict is told that is not durable.",
        ("test_ledger_faults.py", "test_postgres_faults.py"),
    ),
    Promise(
        "Only a seat votes: what is quoted, planted or hidden casts nothing.",
        ("test_p21_only_a_seat_votes.py", "test_p21_what_a_seat_rejects.py"),
        first=True,
    ),
    Promise(
        "Garbage never becomes ACT.",
        ("test_p3_garbage.py", "test_p3_forms.py", "test_p3_faults.py", "test_p3_counts.py"),
        first=True,
    ),
    Promise(
        "The GitHub Action and the pre-commit hook survive a hostile change: it runs nothing, reads no key and hides "
        "nothing from the panel.",
        ("test_p29_action.py",),
    ),
    Promise("No rulebook approves what no seat approved.", ("test_p26_no_seat_no_approval.py",), first=True),
    Promise("A liar can block at most, never push through.", ("test_p5_liars_block.py",)),
    Promise(
        (
            "In a tribunal, talk cannot overrule the sealed vote, which each seat casts before it hears the others; "
            "elsewhere the change is shown."
        ),
        ("test_p6_sealed.py",),
        first=True,
    ),
    Promise("Every statement is true of its record.", ("test_p30_recount.py",)),
    Promise(
        "Every deliberation ends by its deadline and a second, whatever its models do.",
        ("test_p7_storms.py",),
        first=True,
    ),
    Promise(
        "It never spends more than you allowed.",
        ("test_p8_budget.py", "test_p8_budget_across_crashes.py", "test_p8_requests.py"),
        first=True,
    ),
    Promise(
        "Up to the stated number of lying seats cannot carry a finding, and no fewer than stated carry or block "
        "anything.",
        ("test_p4_liars.py", "test_p4_carry_and_block.py"),
    ),
    Promise(
        "Any change to the record shows to whoever holds an earlier [checkpoint](../how-to/anchor.md); without one, "
        "any change that leaves the hash chain as it was.",
        ("test_p10_record.py",),
    ),
    Promise("A record that its own words do not bear out passes at no door.", ("test_p10_forged.py",)),
    Promise("Same ballots, same verdict, everywhere.", ("test_p11_same_bytes.py",), first=True),
    Promise("Fetching evidence cannot reach your network.", ("test_p14_fetch.py",)),
    Promise("Your keys stay out of everything we write.", ("test_p15_keys.py",)),
    Promise("What is counted as one means the same.", ("test_p27_same_option.py",)),
    Promise("Nothing a model writes steers your terminal.", ("test_p13_terminal.py", "test_p13_payloads.py")),
    Promise("Nothing a model writes runs in your browser or leaves the machine.", ("tests/browser/test_p13_page.py",)),
    Promise(
        "Command-line tools cannot be argued into flags, and never outlive the deliberation.",
        ("test_p16_command_line.py", "test_p16_stopped.py"),
    ),
    Promise(
        "The API survives hostile input, and shows nobody what is somebody else's.",
        ("test_p17_api.py", "test_p17_mcp.py::test_no_frame", "tests/web/test_schema.py"),
    ),
    Promise(
        "Two resumers, one deliberation, in one file or in PostgreSQL, and across hosts that lose each other.",
        ("test_p18_resumers.py", "test_p18_namespaces.py"),
    ),
    Promise(
        "Workers, the database and whoever queues may be killed: every deliberation is decided once, and nothing "
        "recorded is bought twice.",
        ("test_p1_workers.py",),
    ),
    Promise("A batch that is killed goes on, and every question has one result.", ("test_batch_kill.py",)),
    Promise("Seats that may look into a folder see nothing outside it.", ("test_look_confinement.py",)),
    Promise(
        "Containment holds even if every model obeys the attacker.",
        (
            "test_p19_containment.py",
            "test_p19_conference.py",
            "test_p19_debate.py",
            "test_p19_template_tokens.py",
        ),
    ),
    Promise("A thousand people can watch, and nobody who stops reading slows the rest.", ("tests/web/test_crowd.py",)),
    Promise(
        "A web page cannot drive your local server: names, origins, token and method decide, on every route there is.",
        ("tests/web/test_safety.py",),
    ),
    Promise(
        "Installing it is boring: few dependencies, nothing that runs by itself or calls out.",
        ("test_p20_boring.py", "tests/house/test_install.py"),
    ),
    Promise(
        "A hook never allows by accident: garbage, silence and time-outs ask or deny.",
        ("test_p25_hooks.py",),
        first=True,
    ),
    Promise(
        "A caller cannot loosen a gate: only the owner's review, confirmed at a terminal or given on the owner's page, "
        "does.",
        ("test_p28_gates.py",),
        first=True,
    ),
    Promise(
        "A stranger's file cannot act: no command runs, no key or private file is sent, until you allow that content.",
        ("test_p24_strangers_file.py",),
        first=True,
    ),
    Promise(
        "Rules decide as they are documented: the verifier of a capsule, which shares no code with the rules, comes to "
        "the same verdicts.",
        ("tests/differential/test_both_agree.py",),
    ),
    Promise(
        "One request, one meaning: whichever interface it comes by, the same deliberation, notes and refusals.",
        ("tests/service/test_contract.py", "tests/service/test_callers.py"),
    ),
    Promise("Seats that game what is learned from labels do bounded harm.", ("test_attacks_on_learning.py",)),
)


PAGES: Final[Mapping[Path, Sequence[Promise]]] = {
    ROOT / "docs" / "explanation" / "promises.md": PROMISES,
    ROOT / "README.md": tuple(promise for promise in PROMISES if promise.first),
}
"""Where tables stand, and of what."""


def table(promises: Sequence[Promise], figures: Figures) -> Iterator[str]:
    """The lines of the table."""
    yield "| promise | test | last figures |"
    yield "|---|---|---|"
    for promise in promises:
        files = ", ".join(f"`{file}`" for file in promise.files)
        yield f"| {promise.words} | {files} | {_last(promise, figures)} |"


def _last(promise: Promise, figures: Figures) -> str:
    """What was measured at the largest size of each file, with its size and day; a few figures at most."""
    shown: list[str] = []
    for place in promise.places:
        own = {name: said for name, said in figures.items() if name.startswith(place)}
        said = {name: one for name, one in own.items() if not name.endswith(COUNT)} or own
        largest = min((SIZES.index(one["size"]) for one in said.values()), default=0)
        # Of a test with parameters the first speaks for all.
        by_test = {name.partition("[")[0]: one for name, one in sorted(said.items(), reverse=True)}
        shown += [
            f"{one['words']} ({one['size']}, {one['date']})"
            for _, one in sorted(by_test.items())
            if one["size"] == SIZES[largest]
        ]
    return "; ".join(shown[:SHOWN]) or NONE


def written(page: str, promises: Sequence[Promise], figures: Figures) -> str:
    """The page with its table as it should be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join((f"{before}{BEGIN}", "", *table(promises, figures), "", f"{END}{after}"))


def main() -> int:
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    for path, promises in PAGES.items():
        page = path.read_text(encoding="utf-8")
        if BEGIN not in page or END not in page:
            print(f"{path.name} has no place for the table: put {BEGIN!r} and {END!r} around it", file=sys.stderr)
            return 1
        path.write_text(written(page, promises, figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
