"""Readers of what takes more than one word: models, keys with their places, budgets, lists and settings in a file."""

import re
from fractions import Fraction
from typing import Final

from quorate.errors import BadSetting
from quorate.panelists import registry as models
from quorate.panelists.cli.tools import TOOLS
from quorate.panelists.key_places import is_place
from quorate.settings.amounts import BUDGET_PARTS, budget
from quorate.settings.file_fields import Field, quote_text
from quorate.settings.model_names import AUTO, join_models, several

__all__ = [
    "ask_or_deny",
    "budget_of",
    "key_pair",
    "key_pairs_of",
    "model_name",
    "models_of",
    "priority",
    "protocol_settings",
    "tenant",
    "text_pairs",
    "texts_of",
]

LONGEST_TENANT: Final = 100
MOST_FALLBACKS: Final = 20


def texts_of(field: Field) -> tuple[str, ...]:
    """One text, or a list of them.

    Raises:
        BadPanel: it is something else.
    """
    return (field.text(),) if field.plain else tuple(inner.text() for inner in field.items())


def ask_or_deny(text: str) -> str:
    """What a hook may answer without a verdict; to allow is not among it.

    Raises:
        BadSetting: it is something else.
    """
    if text.strip() not in {"ask", "deny"}:
        raise BadSetting(f"must be ask or deny, not {quote_text(text)}")
    return text.strip()


def priority(text: str) -> str:
    """How soon workers take a deliberation.

    Raises:
        BadSetting: it is something else.
    """
    if text.strip() not in {"high", "normal", "low"}:
        raise BadSetting(f"must be high, normal or low, not {quote_text(text)}")
    return text.strip()


def tenant(text: str) -> str:
    """A name for whoever workers work for.

    Raises:
        BadSetting: it is too long or cannot be printed.
    """
    if len(text) > LONGEST_TENANT or not text.isprintable():
        raise BadSetting(f"must be a name of at most {LONGEST_TENANT} characters, not {quote_text(text)}")
    return text.strip()


def key_pairs_of(field: Field) -> tuple[str, ...]:
    """Keys with their places, with commas between them or as a list.

    Raises:
        BadPanel: one cannot be read.
    """
    if field.plain:
        return field.read(lambda text: tuple(key_pair(part) for part in text.split(",")))
    return tuple(inner.read(key_pair) for inner in field.items())


def key_pair(text: str) -> str:
    """A key and a place that it may go to, by provider or variable: openai@gateway.example:8080.

    Raises:
        BadSetting: it is no such pair.
    """
    name, _, place = text.strip().partition("@")
    known = {*models.PROVIDERS, *(provider.variable for provider in models.PROVIDERS.values())}
    if name not in known or not is_place(place):
        raise BadSetting(f"a key and a place such as openai@gateway.example:8080, not {text.strip()[:60]!r}")
    return f"{name}@{place}"


def budget_of(field: Field) -> dict[str, int | Fraction]:
    """A budget in a file: in one line as for --budget, or a field each.

    Raises:
        BadPanel: it cannot be read.
    """
    if field.plain:
        return field.read(budget)
    return {name: part.read(BUDGET_PARTS[name]) for name, part in field.fields(BUDGET_PARTS).items()}


def text_pairs(field: Field) -> tuple[tuple[str, str], ...]:
    """Names with a text each.

    Raises:
        BadPanel: a value is no single one.
    """
    return tuple((name, inner.text()) for name, inner in field.pairs())


def protocol_settings(field: Field) -> tuple[tuple[str, str], ...]:
    """Settings of a protocol; those of a rule (with a dot) stand only where a rulebook stands beside them.

    Raises:
        BadPanel: a value is no single one, or a dot stands where none may.
    """
    for name, inner in field.pairs():
        if "." in name:
            raise inner.fault("a rule's setting belongs into a panel file, or into a request")
    return text_pairs(field)


def models_of(field: Field, *behind: Field) -> str:
    """A model in a file, or a list of them, and those that stand `behind` it as fallbacks.

    Raises:
        BadPanel: one cannot be read, or stands there twice.
    """
    names = [name for each in (field, *behind) for name in _listed(each)]
    try:
        return model_name(join_models(*names))
    except BadSetting as wrong:
        raise field.fault(str(wrong)) from wrong


def _listed(field: Field) -> tuple[str, ...]:
    return (field.read(model_name),) if field.plain else tuple(inner.read(model_name) for inner in field.items())


def model_name(text: str) -> str:
    """A model's name, or several with commas between them: the first answers, the others if it fails.

    Raises:
        UnknownName: no such provider.
        BadSetting: it is no name of a model.
    """
    if not text.strip().isprintable():
        raise BadSetting(f"a model is named provider:name, not {text.strip()[:60]!r}")
    names = several(text)
    if len(names) > MOST_FALLBACKS:
        raise BadSetting(f"a seat takes at most {MOST_FALLBACKS} models, one after the other, not {len(names)}")
    if len(names) <= 1:
        return _one_model(names[0] if names else "", alone=True)
    for place, name in enumerate(names):
        if name in names[:place]:
            raise BadSetting(f"{name!r} is given twice; a model that failed is not asked again as its own fallback")
        _one_model(name)
    return join_models(*names)


def _usual(written: str) -> str:
    """A model as it is written here: of model@tool the tool first, of a server on this machine the whole address."""
    name, _, where = written.rpartition("@")
    if not name:
        return written
    if written.partition(":")[0] in {*models.PROVIDERS, models.CLI, models.PYDANTIC}:
        host, slash, path = where.partition("/")
        return f"{name}@http://{host}/{path if slash else 'v1'}" if _LOOPBACK.fullmatch(host) else written
    if where in TOOLS:
        return f"{models.CLI}:{where}/{name}"
    return f"{where}:{name}" if where in models.PROVIDERS else written


def _without_provider(written: str) -> str:
    """What to write instead of a bare name: the tool of that name, and whose models are called so."""
    likely = next((whose for begin, whose in _FAMILIES if written.casefold().startswith(begin)), "openai")
    model = "MODEL" if written in TOOLS else written or "NAME"
    tool = f"{models.CLI}:{written} for the command-line tool, or " if written in TOOLS else ""
    return f"{written!r} names no provider; write provider:name, for instance {tool}{likely}:{model}"


_LOOPBACK: Final = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?")
_FAMILIES: Final = (
    ("claude", "anthropic"),
    ("gemini", "gemini"),
    ("mistral", "mistral"),
    ("deepseek", "deepseek"),
    ("grok", "xai"),
    *((name, "ollama") for name in ("llama", "qwen", "gemma", "phi")),
)
"""Whose models are called so; of any other name it is anybody's guess."""


def _one_model(text: str, *, alone: bool = False) -> str:
    written = _usual(text.strip())
    if not written.isprintable():
        raise BadSetting(f"a model is named provider:name, not {written[:60]!r}")
    if (written == AUTO and alone) or models.ours(written) or written.startswith("demo:"):
        return written
    if written == AUTO:
        raise BadSetting("auto brings its own fallbacks; let it stand alone")
    try:
        if ":" not in written:
            raise BadSetting(_without_provider(written))
        models.parse(written)
    except ValueError as wrong:  # what urllib says of http://[
        raise BadSetting("the address of a model must look like http://host:port/v1") from wrong
    return written
