"""A form from a declaration: the names of an answer's members, what each may hold, and what they mean together."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal, TypedDict, Unpack, cast

from quorate.frozen import dataclass
from quorate.model.ask import ANY, AnswerTerms
from quorate.model.ballot import Argument, Ballot, Finish, Read
from quorate.model.specs import FormSpec, VoteKind
from quorate.reading.text.answer_fields import (
    CONDITIONS,
    REASONS,
    AnswerFields,
    FormField,
    line_of,
    placeholder,
)
from quorate.reading.text.doubt import stray_of
from quorate.reading.text.objects import Object, Scalar, fold_case
from quorate.reading.text.own_words import Engine, Stated
from quorate.reading.text.pattern import answer_line, object_schema, with_mark
from quorate.reading.text.strict_json import Twice
from quorate.reading.text.unreadable import SAID
from quorate.reading.text.values import plain, prose

__all__ = ["AnswerFields", "FormField", "object_form"]

_NULL: Final = "null"
_LIST: Final = "\0list "
"""What stands for a list or an object among texts to the letter; no two are the same."""

Judge = Callable[[AnswerFields, AnswerTerms], Stated | str]
"""What an answer means: a ballot or a case, or in a word why it is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """What is worked out once from the declaration of a form."""

    label: str
    fields: Mapping[str, FormField]
    judge: Judge
    intro: str
    outro: str
    noun: str
    notices: Callable[[AnswerFields], tuple[str, ...]]
    names: Mapping[str, str]
    of_file: frozenset[str]
    keys: frozenset[str]
    missing: str
    reasons: Mapping[str, str]

    def told(self, terms: AnswerTerms) -> dict[str, str]:
        """What a seat is told of each field that it is asked for."""
        shown = {name: field.told for name, field in self.fields.items() if field.told}
        return {name: told(terms) if callable(told) else told for name, told in shown.items()}

    def of_object(self, part: Object) -> AnswerFields | str:
        """The members of an object by their own names, or why they cannot be told apart."""
        values: dict[str, list[str]] = {}
        raws: dict[str, list[str]] = {}
        for name, value in self._members(part):
            raws.setdefault(name, []).append(value.raw if value is not None else f"{_LIST}{len(raws)}")
            values.setdefault(name, []).extend([] if value is None else [prose(value.raw)])
        if any(self._is_twice(name, written) for name, written in raws.items()):
            return "duplicate"
        for name, words in self._items(part):
            values.setdefault(name, []).append(words)
        stated = {name: tuple(texts) for name, texts in values.items()}
        letters = {name: "" if texts[0].startswith(_LIST) else texts[0].strip() for name, texts in raws.items()}
        return AnswerFields(stated, part, raws=letters)

    def _items(self, part: Object) -> Iterator[tuple[str, str]]:
        """What stands in the lists that the form names, a line each."""
        for written, item in part.items:
            name = self.names.get(written)
            if name and self.fields[name].is_list:
                yield name, prose(item.raw) if isinstance(item, Scalar) else line_of(item)

    def _members(self, part: Object) -> Iterator[tuple[str, Scalar | None]]:
        """The members that the form names; null is as nothing."""
        for written, value in part.members:
            name = self.names.get(written)
            if name and (value is None or fold_case(value.raw) != _NULL):
                yield name, value

    def _is_twice(self, name: str, written: list[str]) -> bool:
        return len(written) > 1 and (self.fields[name].required or len(set(written)) > 1)

    def of_mapping(self, fields: Mapping[str, object]) -> AnswerFields | str:
        """The same of an object of a file."""
        values: dict[str, tuple[str, ...]] = {}
        raws: dict[str, str] = {}
        named = [(self.names[name], value) for name, value in fields.items() if name in self.names]
        for name, value in named:
            if isinstance(value, Twice) or (name in values and self.fields[name].required):
                return "duplicate"
            texts = self._texts(name, value)
            if texts is not None:
                raws[name] = value.strip() if isinstance(value, str) else ""
                values[name] = texts
        return AnswerFields(values, None, fields, raws)

    def _texts(self, name: str, value: object) -> tuple[str, ...] | None:
        """The texts of a value of a file; none if it holds anything but texts, numbers and truths, and says nothing."""
        told = self.fields[name]
        if value is None:
            return None
        if isinstance(value, list) and not (told.is_list or told.nested):
            return ()
        listed = cast("list[object]", value) if isinstance(value, list) else [value]
        texts = [text for text in map(_in_words, listed) if text is not None]
        return tuple(texts) if told.nested or len(texts) == len(listed) else None

    def lacks(self, fields: AnswerFields, *, in_file: bool = False) -> str:
        """Why an answer is incomplete; empty if it is not."""
        needed = (name for name, one in self.fields.items() if one.required and not (in_file and name in self.of_file))
        return next((self.fields[name].missing for name in needed if self._is_empty(name, fields)), "")

    def _is_empty(self, name: str, fields: AnswerFields) -> bool:
        told = self.fields[name]
        lists = told.is_list or told.nested
        return name not in fields.values if lists else not any(fields.values.get(name, ()))

    def judged(self, part: Object, terms: AnswerTerms) -> tuple[Stated | str, tuple[str, ...]]:
        fields = self.of_object(part)
        if isinstance(fields, str):
            return fields, ()
        return self.meaning(fields, terms, self.lacks(fields))

    def meaning(self, fields: AnswerFields, terms: AnswerTerms, lacks: str) -> tuple[Stated | str, tuple[str, ...]]:
        stated = lacks or self.judge(fields, terms)
        if not isinstance(stated, Ballot):
            return stated, ()
        if "would_change" in self.fields:
            change = fields.text("would_change")
            stated = replace(
                stated, conditions=fields.lines("conditions"), would_change="" if placeholder(change) else change
            )
        reasoned = stated.rationale or stated.abstain or REASONS.isdisjoint(self.fields)
        return stated, (*self.notices(fields), *(() if reasoned else ("no_rationale",)))

    def is_copied(self, part: Object) -> bool:
        """Whether a value that must stand there was copied from the pattern."""
        texts = (
            value.raw.strip()
            for name, value in (*part.members, *part.items)
            if isinstance(value, Scalar) and name in self.names and self.fields[self.names[name]].required
        )
        return any(map(placeholder, texts))

    def required(self, part: Object) -> bool:
        whole = {self.names.get(name) for name, value in part.members if value is not None and value.whole}
        return all(name in whole for name, field in self.fields.items() if field.required)

    def from_file(self, handed: Mapping[str, object], terms: AnswerTerms) -> Read:
        fields = self.of_mapping(handed)
        if isinstance(fields, str):
            return Read(unreadable=fields)
        unknown = self.keys.isdisjoint(self.names.get(name, "") for name in handed)
        lacks = self.missing if unknown else self.lacks(fields, in_file=True)
        stated, cautions = self.meaning(fields, terms, lacks)
        if isinstance(stated, str):
            return Read(unreadable=stated)
        cautions = tuple(name for name in cautions if name != "no_rationale")
        return Read(argument=stated) if isinstance(stated, Argument) else Read(ballot=stated, cautions=cautions)

    @property
    def stray(self) -> re.Pattern[str]:
        """How the beginning of another value of this form looks."""
        telling = [alias for alias, name in self.names.items() if self.fields[name].required or name in self.keys]
        return stray_of("|".join(map(re.escape, (*telling, "mark", "ballot"))))

    @property
    def example(self) -> str:
        """An answer of a file."""
        samples = {name: told.sample for name, told in self.fields.items() if told.sample is not None}
        return json.dumps([{"seat": "Ann", **samples}])

    def line(self, terms: AnswerTerms) -> str:
        members = ", ".join(f'"{name}": {self.fields[name].pattern or f"<{name}>"}' for name in self.told(terms))
        return with_mark(f"{self.label} {{{{{{mark}}{_escaped(members)}}}}}", terms.mark)

    def instructions(self, terms: AnswerTerms) -> str:
        told = "\n".join(f"- {name}: {words}" for name, words in self.told(terms).items())
        return _INSTRUCTIONS.format(intro=self.intro, line=self.line(terms), told=told, outro=self.outro)

    def repair(self, why: str, terms: AnswerTerms) -> str:
        said = self.reasons.get(why) or SAID.get(why, f"no {self.noun} could be read in it")
        told = "\n".join(f"- {name}: {words}" for name, words in self.told(terms).items() if self.fields[name].required)
        return _REPAIR.format(said=said, noun=self.noun, line=self.line(terms), told=told)

    def schema(self, terms: AnswerTerms) -> Mapping[str, object]:
        """What providers can enforce; the reasons come first, so that they are thought before it is decided."""
        told = self.told(terms)
        names = sorted(told, key=lambda name: name not in REASONS)
        schemas = {name: self.fields[name].schema for name in names}
        return object_schema(terms.mark, {name: one(terms) if callable(one) else one for name, one in schemas.items()})

    def sample(self, terms: AnswerTerms) -> str:
        samples = {name: field.sample for name, field in self.fields.items() if field.told and field.sample is not None}
        stated = {name: one(terms) if callable(one) else one for name, one in samples.items()}
        return answer_line(self.label, terms.mark, stated)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _in_words(value: object) -> str | None:
    """A value of a file as a model would write it; none if it is neither a text, a number nor a truth."""
    written = str(value).lower() if isinstance(value, bool) else value
    return plain(written) if isinstance(written, str) and written != _NULL else None


