"""What a member of an answer may be, what stands in one, and the members that most forms have."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass
from quorate.model.ask import AnswerTerms
from quorate.model.numbers import exact
from quorate.reading.text.objects import Object, fold_case
from quorate.reading.text.values import of_one, percentage, prose

__all__ = [
    "CONDITIONS",
    "CONFIDENCE",
    "CONFIDENCE_OR_NONE",
    "REASONING",
    "REASONS",
    "WOULD_CHANGE",
    "AnswerFields",
    "FormField",
    "line_of",
    "placeholder",
]

MOST: Final = 24
"""Lines of a list that are read; a case that needs more is no case."""
LONGEST: Final = 1_000
"""Characters of a line that are read."""
_YES: Final = frozenset({"true", "yes", "1"})
_NO: Final = frozenset({"false", "no", "none", "0", "", "n/a"})
_TEXT: Final[Mapping[str, object]] = MappingProxyType({"type": "string"})
_NO_TEXTS: Final[Mapping[str, str]] = MappingProxyType({})
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A member of the object: what a seat is told of it, what a provider may enforce, and a value that can be read.

    `told`, `schema` and `sample` may depend on how the answer is asked for. `aliases` are other names it is read by,
    `pattern` is what stands for its value in the line that a seat copies, and `missing` is why an answer without it is
    none. A field that nobody is `told` of is read and never asked for.
    """

    told: str | Callable[[AnswerTerms], str] = ""
    sample: object = None
    schema: Mapping[str, object] | Callable[[AnswerTerms], Mapping[str, object]] = field(default_factory=lambda: _TEXT)
    required: bool = True
    aliases: tuple[str, ...] = ()
    pattern: str = ""
    missing: str = "incomplete"
    listed: bool = False
    """Whether a list may stand there; told by the schema where that is the same for every ask."""
    nested: bool = False
    """Whether lists or objects may stand in that list; the form reads them by itself."""

    @property
    def is_list(self) -> bool:
        return self.listed or (not callable(self.schema) and self.schema.get("type") == "array")


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """What stands in an answer, by the names of its members, whether a model wrote it or a file holds it."""

    values: Mapping[str, tuple[str, ...]]
    part: Object | None = None
    """The object in the reply."""
    handed: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """The object of a file."""
    raws: Mapping[str, str] = field(default_factory=lambda: _NO_TEXTS)
    """What stands under each name to the letter, where that is one text or number."""

    def raw(self, name: str) -> str:
        """What stands under a name to the letter: a number or a word is nothing else than it is written."""
        return self.raws.get(name, "")

    def text(self, name: str) -> str:
        """The words under a name; empty if there are none."""
        return next(iter(self.values.get(name, ())), "")

    def texts(self, name: str) -> tuple[str, ...]:
        """The words of a list, or a single one."""
        return tuple(text for text in self.values.get(name, ()) if text)

    def number(self, name: str) -> Fraction | None:
        """The number under a name, exactly as it is written; none if it is none."""
        return exact(self.raw(name))

    def share(self, name: str) -> Fraction | None:
        """The number from 0 to 1 under a name; 85 % is one too."""
        return of_one(self.raw(name))

    def percentage(self, name: str) -> tuple[Fraction, bool] | None:
        """The number from 0 to 100 under a name as a share, and whether it was written as one."""
        return percentage(self.raw(name))

    def flag(self, name: str) -> bool | None:
        """Whether something is so; none if what stands there is neither a yes nor a no."""
        word = fold_case(self.text(name))
        return True if word in _YES else False if word in _NO else None

    def lines(self, name: str) -> tuple[str, ...]:
        """The texts of a list, a line each; of an object in it, its values."""
        listed = (" ".join(text.split())[:LONGEST] for text in self.values.get(name, ()))
        handed = self.part is None
        distinct = dict.fromkeys(
            line for line in listed if (handed or any(map(str.isalnum, line))) and line and not placeholder(line)
        )
        return tuple(distinct)[:MOST]


def line_of(item: Object) -> str:
    words = ((name, " ".join(prose(value.raw).split())) for name, value in item.members if value is not None)
    shown = (f'"{text}"' if name in _QUOTES else text for name, text in words if text and name not in _ASIDE)
    return ": ".join(shown)[:LONGEST]


_QUOTES: Final = frozenset({"quote", "quotation", "passage", "excerpt"})
_ASIDE: Final = frozenset({"confidence", "mark"})


def placeholder(text: str) -> bool:
    """Whether a text was copied from the pattern."""
    return text.startswith(("<", "[")) and text.endswith((">", "]"))


REASONS: Final = frozenset({"reasoning", "rationale", "reason", "reasons"})
CONFIDENCE: Final = FormField(
    told="how sure you are, from 0 to 1.",
    sample=0.5,
    schema={"type": "number", "description": "How sure you are, 0 to 1."},
    pattern="<number>",
    missing="no_confidence",
)
CONFIDENCE_OR_NONE: Final = replace(CONFIDENCE, required=False)
"""Of a seat that may abstain: then it need not be sure of anything."""
REASONING: Final = FormField(
    told="your main reason, in one to three sentences; put a backslash before any double quote in it.",
    sample="as said",
    schema={"type": "string", "description": "Why, answering what has been raised against it."},
    required=False,
    aliases=("reasoning", "rationale", "reason"),
    pattern="<why, in quotes>",
)
CONDITIONS: Final = FormField(
    told="with WARN, what must hold before anyone goes ahead, one short sentence each; else an empty list.",
    schema={
        "type": "array",
        "items": {"type": "string"},
        "description": "With WARN, what must hold before anyone goes ahead; else empty.",
    },
    required=False,
    pattern="[<condition>, <condition>]",
)
WOULD_CHANGE: Final = FormField(
    told="one sentence: which fact would change your answer. Leave it empty if none would.",
    schema={"type": "string", "description": "Which fact would change your answer, in one sentence; may be empty."},
    required=False,
    pattern="<fact in quotes>",
)
