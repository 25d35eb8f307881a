"""`quorate group`: options in, groups out, with every score and reason."""

import json
from collections.abc import Sequence
from typing import cast

from quorate.analysis.option_groups import Group, Grouping, OptionScores, group
from quorate.errors import BadSetting
from quorate.frozen import dataclass
from quorate.panelists.http.reply_fields import storable
from quorate.similarity.backend import Backend
from quorate.similarity.errand_compare import likeness_of

__all__ = ["GroupedOptions", "group_options", "options_of"]

_WANTED = 'options are a JSON list of texts, none of them empty: ["Use PostgreSQL", "Use SQLite"]'


@dataclass(frozen=True, slots=True)
class GroupedOptions:
    """What became of the options, who compared them, and why it was not the backend chosen, if it was not."""

    grouping: Grouping
    backend: str
    why: str

    @property
    def groups(self) -> tuple[Group, ...]:
        return self.grouping.groups

    @property
    def document(self) -> dict[str, object]:
        """The groups and every pair that was scored, as plain JSON types."""
        return {
            "groups": [{"name": one.name, "options": list(one.members)} for one in self.groups],
            "pairs": [
                {"a": pair.a, "b": pair.b, "score": float(pair.score), "merged": pair.merged, "why": pair.why}
                for pair in self.grouping.pairs
            ],
            "backend": self.backend,
            **({"fallback": self.why} if self.why else {}),
        }


def options_of(text: str) -> tuple[str, ...]:
    """A JSON list of texts.

    Raises:
        BadSetting: it is something else.
    """
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError):
        raise BadSetting(_WANTED) from None
    if not isinstance(read, list):
        raise BadSetting(_WANTED)
    listed = cast("list[object]", read)
    options = tuple(storable(option) for option in listed if isinstance(option, str) and option.strip())
    if len(options) != len(listed):
        raise BadSetting(_WANTED)
    return options


def group_options(texts: Sequence[str], backend: Backend, question: str = "") -> GroupedOptions:
    """Compare options and group them; one that is there twice counts once.

    `question`: what was asked. Without it, lists in different order stay apart.
    """
    options = tuple(dict.fromkeys(texts))
    found = likeness_of(options, backend, question=question)
    return GroupedOptions(group(options, OptionScores(scores=found.scores, same=found.same)), found.by, found.why)