_INTRO: Final = (
    "First give your reasoning in plain prose, in the language of the question. Then write your answer: one line, the "
    "last of your reply,"
)


def _names_of(fields: Mapping[str, FormField]) -> Mapping[str, str]:
    """Every name a member may have, with the one it stands for."""
    return MappingProxyType({alias: name for name, told in fields.items() for alias in (*told.aliases, name)})


class FormRules(TypedDict, total=False):
    """What else a form may say of its answers.

    `keys` are the fields that an answer is known by, else its first; `intro`, `outro` and `noun` are words of the
    prompt, `reasons` say why an answer is none, `notices` which cautions one brings. `optional_in_files` need not stand
    in a file, whose `example` is shown. The rest is as the engine has it, and as `FormSpec` does.
    """

    shows: tuple[Literal["abstain", "continue_debate", "evidence"], ...]
    keys: tuple[str, ...]
    intro: str
    outro: str
    noun: str
    missing: str
    still_speech: frozenset[str]
    reasons: Mapping[str, str]
    notices: Callable[[AnswerFields], tuple[str, ...]]
    optional_in_files: tuple[str, ...]
    example: str
    lines: bool
    last: bool
    careful: Callable[[Stated], bool]
    at_once: Callable[[Stated, AnswerTerms], bool]
    approves: Callable[[Stated], bool]
    refusals: frozenset[str]


