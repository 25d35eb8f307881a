"""How often the garbage collector looks around, for a process that is quorate's own and holds many deliberations.

As Python starts, it looks through the youngest objects after every 700 new ones and through all of them soon after:
with some hundred deliberations in flight that is a third of all CPU, and next to nothing is found. Whoever uses quorate
as a library decides this for the own process; nothing here is done by importing it.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

__all__ = ["tuned_collector"]

THRESHOLDS: Final = (250_000, 20, 20)
"""New objects before the youngest are looked through, and how often that happens before older ones are, and all.

A deliberation in flight holds about a thousand objects, all of them wanted: with a tenth of this, some hundred of them
are looked through again and again in vain. One that is over leaves nothing to the collector; so many objects of others
that do take some 50 MB.
"""


@contextmanager
def tuned_collector() -> Generator[None]:
    """Look around seldom meanwhile, and never at what was there before: modules and settings do not become garbage.

    Who has frozen something has done so already, and keeps it: all that is frozen can only be thawed together.
    """
    before, ours = gc.get_threshold(), not gc.get_freeze_count()
    if ours:
        gc.collect()
        gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if ours:
            gc.unfreeze()
