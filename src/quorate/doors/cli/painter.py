"""A thread that writes: neither a large drawing nor a reader that does not read holds up what is being shown."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Painter"]

LEAVING: Final = 1.0
"""Seconds that a terminal has to take what is left, if we are to leave in a hurry."""


class Painter:
    """Does one thing after the other; a terminal that was closed is no error."""

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._thread = ThreadPoolExecutor(1, thread_name_prefix="quorate-painter")
        self._last: Future[None] | None = None
        self._failure: BaseException | None = None

    @property
    def busy(self) -> bool:
        """Whether something is still to be drawn."""
        return self._last is not None and not self._last.done()

    def do(self, job: Callable[[], None]) -> None:
        """Have something drawn in its turn."""
        self._last = self._thread.submit(job)
        self._last.add_done_callback(self._ended)

    def _ended(self, job: "Future[None]") -> None:
        failure = job.exception()
        if failure is not None and not isinstance(failure, OSError):
            self._failure = failure

    async def close(self, *, hurry: bool) -> None:
        """Wait until all is drawn; in a hurry, not for long.

        Raises:
            BadSetting: it could not be written.
        """
        if self._last is not None:
            import asyncio

            await asyncio.wait({asyncio.wrap_future(self._last)}, timeout=LEAVING if hurry else None)
        self._thread.shutdown(wait=False)
        if self._failure is not None and not hurry:
            raise self._failure
