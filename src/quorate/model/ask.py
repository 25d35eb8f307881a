"""What is asked of a seat, what is looked up for it, and the prompt it is given."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from quorate.frozen import dataclass, fast_init, make_tuple
from quorate.model.chance import SeededChance
from quorate.model.lookup import Lookup
from quorate.model.panel import FENCE, MARK, Seat
from quorate.model.question import Question
from quorate.model.template_tokens import harmless


class AskKey(NamedTuple):
    """An ask's identity: asked once, recorded once."""

    round: str
    seat: str
    about: str
    attempt: int


class ErrandKey(NamedTuple):
    """An errand's identity: run once, written once. `attempt` is the ask's, where a seat asked for it in a reply."""

    kind: str
    round: str
    seat: str
    about: str
    attempt: int = 0


@fast_init
@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody's words inside a prompt: material between fences, never an instruction."""

    label: str
    text: str


def question_quotes(question: Question) -> tuple[Quote, ...]:
    """A question as it stands in most prompts: its text, what is known around it, what settles it, what came before."""
    parts = (("the question", question.text), ("context", question.context), ("criteria", question.criteria))
    return (*[Quote(label, text) for label, text in parts if text], *precedent_quotes(question))


def precedent_quotes(question: Question) -> tuple[Quote, ...]:
    """Earlier decisions that are shown beside a question. The first words are ours, so that none passes for another."""
    return tuple(Quote(f"precedent, which binds nobody: {one.label}", one.text) for one in question.precedents)


Part = str | Quote | tuple[Quote, ...]

OWN: Final = "your "
"""How the label of a quote begins that holds the seat's own words."""
OPTIONS: Final = "the options named so far"
"""The label of the list that is put to the vote: copying from it is voting, not quoting somebody."""


@fast_init
@dataclass(frozen=True, slots=True)
class Prompt:
    """A template and what goes into it. Rendered once, when it is asked."""

    template: str
    parts: tuple[tuple[str, Part], ...] = ()

    def render(self, fence: str) -> str:
        """Fill the template; every quote stands between lines that bear the fence."""
        return PromptWriter().fill(self, fence)

    def plus(self, template: str, *parts: tuple[str, Part]) -> "Prompt":
        """The same prompt with something added at its end."""
        return Prompt(self.template + template, (*self.parts, *parts))


class PromptWriter:
    """Writes the prompts of one deliberation: what stands in several of them is made harmless once."""

    __slots__ = ("_chance", "_fences", "_labels", "_safe")

    def __init__(self, seed: str = "") -> None:
        self._chance = SeededChance(seed)
        self._fences: dict[str, str] = {}
        self._safe: dict[str, str] = {}
        self._labels: dict[str, str] = {}

    def mark(self, round_: str, seat: Seat, attempt: int) -> str:
        """What a seat's ballot must bear, as `Brief.mark` has it."""
        return self._chance.derive(MARK, round_, seat.name, str(attempt))

    def fence(self, seat: Seat) -> str:
        """What the lines around quoted words bear in a seat's prompts, as `Brief.fence` has it."""
        if seat.name not in self._fences:
            self._fences[seat.name] = self._chance.derive(FENCE, seat.name)
        return self._fences[seat.name]

    def fill(self, prompt: Prompt, fence: str, ballot: str | None = None) -> str:
        """The prompt in words; `ballot` is a ballot paper that is harmless already."""
        if ballot is None and not prompt.parts:
            return prompt.template
        parts = {name: self._written(part, fence) for name, part in prompt.parts}
        if ballot is not None:
            parts["ballot"] = ballot
        return prompt.template.format_map(parts)

    def _written(self, part: Part, fence: str) -> str:
        if isinstance(part, str):
            return self._harmless(part)  # a role, a name, an option: words of somebody's as well
        if isinstance(part, Quote):
            return self._fenced(part, fence)
        return "\n\n".join([self._fenced(quote, fence) for quote in part])

    def _fenced(self, quote: Quote, fence: str) -> str:
        """A quote between two lines that nothing inside it can write."""
        label = self._labels.get(quote.label)
        if label is None:
            label = self._labels[quote.label] = " ".join(harmless(quote.label).translate(_UNBRACKETED).split())
        begin, text = label.replace(fence, "…"), self._harmless(quote.text).replace(fence, "…")
        return f"[{fence} begin: {begin}]\n{text}\n[{fence} end]"

    def _harmless(self, text: str) -> str:
        known = self._safe.get(text)
        if known is None:
            known = self._safe[text] = safe_text(text)
        return known


