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

__all__ = ["BROKE_DOWN", "ENDED", "FailedFinish", "broke_down", "finish_of", "known_finish", "most_careful"]

ENDED: Final[Mapping[str, Finish]] = {
    **dict.fromkeys(("stop", "stopped", "eos", "eos_token", "end_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("complete", "completed"), "stop"),
    **dict.fromkeys(("content_filter", "content_filtered", "guardrail_intervened", "sensitive"), "filter"),
    **dict.fromkeys(("safety", "recitation", "blocklist", "prohibited_content", "spii"), "filter"),
    **dict.fromkeys(("image_safety", "image_recitation", "image_prohibited_content", "error_toxic"), "filter"),
    "refusal": "refusal",
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length", "incomplete"), "length"),
}
BROKE_DOWN: Final = frozenset(
    {"error", "failed", "cancelled", "abort", "aborted", "network_error", "insufficient_system_resource"}
)


def finish_of(said: object) -> Finish:
    """How a reply ended that says so by this word."""
    return ENDED.get(said.casefold(), "length") if isinstance(said, str) else "length"


_CARE: Final[tuple[Finish, ...]] = ("stop", "length", "refusal", "filter")


def most_careful(*reasons: object) -> object:
    """Of several words for the end of one reply, the one that trusts it least; none if there is no word."""
    return max((said for said in reasons if said is not None), key=_care, default=None)


def _care(said: object) -> int:
    return len(_CARE) if broke_down(said) else _CARE.index(finish_of(said))


def known_finish(said: object) -> str | None:
    """A word for the end in a field that also holds other things, such as the text that stopped the model."""
    known = isinstance(said, str) and said.casefold() in ENDED.keys() | BROKE_DOWN
    return said if isinstance(said, str) and known else None


class FailedFinish(str):
    """The word by which a provider ended its reply, where it is one for a failure."""

    __slots__ = ()


def broke_down(said: object) -> FailedFinish:
    """The word for the end, if it is one for a failure; else none."""
    return FailedFinish(said if isinstance(said, str) and said.casefold() in BROKE_DOWN else "")
