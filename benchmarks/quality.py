"""How right verdicts are, by method and set of recorded votes: python -m benchmarks.quality --data FOLDER.

A right answer is used to score, and by the rows that say how many labels they were given, which are not scored on
those. A tie counts as if it were drawn from. Intervals are of 95 %, from questions drawn again a thousand times.
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from quorate.analysis.fault_domains import family
from quorate.errors import BadSetting
from quorate.evaluate.calibration import judge_calibration
from quorate.evaluate.datasets import load_votes
from quorate.evaluate.intervals import bootstrap
from quorate.evaluate.methods import (
    MethodChoice,
    by_confidence,
    by_plurality,
    by_seat,
    by_skill,
    fit_one_coin,
    learn_as_it_goes,
)
from quorate.evaluate.skill_fit import SkillModel, fit_labels, fit_skills
from quorate.evaluate.votes import VotedQuestion, VoteTable

LABELS: Final = (10, 30, 100)
REPEATS: Final = 5
SIZES: Final = (3, 5, 7)
DRAWS: Final = 20
COVERED: Final = (50, 80, 90)
WORST: Final = -1.5
BEGIN, END = "<!-- figures: make bench-quality -->", "<!-- end of figures -->"
MAKERS: Final[Mapping[str, str]] = {
    "meta": "llama|athene",
    "anthropic": "claude",
    "deepseek": "deepseek",
    "google": "gemini|gemma",
    "openai": r"gpt|\bo[13]\b",
    "mistral": "mistral|mixtral|mathstral",
    "alibaba": "qwen|qwq",
    "01": r"\byi\b",
    "microsoft": "phi",
    "cohere": "command",
    "reka": "reka",
    "ai21": "jamba",
}
"""Whose model it is, by a part of its name; a panel of distinct families has one of each."""


def maker(seat: str) -> str | None:
    """Whose model sits there; none where the name does not say."""
    return next((name for name, part in MAKERS.items() if re.search(part, seat.casefold())), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Everything about one set."""

    name: str
    questions: int
    seats: int
    rows: Mapping[str, str]
    panels: Mapping[int, tuple[float, float]]
    covered: Mapping[str, Sequence[float]]
    took: float


def credits_of(questions: Iterable[VotedQuestion], method: Callable[[VotedQuestion], MethodChoice]) -> list[float]:
    return [method(question).credit(question.right) for question in questions]


def shown(figures: Sequence[float]) -> str:
    found = bootstrap(figures)
    return f"{100 * found.value:.1f} ({100 * found.low:.1f}–{100 * found.high:.1f})"


def methods(questions: Sequence[VotedQuestion], model: SkillModel, seed: int) -> Iterator[tuple[str, str]]:
    """Every row of the table; those that are fitted on the set see its votes, and never its right answers."""
    yield "plurality", shown(credits_of(questions, by_plurality))
    stated = any(question.stated for question in questions)
    yield "stated confidence, log-odds", shown(credits_of(questions, by_confidence)) if stated else "none stated"
    yield "one coin per seat, EM", shown(credits_of(questions, fit_one_coin(questions)))
    yield "track record, no labels", shown(credits_of(questions, by_skill(model)))
    order = np.random.default_rng(seed).permutation(len(questions))
    arriving = [questions[number] for number in order]
    chosen = learn_as_it_goes(arriving, families(questions))
    pairs = zip(chosen, arriving, strict=True)
    yield "track record, one question at a time", shown([choice.credit(question.right) for choice, question in pairs])
    yield "points off, as a chance: its own number, learned from labels", calibrated(chosen, arriving)
    for count in LABELS:
        yield f"track record, {count} labels", labelled(questions, model, count, seed)
    best = max((mean(credits_of(questions, by_seat(seat))), seat) for seat in seats_of(questions))
    yield "best seat in hindsight", f"{100 * best[0]:.1f}"
    anyone = mean(float(question.right in question.votes.values()) for question in questions)
    yield "any seat right", f"{100 * anyone:.1f}"


def calibrated(chosen: Sequence[MethodChoice], arriving: Sequence[VotedQuestion]) -> str:
    """How far chances lie from what came, on average: of the method's own number, and of what other labels taught."""
    cases = [(choice.sure, choice.options == (one.right,)) for choice, one in zip(chosen, arriving, strict=True)]
    found = judge_calibration(cases)
    return "too few labels" if found is None else f"{100 * found.raw_error:.1f}, {100 * found.error:.1f}"


def labelled(questions: Sequence[VotedQuestion], model: SkillModel, count: int, seed: int) -> str:
    """Scored on questions whose label was not given, over several drawings, and beside no labels on just those."""
    if len(questions) < 2 * count:
        return "too few questions"
    figures: list[float] = []
    gains: list[float] = []
    for repeat in range(REPEATS):
        order = np.random.default_rng((seed, count, repeat)).permutation(len(questions))
        fitted = fit_labels(model, [questions[number] for number in order[:count]])
        others = [questions[number] for number in order[count:]]
        figures.append(mean(credits_of(others, by_skill(fitted))))
        gains.append(figures[-1] - mean(credits_of(others, by_skill(model))))
    return f"{100 * mean(figures):.1f} ({100 * min(figures):.1f}–{100 * max(figures):.1f}), {100 * mean(gains):+.1f}"


def seats_of(questions: Sequence[VotedQuestion]) -> tuple[str, ...]:
    return VoteTable.of(questions).seats


def families(questions: Sequence[VotedQuestion]) -> dict[str, str]:
    return {seat: family(seat) for seat in seats_of(questions)}


