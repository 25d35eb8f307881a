"""A charter as a commented panel file, which reads back as the same charter."""

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Final

from quorate.model import Limits, PartRef, Rulebook, Seat
from quorate.model.charter import Charter
from quorate.model.numbers import share
from quorate.settings.table import DEADLINE, LOOK_IN, LOOK_LIMIT, PATIENCE

__all__ = ["dump"]

_UNSAFE: Final = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]')


def dump(charter: Charter) -> str:
    """Write the file that `load_charter` reads back."""
    return "\n".join((*_head(charter), *_limits(charter.limits), *_lookups(charter), *_seats(charter))) + "\n"


def _head(charter: Charter) -> Iterator[str]:
    yield "# A panel: who sits, who answers, and what decides. Try it with: quorate ask QUESTION --panel THIS-FILE"
    yield f"protocol: {_quoted(charter.protocol)}"
    if charter.panel.demo:
        yield "# A demo's answers carry no information, so it never approves."
        yield "demo: true"
    if charter.settings:
        yield "# Settings of the protocol and of counting."
        yield f"settings: {_mapping(charter.settings)}"
    if charter.rulebook is not None:
        yield from _rulebook(charter.rulebook)


def _rulebook(book: Rulebook) -> Iterator[str]:
    yield "# Rules are asked in this order, and the first that speaks decides; caps may only make it more careful."
    yield "rulebook:"
    yield f"  name: {_quoted(book.name)}"
    yield f"  rules: [{', '.join(_named(named) for named in book.rules)}]"
    yield f"  otherwise: {_named(book.otherwise)}"
    yield f"  unless: [{', '.join(_named(named) for named in book.unless)}]"
    yield f"  silence: {_quoted(book.silence)}"


def _limits(limits: Limits) -> Iterator[str]:
    yield "# What it may spend: calls, tokens, US dollars; unpriced lets models in whose price nobody knows."
    spent = (("calls", limits.calls), ("tokens", limits.tokens), ("money", limits.money))
    parts = [f"{name}: {_number(Fraction(value))}" for name, value in spent if value is not None]
    yield f"budget: {{{', '.join((*parts, f'unpriced: {str(limits.unpriced).lower()}'))}}}"
    for option, value in ((DEADLINE, limits.deadline), (PATIENCE, limits.patience)):
        yield f"{option.name}: {_number(value)}s" if value is not None else f"# {option.name}: 2m"


def _lookups(charter: Charter) -> Iterator[str]:
    if charter.lookups is not None:
        yield "# A folder that the seats may look into before they answer, and how many times."
        yield f"{LOOK_IN.name}: {_quoted(charter.lookups.root)}"
        yield f"{LOOK_LIMIT.name}: {charter.lookups.replies}"


def _seats(charter: Charter) -> Iterator[str]:
    models = dict(charter.models)
    yield "seats:"
    for seat in charter.panel:
        yield from _seat(seat)
        yield f"    model: {_quoted(models[seat.name])}" if seat.name in models else "    # model: ollama:NAME"


def _seat(seat: Seat) -> Iterator[str]:
    yield f"  - name: {_quoted(seat.name)}"
    yield f"    role: {_quoted(seat.role)}"
    if seat.part:
        yield f"    part: {seat.part}"
    yield f"    powers: [{', '.join(seat.powers)}]"
    yield f"    stance: {seat.stance}"
    yield f"    weight: {_number(seat.weight)}"
    if seat.sure is not None:
        yield f"    sure: {_share(seat.sure)}"


def _named(named: PartRef) -> str:
    return f"{{{_quoted(named.name)}: {_mapping(named.settings)}}}" if named.settings else _quoted(named.name)


def _mapping(pairs: tuple[tuple[str, str], ...]) -> str:
    return f"{{{', '.join(f'{_quoted(key)}: {_quoted(text)}' for key, text in pairs)}}}"


def _quoted(text: str) -> str:
    return f'"{_UNSAFE.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return f"\\U{ord(found[0]):08x}"


def _share(value: Fraction) -> str:
    """As a ratio where the decimal would be read as two thirds."""
    return _number(value) if share(_number(value)) == value else f"{value.numerator}/{value.denominator}"


def _number(value: Fraction) -> str:
    """As a decimal where that is exact, else as a ratio."""
    decimal = Decimal(value.numerator) / Decimal(value.denominator)
    return format(decimal, "f") if Fraction(decimal) == value else f"{value.numerator}/{value.denominator}"
