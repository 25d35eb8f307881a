"""Which backend compares texts: one of those in process, or a provider's embeddings, named like any model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Union

from quorate.errors import UnknownName

if TYPE_CHECKING:
    from quorate.similarity.backend import Backend

__all__ = ["Likeness", "backend_of", "likeness_named"]

Likeness = Union["Backend", str]


def likeness_named(wanted: str, keys: Mapping[str, str]) -> Likeness:
    """A name that `choose` knows, or the endpoint that a model's name stands for; nothing is loaded or asked yet.

    Raises:
        UnknownName: there is no such backend or provider.
        BadSetting: it is no name of a model, or its address is none.
        NoModel: the provider wants a key, and there is none.
    """
    from quorate.similarity.backend_choice import NAMES  # noqa: PLC0415  for those who compare

    if wanted in NAMES:
        return wanted
    if ":" not in wanted:
        raise UnknownName("similarity backend", wanted, (*NAMES, "PROVIDER:MODEL"))
    from quorate.panelists.registry import key_of, parse  # noqa: PLC0415  the same
    from quorate.similarity.vectors import EmbeddingEndpoint  # noqa: PLC0415  the same

    named = parse(wanted, keys)
    return EmbeddingEndpoint(address=named.base_url, model=named.name, key=key_of(named, keys))


def backend_of(wanted: str, keys: Mapping[str, str]) -> "Backend":
    """The same, ready to compare.

    Raises:
        UnknownName: there is no such backend or provider.
        BadSetting: it is not installed, or no name of a model.
        NoModel: the provider wants a key, and there is none.
    """
    from quorate.engine.local_panelists import weights_folder  # noqa: PLC0415  the same
    from quorate.similarity.backend_choice import choose  # noqa: PLC0415  weights, for those who compare

    found = likeness_named(wanted, keys)
    return choose(found, weights_folder(keys)) if isinstance(found, str) else found