def panel_gains(questions: Sequence[VotedQuestion], size: int, seed: int) -> list[float]:
    """What the track record gains over plurality, in points, for panels drawn one seat of a maker."""
    makers: dict[str, list[str]] = {}
    for seat in seats_of(questions):
        if (name := maker(seat)) is not None:
            makers.setdefault(name, []).append(seat)
    if len(makers) < size:
        return []
    drawn = np.random.default_rng((seed, size))
    gains: list[float] = []
    for _ in range(DRAWS):
        panel = {str(drawn.choice(makers[name])) for name in drawn.choice(sorted(makers), size, replace=False)}
        sat = [small for question in questions if (small := seated(question, panel)).votes]
        model = fit_skills(VoteTable.of(sat))
        gains.append(100 * (mean(credits_of(sat, by_skill(model))) - mean(credits_of(sat, by_plurality))))
    return gains


def seated(question: VotedQuestion, panel: set[str]) -> VotedQuestion:
    """The question as if nobody else had been asked; what was said later had heard the others and is left out."""
    return replace(question, votes={seat: vote for seat, vote in question.votes.items() if seat in panel}, later={})


def selective(questions: Sequence[VotedQuestion], method: Callable[[VotedQuestion], MethodChoice]) -> list[float]:
    """How right the surest part of the decisions is, for parts of every size."""
    chosen = sorted(
        ((choice.sure, choice.credit(question.right)) for question in questions for choice in (method(question),)),
        key=lambda pair: -pair[0],
    )
    return [100 * mean(credit for _, credit in chosen[: max(1, len(chosen) * part // 100)]) for part in (*COVERED, 100)]


def measure(name: str, questions: Sequence[VotedQuestion], seed: int) -> Figures:
    begun = perf_counter()
    model = fit_skills(VoteTable.of(questions), families(questions))
    rows = dict(methods(questions, model, seed))
    gains = {size: found for size in SIZES if (found := panel_gains(questions, size, seed))}
    covered = {"plurality": selective(questions, by_plurality), "track record": selective(questions, by_skill(model))}
    return Figures(
        name=name,
        questions=len(questions),
        seats=len(seats_of(questions)),
        rows=rows,
        panels={size: (mean(found), min(found)) for size, found in gains.items()},
        covered=covered,
        took=perf_counter() - begun,
    )


def tables(found: Sequence[Figures]) -> str:
    """Three tables in Markdown: methods, panels, coverage."""
    heads = [f"{one.name}: {one.questions} questions, {one.seats} seats" for one in found]
    names = list(dict.fromkeys(name for one in found for name in one.rows))
    parts = [
        row("accuracy, %", heads),
        row("---", ["---"] * len(found)),
        *(row(name, [one.rows.get(name, "") for one in found]) for name in names),
        "",
        "Labels: mean, lowest and highest of five drawings, scored on questions whose label was not given; the last",
        "figure is what they add on just those.",
        "",
        row("panels of one seat per maker", [one.name for one in found]),
        row("---", ["---"] * len(found)),
        *(row(f"{size} seats: mean gain (worst of {DRAWS})", [panel(one, size) for one in found]) for size in SIZES),
        "",
        row("accuracy of the surest 50, 80, 90 and 100 %", [one.name for one in found]),
        row("---", ["---"] * len(found)),
        *(
            row(name, [" / ".join(f"{value:.1f}" for value in one.covered[name]) for one in found])
            for name in ("plurality", "track record")
        ),
    ]
    return "\n".join(parts)


def panel(one: Figures, size: int) -> str:
    if size not in one.panels:
        return "too few makers"
    gain, worst = one.panels[size]
    return f"{gain:+.1f} ({worst:+.1f})"


def row(name: str, cells: Sequence[str]) -> str:
    return f"| {' | '.join((name, *cells))} |"


def sets(folder: Path) -> Iterator[tuple[str, tuple[VotedQuestion, ...]]]:
    """Every file of votes; one whose answers are free text that people judged is named and left out."""
    for file in sorted((*folder.glob("*.jsonl.gz"), *folder.glob("*.jsonl"))):
        name = file.name.partition(".")[0]
        try:
            questions = tuple(question for question in load_votes(str(file)) if question.right is not None)
        except BadSetting as wrong:
            print(f"{name}: {wrong}", file=sys.stderr)
            continue
        if mean(float(question.right in question.votes.values()) for question in questions) < 1 / 5:
            print(f"{name}: left out, its answers are free text and must be grouped first", file=sys.stderr)
            continue
        yield name, questions


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--only", default="", help="sets whose name has this part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write-docs", type=Path, help="the page to put the tables into")
    words = parser.parse_args()
    found: list[Figures] = []
    with threadpool_limits(1):
        for name, questions in sets(words.data):
            if words.only in name:
                found.append(measure(name, questions, words.seed))
                print(f"{name}: {found[-1].took:.0f} s", file=sys.stderr)
    if not found:
        print(f"no votes under {words.data}")
        return 2
    print(tables(found))
    if words.write_docs:
        page = words.write_docs.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        text = f"{before}{BEGIN}\n\n{tables(found)}\n\n{END}{rest.partition(END)[2]}"
        words.write_docs.write_text(text, encoding="utf-8")
    worst = min((worst for one in found for _, worst in one.panels.values()), default=0.0)
    print(f"worst panel {worst:+.1f} points, at least {WORST:+.1f} allowed; seed {words.seed}")
    return int(worst < WORST)


if __name__ == "__main__":
    sys.exit(main())
