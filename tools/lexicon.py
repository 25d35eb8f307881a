"""Write the guard's lexicon again from a WordNet 3.0 folder: python -m tools.lexicon /usr/share/wordnet.

The folder is that of Debian's `wordnet-base`: data.*, index.*, *.exc and cntlist.rev. What is kept: single words with
their first senses and how often they were seen, and of each sense what it is opposed to, similar to or a kind of.
The file is text, packed by gzip, its three parts divided by an empty line:

    word    parts of speech  count  senses  related senses   of a word, each sense a line of the second part
    kinds   similar  opposites                               of a sense, by number
    form    word                                             an irregular form
"""

import gzip
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

TARGET: Final = Path(__file__).parents[1] / "src" / "quorate" / "similarity" / "lexicon.gz"
PARTS: Final = ("noun", "verb", "adj", "adv")
MOST_SENSES: Final = 6
KINDS, SIMILAR, OPPOSITE, RELATED = ("@", "@i"), ("&",), ("!",), ("+", "\\", "<")

Sense = tuple[str, str]
"""Its part of speech and its place in the data file."""


@dataclass(slots=True)
class Lexicon:
    """What is read from the folder."""

    senses: dict[str, list[Sense]] = field(default_factory=lambda: defaultdict(list))
    counts: dict[tuple[str, str], dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    related: dict[str, set[Sense]] = field(default_factory=lambda: defaultdict(set))
    kinds: dict[Sense, list[Sense]] = field(default_factory=lambda: defaultdict(list))
    similar: dict[Sense, list[Sense]] = field(default_factory=lambda: defaultdict(list))
    opposite: dict[Sense, list[Sense]] = field(default_factory=lambda: defaultdict(list))
    forms: dict[str, str] = field(default_factory=dict)


def read(folder: Path) -> Lexicon:
    lexicon = Lexicon()
    for line in _lines(folder / "cntlist.rev"):
        key, number, count = line.split()
        word, _, rest = key.partition("%")
        lexicon.counts[word, "nvara"[int(rest[0]) - 1]][int(number)] = int(count)
    for part in PARTS:
        _read_index(lexicon, part, _lines(folder / f"index.{part}"))
        _read_senses(lexicon, part, _lines(folder / f"data.{part}"))
        for line in _lines(folder / f"{part}.exc"):
            form, word = line.split()[:2]
            if form != word and _plain(form) and _plain(word):
                lexicon.forms.setdefault(form, word)
    return lexicon


def _use(lexicon: Lexicon, word: str) -> tuple[str, str]:
    """As what it is used, and how often that was seen."""
    letters = "".join(sorted({letter for letter, _ in lexicon.senses[word]}))
    count = sum(count for letter in "nvar" for count in lexicon.counts[word, letter].values())
    return letters, str(count or "")


def _by_use(lexicon: Lexicon, word: str) -> list[Sense]:
    """A word's senses, those most often meant first, whatever part of speech they are."""
    ranked: list[tuple[int, int, int, Sense]] = []
    for order, letter in enumerate("nvar"):
        senses = [sense for sense in lexicon.senses[word] if sense[0] == letter]
        seen = lexicon.counts[word, letter]
        ranked += [(-seen.get(number, 0), number, order, sense) for number, sense in enumerate(senses, 1)]
    return [sense for *_, sense in sorted(ranked)]


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        yield from (line for line in lines if not line.startswith("  ") and line.strip())


def _plain(word: str) -> bool:
    """A hyphen splits a word, so no other word is ever looked up."""
    return word.isascii() and word.isalpha()


def _letter(part: str) -> str:
    return {"s": "a", "adj": "a", "adv": "r"}.get(part, part[0])


def _read_index(lexicon: Lexicon, part: str, lines: Iterator[str]) -> None:
    for line in lines:
        word, _, senses, *rest = line.split()
        if _plain(word):
            places = rest[-int(senses) :][:MOST_SENSES]
            lexicon.senses[word].extend((_letter(part), place) for place in places)


def _read_senses(lexicon: Lexicon, part: str, lines: Iterator[str]) -> None:
    for line in lines:
        fields = line.partition("|")[0].split()
        sense, size = (_letter(part), fields[0]), int(fields[3], 16)
        words = [word.partition("(")[0].lower() for word in fields[4 : 4 + 2 * size : 2]]
        pointers = fields[4 + 2 * size :]
        for at in range(1, 1 + 4 * int(pointers[0]), 4):
            sign, place, other, ends = pointers[at : at + 4]
            _point(lexicon, sign, (sense, (_letter(other), place)), words[int(ends[:2], 16) - 1])


def _point(lexicon: Lexicon, sign: str, ends: tuple[Sense, Sense], word: str) -> None:
    sense, other = ends
    for signs, table in (
        (KINDS, lexicon.kinds),
        (SIMILAR, lexicon.similar),
        (OPPOSITE, lexicon.opposite),
    ):
        if sign in signs and other not in table[sense]:
            table[sense].append(other)
    if sign in RELATED and _plain(word):
        lexicon.related[word].add(other)


def write(lexicon: Lexicon) -> str:
    """The three parts; a sense's number is its line, the best known words' senses first."""
    numbers = _numbers(lexicon)

    def listed(senses: Sequence[Sense]) -> str:
        return " ".join(str(numbers[sense]) for sense in senses if sense in numbers)

    words = [
        "\t".join((word, *_use(lexicon, word), listed(_by_use(lexicon, word)), listed(sorted(lexicon.related[word]))))
        for word in sorted(lexicon.senses)
    ]
    tables = (lexicon.kinds, lexicon.similar, lexicon.opposite)
    senses = ["\t".join(listed(table[sense]) for table in tables) for sense in numbers]
    forms = [f"{form}\t{word}" for form, word in sorted(lexicon.forms.items())]
    return "\n\n".join("\n".join(part) for part in (words, senses, forms)) + "\n"


def _numbers(lexicon: Lexicon) -> dict[Sense, int]:
    numbers: dict[Sense, int] = {}
    waiting = [sense for _, senses in sorted(lexicon.senses.items()) for sense in senses]
    for sense in waiting:
        numbers.setdefault(sense, len(numbers))
    for sense in list(numbers):
        for other in (*lexicon.kinds[sense], *lexicon.similar[sense]):
            numbers.setdefault(other, len(numbers))
    return numbers


def main() -> int:
    if len(sys.argv) != 2:  # noqa: PLR2004 - the folder and nothing else
        print("name the folder of WordNet: python -m tools.lexicon /usr/share/wordnet", file=sys.stderr)
        return 2
    text = write(read(Path(sys.argv[1])))
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(text):,} characters, {TARGET.stat().st_size:,} bytes packed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
