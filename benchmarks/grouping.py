"""How well options are grouped, and how fast: python -m benchmarks.grouping [--data FOLDER].

Pairs fall in two halves by their hash, so that a figure that holds by luck shows. Speed, the published examples
and generated contradictions need no folder.
"""

import gzip
import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Final

from benchmarks.contradictions import KINDS, contradictions
from benchmarks.table import Row, failed, table
from quorate.errors import BadSetting
from quorate.offline.group import group_options
from quorate.similarity.backend import Backend
from quorate.similarity.backend_choice import choose
from quorate.similarity.same_option import is_same

BACKENDS: Final = ("embeddings", "tfidf", "overlap")
PRECISION, RECALL, FEWEST = 0.98, 0.60, 10
SECONDS: Final = 2.0
OPTIONS: Final = 1_000
GENERATED: Final = 10_000
ANSWERS: Final = 3_000
QUESTIONS: Final = 500

TOGETHER: Final = (
    ("Self-documenting code", "Prioritize self-documenting code"),
    ("Event sourcing for audit trail", "Use event sourcing to implement audit trail"),
    ("Use PostgreSQL", "Adopt PostgreSQL.", "PostgreSQL"),
    ("The Beatles", "Beatles"),
    ("1,000", "1000"),
)
APART: Final = (
    (
        "Comprehensive logging with structured format",
        "Selective logging with feature flags",
        "Comprehensive logging with PII protection",
    ),
    ("Self-documenting code", "Focus on comprehensive unit tests"),
    ("Event sourcing for audit trail", "Traditional CRUD with audit table"),
    ("Option A", "Option B", "Option C", "Option D"),
    ("v1", "v2"),
    ("10 GB", "100 GB"),
    ("at least 50", "fewer than 50"),
    ("approve", "do not approve"),
    ("for", "against"),
    ("increase", "decrease"),
    ("safe", "unsafe"),
    ("yes", "no"),
    ("-10 %", "+10 %"),
    ("1/2", "2/1"),
    ("1.000", "1,000"),
    ("GMT-2", "GMT 2"),
    ("Adopt caching", "Implement caching"),
    ("Merge it", "!Merge it", "~~Merge it~~", "Merge it ❌", "Merge it = false", "DoNot merge it"),
    ("x", "-x"),
    ("Turn it to manual", "Turn it off manual"),
    ("Move into the cloud", "Move out of the cloud"),
    ("an even number", "an odd number"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Two texts, and whether they say the same."""

    a: str
    b: str
    same: bool

    @property
    def half(self) -> str:
        """Which half the pair falls in, by its hash."""
        return "b" if Random(f"{self.a}\n{self.b}").random() < 1 / 2 else "a"


def read(folder: Path) -> Iterator[Labelled]:
    """Every paraphrase and negation under a folder."""
    for row in _rows_of(folder, "forecast_paraphrase_negation*.gz"):
        yield Labelled(a=row["a"], b=row["b"], same=bool(row["label"]))


def read_answers(folder: Path) -> Iterator[Labelled]:
    """Every pair of free-text answers that people have judged to be the same answer or not."""
    for row in _rows_of(folder, "evouna*pairs*.gz"):
        yield Labelled(a=row["a"], b=row["b"], same=bool(row["label"]))


def _rows_of(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob(f"**/{name}")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def answer_rows(folder: Path, backend: Backend) -> Iterator[Row]:
    """Answers in free text: how right merged pairs are, how many are found, and how many questions they decide."""
    kind = backend.name.partition(" ")[0]
    pairs = tuple(read_answers(folder))[:ANSWERS]
    found = merged(pairs, backend)
    same = sum(pair.same for pair in found)
    if pairs:
        yield Row(name=f"{kind}, free text: precision", measured=same / max(len(found), 1), unit="")
        yield Row(name=f"{kind}, free text: recall", measured=same / sum(pair.same for pair in pairs), unit="")
    asked = [row["rounds"][0] for row in _rows_of(folder, "evouna*freetext*.gz")][:QUESTIONS]
    if asked:
        decided = [leaders for answers in asked if len(leaders := _leaders(answers, backend)) == 1]
        right = sum(any(one["correct"] for one in group) for [group] in decided)
        yield Row(name=f"{kind}, free text: questions decided", measured=len(decided) / len(asked), unit="")
        yield Row(name=f"{kind}, free text: of these right", measured=right / max(len(decided), 1), unit="")


def _leaders(answers: Sequence[dict[str, Any]], backend: Backend) -> list[list[dict[str, Any]]]:
    """The largest groups of answers to one question, by how many gave them; one is a winner."""
    said = [one for one in answers if one["answer"].strip()]
    groups = group_options([one["answer"].strip() for one in said], backend).groups if said else ()
    backed = [[one for one in said if one["answer"].strip() in group.members] for group in groups]
    most = max(map(len, backed), default=0)
    return [group for group in backed if len(group) == most]


def merged(pairs: Sequence[Labelled], backend: Backend) -> list[Labelled]:
    """The pairs that end in one group, each by itself."""
    return [pair for pair in pairs if len(group_options((pair.a, pair.b), backend).groups) == 1]


def pair_rows(pairs: Sequence[Labelled], backend: Backend) -> Iterator[Row]:
    """Precision, recall and merged negations, for each half and for both; bounds hold for both."""
    kind = backend.name.partition(" ")[0]
    found = merged(pairs, backend)
    for half in ("a", "b", "ab"):
        mine = [pair for pair in found if pair.half in half]
        same = sum(pair.same for pair in mine)
        paraphrases = sum(pair.same for pair in pairs if pair.half in half)
        name, whole, best = f"{kind}, half {half}" if half != "ab" else kind, half == "ab", kind == "embeddings"
        precision = same / len(mine) if mine else 1.0
        yield Row(
            name=f"{name}: precision",
            measured=precision,
            unit="",
            bound=PRECISION if whole and best else None,
            least=True,
        )
        yield Row(
            name=f"{name}: recall",
            measured=same / max(paraphrases, 1),
            unit="",
            bound=RECALL if whole and best else None,
            least=True,
        )
        if whole and not best:
            yield Row(name=f"{name}: negations merged", measured=len(mine) - same, unit="", bound=0)
            yield Row(name=f"{name}: paraphrases merged", measured=same, unit="", bound=FEWEST, least=True)


def generated_rows(seed: int, count: int) -> Iterator[Row]:
    """Made-up contradictions that would be merged, whatever their score."""
    passed = [made for made in contradictions(seed, count) if is_same(made.a, made.b, any_order=True)]
    for kind in KINDS:
        wrong = sum(made.kind == kind for made in passed)
        yield Row(name=f"generated {kind}s merged, of {count // len(KINDS)}", measured=wrong, unit="", bound=0)


def example_rows(backend: Backend) -> Iterator[Row]:
    """The published examples that this backend gets wrong."""
    wrong = sum(len(_groups(options, backend)) != 1 for options in TOGETHER)
    wrong += sum(len(_groups(options, backend)) != len(options) for options in APART)
    yield Row(name=f"{backend.name.partition(' ')[0]}: examples wrong", measured=wrong, unit="", bound=0)


def _groups(options: Sequence[str], backend: Backend) -> Sequence[object]:
    return group_options(options, backend).groups


def speed_rows(backend: Backend, seed: int) -> Iterator[Row]:
    """Grouping a thousand options nobody has seen, the best of three; what is loaded once is loaded before."""
    group_options(("Warm up the first", "Warm up the second"), backend)
    kind = backend.name.partition(" ")[0]
    took = min(_seconds(backend, seed + run) for run in range(1 if kind == "embeddings" else 3))
    bound = SECONDS if kind == "tfidf" else None
    yield Row(name=f"{kind}: {OPTIONS} options", measured=took, unit="s", bound=bound)


def _seconds(backend: Backend, seed: int) -> float:
    options = sample_options(seed, OPTIONS)
    started = perf_counter()
    group_options(options, backend)
    return perf_counter() - started


def sample_options(seed: int, count: int) -> tuple[str, ...]:
    """Distinct options of 4 to 12 words, a third of them paraphrases of an earlier one."""
    chance = Random(seed)
    options: dict[str, None] = {}
    while len(options) < count:
        made = [chance.choice(words) for words in _WORDS]
        made += [f"{chance.choice(_JOINTS)} {chance.choice(_WORDS[2])}" for _ in range(chance.randint(0, 4))]
        text = " ".join(made)
        options[text] = None
        if chance.random() < 1 / 2 and len(options) < count:
            options[chance.choice(_FRAMES).format(text)] = None
    return tuple(options)


def rows(folder: Path | None, backends: Sequence[Backend], seed: int) -> Iterator[Row]:
    pairs = tuple(read(folder)) if folder else ()
    for backend in backends:
        yield from example_rows(backend)
        yield from pair_rows(pairs, backend) if pairs else ()
        yield from answer_rows(folder, backend) if folder else ()
        yield from speed_rows(backend, seed)
    yield from generated_rows(seed, GENERATED)


def main(given: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m benchmarks.grouping", description="Measure the grouping of options.")
    parser.add_argument("--data", dest="folder", type=Path, help="a folder with forecast_paraphrase_negation*.gz")
    parser.add_argument("--seed", type=int, default=1, help="what chance begins with")
    parser.add_argument("--backend", action="append", choices=BACKENDS, help="only this; may be repeated")
    asked = parser.parse_args(given)
    if asked.folder and not next(read(asked.folder), None):
        sys.stderr.write(f"no forecast_paraphrase_negation*.gz under {str(asked.folder)!r}; name the folder above\n")
        return 1
    try:
        backends = [choose(name) for name in asked.backend or BACKENDS]
    except BadSetting as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    measured = tuple(rows(asked.folder, backends, asked.seed))
    sys.stdout.write(f"{table(measured)}\nseed {asked.seed}; {', '.join(backend.name for backend in backends)}\n")
    return int(failed(measured))


_WORDS: Final = (
    ("Prioritize", "Fund", "Rewrite", "Automate", "Audit", "Document", "Simplify", "Extend", "Monitor", "Replace"),
    ("regional", "shared", "internal", "legacy", "public", "mobile", "annual", "central", "nightly", "hybrid"),
    (
        *("billing", "search", "storage", "reporting", "identity", "payment", "delivery", "training", "inventory"),
        *("forecast", "messaging", "analytics", "routing", "booking", "compliance", "recruiting", "catalogue"),
    ),
    ("service", "pipeline", "platform", "process", "policy", "dashboard", "cluster", "schema", "contract", "team"),
)
_JOINTS: Final = ("with", "for", "across", "and", "plus")
_FRAMES: Final = ("We should {}", "Use this: {}", "{} please", "Let us {}", "{} as the adopted way")


if __name__ == "__main__":
    sys.exit(main())
