"""Models as a caller may name them where a policy takes plain names: a provider's or a tool's, and nothing else."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from quorate.errors import BadSetting
from quorate.panelists.registry import CLI, DEMO, EMBEDDED, PROVIDERS
from quorate.settings.model_names import AUTO, several
from quorate.settings.readers import model_name
from quorate.settings.table import MODEL, MODELS, SEATS

__all__ = ["TOOLS", "check_plain_models"]

TOOLS: Final = frozenset({"claude", "codex", "droid", "gemini", "llm"})
"""Adapters that are commands of the user's own; all others are providers."""
_OURS: Final = frozenset({DEMO, EMBEDDED, AUTO})


def check_plain_models(options: Mapping[str, Any]) -> None:
    """See that every model a request names is a name and an effort at most: no address, no file, no person.

    Raises:
        BadSetting: one is more than that.
        UnknownName: no such provider.
    """
    # Providers of other packages are looked up here and not on import, which must not run their code.
    known = {*PROVIDERS, CLI}
    for written in _named(options):
        for part in map(str.strip, written.split(",")):
            if part not in _OURS and (":" not in part or part.partition(":")[0] not in known):
                adapters = ", ".join(sorted({*PROVIDERS, *TOOLS}))
                raise BadSetting(f"no adapter for {part[:60]!r}; there are {adapters}")
        for one in several(model_name(written)):
            # As it is read, not as it is written: what follows an option may be an address.
            if "@" in one or "?" in one.partition("?effort=")[0] or "&" in one:
                raise BadSetting(
                    "a caller names a model and nothing else; addresses and options belong in a panel file"
                )


def _named(options: Mapping[str, Any]) -> Iterator[str]:
    for name in (MODEL.name, MODELS.name):
        listed = options.get(name, ())
        yield from (listed,) if isinstance(listed, str) else listed
    pairs: Iterable[tuple[str, str]] = options.get(SEATS.name, ())
    yield from (model for _, model in pairs)