def safe_text(text: str) -> str:
    """Harmless words, kept apart from what is written around them: beside a bracket of ours a tilde makes a token."""
    words = harmless(text)
    before, after = (" " if edge == "~" else "" for edge in (words.lstrip()[:1], words.rstrip()[-1:]))
    return f"{before}{words}{after}" if before or after else words


Shown = str | Callable[[], str]
"""What a seat was shown by others, or how to find out: it is looked at only where somebody's words are in doubt."""


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTerms:
    """How an answer is asked for, all that a form may look at besides the reply.

    `mark` is what the answer must bear, `shown` what others gave the seat to read, `last` whether nobody will ask
    again, `enforced` whether the provider let nothing but an answer of this form through, `options` the closed list
    where there is one, and `veto` whether the seat holds that power. `at_once`: what is as careful as silence counts
    without the mark and without another question. `act_needs_mark`: a ballot for ACT counts only with the mark or
    enforced; one that is more careful may do without.
    """

    mark: str = ""
    shown: Shown = ""
    last: bool = False
    enforced: bool = False
    options: tuple[str, ...] = ()
    veto: bool = False
    at_once: bool = False
    act_needs_mark: bool = False

    @property
    def shown_text(self) -> str:
        """What the seat was shown, in words."""
        return self.shown if isinstance(self.shown, str) else self.shown()


ANY: Final = AnswerTerms()
"""Asked for by nobody in particular: no mark, no list, and anybody may have written it."""


@fast_init
@dataclass(frozen=True, slots=True)
class Ask:
    """One question to one seat. `mark` is what its ballot must bear; `wants` names the form of the answer.

    `options` is the closed list to choose from, where there is one. `shown` tells what others gave the seat to read:
    what stands there is a quotation and never its answer. An ask marked `after` waits until the verdict is written, so
    that it cannot stand on the way to it. `looked` is how many of its attempts were spent on looking something up, and
    `lookups` how many things the reply may ask to see instead of answering: None where seats may not look anywhere.
    """

    seat: Seat
    round: str
    prompt: Prompt
    wants: str = "speech"
    about: Seat | None = None
    attempt: int = 1
    mark: str = ""
    options: tuple[str, ...] = ()
    after: bool = False
    shown: Callable[[], str] | None = None
    looked: int = 0
    lookups: int | None = None
    act_needs_mark: bool = False
    at_once: bool = False

    @property
    def key(self) -> AskKey:
        about = self.about
        return make_tuple(AskKey, (self.round, self.seat.name, about.name if about else "", self.attempt))

    def terms(self, mark: str) -> AnswerTerms:
        """How the answer is to be written under this mark."""
        return AnswerTerms(mark=mark, options=self.options, veto="veto" in self.seat.powers)


@fast_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A fact no seat states: how alike texts are, what a search finds, what stands at an address or in a file.

    `kind` is compare, find, fetch, look, or what another package brings a backend for.
    """

    kind: str
    round: str
    seat: str = ""
    about: str = ""
    attempt: int = 0
    texts: tuple[str, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    question: str = ""
    """What was asked, where it matters to a comparison whether order does."""

    @property
    def key(self) -> ErrandKey:
        return ErrandKey(self.kind, self.round, self.seat, self.about, self.attempt)


_UNBRACKETED: Final[Mapping[int, str]] = MappingProxyType(
    dict.fromkeys(map(ord, "[\uff3b\ufe47"), "(") | dict.fromkeys(map(ord, "]\uff3d\ufe48"), ")")
)
"""Brackets, and what is taken for one: a label must not be ended, nor end what it began with our own bracket."""
