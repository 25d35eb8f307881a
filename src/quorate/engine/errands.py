"""Runs errands: kind to backend. A clerk has no opinion, and a failure is a find with a reason."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from quorate.engine.similarity_backend import Likeness
from quorate.errors import BadPlugin
from quorate.evidence.search_settings import SearchSettings
from quorate.frozen import dataclass
from quorate.model import Errand, Found
from quorate.model.lookup import LOOK
from quorate.plugins import PartTable, blame_package

if TYPE_CHECKING:
    from quorate.evidence.errand_find import EvidenceFinder

__all__ = ["ERRANDS", "Backend", "Clerk"]

Backend = Callable[[Errand], Awaitable[Found]]


@dataclass(frozen=True, slots=True)
class Clerk:
    """Backends by the kind of errand they run."""

    backends: Mapping[str, Backend] = field(default_factory=dict[str, Backend])

    @classmethod
    def equipped(
        cls, likeness: Likeness = "auto", means: SearchSettings | None = None, folder: Path | None = None
    ) -> "Clerk":
        """A clerk with every backend, each opened when first needed.

        `likeness` is the one that compares texts, or its name; `means` say where sources are found and fetched.
        """

        async def compare(errand: Errand) -> Found:
            from quorate.similarity.errand_compare import comparer  # noqa: PLC0415  weights, for conferences only

            return await comparer(likeness, folder)(errand)

        return cls({"compare": compare, **_looking(means or SearchSettings())})

    def looking_in(self, root: str, environ: Mapping[str, str]) -> "Clerk":
        """The same, and it looks into a folder for seats that ask to; what looks like a secret is taken out."""

        async def look(errand: Errand) -> Found:
            from quorate.evidence.errand_look import FileLooker  # noqa: PLC0415  for panels that may look only
            from quorate.middleware.secret_redaction import redact_secrets  # noqa: PLC0415  the same

            return await FileLooker(root, lambda text: redact_secrets(text, environ).text).look(errand)

        return Clerk({**self.backends, LOOK: look})

    async def run(self, errand: Errand) -> Found:
        """Run an errand; without a backend for it nothing is found, and the find says so."""
        backend = self.backends.get(errand.kind)
        if backend is not None:
            return await backend(errand)
        return await _run_added(errand)


async def _run_added(errand: Errand) -> Found:
    """Run an errand by another package's backend. Whatever goes wrong in it is a find with a reason, as of our own."""
    try:
        added = ERRANDS[errand.kind]
        where = ERRANDS.describe(errand.kind)
        with blame_package(f"{where} failed"):
            found = await added(errand)
    except KeyError:
        return Found(**errand.key._asdict(), why="no backend for it")
    except BadPlugin as wrong:
        return Found(**errand.key._asdict(), why=str(wrong))
    if not _answers(found, errand):
        return Found(**errand.key._asdict(), why=f"{where} returned no Found for this errand")
    return found if found.by else replace(found, by=ERRANDS.added()[errand.kind])


def _answers(found: object, errand: Errand) -> bool:
    return isinstance(found, Found) and found.key == errand.key


def _accept(_: str, added: object) -> Backend:
    if not callable(added):
        raise BadPlugin(f"it must be an async function that takes an Errand, not {type(added).__name__}")
    return cast("Backend", added)


ERRANDS: Final = PartTable[Backend]("errand", {}, _accept, taken=("compare", "find", "fetch", LOOK))
"""Backends that other packages bring, by the kind of errand they run; those of a clerk can't be replaced."""


def _looking(means: SearchSettings) -> Mapping[str, Backend]:
    """What runs `find` and `fetch`: one for both, so that sources are read once a deliberation."""

    @cache
    def office() -> "EvidenceFinder":
        from quorate.evidence.errand_find import EvidenceFinder  # noqa: PLC0415  an index and an HTTP client, for oracles only

        return EvidenceFinder.of(means)

    async def find(errand: Errand) -> Found:
        return await office().find(errand)

    async def fetch(errand: Errand) -> Found:
        return await office().fetch(errand)

    return {"find": find, "fetch": fetch}
