"""How a reply ended, in the words of every provider; what nobody has documented as a clean end is none.

| meant     | said                                                                                         |
|-----------|----------------------------------------------------------------------------------------------|
| `stop`    | the model had said all it wanted to say                                                      |
| `filter`  | somebody's filter stopped it                                                                 |
| `refusal` | the model declined                                                                           |
| a failure | the provider broke down while the model wrote; asked again by the one retry loop             |
| `length`  | everything else: a limit of tokens, a pause, a tool we never offered, a word we do not know  |

A reply that ended by `length` was cut off: its rest may have said the opposite, so no ballot for ACT in it counts.
"""

from collections.abc import Mapping
from typing import Final

from quorate.model import Finish

__all__ = ["BROKE_DOWN", "ENDED", "FailedFinish", "broke_down", "finish_of"]

ENDED: Final[Mapping[str, Finish]] = {
    **dict.fromkeys(("stop", "stopped", "eos", "eos_token", "end_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("complete", "completed"), "stop"),
    **dict.fromkeys(("content_filter", "content_filtered", "guardrail_intervened", "sensitive"), "filter"),
    **dict.fromkeys(("safety", "recitation", "blocklist", "prohibited_content", "spii"), "filter"),
    **dict.fromkeys(("image_safety", "image_recitation", "image_prohibited_content", "error_toxic"), "filter"),
    "refusal": "refusal",
}
BROKE_DOWN: Final = frozenset(
    {"error", "failed", "cancelled", "abort", "aborted", "network_error", "insufficient_system_resource"}
)


def finish_of(said: object) -> Finish:
    """How a reply ended that says so by this word."""
    return ENDED.get(said.casefold(), "length") if isinstance(said, str) else "length"


class FailedFinish(str):
    """The word by which a provider ended its reply, where it is one for a failure."""

    __slots__ = ()


def broke_down(said: object) -> FailedFinish:
    """The word for the end, if it is one for a failure; else none."""
    return FailedFinish(said if isinstance(said, str) and said.casefold() in BROKE_DOWN else "")
