"""A form from a description: an answer that is one JSON object, everything but its meaning worked out here."""

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal, cast

from quorate.frozen import dataclass
from quorate.model.ask import ANY, AnswerTerms
from quorate.model.ballot import Ballot, Finish, Read
from quorate.model.numbers import exact
from quorate.model.specs import FormSpec, VoteKind
from quorate.reading.text.doubt import STRAY_NAMES, stray_of
from quorate.reading.text.marked_objects import ObjectForm, placeholder
from quorate.reading.text.objects import Object, Scalar
from quorate.reading.text.pattern import answer_line, object_schema, with_mark
from quorate.reading.text.strict_json import Twice
from quorate.reading.text.unreadable import SAID
from quorate.reading.text.values import of_one, plain, prose

__all__ = ["AnswerFields", "FormField", "object_form"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A member of the object: what a seat is told of it, what a provider may enforce, and a value that can be read."""

    told: str
    sample: object
    schema: Mapping[str, object]
    required: bool = True


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """What stands in an answer, by the names of its members, whether a model wrote it or a file holds it."""

    values: Mapping[str, tuple[str, ...]]

    def text(self, name: str) -> str:
        """The words under a name; empty if there are none."""
        return next(iter(self.values.get(name, ())), "")

    def texts(self, name: str) -> tuple[str, ...]:
        """The words of a list, or a single one."""
        return tuple(text for text in self.values.get(name, ()) if text)

    def number(self, name: str) -> Fraction | None:
        """The number under a name, exactly as it is written; none if it is none."""
        return exact(self.text(name))

    def share(self, name: str) -> Fraction | None:
        """The number from 0 to 1 under a name; 85 % is one too."""
        return of_one(self.text(name))

    @classmethod
    def of_object(cls, part: Object) -> "AnswerFields":
        """From an object in a reply; a member that holds anything but texts and numbers is not there."""
        odd = {name for name, item in part.items if isinstance(item, Object) or item.raw == _NULL}
        values: dict[str, tuple[str, ...]] = dict.fromkeys(_lists(part), ())
        for name, value in (*part.members, *part.items):
            if isinstance(value, Scalar) and value.raw != _NULL:
                values[name] = (*values.get(name, ()), prose(value.raw))
        return cls({name: texts for name, texts in values.items() if name not in odd})

    @classmethod
    def of_mapping(cls, fields: Mapping[str, object]) -> "AnswerFields":
        """From an object of a file, by the same rule."""
        lists = {
            name: cast("list[object]", value) if isinstance(value, list) else [value] for name, value in fields.items()
        }
        told = {name: [text for text in map(_in_words, values) if text is not None] for name, values in lists.items()}
        return cls({name: tuple(texts) for name, texts in told.items() if len(texts) == len(lists[name])})


_NULL: Final = "null"


def _lists(part: Object) -> list[str]:
    """The names of its lists, as far as they can be told from objects: an empty list is a value, too."""
    return [] if part.inner else [name for name, value in part.members if value is None]


def _in_words(value: object) -> str | None:
    """A value of a file as a model would write it; none if it is neither a text, a number nor a truth."""
    written = str(value).lower() if isinstance(value, bool) else value
    return plain(written) if isinstance(written, str) and written != _NULL else None


Judge = Callable[[AnswerFields, AnswerTerms], Ballot | str]
"""What an answer means: a ballot, or in a word why it is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Description:
    label: str
    fields: Mapping[str, FormField]
    judge: Judge
    form: ObjectForm

    def read(self, text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
        return self.form.read(text, terms, finish, lambda part, cut: self._judged(part, terms, cut=cut))

    def _judged(self, part: Object, terms: AnswerTerms, *, cut: bool) -> Ballot | str:
        if part.state != "closed" or cut:
            return "cut_short"
        names = [name for name, _ in part.members if name in self.fields]
        return "duplicate" if len(set(names)) < len(names) else self._meaning(AnswerFields.of_object(part), terms)

    def _meaning(self, fields: AnswerFields, terms: AnswerTerms) -> Ballot | str:
        if any(placeholder(text) for name in self.fields for text in fields.texts(name)):
            return "placeholder"
        if any(field.required and name not in fields.values for name, field in self.fields.items()):
            return "incomplete"
        return self.judge(fields, terms)

    def from_file(self, fields: Mapping[str, object], terms: AnswerTerms) -> Read:
        twice = any(isinstance(fields.get(name), Twice) for name in self.fields)
        meant = "duplicate" if twice else self._meaning(AnswerFields.of_mapping(fields), terms)
        return Read(unreadable=meant) if isinstance(meant, str) else self.form.handed(fields, meant, terms)

    def instructions(self, terms: AnswerTerms) -> str:
        return _INSTRUCTIONS.format(line=self._line(terms), told=self._told())

    def repair(self, why: str, terms: AnswerTerms) -> str:
        said = SAID.get(why, "no answer could be read in it")
        return _REPAIR.format(said=said, line=self._line(terms), told=self._told())

    def schema(self, terms: AnswerTerms) -> Mapping[str, object]:
        return object_schema(terms.mark, {name: field.schema for name, field in self.fields.items()})

    def sample(self, terms: AnswerTerms) -> str:
        return answer_line(self.label, terms.mark, {name: field.sample for name, field in self.fields.items()})

    def _line(self, terms: AnswerTerms) -> str:
        members = ", ".join(f'"{name}": <{name}>' for name in self.fields)
        return with_mark(f"{self.label} {{{{{{mark}}{members}}}}}", terms.mark)

    def _told(self) -> str:
        return "\n".join(f"- {name}: {field.told}" for name, field in self.fields.items())


def object_form(
    label: str,
    fields: Mapping[str, FormField],
    judge: Judge,
    *,
    vote: VoteKind,
    states: tuple[Literal["confidence", "risk"], ...] = (),
) -> FormSpec:
    """A form whose answer is a line with a label and one object, known by its first field.

    Whose words it is, what is quoted, cut off, written twice or copied from the pattern, is settled before `judge` is
    asked what the answer means.
    """
    stray = stray_of("|".join((*map(re.escape, fields), STRAY_NAMES)))
    reasoned = not {"rationale", "reasoning", "reason"}.isdisjoint(fields)
    keys, own = frozenset({next(iter(fields))}), frozenset(fields)
    form = ObjectForm(keys=keys, missing="no_ballot", stray=stray, reasoned=reasoned, own=own)
    described = _Description(label=label, fields=MappingProxyType(dict(fields)), judge=judge, form=form)
    handed = {"seat": "Ann", **{name: field.sample for name, field in fields.items()}}
    return FormSpec(
        read=described.read,
        instructions=described.instructions,
        repair=described.repair,
        schema=described.schema,
        sample=described.sample,
        vote=vote,
        states=states,
        from_file=described.from_file,
        example=json.dumps([handed]),
    )


_INSTRUCTIONS: Final = """\
First give your reasoning in plain prose, in the language of the question. Then write your answer: one line, the last \
of your reply, on the pattern

{line}

with your own values, as JSON, where the pattern has angle brackets:
{told}
Copy everything else as it stands, the mark included: without it the answer may not count. \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your answer again and nothing else: one line on the pattern

{line}

{told}
Copy the mark as it stands."""
