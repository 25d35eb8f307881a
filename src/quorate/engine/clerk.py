"""Runs errands: kind to backend. A clerk has no opinion, and a failure is a find with a reason."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from quorate.model import Errand, Found

__all__ = ["Backend", "Clerk"]

Backend = Callable[[Errand], Awaitable[Found]]


@dataclass(frozen=True, slots=True)
class Clerk:
    """Backends by the kind of errand they run."""

    backends: Mapping[str, Backend] = field(default_factory=dict[str, Backend])

    @classmethod
    def equipped(cls, likeness: str = "auto") -> "Clerk":
        """A clerk with every backend, each opened when it is first needed; `likeness` names the one for texts."""

        async def compare(errand: Errand) -> Found:
            from quorate.similarity.errand import comparer  # noqa: PLC0415  a lexicon and weights, for conferences only

            return await comparer(likeness)(errand)

        return cls({"compare": compare})

    async def run(self, errand: Errand) -> Found:
        """Run an errand; without a backend for it nothing is found, and the find says so."""
        backend = self.backends.get(errand.kind)
        if backend is None:
            return Found(
                kind=errand.kind, round=errand.round, seat=errand.seat, about=errand.about, why="no backend for it"
            )
        return await backend(errand)
