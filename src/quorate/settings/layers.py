"""What each source says of the options: a command line or program, the environment, files. What is unsaid is absent."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from quorate.errors import BadPanel, BadSetting, UnknownName
from quorate.settings import table
from quorate.settings.file_fields import Field, read_bytes, read_document
from quorate.settings.option import Option, Place
from quorate.settings.relative_paths import sources_setting
from quorate.settings.seat_flags import SEVERAL_MODELS
from quorate.settings.settings import Value, Values, spread

__all__ = [
    "default_values",
    "door_values",
    "environment_values",
    "field_values",
    "user_file_values",
    "write_user_value",
]

T = TypeVar("T")


def door_values(said: Mapping[str, Any], place: Place = "flag") -> Values:
    """Read what a request says, by the options' names: texts; pairs or texts for options that may be repeated.

    `place` says how a complaint names an option: the command line by its flag, everybody else by its name.

    Raises:
        BadSetting: a value cannot be read, with the option's name.
        UnknownName: an option, a rulebook or a provider there is not.
    """
    known = {option.name: option for option in table.TABLE}
    if unknown := sorted(said.keys() - known.keys()):
        raise UnknownName("option", unknown[0], known)
    values: dict[str, Value[Any]] = {}
    for option in table.TABLE:
        text = said.get(option.name)
        name = option.flag if place == "flag" else option.name
        if option in {table.MODEL, table.MODELS} and isinstance(text, tuple):
            values |= _models(text, name, f"{place} {name}")
        elif text is not None and text != ():
            values |= _read(option, text, name, f"{place} {name}")
    return {**values, **_meant_from_here(values, place)}


def _models(texts: tuple[str, ...], named: str, source: str) -> Values:
    """A model for every seat, or several of them, which are dealt once it is known who sits."""
    if len(texts) <= 1:
        return _read(table.MODEL, texts[0], named, source) if texts else {}
    return {SEVERAL_MODELS: Value(tuple(_told(table.MODEL.read, one, named) for one in texts), source)}


def _meant_from_here(values: Values, place: Place) -> Values:
    """Files are looked for in the current folder; `--sources` goes before the setting of that name."""
    source = f"{place} {table.SETTINGS.flag if place == 'flag' else table.SETTINGS.name}"
    files, sources = values.get(table.FILES.name), values.get(table.SOURCES.name)
    return {
        **({table.FILES.name: Value(tuple((".", one) for one in files.value), files.source)} if files else {}),
        **(spread(table.SETTINGS, sources_setting(sources.value), source) if sources else {}),
    }


def environment_values(env: Mapping[str, str]) -> Values:
    """Read QUORATE_PANEL and the like; an empty variable is not set.

    Raises:
        BadSetting: a value cannot be read, with the variable's name.
        UnknownName: a rulebook or provider there is not.
    """
    values: dict[str, Value[Any]] = {}
    for option in table.options_at("variable"):
        if text := env.get(option.variable):
            several = tuple(text.split(",")) if option.shape == "list" else text
            values |= _read(option, several, option.variable, f"environment {option.variable}")
    return values


def user_file_values(path: Path, shown: str, *, needed: bool) -> Values:
    """Read the user's own file; that it is not there is fine unless somebody named it.

    Raises:
        BadPanel: it is needed and not there, or it cannot be read, with line and field.
    """
    content = read_bytes(path, shown)
    if content is None:
        if needed:
            raise BadPanel(f"no file {shown!r}, which QUORATE_CONFIG names; create it or unset QUORATE_CONFIG")
        return {}
    known = read_document(content, shown).fields(_user_fields())
    return field_values(table.options_at("user file"), known, f"user file {shown}")


def write_user_value(path: Path, shown: str, name: str, text: str) -> None:
    """Set one option in the user's own file and leave everything else in it as it is.

    Raises:
        UnknownName: no such option there.
        BadSetting: the value cannot be read, or the file cannot be written.
        BadPanel: the file is no such file, and stays as it is.
    """
    known = {option.name: option for option in table.options_at("user file") if not option.is_keyed or option.reader}
    if name not in known:
        raise UnknownName("setting of the user file", name, known)
    _told(known[name].read, text, name)
    before = (read_bytes(path, shown) or b"").decode()
    line = f"{name}: {json.dumps(text, ensure_ascii=False)}\n"
    whole = re.compile(rf"^{re.escape(name)}\s*:.*\n?(?:[ \t].*\n?|-.*\n?)*", re.MULTILINE)
    after = whole.sub(lambda _: line, before, 1) if whole.search(before) else f"{before.rstrip()}\n{line}".lstrip()
    field_values((known[name],), read_document(after.encode(), shown).fields(_user_fields()), shown)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        begun = path.with_name(f"{path.name}.part")
        begun.write_text(after, encoding="utf-8")
        begun.replace(path)
    except OSError as wrong:
        raise BadSetting(f"cannot write {shown!r}: {(wrong.strerror or 'no such place').lower()}") from wrong


def _user_fields() -> list[str]:
    return [option.name for option in table.options_at("user file")]


def field_values(options: Iterable[Option[Any]], known: Mapping[str, Field], source: str) -> Values:
    """Read these options from the fields of a file.

    Raises:
        BadPanel: one cannot be read, with its place.
    """
    values: dict[str, Value[Any]] = {}
    for option in options:
        if option.name in known:
            values |= spread(option, option.read_field(known[option.name]), source)
    return values


def default_values() -> Values:
    """What holds if nobody says anything."""
    options = (option for option in table.TABLE if option.default is not None)
    return {option.name: Value(option.read(option.default or ""), "default") for option in options}


def _read(option: Option[Any], text: Any, named: str, source: str) -> Values:  # noqa: ANN401  as a door has it
    if option.shape == "pairs":
        pairs = (_pair(one, option) for one in text)
        return spread(option, [(key, _told(option.read, value, named)) for key, value in pairs], source)
    if option.shape == "list":
        return spread(option, tuple(_told(option.read, one, named) for one in text), source)
    return spread(option, _told(option.read, text, named), source)


def _pair(text: str | tuple[str, str], option: Option[Any]) -> tuple[str, str]:
    if not isinstance(text, str):
        return text
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        example = f"{option.flag} {option.example}"
        raise BadSetting(f"{option.flag} takes NAME=VALUE, for instance {example}, not {text[:60]!r}")
    return name, value


def _told(reader: Callable[[str], T], text: str, source: str) -> T:
    """Read a text; a complaint about its form says which flag or variable it came from."""
    try:
        return reader(text)
    except BadSetting as wrong:
        raise BadSetting(f"{source}: {wrong}") from wrong