def object_form(
    label: str,
    fields: Mapping[str, FormField],
    judge: Judge,
    *,
    vote: VoteKind | None,
    states: tuple[Literal["confidence", "risk"], ...] = (),
    **rules: Unpack[FormRules],
) -> FormSpec:
    """A form whose answer is a line with a label and one object, known by its `keys`, else by its first field.

    Whose words it is, what is quoted, cut off, written twice or copied from the pattern, is settled before `judge` is
    asked what the answer means.
    """
    form = _form_of(label, fields, judge, rules)
    engine = _engine_of(form, rules)

    def read(text: str, terms: AnswerTerms = ANY, finish: Finish = "stop") -> Read:
        return engine.read(text, terms, finish)

    return FormSpec(
        read=read,
        instructions=form.instructions,
        repair=form.repair,
        schema=form.schema,
        sample=form.sample,
        vote=vote,
        states=states,
        shows=rules.get("shows", ()),
        missing=form.missing,
        still_speech=rules.get("still_speech", frozenset()),
        from_file=form.from_file,
        example=rules.get("example") or form.example,
    )


def _form_of(label: str, fields: Mapping[str, FormField], judge: Judge, rules: FormRules) -> _Form:
    keys = rules.get("keys") or (next(iter(fields)),)
    if "would_change" in fields:
        fields = {"conditions": replace(CONDITIONS, told=""), **fields}
    outro = rules.get("outro", "")
    return _Form(
        label=label,
        fields=MappingProxyType(dict(fields)),
        judge=judge,
        intro=rules.get("intro", _INTRO),
        outro=f" {outro}" if outro else "",
        noun=rules.get("noun", "answer"),
        notices=rules.get("notices", lambda _: ()),
        names=_names_of(fields),
        of_file=frozenset(rules.get("optional_in_files", ("confidence", "risk"))),
        keys=frozenset(keys),
        missing=rules.get("missing", "no_ballot"),
        reasons=rules.get("reasons", MappingProxyType({})),
    )


def _engine_of(form: _Form, rules: FormRules) -> Engine:
    return Engine(
        label=form.label.lower(),
        keys=frozenset(alias for alias, name in form.names.items() if name in form.keys),
        judge=form.judged,
        is_copied=form.is_copied,
        missing=form.missing,
        stray=form.stray,
        required=form.required,
        lines=rules.get("lines", False),
        last=rules.get("last", False),
        careful=rules.get("careful", lambda _: False),
        at_once=rules.get("at_once", lambda _stated, _terms: False),
        approves=rules.get("approves", lambda _: True),
        refusals=rules.get("refusals", frozenset()),
    )


_INSTRUCTIONS: Final = """\
{intro} on the pattern

{line}

with your own values, as JSON, where the pattern has angle brackets:
{told}
Copy everything else as it stands, the mark included: without it the answer may not count.{outro} \
If you can only answer with a single JSON object, answer with that object alone."""

_REPAIR: Final = """\
Your reply could not be counted: {said}. Write your {noun} again and nothing else: one line of JSON on the pattern

{line}

{told}
Copy the mark as it stands."""
